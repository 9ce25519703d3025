"""The newest events of the tables that clients follow, read once for all readers of a table (DECISIONS 132 and 134)."""

from collections import OrderedDict, deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from itertools import takewhile
from threading import Lock
from typing import Final

from sqlalchemy import Connection, Engine

from service.clock import Clock
from service.database.engines import reading, reading_if_needed
from service.event_store.codec import RecordedEvent
from service.event_store.entries import Head
from service.event_store.quarantine import StreamCorrupted, StreamReplaced
from service.event_store.store import Log
from service.tables import visibility
from service.tables.cache import TableCache
from service.tables.envelopes import EventItem, with_openings
from service.tables.fold import TableAt
from service.tables.sealed_store import SealedStore, TableUnsealer

_MOST_TABLES: Final = 2_000
_MOST_STEPS: Final = 32
_MOST_EVENTS: Final = 64
"""If more events than this follow at once, each reader reads these events itself."""
_SECONDS: Final = 2.0
"""A step is shared for this long. That is enough: all its readers are notified at the same moment."""


class Step:
    """*recorded* are the events from *before* to *table_at*, which are one table at two positions, intact at both."""

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
        """Return each event with its item, as the viewer in *seat* may see it, and with the frame of the item.

        *open_items* returns the items, and *frame* returns the bytes in which a stream sends an item. Both are called
        only at the first call for each seat.

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
        """Drop the steps that were made before the time *earliest*. The caller must hold the lock."""
        while self.steps and self.steps[0].at < earliest:
            self.steps.popleft()


class SharedSteps:
    """Reads each new event of a table once, and opens it once for each seat.

    The shared items depend on nothing but the table, the events and the seat. So no reader gets an item that only
    another seat may see. The caller decides for each reader whether it may see the table at all, and from which seat.
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
        """Share the events after *table_at*, which was read in the cache generation *generation*.

        A table whose log is damaged is not shared.
        """
        if table_at.broken_at:
            return
        with self._lock:
            known = self._followed.get(table_at.stream_id)
            is_behind = known is not None and table_at.position - known.table_at.position > _MOST_EVENTS
            if known is None or known.generation != generation or is_behind:
                self._followed[table_at.stream_id] = _Followed(table_at, generation)
            self._followed.move_to_end(table_at.stream_id)
            if len(self._followed) > _MOST_TABLES:
                self._followed.popitem(last=False)

    def add(self, stream_id: bytes, recorded: Sequence[RecordedEvent]) -> None:
        """Share *recorded*, the events that this process has just committed to the stream, without reading them.

        If they don't begin directly after the shared events, or a thread is reading the table, they are not shared
        here, and the readers read them.
        """
        generation, followed = self._log.generation.number, self._followed.get(stream_id)
        table_at = self._tables.cached(stream_id)
        if followed is None or table_at is None or not followed.lock.acquire(blocking=False):
            return
        try:
            before = followed.table_at
            if (
                followed.generation == generation
                and recorded[0].position == before.position + 1
                and recorded[0].prev == before.head.hash.hex()
                and table_at.head == Head(recorded[-1].position, recorded[-1].hash)
                and not table_at.broken_at
            ):
                self._append(followed, Step(before, table_at, tuple(recorded), self._clock.monotonic()))
        finally:
            followed.lock.release()

    def read_on(self, heads: Mapping[bytes, int]) -> None:
        """Read the events of some streams up to the positions *heads*, before the readers of the tables are notified.

        A position may be wrong, and the reading may fail: then each reader reads by itself, and gets the error itself.
        """
        # These tables are taken before the transaction begins: they must not be newer than what the transaction sees.
        behind = [(one, one.table_at) for one in map(self._followed.get, heads) if one is not None]
        behind = [(one, before) for one, before in behind if before.position < heads[before.stream_id]]
        if behind:
            # The caller is the thread that hears all hints, or that ends all rests, so no error may end it.
            with suppress(Exception), reading(self._engine) as connection:
                for followed, before in behind:
                    step = self._read(connection, before, followed.generation, heads[before.stream_id])
                    if step is not None:
                        with followed.lock:
                            if followed.table_at is before:
                                self._append(followed, step)

    def after(self, stream_id: bytes, after: int, least: int) -> tuple[Step, ...]:
        """Return the steps that end after the position *after*, without a gap, up to the position *least* or later.

        Return no step if these events are not shared; the reader must then read its events itself.
        """
        with self._lock:
            followed = self._followed.get(stream_id)
        if followed is None:
            return ()
        with followed.lock:
            if followed.table_at.position < least and not self._has_read(followed, least):
                self._forget(stream_id, followed)
                return ()
            if followed.generation != self._log.generation.number or followed.table_at.position < least:
                self._forget(stream_id, followed)
                return ()
            followed.drop_before(self._clock.monotonic() - _SECONDS)
            found = tuple(takewhile(lambda step: step.table_at.position > after, reversed(followed.steps)))[::-1]
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

    def _has_read(self, followed: _Followed, least: int) -> bool:
        """Read the events after the last step, and share them; return False if they can't be shared."""
        with reading(self._engine) as connection:
            step = self._read(connection, followed.table_at, followed.generation, least)
        if step is not None:
            self._append(followed, step)
        return step is not None

    def _read(self, connection: Connection, before: TableAt, generation: int, least: int) -> Step | None:
        """Return the step from *before* to the head of the table's stream; None: no step can be shared.

        *generation* is the cache generation in which *before* was read.
        """
        if generation != self._log.generation.number or least - before.position > _MOST_EVENTS:
            return None
        try:
            recorded = self._log.reader.newer(connection, before.stream_id, before.head, generation=generation)
            table_at = self._tables.extended(connection, before, before.stream_id, recorded)
        except (StreamCorrupted, StreamReplaced):
            return None  # Each reader gets this error from its own reading.
        if table_at is None or not 0 < len(recorded) <= _MOST_EVENTS:
            return None
        self._tables.put(table_at, generation)
        return Step(before, table_at, recorded, self._clock.monotonic())

    def _append(self, followed: _Followed, step: Step) -> None:
        """Share *step*, the next one of the table. The caller must hold the table's lock."""
        if step.table_at.erased != step.before.erased:
            followed.steps.clear()  # These steps may have a value that is erased now.
        followed.steps.append(step)
        followed.table_at = step.table_at
        self._drop_old_steps(followed, step.at)

    def _drop_old_steps(self, followed: _Followed, now: float) -> None:
        """Drop the old steps of all tables, but skip each table whose lock is taken.

        *followed* has a new step, and the caller holds its lock.
        """
        old: list[_Followed] = []
        with self._lock:
            self._with_steps.append((now, followed))
            while self._with_steps[0][0] < now - _SECONDS:
                old.append(self._with_steps.popleft()[1])
        for one in old:
            if one.lock.acquire(blocking=False):  # otherwise two threads could wait for each other's lock
                try:
                    one.drop_before(now - _SECONDS)
                finally:
                    one.lock.release()

    def _forget(self, stream_id: bytes, followed: _Followed) -> None:
        with self._lock:
            if self._followed.get(stream_id) is followed:
                del self._followed[stream_id]
