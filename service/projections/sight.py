"""What a viewer may see: the one allow-list that every output goes through."""

from collections.abc import Callable, Iterable
from typing import Any, Literal, cast

from msgspec import Struct

from service.cards import UNKNOWN, Face
from service.deck import Deck, proof
from service.games.events import CardsDealt
from service.games.faces import shown
from service.games.game import Event
from service.games.table import TableState, seat_of
from service.log.codec import Recorded
from service.log.store import NotSealed
from service.projections.situations import Situation

DeckOf = Callable[[str], Deck]
"""Finds the deck of an epoch. Only this module asks it for faces to show."""


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


def may_know(state: TableState, asker: str, *, reads_all: bool) -> bool:
    """Tell whether *asker* may know of the table: anybody of a public one, else its host and players."""
    if state.visibility == "public" or reads_all or state.status == "new":
        return True
    return bool(asker) and (asker == state.host or seat_of(state, asker) > 0)


def openings(recorded: Iterable[Recorded], seat: int, deck_of: DeckOf) -> tuple[CardOpening, ...]:
    """Return the cards that *recorded* dealt to *seat*; nothing for seat 0, which is nobody's."""
    if not seat:
        return ()
    return tuple(
        _opening(one.position, deck, position)
        for one in recorded
        if isinstance(one.event, CardsDealt)
        for position, to in one.event.cards
        if to == seat and (deck := _deck(deck_of, one.event.epoch))
    )


class DealtCard(Struct, frozen=True, kw_only=True):
    """A card as it was dealt: by the event at *position*, from *pos* of its deck, to a seat or a place.

    *face* is `??` where the asker may not see it.
    """

    position: int
    epoch: str
    pos: int
    to: int | Literal["table", "aside"]
    face: Face


def dealt(recorded: Iterable[Recorded], situation: Situation, seat: int, deck_of: DeckOf) -> tuple[DealtCard, ...]:
    """Return the cards that *recorded*, the events of a hand, dealt at the table that now stands in *situation*.

    A retired deck is open (G.6). Of one that is not, a face is seen that *recorded* shows to all,
    and by *seat* those of its own cards.
    """
    events = tuple(recorded)
    faces = {(card.epoch, card.pos): card.face for one in events for card in shown(cast("Event", one.event))}

    def face(epoch: str, pos: int, to: int | str) -> Face:
        if is_retired(situation, epoch) or (seat and to == seat):
            return _face(deck_of, epoch, pos)
        return faces.get((epoch, pos), UNKNOWN)

    return tuple(
        DealtCard(position=one.position, epoch=one.event.epoch, pos=pos, to=to, face=face(one.event.epoch, pos, to))
        for one in events
        if isinstance(one.event, CardsDealt)
        for pos, to in one.event.cards
    )


def is_retired(situation: Situation, epoch: str) -> bool:
    """Tell whether the deck of *epoch* was opened and will not be dealt from again: its seed is told."""
    return epoch in situation.opened and epoch not in {situation.state.epoch, situation.state.reserve}


def _deck(deck_of: DeckOf, epoch: str) -> Deck | None:
    """Return a deck; None: nobody here knows how it lies, since its seed was erased, or is another service's."""
    try:
        return deck_of(epoch)
    except NotSealed:
        return None


def _face(deck_of: DeckOf, epoch: str, pos: int) -> Face:
    deck = _deck(deck_of, epoch)
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


def view(situation: Situation, seat: int, deck_of: DeckOf, *, is_present: bool) -> Struct:
    """Return what is particular to the game at this table, as *seat* (0: everybody) may see it.

    *is_present* tells the table as it stands from the table as it stood (B7.4).
    """
    state: Any = situation.state
    allowed = situation.game.visible(state, seat, is_present)

    def face(position: int) -> Face:
        if position not in allowed or not state.epoch:  # between two decks, in the middle of a command
            return UNKNOWN
        return _face(deck_of, state.epoch, position)

    return situation.game.view(state, face)
