"""Where a table stands: its state at a position, folded from its stream and kept for the next command."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from service.event_store import disclosure
from service.event_store.codec import RecordedEvent
from service.event_store.disclosure import DisclosureState, FieldPlace
from service.event_store.entries import EMPTY, Head
from service.games import GAMES
from service.games.common_events import DeckOpened, TableOpened, ValueErased
from service.games.game import Game


class Waiting(Struct, frozen=True, gc=False):
    """That those *due* are waited for since the event at *position*, recorded *at* this time ("": none was)."""

    due: tuple[str, ...] = ()
    position: int = 0
    at: str = ""


NOBODY: Final = Waiting()


class TableAt(Struct, frozen=True, gc=False):
    """A table at a position of its stream.

    *opened* has the position at which each deck was opened, by epoch. *hand_first* is the
    position of the first event of the hand that is, or was last, played. *imported_at* is ""
    where the table is played here; an imported one is only read. *broken_at*: the log does not hold
    there, and this is how the table stood right before; 0: nothing is known of that. *sealed* are the sealed
    fields of the stream, and who may read them so far; *erased* are the places of sealed values that were erased,
    also where the table is looked at as it stood before. *decided* is the last event that a decision of the game made,
    with nobody due, and *waited* who was waited for before that decision; both of a table with a time limit alone.
    """

    stream_id: bytes
    head: Head
    game: Game
    state: Any
    opened: Mapping[str, int]
    hand_first: int = 0
    imported_at: str = ""
    sealed: DisclosureState = disclosure.NOTHING_SEALED
    broken_at: int = 0
    erased: frozenset[FieldPlace] = frozenset()
    decided: Waiting = NOBODY
    waited: Waiting = NOBODY

    @property
    def position(self) -> int:
        """The position of the last event that is folded in."""
        return self.head.position

    @property
    def is_over(self) -> bool:
        """Whether no command will ever add to the table's stream here; an imported one may go on by an import."""
        return bool(self.imported_at) or self.state.status in {"finished", "closed"}

    @property
    def due(self) -> tuple[str, ...]:
        """Whose decision is awaited here: "seat:<n>" or "host"."""
        return () if self.imported_at else self.game.due(self.state)

    @property
    def waiting(self) -> Waiting:
        """Who is waited for in a hand, and since when: who is left of several that were due together has no new time.

        Between hands nobody is waited for, and the time since the last decision counts.
        """
        return _waiting(self.game, self.state, self.decided, self.waited)


class Step(Struct, frozen=True, gc=False):
    """One event, and the table *before* and *after* it."""

    recorded: RecordedEvent
    before: Any
    after: TableAt


def new(stream_id: bytes, game: Game) -> TableAt:
    """Return a table of *game* before its first event."""
    return TableAt(stream_id, EMPTY, game, game.new(table_id(stream_id)), {})


def table_id(stream_id: bytes) -> str:
    """Return the id of the table whose stream has these 16 bytes."""
    return f"tbl_{stream_id.hex()}"


def fold(table_at: TableAt | None, stream_id: bytes, events: Sequence[RecordedEvent]) -> TableAt | None:
    """Fold *events* into *table_at*; None: a stream that holds nothing."""
    if not events:
        return table_at
    begun = table_at or new(stream_id, game_of(events[0]))
    evolve, state, hand_first, sealed = begun.game.evolve, begun.state, begun.hand_first, begun.sealed
    decided, waited = begun.decided, begun.waited
    opened, erased = dict(begun.opened), set[FieldPlace]()
    for one in events:
        event, hand = one.event, state.hand
        if state.time_limit_seconds and type(event) is not ValueErased:
            waited = _waiting(begun.game, state, decided, waited) if one.cmd else waited
            decided = Waiting((), one.position, one.at)
        state = evolve(state, event)
        if state.hand != hand:
            hand_first = one.position
        if type(event) is DeckOpened:
            opened[event.epoch] = one.position
        elif type(event) is ValueErased:
            erased.add((event.position, event.field))
        if sealed or one.priv:
            sealed = disclosure.evolve(sealed, one)
    head = Head(events[-1].position, events[-1].hash)
    return replace(
        begun,
        head=head,
        state=state,
        opened=opened,
        hand_first=hand_first,
        sealed=sealed,
        erased=begun.erased | erased if erased else begun.erased,
        decided=decided,
        waited=waited,
    )


def follow(table_at: TableAt, recorded: RecordedEvent) -> TableAt:
    """Fold one event."""
    event = recorded.event
    before = table_at.state
    state = table_at.game.evolve(before, event)
    opened = table_at.opened
    if type(event) is DeckOpened:
        opened = {**opened, event.epoch: recorded.position}
    erased = table_at.erased
    if type(event) is ValueErased:
        erased |= {(event.position, event.field)}
    decided, waited = table_at.decided, table_at.waited
    if before.time_limit_seconds and type(event) is not ValueErased:
        waited = table_at.waiting if recorded.cmd else waited
        decided = Waiting((), recorded.position, recorded.at)
    hand_first = recorded.position if state.hand != before.hand else table_at.hand_first
    sealed = table_at.sealed
    if sealed or recorded.priv:
        sealed = disclosure.evolve(sealed, recorded)
    return TableAt(
        table_at.stream_id,
        Head(recorded.position, recorded.hash),
        table_at.game,
        state,
        opened,
        hand_first,
        table_at.imported_at,
        sealed,
        table_at.broken_at,
        erased,
        decided,
        waited,
    )


def _waiting(game: Game, state: Any, decided: Waiting, waited: Waiting) -> Waiting:  # noqa: ANN401 -- its game's own
    due = game.due(state) if state.hand_is_running else ()
    since = waited if due and set(due) < set(waited.due) else decided
    return Waiting(due, since.position, since.at)


def game_of(first: RecordedEvent) -> Game:
    """Return the edition of the game that a table's first event pins.

    Raises:
        TypeError: the stream does not begin with the opening of a table.
    """
    if not isinstance(first.event, TableOpened):
        raise TypeError(f"A table's stream begins with table_opened, not with {first.type}.")
    return GAMES[first.event.game, first.event.edition]
