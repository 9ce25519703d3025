"""Visibility: decides which cards and sealed fields a viewer may see, for every output (DECISIONS 32 and 86)."""

from collections.abc import Iterable, Sequence
from typing import Any, cast

from msgspec import Struct

from service.cards import UNKNOWN, Face
from service.deck import Deck, proof
from service.event_store import disclosure
from service.event_store.codec import RecordedEvent
from service.event_store.disclosure import DisclosureState, SealedField
from service.event_store.store import NotSealed
from service.games.common_events import CardsDealt, Place, shown_faces
from service.games.game import Event
from service.games.table_state import TableState, is_invited, seat_of
from service.secrets.openings import FieldOpening
from service.tables.fold import TableAt
from service.tables.sealed_store import Unsealer


class CardOpening(Struct, frozen=True, kw_only=True):
    """The face and the salt of a card that one seat may see, and the proof that the card is in its deck.

    *position*: the position of the event that dealt the card. *pos*: the card's place in the deck. *proof*: the
    RFC 6962 inclusion path to the deck's root.
    """

    position: int
    epoch: str
    pos: int
    face: Face
    salt: str
    proof: tuple[str, ...]


def may_know(state: TableState, caller: str, *, reads_all: bool) -> bool:
    """Return whether *caller* may know of the table.

    Only the host, the players and the invited owners may know of a private table, unless *reads_all* is true. A table
    before its first event is not private.
    """
    if state.visibility == "public" or reads_all or state.status == "new":
        return True
    return bool(caller) and (caller == state.host or seat_of(state, caller) > 0 or is_invited(state, caller))


def card_openings(recorded: Iterable[RecordedEvent], seat: int, unsealer: Unsealer) -> tuple[CardOpening, ...]:
    """Return the openings of the cards that *recorded* dealt to *seat*; for seat 0 (no seat), return no openings.

    A card has no opening if the seed of its deck was erased, or only another service has the seed.
    """
    if not seat:
        return ()
    return tuple(
        _opening(one.position, deck, position)
        for one in recorded
        if isinstance(one.event, CardsDealt)
        for position, to in one.event.cards
        if to == seat and (deck := _deck(unsealer, one.event.epoch))
    )


class DisclosedField(Struct, frozen=True):
    """The *opening* of a sealed field that the event at *position* discloses to a viewer."""

    position: int
    opening: FieldOpening


def disclosed_fields(
    recorded: Iterable[RecordedEvent], before: DisclosureState, seat: int, unsealer: Unsealer
) -> tuple[DisclosedField, ...]:
    """Return the sealed fields that the events *recorded* disclose to the viewer in *seat* (0: without a seat).

    *before* is the disclosure state before these events. Fields whose values were erased, or are only at another
    service, are left out.
    """
    found: list[DisclosedField] = []
    for one in recorded:
        found += [
            DisclosedField(one.position, opening)
            for new in disclosure.disclosures(before, one)
            if (new.to is None or seat in new.to) and (opening := _field(unsealer, new.sealed_field))
        ]
        before = disclosure.evolve(before, one)
    return tuple(found)


def readable_fields(recorded: Iterable[RecordedEvent], seat: int, unsealer: Unsealer) -> tuple[FieldOpening, ...]:
    """Return the sealed fields of *recorded*, the events of a hand, that *seat* may read after the last event.

    Fields whose values were erased, or are only at another service, are left out.
    """
    state: DisclosureState = disclosure.NOTHING_SEALED
    for one in recorded:
        state = disclosure.evolve(state, one)
    return tuple(
        opening for one in state.values() if one.is_open_to(seat) and (opening := _field(unsealer, one)) is not None
    )


class DealtCard(Struct, frozen=True, kw_only=True):
    """A card that the event at *position* dealt from the place *pos* of its deck.

    *to* is the seat, or the place on the table, that got the card. *face* is `??` if the caller may not see the face,
    or if the face follows only from a seed that the service does not have.
    """

    position: int
    epoch: str
    pos: int
    to: int | Place
    face: Face


