"""What a viewer may see: the one allow-list that every output goes through."""

from collections.abc import Callable, Iterable
from typing import Any, Literal

from msgspec import Struct

from service.cards import UNKNOWN, Face
from service.deck import Deck, proof
from service.games.events import CardsDealt, CardsShown, FaceShown
from service.games.table import TableState, seat_of
from service.log.codec import Recorded
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
        _opening(one.position, deck_of(one.event.epoch), position)
        for one in recorded
        if isinstance(one.event, CardsDealt)
        for position, to in one.event.cards
        if to == seat
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
    shown = {card for one in events for card in _shown(one.event)}

    def face(epoch: str, pos: int, to: int | str) -> Face:
        if is_retired(situation, epoch) or (epoch, pos) in shown or (seat and to == seat):
            return deck_of(epoch).order[pos]
        return UNKNOWN

    return tuple(
        DealtCard(position=one.position, epoch=one.event.epoch, pos=pos, to=to, face=face(one.event.epoch, pos, to))
        for one in events
        if isinstance(one.event, CardsDealt)
        for pos, to in one.event.cards
    )


def is_retired(situation: Situation, epoch: str) -> bool:
    """Tell whether the deck of *epoch* was opened and will not be dealt from again: its seed is told."""
    return epoch in situation.opened and epoch not in {situation.state.epoch, situation.state.reserve}


def _shown(event: Any) -> Iterable[tuple[str, int]]:  # noqa: ANN401  # An event of any game.
    """List the cards that *event* turns face up: their deck's epoch, and their position in it."""
    if isinstance(event, CardsShown):
        return [(event.epoch, card.pos) for card in event.cards]
    return [(event.epoch, event.pos)] if isinstance(event, FaceShown) else []


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
        return deck_of(state.epoch).order[position]

    return situation.game.view(state, face)
