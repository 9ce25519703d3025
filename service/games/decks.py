"""The life of a deck: the rules commit to it, fix its order, deal from it, and retire it (DECISIONS 86 and 103)."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Final, Generic, Literal, TypeVar

from service.cards import PACK
from service.deck import Deck, input_id
from service.games.common_events import DeckFixed, DeckOpened, DeckRevealed, DeckUnused, ShownCard
from service.games.game import NO_SEEDS, ClientSeeds, Event, Known, OrderCommitment, SaltedFace
from service.games.table_state import TableState
from service.ledger import Entries

PACK_ID = input_id(PACK)
ALL_POSITIONS: Final = tuple(range(len(PACK)))
"""The positions of all cards of a deck, from the top."""

S = TypeVar("S", bound=TableState)


class Emitter(Generic[S]):
    """Collects the events of one command, and applies each event to the state.

    `before` is the state before the command, and `state` the state after the last event. `folded` has, for each event,
    the state after the event and the entries of the event's transfers.
    """

    def __init__(self, state: S, step: Callable[[S, Event], tuple[S, Entries]]) -> None:
        self.before = state
        self.state = state
        self.events: list[Event] = []
        self.folded: list[tuple[S, Entries]] = []
        self._step = step

    def emit(self, event: Event) -> None:
        """Add *event*, and apply it to the state."""
        self.events.append(event)
        folded = self._step(self.state, event)
        self.folded.append(folded)
        self.state = folded[0]


def open_reserve(emitter: Emitter[S], known: Known) -> None:
    """Put the next deck in reserve: commit to it before anybody decides about its cards (deck/v1).

    With players' seeds, commit to all decks of the next batch (G.9).
    """
    state = emitter.state
    if state.seeds != "players":
        _open(emitter, known)
        return
    name, first = _next_epoch(state), not state.decks_opened
    for _ in range(state.DECKS_OF_BATCH + (state.DECKS_OF_START if first else 0)):
        _open(emitter, known, batch=name)


def is_ready(state: TableState) -> bool:
    """Return whether a deck in reserve can be fixed now.

    A table without players' seeds has such a deck from its opening to its end.
    """
    return bool(state.reserve)


def fix_reserve(emitter: Emitter[S], known: Known) -> str:
    """Fix the order of the deck in reserve, put this deck in play, and return its epoch; commit to the next deck.

    With players' seeds, commit to the whole next batch, but only if this deck is the first of the newest batch (G.9).
    """
    state = emitter.state
    epoch = state.reserve
    seeds = state.seeds_of(epoch)
    order = known.order_commitment(epoch, seeds)
    emitter.emit(
        DeckFixed(
            epoch=epoch,
            transcript=order.transcript,
            deck_root=order.root,
            level=_level(state, seeds),
            seats=tuple(seeds),
        )
    )
    if not state.batches or epoch in tuple(state.batches.values())[-1].decks:
        open_reserve(emitter, known)
    return epoch


def _open(emitter: Emitter[S], known: Known, batch: str = "") -> None:
    epoch = _next_epoch(emitter.state)
    commit = known.server_commit(epoch)
    emitter.emit(DeckOpened(epoch=epoch, server_commit=commit, input_id=PACK_ID, n=len(PACK), batch=batch))


def _next_epoch(state: TableState) -> str:
    return f"{state.table}/{state.decks_opened + 1}"


def _level(state: TableState, seeds: ClientSeeds) -> Literal["operator", "partial", "joint"]:
    """Return the level: "joint" if every seat in the game gave one of *seeds*, "partial" if some, "operator" if none.

    The seed of a player who is out of the game goes into the deck's order, but does not raise the level (deck/v1).
    """
    if not seeds.keys() & set(state.seats_in_game):
        return "operator"
    return "joint" if seeds.keys() >= set(state.seats_in_game) else "partial"


def retire(emitter: Emitter[S], known: Known, epoch: str) -> None:
    """Retire the deck of *epoch* by revealing its seed; no card will be dealt from the deck again (G.6)."""
    emitter.emit(DeckRevealed(epoch=epoch, server_seed=known.server_seed(epoch)))


def reveal_all(emitter: Emitter[S], known: Known) -> None:
    """Reveal every deck of a table that is over: retire the deck in play, if there is one, and reveal the reserve."""
    if emitter.state.epoch:
        retire(emitter, known, emitter.state.epoch)
    reveal_unused(emitter, known)


def reveal_unused(emitter: Emitter[S], known: Known) -> None:
    """Reveal the seeds of the decks in reserve: the table is over and never uses these decks (deck/v1)."""
    for epoch, status in emitter.state.decks.items():
        if status == "in_reserve":
            emitter.emit(DeckUnused(epoch=epoch, server_seed=known.server_seed(epoch)))


def shown_cards(known: Known, epoch: str, dealt: Sequence[tuple[int, int]]) -> tuple[ShownCard, ...]:
    """Return the cards of *dealt* with faces and salts; *dealt* has each card's position and seat (0: no seat)."""
    faces = known.faces(epoch, [position for position, _ in dealt])
    return tuple(shown_card(face, seat) for face, (_, seat) in zip(faces, dealt, strict=True))


def shown_card(card: SaltedFace, seat: int = 0) -> ShownCard:
    """Return *card* as a card that *seat* shows (0: no seat has the card)."""
    return ShownCard(pos=card.pos, face=card.face, salt=card.salt, seat=seat)


class KnownDecks(ABC):
    """The methods of `Known` that need the order of a deck, for a class that has whole decks."""

    @abstractmethod
    def deck(self, epoch: str) -> Deck:
        """Return the deck of *epoch*, whose order is fixed."""

    def fixed(self, epoch: str, seeds: ClientSeeds) -> Deck:
        """Return the deck of *epoch*, whose order is fixed now with the players' *seeds*."""
        del seeds  # Some classes have decks whose order no seed determines.
        return self.deck(epoch)

    def order_commitment(self, epoch: str, seeds: ClientSeeds = NO_SEEDS) -> OrderCommitment:
        """See `Known`."""
        deck = self.fixed(epoch, seeds)
        return OrderCommitment(deck.transcript, deck.root)

    def faces(self, epoch: str, positions: Sequence[int]) -> tuple[SaltedFace, ...]:
        """See `Known`."""
        deck = self.deck(epoch)
        return tuple([SaltedFace(position, deck.order[position], deck.salts[position]) for position in positions])