def dealt_cards(
    recorded: Iterable[RecordedEvent], table_at: TableAt, seat: int, unsealer: Unsealer
) -> tuple[DealtCard, ...]:
    """Return the cards that *recorded*, the events of a hand, dealt at the table *table_at*.

    Everybody may see all faces of a retired deck (G.6), unless the deck's seed was erased. Of a deck that is not
    retired, everybody may see the faces that *recorded* shows. In addition, *seat* may see the faces of the cards that
    were dealt to *seat*.
    """
    events = tuple(recorded)
    faces = {(card.epoch, card.pos): card.face for one in events for card in shown_faces(cast("Event", one.event))}

    def face(epoch: str, pos: int, to: int | str) -> Face:
        if is_retired(table_at, epoch) or (seat and to == seat):
            return _face(unsealer, epoch, pos)
        return faces.get((epoch, pos), UNKNOWN)

    return tuple(
        DealtCard(position=one.position, epoch=one.event.epoch, pos=pos, to=to, face=face(one.event.epoch, pos, to))
        for one in events
        if isinstance(one.event, CardsDealt)
        for pos, to in one.event.cards
    )


def is_retired(table_at: TableAt, epoch: str) -> bool:
    """Return whether an event has revealed the seed of the deck of *epoch*; the deck's order is then public (G.6)."""
    return epoch in table_at.opened and epoch not in table_at.state.decks


def _deck(unsealer: Unsealer, epoch: str) -> Deck | None:
    """Return the deck of *epoch*, or None if the deck's seed was erased or only another service has the seed."""
    try:
        return unsealer.deck(epoch)
    except NotSealed:
        return None


def _field(unsealer: Unsealer, sealed_field: SealedField) -> FieldOpening | None:
    """Return the opening of a field, or None if the value was erased or only another service has the value."""
    try:
        return unsealer.field(sealed_field)
    except NotSealed:
        return None


def _face(unsealer: Unsealer, epoch: str, pos: int) -> Face:
    deck = _deck(unsealer, epoch)
    return deck.order[pos] if deck else UNKNOWN


def _opening(at: int, deck: Deck, position: int) -> CardOpening:
    return CardOpening(
        position=at,
        epoch=deck.epoch,
        pos=position,
        face=deck.order[position],
        salt=deck.salts[position],
        proof=proof(deck, position),
    )


class SeatViewpoint:
    """The `Viewpoint` of the viewer in *seat* (0: without a seat): the faces and sealed values that the viewer may see.

    *is_present* is true if *table_at* is the table as it is now. A view of a past position may hide a card that was
    visible while this position was the present one.
    """

    def __init__(self, table_at: TableAt, seat: int, unsealer: Unsealer, *, is_present: bool = True) -> None:
        self._table_at = table_at
        self._seat = seat
        self._unsealer = unsealer
        self._allowed: frozenset[int] = table_at.game.visible(table_at.state, seat, is_present)

    def face(self, position: int) -> Face:
        """Return the face at a *position* of the deck in play, or `??` if the viewer cannot see the face."""
        return self.faces((position,))[0]

    def faces(self, positions: Sequence[int]) -> tuple[Face, ...]:
        """Return the faces at *positions* of the deck in play, or `??` for each face that the viewer cannot see."""
        epoch = self._table_at.state.epoch
        if not epoch or self._allowed.isdisjoint(positions):  # Without an epoch, no deck is in play.
            return (UNKNOWN,) * len(positions)
        deck = _deck(self._unsealer, epoch)
        return tuple([deck.order[one] if deck and one in self._allowed else UNKNOWN for one in positions])

    def sealed(self, seat: int, field: str) -> Any:  # noqa: ANN401 -- the value may be any JSON
        """Return the value that *seat* sealed last under *field*, or None if the viewer cannot read such a value."""
        sealed_field = disclosure.last_sealed(self._table_at.sealed, seat, field)
        if sealed_field is None or not sealed_field.is_open_to(self._seat):
            return None
        opening = _field(self._unsealer, sealed_field)
        return opening.value if opening else None


def view(table_at: TableAt, seat: int, unsealer: Unsealer, *, is_present: bool) -> Struct:
    """Return the game's part of the view of a table for the viewer in *seat* (0: without a seat)."""
    return table_at.game.view(table_at.state, SeatViewpoint(table_at, seat, unsealer, is_present=is_present))
