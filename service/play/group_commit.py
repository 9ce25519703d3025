"""Group commit: one transaction records the commands of several threads (DECISIONS 41 and 72)."""

# Measured: a transaction for each command takes nearly half of the command's processor time (DECISIONS 44).

from collections.abc import Sequence
from enum import Enum
from threading import Lock
from typing import Final

from msgspec import Struct
from sqlalchemy import Engine

from service.clock import Clock
from service.database.engines import UnknownCommit, writing
from service.database.write_lock import WriteLockNotAcquired
from service.event_store import batch, store
from service.event_store.codec import RecordedEvent
from service.event_store.entries import Entry
from service.event_store.store import Log
from service.play.writer_connection import WriterConnection
from service.projections import projector
from service.projections.projector import Changes

MOST_COMMANDS: Final = 64
PATIENCE_SECONDS: Final = 15.0
"""How long a thread waits for the leader: longer than a statement waits for a lock, and not for ever."""


class Work(Struct, frozen=True):
    """What the writer records of a command: its *entry* in the log, and its *changes* in the projections.

    *generation*: the generation in which it was decided. *is_new*: it begins its stream.
    """

    entry: Entry
    changes: Changes
    generation: int
    is_new: bool = False


class State(Enum):
    """The state of a waiting command."""

    WAITING = "no leader has taken it"
    LEADING = "its thread is promoted to leader, and has not begun"
    IN_BATCH = "a leader is recording it"
    DONE = "its outcome is known"
    LEFT = "its thread has stopped waiting"


