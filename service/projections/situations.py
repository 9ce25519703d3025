"""Where a table stands: its state at a position, folded from its stream and kept for the next command."""

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from itertools import islice
from threading import Lock
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from service.games import GAMES
from service.games.events import DeckOpened, TableOpened
from service.games.game import Game
from service.log import silence
from service.log.codec import Recorded
from service.log.silence import Silence
from service.log.store import EMPTY, Head, Log

MOST_TABLES: Final = 10_000


class Situation(Struct, frozen=True, gc=False):
    """A table at a position of its stream.

    *opened* has the position at which each deck was opened, by epoch. *hand_first* is the
    position of the first event of the hand that is, or was last, played. *imported_at* is ""
    where the table is played here; an imported one is only read. *sealed* are the sealed fields of the stream, and who
    may read them so far.
    """

    stream_id: bytes
    head: Head
    game: Game
    state: Any
    opened: Mapping[str, int]
    hand_first: int = 0
    imported_at: str = ""
    sealed: Silence = silence.UNBROKEN

    @property
    def position(self) -> int:
        """The position of the last event that is folded in."""
        return self.head.position

    @property
    def is_over(self) -> bool:
        """Whether nothing will ever be added to the table's stream here."""
        return bool(self.imported_at) or self.state.status in {"finished", "closed"}

    @property
    def due(self) -> tuple[str, ...]:
        """Whose decision is awaited here: "seat:<n>" or "host"."""
        return () if self.imported_at else self.game.due(self.state)


class Step(Struct, frozen=True, gc=False):
    """One event, and the table *before* and *after* it."""

    recorded: Recorded
    before: Any
    after: Situation


def new(stream_id: bytes, game: Game) -> Situation:
    """Return a table of *game* before its first event."""
    return Situation(stream_id, EMPTY, game, game.new(table_id(stream_id)), {})


def table_id(stream_id: bytes) -> str:
    """Return the id of the table whose stream has these 16 bytes."""
    return f"tbl_{stream_id.hex()}"


def fold(situation: Situation | None, stream_id: bytes, events: Iterable[Recorded]) -> Situation | None:
    """Fold *events* into *situation*; None: a stream that holds nothing."""
    for recorded in events:
        situation = follow(situation or new(stream_id, game_of(recorded)), recorded)
    return situation


def follow(situation: Situation, recorded: Recorded) -> Situation:
    """Fold one event."""
    event = recorded.event
    before = situation.state
    state = situation.game.evolve(before, event)
    opened = situation.opened
    if isinstance(event, DeckOpened):
        opened = {**opened, event.epoch: recorded.position}
    hand_first = recorded.position if state.hand != before.hand else situation.hand_first
    return Situation(
        situation.stream_id,
        Head(recorded.position, recorded.hash),
        situation.game,
        state,
        opened,
        hand_first,
        situation.imported_at,
        silence.follow(situation.sealed, recorded),
    )


def game_of(first: Recorded) -> Game:
    """Return the edition of the game that a table's first event pins.

    Raises:
        TypeError: the stream does not begin with the opening of a table.
    """
    if not isinstance(first.event, TableOpened):
        raise TypeError(f"A table's stream begins with table_opened, not with {first.type}.")
    return GAMES[first.event.game, first.event.edition]


class Situations:
    """The tables of this process as they were last seen, brought up to date by reading only what is newer."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._kept: OrderedDict[bytes, Situation] = OrderedDict()
        self._lock = Lock()

    def seen(self, stream_id: bytes) -> Situation | None:
        """Return the table as it was last seen here, which may be long ago; None: never."""
        with self._lock:
            return self._kept.get(stream_id)

    def latest(self, most: int) -> dict[bytes, int]:
        """Return the positions of the tables that were used last, of *most* at most, by their streams."""
        with self._lock:
            return {stream_id: self._kept[stream_id].position for stream_id in islice(reversed(self._kept), most)}

    def keep(self, situation: Situation) -> None:
        """Remember *situation*, which is committed, unless a later one is known."""
        with self._lock:
            known = self._kept.get(situation.stream_id)
            if known is None or known.position < situation.position:
                self._kept[situation.stream_id] = situation
            self._kept.move_to_end(situation.stream_id)
            if len(self._kept) > MOST_TABLES:
                self._kept.popitem(last=False)

    def now(self, connection: Connection, stream_id: bytes) -> Situation | None:
        """Return the table as it stands; None: there is none.

        The connection's transaction must see only what is committed.
        """
        seen = self.seen(stream_id)
        after = seen.position if seen else 0
        situation = self.folded(connection, seen, stream_id, self._log.read(connection, stream_id, after))
        if situation is not None:
            self.keep(situation)
        return situation

    def then(self, connection: Connection, stream_id: bytes, position: int) -> Situation | None:
        """Return the table as it stood at *position*; None: there was none yet."""
        return self.folded(connection, None, stream_id, self._log.read(connection, stream_id, limit=position))

    def folded(
        self, connection: Connection, seen: Situation | None, stream_id: bytes, events: Iterable[Recorded]
    ) -> Situation | None:
        """Fold *events* into what was *seen*; a table seen for the first time is asked whether it was imported."""
        situation = fold(seen, stream_id, events)
        if situation is None or seen is not None:
            return situation
        return replace(situation, imported_at=self._log.imported_at(connection, stream_id))
