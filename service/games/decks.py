"""How decks come and go: opened in reserve, fixed, dealt from, retired."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from service import deck
from service.cards import PACK
from service.deck import Deck
from service.games.common_events import DeckFixed, DeckOpened, DeckRevealed, DeckUnused, ShownCard
from service.games.game import Event, Known
from service.games.table_state import TableState

PACK_ID = deck.input_id(PACK)

S = TypeVar("S", bound=TableState)


class Emitter(Generic[S]):
    """The events of one command as they come about; each is folded into the *state* the next one meets.

    *before* is the state that the command itself met.
    """

    def __init__(self, state: S, evolve: Callable[[S, Any], S]) -> None:
        self.before = state
        self.state = state
        self.events: list[Event] = []
        self._evolve = evolve

    def emit(self, event: Event) -> None:
        """Let *event* happen."""
        self.events.append(event)
        self.state = self._evolve(self.state, event)


def open_reserve(emitter: Emitter[S], known: Known) -> None:
    """Open the next deck, so that its commitment stands before every decision it may serve (deck/v1)."""
    state = emitter.state
    epoch = f"{state.table}/{state.decks_opened + 1}"
    commit = known.server_commit(epoch)
    emitter.emit(DeckOpened(epoch=epoch, server_commit=commit, input_id=PACK_ID, n=len(PACK)))


def fix_reserve(emitter: Emitter[S], known: Known) -> Deck:
    """Fix the order of the deck in reserve, put it in play, and open the next one."""
    fixed = known.deck(emitter.state.reserve)
    emitter.emit(DeckFixed(epoch=fixed.epoch, transcript=fixed.transcript, deck_root=fixed.root, level="operator"))
    open_reserve(emitter, known)
    return fixed


def retire(emitter: Emitter[S], known: Known, epoch: str) -> None:
    """Reveal the seed of the deck of *epoch*, which will not be dealt from again (G.6)."""
    emitter.emit(DeckRevealed(epoch=epoch, server_seed=known.server_seed(epoch)))


def reveal_unused(emitter: Emitter[S], known: Known) -> None:
    """Reveal the seeds of the decks in reserve, which a finished table never uses (deck/v1)."""
    for epoch, status in emitter.state.decks.items():
        if status == "in_reserve":
            emitter.emit(DeckUnused(epoch=epoch, server_seed=known.server_seed(epoch)))


def shown_card(of: Deck, position: int, seat: int = 0) -> ShownCard:
    """Show the card at *position* of a deck as the card of *seat* (0: nobody's)."""
    return ShownCard(pos=position, face=of.order[position], salt=of.salts[position], seat=seat)