class Writer:
    """Records commands by group commit: at most *most* in one transaction, and at most one of each stream.

    The first thread becomes the leader, records every waiting command in one transaction, and then promotes the next
    waiter. So many commands share their statements and one sync of the disk, and no thread waits for company. One lock
    guards all state that the threads share.
    """

    def __init__(
        self,
        engine: Engine,
        log: Log,
        clock: Clock,
        *,
        most: int = MOST_COMMANDS,
        patience_seconds: float = PATIENCE_SECONDS,
    ) -> None:
        self._engine = engine
        self._log = log
        self._most = most
        self._patience_seconds = patience_seconds
        self._connection = WriterConnection(engine, clock)
        self._lock = Lock()
        self._waiting: list[_Waiter] = []
        self._batch: list[_Waiter] = []
        self._leader: _Waiter | None = None

    def record(self, work: Work) -> None:
        """Record *work*, all or nothing; it is committed when this returns.

        Raises:
            StalePosition, StreamExists, CommandRecorded, StreamIsImported, NoSuchStream, StreamCorrupted,
            StreamReplaced: nothing is recorded; `Log.write` says why.
            WriteLockNotAcquired, SQLAlchemyError: nothing is recorded.
            UnknownCommit: it may be recorded.
        """
        if work.is_new or self._most == 1 or work.entry.erases or not work.changes.is_plain:
            self._write_alone(work)
            return
        waiter = _Waiter(work)
        try:
            if self._is_promoted(waiter):
                self._lead_batch(waiter)
        except BaseException:  # Whatever ends this thread, at whatever line, the other threads go on.
            self._leave(waiter)
            raise
        if waiter.error is not None:
            raise waiter.error
        if not waiter.is_written:
            self._write_alone(work)

    def wait_until_durable(self, stream_id: bytes, recorded: RecordedEvent) -> None:
        """Return once *recorded*, an event that was read, and all events before it are as durable as those of `record`.

        Raises:
            StreamReplaced: the event is not in the database any more.
            WriteLockNotAcquired, SQLAlchemyError, UnknownCommit: the event may not be durable.
        """
        with writing(self._engine) as connection:
            projector.wait_until_durable(connection, stream_id, recorded)

    def _is_promoted(self, waiter: "_Waiter") -> bool:
        """Queue *waiter*; return whether its thread must lead (True), or a leader has tried to record it (False).

        Raises:
            WriteLockNotAcquired: no leader took it in time; nothing is recorded.
            UnknownCommit: a leader took it, and has not ended in time.
        """
        with self._lock:
            self._waiting.append(waiter)
            if self._leader is None:
                self._promote(waiter)
                return True
        waiter.wait(self._patience_seconds)
        with self._lock:
            return self._after_waiting(waiter)

    def _after_waiting(self, waiter: "_Waiter") -> bool:
        match waiter.state:
            case State.DONE:
                return False
            case State.LEADING:
                return True
            case State.IN_BATCH:
                raise UnknownCommit("another thread is recording it, and has not ended in time")
            case State.WAITING if self._leader is not None and self._leader.state is not State.IN_BATCH:
                self._remove(self._leader)  # It was promoted long ago, and its thread has not begun.
                self._promote(waiter)
                return True
            case State.WAITING | State.LEFT:
                raise WriteLockNotAcquired("another transaction of this process is still writing")

    def _lead_batch(self, waiter: "_Waiter") -> None:
        """Record a batch of the waiting commands, *waiter* among them, and promote the next waiter."""
        try:
            with self._lock:
                self._take(waiter)
            self._write_batch(self._batch)
        finally:
            with self._lock:
                self._promote_next(waiter)

    def _take(self, waiter: "_Waiter") -> None:
        """Make the batch: *waiter*, and those that have waited longest, one of each stream."""
        if waiter.state is not State.LEADING:
            raise WriteLockNotAcquired("another thread is the leader by now")
        taken = {waiter.work.entry.stream_id: waiter}
        for other in self._waiting:
            if len(taken) == self._most:
                break
            if other.state is State.WAITING:
                taken.setdefault(other.work.entry.stream_id, other)
        self._batch = list(taken.values())
        for one in self._batch:
            one.state = State.IN_BATCH
        self._waiting = [one for one in self._waiting if one.state is State.WAITING]

    def _promote_next(self, waiter: "_Waiter") -> None:
        """Wake the batch of *waiter*, and promote the longest-waiting one; do nothing if *waiter* does not lead."""
        if self._leader is not waiter:
            return
        for one in self._batch:
            if one.state is not State.LEFT:
                one.state = State.DONE
            one.wake()
        self._batch = []
        self._waiting = [one for one in self._waiting if one.state is State.WAITING or one.state is State.LEADING]
        if self._waiting:
            self._promote(self._waiting[0])
        else:
            self._leader = None

    def _promote(self, waiter: "_Waiter") -> None:
        waiter.state = State.LEADING
        self._leader = waiter
        waiter.wake()

    def _leave(self, waiter: "_Waiter") -> None:
        """Take *waiter*, whose thread was ended at any line, out of the queue and out of the lead."""
        with self._lock:
            self._remove(waiter)
            self._promote_next(waiter)
            if self._leader is not None and self._leader.state is State.LEADING:
                self._leader.wake()  # *waiter* may have ended right before it woke the new leader

    def _remove(self, waiter: "_Waiter") -> None:
        waiter.state = State.LEFT
        waiter.wake()
        if waiter in self._waiting:
            self._waiting.remove(waiter)

    def _write_batch(self, waiters: Sequence["_Waiter"]) -> None:
        """Write those commands of *waiters* that can be written; later each other one's thread writes it alone."""
        try:
            entries, changes = zip(*((waiter.work.entry, waiter.work.changes) for waiter in waiters), strict=True)
            with self._connection.writing() as connection:
                written = batch.write(connection, entries, (*store.rows(entries), *projector.added_rows(changes)))
        except (UnknownCommit, WriteLockNotAcquired) as error:
            for waiter in waiters:
                waiter.error = type(error)(*error.args)
        except Exception:  # noqa: BLE001, S110 -- each thread meets the error again when it writes its command alone
            pass
        else:
            for waiter in waiters:
                waiter.is_written = waiter.work.entry.stream_id in written

    def _write_alone(self, work: Work) -> None:
        with writing(self._engine) as connection:
            if work.is_new:
                self._log.create(connection, work.entry.stream_id)
            self._log.write(connection, work.entry, work.generation)
            projector.write_changes(connection, work.changes)


class _Waiter:
    """A command whose thread waits until a leader has recorded it, or until it must lead.

    The writer's lock guards *state*.
    """

    def __init__(self, work: Work) -> None:
        self.work: Final = work
        self.state = State.WAITING
        self.is_written = False
        self.error: Exception | None = None
        self._asleep: Final = Lock()
        self._asleep.acquire()

    def wait(self, seconds: float) -> None:
        """Wait until `wake`, *seconds* at most."""
        self._asleep.acquire(timeout=seconds)

    def wake(self) -> None:
        """Wake its thread, which may be awake already. The caller holds the writer's lock.

        Measured: an Event does the same, and takes ten microseconds longer for each command.
        """
        if self._asleep.locked():
            self._asleep.release()
