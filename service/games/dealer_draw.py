"""The draw for the first dealer, for every game that has a dealer."""

from typing import TypeVar

from service import cards
from service.cards import PACK
from service.games import decks
from service.games.common_events import CardsDealt, CardsShown, DealerDrawn
from service.games.decks import Emitter
from service.games.game import Known
from service.games.seeds.seed_events import DrawTied
from service.games.table_state import TableState

S = TypeVar("S", bound=TableState)


def draw_dealer(emitter: Emitter[S], known: Known) -> None:
    """Draw cards until one player has the highest card, and retire the decks of the draw.

    Only the tied players draw again, from a fresh deck if the deck has too few cards for all of them. If no deck is
    ready, the draw waits (G.9); call this function again once a deck is ready.
    """
    epoch, undealt = "", range(0)
    tied = emitter.state.drawing or tuple(emitter.state.players)
    while len(tied) > 1:
        if len(undealt) < len(tied):
            if not decks.is_ready(emitter.state):
                if epoch:
                    emitter.emit(DrawTied(seats=tied))
                return
            epoch, undealt = decks.fix_reserve(emitter, known), range(len(PACK))
        dealt, undealt = tuple(zip(undealt, tied, strict=False)), undealt[len(tied) :]
        emitter.emit(CardsDealt(epoch=epoch, cards=dealt))
        faces = decks.shown_cards(known, epoch, dealt)
        emitter.emit(CardsShown(epoch=epoch, cards=faces))
        best = max(cards.rank(card.face) for card in faces)
        tied = tuple(card.seat for card in faces if cards.rank(card.face) == best)
    emitter.emit(DealerDrawn(dealer=tied[0]))
    for drawn in [epoch for epoch, status in emitter.state.decks.items() if status != "in_reserve"]:
        decks.retire(emitter, known, drawn)
