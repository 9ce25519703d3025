"""A table at a position: the fold of its stream's events (DECISIONS 76, 77, 82 and 93)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from msgspec import Struct

from service.event_store import disclosure
from service.event_store.codec import RecordedEvent
from service.event_store.disclosure import DisclosureState, FieldPlace
from service.event_store.entries import EMPTY, Head
from service.games import GAMES
from service.games.common_events import DeckFixed, DeckOpened, SigningKeyRegistered, TableOpened, ValueErased
from service.games.definition import Decided, Game
from service.games.game import ClientSeeds, seat_actor
from service.games.seeds import seed_rules
from service.games.seeds.seed_events import SEED_EVENTS
from service.ledger import NO_ENTRIES, Entries
from service.tables import signing_state
from service.tables.signing_state import SignFrom, SigningState

ApplyEvent: TypeAlias = Callable[[Any, Any], tuple[Any, Entries]]
"""Returns the state after an event, and the entries of the event's transfers; a pure function of state and event."""


class DueSince(Struct, frozen=True, gc=False):
    """The players in *due* have been due to decide since the event at *position*, which was recorded at the time *at*.

    Before the second event, and always at a table without a time limit, *position* is 0 and *at* is "". (The first
    event sets the time limit.)
    """

    due: tuple[str, ...] = ()
    position: int = 0
    at: str = ""


NOBODY_DUE: Final = DueSince()
NO_CLIENTS: Final[Mapping[str, ClientSeeds]] = {}


class TableAt(Struct, frozen=True, gc=False):
    """A table at a position of its stream.

    - *opened*: the position of each deck's `deck_opened`, by epoch.
    - *hand_first*: the position of the first event of the current or last hand.
    - *imported_at*: the time of the import, which makes the table read-only; "": the table is played here.
    - *sealed*: the sealed fields that later events may open, and each seat's last field of each name. Each field has
      the seats that may read the field so far.
    - *broken_at*: the position of the damage if the stream is damaged; the table is then the table right before the
      damage. 0: no damage is known.
    - *erased*: the positions and fields of all values that were erased. A past table (`TableCache.at_position`) also
      has the later erasures.
    - *signing*: from this, `sign_from` computes the first event that the signature of a seat's next action may name.
    - *last_decision*: the position and time of the last event; its `due` is empty. Erasures, and seeds for which the
      game did not wait, do not count.
    - *due_before*: the players who were due right before the last command. Erasures, and seeds for which the game did
      not wait, do not count. *last_decision* and *due_before* are computed only for a table with a time limit.
    - *clients*: for the epoch of each fixed deck whose order depends on players' seeds, these seeds by seat (G.9).
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
    last_decision: DueSince = NOBODY_DUE
    due_before: DueSince = NOBODY_DUE
    clients: Mapping[str, ClientSeeds] = NO_CLIENTS
    signing: SigningState = signing_state.NOTHING_SIGNED

    @property
    def position(self) -> int:
        """The position of the last folded event."""
        return self.head.position

    @property
    def is_over(self) -> bool:
        """Whether the table takes no more moves: the game is over, the table is closed, or the table was imported.

        An erasure can still add an event to a table of this service; another import can continue an imported table.
        """
        return bool(self.imported_at) or self.state.status in {"finished", "closed"}

    @property
    def due(self) -> tuple[str, ...]:
        """The actors that must decide next, "seat:<n>" or "host"; at an imported table, nobody."""
        return () if self.imported_at else self.game.due(self.state)

    @property
    def seeds_awaited(self) -> tuple[str, ...]:
        """The actors, "seat:<n>", whose commitment or seed is missing, whether or not the game waits for it (G.9)."""
        return () if self.imported_at else tuple(map(seat_actor, seed_rules.owed(self.state).seats))

    @property
    def due_since(self) -> DueSince:
        """The players who must decide in the hand, or whose seeds the game awaits, and the event that made them due.

        Players who were due together share one time limit: when some of them have decided, the others get no new time.
        Between hands, unless the game awaits seeds, the result names nobody, even if `TableAt.due` names who must deal;
        the time then counts from *last_decision*.
        """
        return _due_since(self.game, self.state, self.last_decision, self.due_before)

    def sign_from(self, seat: int) -> SignFrom:
        """Return the first event that a signature of *seat* may name; for a seat without a key: the last event."""
        found = signing_state.current(self.signing, self.game, self.state, self.head).get(seat)
        return found or SignFrom(self.head.position, self.head.hash)


class Step(Struct, frozen=True, gc=False):
    """One event, the state *before* the event, the table *after* it, and the *entries* of the event's transfers."""

    recorded: RecordedEvent
    before: Any
    after: TableAt
    entries: Entries


