"""The newest events of the tables that clients follow, read once for all readers of a table (DECISIONS 132)."""

from collections import OrderedDict, deque
from collections.abc import Callable
from threading import Lock
from typing import Final

from sqlalchemy import Engine

from service.clock import Clock
from service.database.engines import reading, reading_if_needed
from service.event_store.codec import RecordedEvent
from service.event_store.quarantine import StreamCorrupted
from service.event_store.store import Log
from service.tables import visibility
from service.tables.cache import TableCache
from service.tables.envelopes import EventItem, with_openings
from service.tables.fold import TableAt
from service.tables.sealed_store import SealedStore, TableUnsealer

_MOST_TABLES: Final = 2_000
_MOST_STEPS: Final = 8
_MOST_EVENTS: Final = 64
"""If more events than this follow at once, each reader reads these events itself."""
_SECONDS: Final = 2.0
"""A step is shared for this long. That is enough: all its readers are notified at the same moment."""


class Step:
    """The events *recorded*, which lead from the table *before* to the table *table_at*; both tables are intact."""

    def __init__(self, before: TableAt, table_at: TableAt, recorded: tuple[RecordedEvent, ...], at: float) -> None:
        self.before: Final = before
        self.table_at: Final = table_at
        self.recorded: Final = recorded
        self.at: Final = at
        self._shown: dict[int, tuple[tuple[RecordedEvent, EventItem, bytes], ...]] = {}
        self._lock = Lock()

    def shown(
        self,
        seat: int,
        open_items: Callable[["Step", int], tuple[EventItem, ...]],
        frame: Callable[[int, EventItem], bytes],
    ) -> tuple[tuple[RecordedEvent, EventItem, bytes], ...]:
        """Return the events as the viewer in *seat* may see them, each with its *frame*; made once for each seat.

        Raises:
            StreamCorrupted: a sealed value that the events disclose is missing or altered.
        """
        with self._lock:
            if seat not in self._shown:
                items = open_items(self, seat)
                frames = [frame(one.position, item) for one, item in zip(self.recorded, items, strict=True)]
                self._shown[seat] = tuple(zip(self.recorded, items, frames, strict=True))
            return self._shown[seat]


class _Followed:
    """A table at the last position that was read for its readers, and the steps that lead there."""

    def __init__(self, table_at: TableAt, generation: int) -> None:
        self.lock: Final = Lock()
        self.table_at = table_at
        self.generation = generation
        self.steps: deque[Step] = deque(maxlen=_MOST_STEPS)

    def drop_before(self, earliest: float) -> None:
        """Drop the steps that were read before the time *earliest*. The caller must hold the lock."""
        while self.steps and self.steps[0].at < earliest:
            self.steps.popleft()


class SharedSteps:
    """Reads each new event of a table once, and opens it once for each seat.

    The shared items depend on the table, the events and the seat alone. So no reader gets an item that only another
    seat may see. The caller decides for each reader whether it may see the table at all, and from which seat.
    """

    def __init__(self, engine: Engine, log: Log, tables: TableCache, sealed_store: SealedStore, clock: Clock) -> None:
        self._engine = engine
        self._log = log
        self._tables = tables
        self._sealed_store = sealed_store
        self._clock = clock
        self._followed: OrderedDict[bytes, _Followed] = OrderedDict()
        self._with_steps: deque[tuple[float, _Followed]] = deque()
        """The time of each step, and its table: old steps are dropped even if their table gets no more events."""
        self._lock = Lock()

    def follow(self, table_at: TableAt, generation: int) -> None:
        """Share the events after *table_at*, which was read in the cache generation *generation*."""
        if table_at.broken_at:
            return
        with self._lock:
            known = self._followed.get(table_at.stream_id)
            if known is None or known.generation != generation:
                self._followed[table_at.stream_id] = _Followed(table_at, generation)
            self._followed.move_to_end(table_at.stream_id)
            if len(self._followed) > _MOST_TABLES:
                self._followed.popitem(last=False)

    def after(self, stream_id: bytes, after: int, least: int) -> tuple[Step, ...]:
        """Return steps without a gap, from the position *after* to the position *least* or later.

        Return no step if these events are not shared; the reader must then read its events itself.
        """
        with self._lock:
            followed = self._followed.get(stream_id)
        if followed is None:
            return ()
        with followed.lock:
            if followed.table_at.position < least and not self._has_read(followed):
                self._forget(stream_id, followed)
                return ()
            if followed.generation != self._log.generation.number or followed.table_at.position < least:
                self._forget(stream_id, followed)
                return ()
            followed.drop_before(self._clock.monotonic() - _SECONDS)
            found = tuple(one for one in followed.steps if one.table_at.position > after)
        return found if found and found[0].before.position <= after else ()

    def opened(self, step: Step, seat: int) -> tuple[EventItem, ...]:
        """Return the events of *step* as the viewer in *seat* may see them.

        Raises:
            StreamCorrupted: a sealed value that the events disclose is missing or altered.
        """
        with reading_if_needed(self._engine) as connect:
            values = TableUnsealer(self._sealed_store, connect, step.table_at)
            return with_openings(
                step.recorded,
                visibility.card_openings(step.recorded, seat, values),
                visibility.disclosed_fields(step.recorded, step.before.sealed, seat, values),
            )

    def _has_read(self, followed: _Followed) -> bool:
        """Read the events after the last step; return False if they can't be shared."""
        before = followed.table_at
        try:
            with reading(self._engine) as connection:
                table_at = self._tables.current(connection, before.stream_id)
                if table_at is None or table_at.broken_at or table_at.position < before.position:
                    return False
                if followed.generation != self._log.generation.number:
                    return False  # *before* may be of another database, and the events after it would look damaged.
                recorded = self._log.reader.read(
                    connection, before.stream_id, before.head, _MOST_EVENTS + 1, head=table_at.head
                )
        except StreamCorrupted:
            return False  # Each reader now reads the events itself, and gets this error then.
        if len(recorded) > _MOST_EVENTS:
            return False
        if table_at.erased != before.erased:
            followed.steps.clear()  # The old steps may have a value that is erased now.
        if recorded:
            now = self._clock.monotonic()
            followed.steps.append(Step(before, table_at, recorded, now))
            followed.table_at = table_at
            self._drop_old_steps(followed, now)
        return True

    def _drop_old_steps(self, followed: _Followed, now: float) -> None:
        """Drop the old steps of all tables, except a table whose lock a reader holds: this reader drops them itself.

        *followed* has a new step, and the caller holds its lock.
        """
        old: list[_Followed] = []
        with self._lock:
            self._with_steps.append((now, followed))
            while self._with_steps[0][0] < now - _SECONDS:
                old.append(self._with_steps.popleft()[1])
        for one in old:
            if one.lock.acquire(blocking=False):  # two threads could wait for each other's lock
                try:
                    one.drop_before(now - _SECONDS)
                finally:
                    one.lock.release()

    def _forget(self, stream_id: bytes, followed: _Followed) -> None:
        with self._lock:
            if self._followed.get(stream_id) is followed:
                del self._followed[stream_id]
