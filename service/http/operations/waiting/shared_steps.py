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
"""A step is shared for this long. Its readers were all notified of it in the same moment."""


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
        """Return the events as the viewer in *seat* may see them, each with its *frame*; they are made once a seat.

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


class SharedSteps:
    """Reads each new event of a table once, and opens it once for each seat.

    What readers share depends on the table, the events and the seat alone. So nobody gets what only another seat may
    see. Whether a reader may see the table at all, and from which seat, is decided for each reader by its caller.
    """

    def __init__(self, engine: Engine, log: Log, tables: TableCache, sealed_store: SealedStore, clock: Clock) -> None:
        self._engine = engine
        self._log = log
        self._tables = tables
        self._sealed_store = sealed_store
        self._clock = clock
        self._followed: OrderedDict[bytes, _Followed] = OrderedDict()
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
            earliest = self._clock.monotonic() - _SECONDS
            found = tuple(one for one in followed.steps if one.table_at.position > after and one.at >= earliest)
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
                recorded = self._log.reader.read(
                    connection, before.stream_id, before.head, _MOST_EVENTS + 1, head=table_at.head
                )
        except StreamCorrupted:
            return False  # Each reader gets this error from its own reading.
        if len(recorded) > _MOST_EVENTS:
            return False
        if table_at.erased != before.erased:
            followed.steps.clear()  # They may have a value that is erased now.
        if recorded:
            followed.steps.append(Step(before, table_at, recorded, self._clock.monotonic()))
            followed.table_at = table_at
        return True

    def _forget(self, stream_id: bytes, followed: _Followed) -> None:
        with self._lock:
            if self._followed.get(stream_id) is followed:
                del self._followed[stream_id]