def new(stream_id: bytes, game: Game) -> TableAt:
    """Return a table of *game* before its first event."""
    return TableAt(stream_id, EMPTY, game, game.new(table_id(stream_id)), {})


def table_id(stream_id: bytes) -> str:
    """Return the id of the table whose stream has the id *stream_id* (16 bytes)."""
    return f"tbl_{stream_id.hex()}"


def fold(table_at: TableAt, events: Iterable[RecordedEvent]) -> TableAt:
    """Return the table after *events*, the next events of its stream."""
    return _fold(table_at, events, table_at.game.step)[0]


def _fold(table_at: TableAt, events: Iterable[RecordedEvent], apply: ApplyEvent) -> tuple[TableAt, Entries]:
    """Return the table after *events*, and the entries of the last event's transfers."""
    game, state, opened = table_at.game, table_at.state, table_at.opened
    last: Head | RecordedEvent = table_at.head
    hand_first, sealed, erased = table_at.hand_first, table_at.sealed, table_at.erased
    last_decision, due_before, signed = table_at.last_decision, table_at.due_before, table_at.signing
    clients, entries = table_at.clients, NO_ENTRIES
    for one in events:
        event: Any = one.event
        hand = state.hand
        if one.cmd and (state.signing_keys or type(event) is SigningKeyRegistered):
            signed = signing_state.evolve(signed, game, state, last, one)
        if state.time_limit_seconds and not _is_beside_play(state, event):
            if one.cmd:
                due_before = _due_since(game, state, last_decision, due_before)
            last_decision = DueSince((), one.position, one.at)
        if type(event) is DeckFixed and event.seats:
            clients = {**clients, event.epoch: state.seeds_of(event.epoch)}
        state, entries = apply(state, event)
        if state.hand != hand:
            hand_first = one.position
        if type(event) is DeckOpened:
            opened = {**opened, event.epoch: one.position}
        elif type(event) is ValueErased:
            erased |= {(event.position, event.field)}
        if sealed or one.priv:
            sealed = disclosure.evolve(sealed, one)
        last = one
    after = TableAt(
        table_at.stream_id,
        Head(last.position, last.hash),
        game,
        state,
        opened,
        hand_first,
        table_at.imported_at,
        sealed,
        table_at.broken_at,
        erased,
        last_decision,
        due_before,
        clients,
        signed,
    )
    return after, entries


def fold_stream(stream_id: bytes, events: Sequence[RecordedEvent]) -> TableAt:
    """Return the table after *events*, the first events of its stream.

    Raises:
        TypeError, KeyError: as for `begin`.
    """
    return fold(begin(stream_id, events[0]), events)


def steps_of(table_at: TableAt, events: Sequence[RecordedEvent], decided: Decided[Any]) -> list[Step]:
    """Return a step for each of *events*, which record *decided*, with the states and entries of *decided*."""
    steps: list[Step] = []
    folded = iter(decided.folded)
    for one in events:
        steps.append(step(table_at, one, lambda _before, _event: next(folded)))
        table_at = steps[-1].after
    return steps


def step(table_at: TableAt, recorded: RecordedEvent, apply: ApplyEvent | None = None) -> Step:
    """Return the step of *recorded*, the next event; *apply* (default: the game's own) applies the event."""
    after, entries = _fold(table_at, (recorded,), apply or table_at.game.step)
    return Step(recorded, table_at.state, after, entries)


def begin(stream_id: bytes, first: RecordedEvent) -> TableAt:
    """Return a table before its *first* event, which sets the game and the edition.

    Raises:
        TypeError: *first* does not open a table.
        KeyError: this release does not have the game or its edition.
    """
    if not isinstance(first.event, TableOpened):
        raise TypeError(f"A table's stream begins with table_opened, not with {first.type}.")
    return new(stream_id, GAMES[first.event.game, first.event.edition])


def _is_beside_play(state: Any, event: Any) -> bool:  # noqa: ANN401 -- each game has its own class for states
    """Return whether *event* restarts no time limit: an erasure, or a seed for which the game does not wait."""
    return type(event) is ValueErased or (isinstance(event, SEED_EVENTS) and not seed_rules.waits(state))


def _due_since(game: Game, state: Any, last_decision: DueSince, due_before: DueSince) -> DueSince:  # noqa: ANN401 -- each game has its own class for states
    due = game.due(state) if state.hand_is_running or seed_rules.waits(state) else ()
    since = due_before if due and set(due) < set(due_before.due) else last_decision
    return DueSince(due, since.position, since.at)
