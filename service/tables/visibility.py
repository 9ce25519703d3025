"""What a viewer may see: the one allow-list that every output goes through."""

from collections.abc import Iterable
from typing import Any, Literal, cast

from msgspec import Struct

from service.cards import UNKNOWN, Face
from service.deck import Deck, proof
from service.event_store import disclosure
from service.event_store.codec import RecordedEvent
from service.event_store.disclosure import DisclosureState, SealedField
from service.event_store.store import NotSealed
from service.games.common_events import CardsDealt
from service.games.faces import shown_faces
from service.games.game import Event
from service.games.table_state import TableState, is_invited, seat_of
from service.secrets.openings import FieldOpening
from service.tables.fold import TableAt
from service.tables.sealed_store import Unsealer


class CardOpening(Struct, frozen=True, kw_only=True):
    """A face that one seat may see, and what ties it to its deck's root.

    *position* is that of the event that dealt the card, *pos* the card's place in the deck,
    *proof* the RFC 6962 inclusion path.
    """

    position: int
    epoch: str
    pos: int
    face: Face
    salt: str
    proof: tuple[str, ...]


def may_know(state: TableState, caller: str, *, reads_all: bool) -> bool:
    """Tell whether *caller* may know of the table: anybody of a public one, else its host, players and invited."""
    if state.visibility == "public" or reads_all or state.status == "new":
        return True
    return bool(caller) and (caller == state.host or seat_of(state, caller) > 0 or is_invited(state, caller))


def card_openings(recorded: Iterable[RecordedEvent], seat: int, hidden: Unsealer) -> tuple[CardOpening, ...]:
    """Return the cards that *recorded* dealt to *seat*; nothing for seat 0, which is nobody's."""
    if not seat:
        return ()
    return tuple(
        _opening(one.position, deck, position)
        for one in recorded
        if isinstance(one.event, CardsDealt)
        for position, to in one.event.cards
        if to == seat and (deck := _deck(hidden, one.event.epoch))
    )


class DisclosedField(Struct, frozen=True):
    """The *opening* of a sealed field, which the event at *position* lets somebody read."""

    position: int
    opening: FieldOpening


def disclosed_fields(
    recorded: Iterable[RecordedEvent], before: DisclosureState, seat: int, hidden: Unsealer
) -> tuple[DisclosedField, ...]:
    """Return the sealed fields that *recorded*, coming after what is kept *before*, let *seat* (0: everybody) read."""
    found: list[DisclosedField] = []
    for one in recorded:
        found += [
            DisclosedField(one.position, opening)
            for heard in disclosure.disclosures(before, one)
            if (heard.to is None or seat in heard.to) and (opening := _field(hidden, heard.sealed_field))
        ]
        before = disclosure.evolve(before, one)
    return tuple(found)


def readable_fields(recorded: Iterable[RecordedEvent], seat: int, hidden: Unsealer) -> tuple[FieldOpening, ...]:
    """Return what was sealed in *recorded*, the events of a hand, and is by its last event open to *seat*."""
    kept: DisclosureState = disclosure.NOTHING_SEALED
    for one in recorded:
        kept = disclosure.evolve(kept, one)
    return tuple(
        opening for one in kept.values() if one.is_open_to(seat) and (opening := _field(hidden, one)) is not None
    )


class DealtCard(Struct, frozen=True, kw_only=True):
    """A card as it was dealt: by the event at *position*, from *pos* of its deck, to a seat or a place.

    *face* is `??` where the caller may not see it.
    """

    position: int
    epoch: str
    pos: int
    to: int | Literal["table", "aside"]
    face: Face


def dealt_cards(
    recorded: Iterable[RecordedEvent], table_at: TableAt, seat: int, hidden: Unsealer
) -> tuple[DealtCard, ...]:
    """Return the cards that *recorded*, the events of a hand, dealt at the table that now stands in *table_at*.

    A retired deck is open (G.6). Of one that is not, a face is seen that *recorded* shows to all,
    and by *seat* those of its own cards.
    """
    events = tuple(recorded)
    faces = {(card.epoch, card.pos): card.face for one in events for card in shown_faces(cast("Event", one.event))}

    def face(epoch: str, pos: int, to: int | str) -> Face:
        if is_retired(table_at, epoch) or (seat and to == seat):
            return _face(hidden, epoch, pos)
        return faces.get((epoch, pos), UNKNOWN)

    return tuple(
        DealtCard(position=one.position, epoch=one.event.epoch, pos=pos, to=to, face=face(one.event.epoch, pos, to))
        for one in events
        if isinstance(one.event, CardsDealt)
        for pos, to in one.event.cards
    )


def is_retired(table_at: TableAt, epoch: str) -> bool:
    """Tell whether an event has revealed the seed of the deck of *epoch*, so that its order is public (G.6)."""
    return epoch in table_at.opened and epoch not in table_at.state.decks


def _deck(hidden: Unsealer, epoch: str) -> Deck | None:
    """Return a deck; None: nobody here knows how it lies, since its seed was erased, or is another service's."""
    try:
        return hidden.deck(epoch)
    except NotSealed:
        return None


def _field(hidden: Unsealer, kept: SealedField) -> FieldOpening | None:
    """Return the opening of a field; None: nobody here has it, since it was erased, or is another service's."""
    try:
        return hidden.field(kept)
    except NotSealed:
        return None


def _face(hidden: Unsealer, epoch: str, pos: int) -> Face:
    deck = _deck(hidden, epoch)
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
    """What the viewer in *seat* (0: without one) sees of a table, and nothing else.

    *is_present* tells the table as it stands from the table as it stood (B7.4).
    """

    def __init__(self, table_at: TableAt, seat: int, hidden: Unsealer, *, is_present: bool = True) -> None:
        self._table_at = table_at
        self._seat = seat
        self._hidden = hidden
        self._allowed: frozenset[int] = table_at.game.visible(table_at.state, seat, is_present)

    def face(self, position: int) -> Face:
        """Return the face at a *position* of the deck in play; `??` where it may not be seen."""
        epoch = self._table_at.state.epoch
        if position not in self._allowed or not epoch:  # between two decks, in the middle of a command
            return UNKNOWN
        return _face(self._hidden, epoch, position)

    def sealed(self, seat: int, field: str) -> Any:  # noqa: ANN401 -- JSON
        """Return what *seat* sealed last under *field*; None where it may not be read."""
        kept = disclosure.last_sealed(self._table_at.sealed, seat, field)
        if kept is None or not kept.is_open_to(self._seat):
            return None
        opening = _field(self._hidden, kept)
        return opening.value if opening else None


def view(table_at: TableAt, seat: int, hidden: Unsealer, *, is_present: bool) -> Struct:
    """Return what is particular to the game at this table, as *seat* (0: everybody) may see it."""
    return table_at.game.view(table_at.state, SeatViewpoint(table_at, seat, hidden, is_present=is_present))
