"""Group commit: one transaction records the commands of several threads (DECISIONS 41 and 72)."""

# Measured: with one transaction per command, the transaction takes nearly half of the command's processor time
# (DECISIONS 44).

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
from service.play.writing.writer_connection import WriterConnection
from service.projections import projector
from service.projections.projector import Changes

MOST_COMMANDS: Final = 64
PATIENCE_SECONDS: Final = 15.0
"""A thread waits at most this long for the leader. The wait of a statement for a lock is always shorter."""


class Work(Struct, frozen=True):
    """The writes of one command: its *entry* in the log, and its *changes* in the projections.

    *generation*: the cache generation in which the command was decided. *is_new*: the command begins its stream.
    """

    entry: Entry
    changes: Changes
    generation: int
    is_new: bool = False


class State(Enum):
    """The state of a waiting command."""

    WAITING = "no leader has taken the command"
    LEADING = "the command's thread is promoted to leader, and has not begun"
    IN_BATCH = "a leader is recording the command"
    DONE = "the command's outcome is known"
    LEFT = "the command's thread has stopped waiting"


class Writer:
    """Records commands by group commit: at most *most* commands in one transaction, and at most one of each stream.

    The first thread becomes the leader, records a batch of the waiting commands in one transaction, and then promotes
    the next waiter. The commands of a batch share their statements and one disk sync. A leader never waits for more
    commands to arrive. A command is recorded alone if it begins a stream, erases a value, or changes a projection other
    than transfers and hands. One lock guards all state that the threads share.
    """

    def __init__(  # noqa: PLR0913 -- the two limits and *batches_at* have defaults
        self,
        engine: Engine,
        log: Log,
        clock: Clock,
        *,
        most: int = MOST_COMMANDS,
        patience_seconds: float = PATIENCE_SECONDS,
        batches_at: Engine | None = None,
    ) -> None:
        """*batches_at*: the engine by which batches are recorded; None: *engine*, which all other writes use."""
        self._engine = engine
        self._log = log
        self._most = most
        self._patience_seconds = patience_seconds
        self._connection = WriterConnection(batches_at or engine, clock)
        self._lock = Lock()
        self._waiting: list[_Waiter] = []
        self._batch: list[_Waiter] = []
        self._leader: _Waiter | None = None

    def record(self, work: Work) -> None:
        """Record *work* in full or not at all. When `record` returns, *work* is committed.

        Raises:
            StalePosition, StreamExists, CommandRecorded, StreamIsImported, NoSuchStream, StreamCorrupted,
            StreamReplaced: nothing is recorded; see `Log.write`.
            WriteLockNotAcquired, SQLAlchemyError: nothing is recorded.
            UnknownCommit: *work* may be recorded.
        """
        if work.is_new or self._most == 1 or work.entry.erases or not work.changes.is_plain:
            self._write_alone(work)
            return
        waiter = _Waiter(work)
        try:
            if self._is_promoted(waiter):
                self._lead_batch(waiter)
        except BaseException:  # Whichever line raised the exception, the other threads must be able to continue.
            self._leave(waiter)
            raise
        if waiter.error is not None:
            raise waiter.error
        if not waiter.is_written:
            self._write_alone(work)

    def wait_until_durable(self, stream_id: bytes, recorded: RecordedEvent) -> None:
        """Wait until the event *recorded* and all earlier events are durable. The caller has read the event.

        Raises:
            StreamReplaced: the event is no longer in the database.
            WriteLockNotAcquired, SQLAlchemyError, UnknownCommit: the event may not be durable.
        """
        with writing(self._engine) as connection:
            projector.wait_until_durable(connection, stream_id, recorded)

    def _is_promoted(self, waiter: "_Waiter") -> bool:
        """Queue *waiter*; return True if its thread must lead, False if a leader has tried to record its command.

        Raises:
            WriteLockNotAcquired: no leader took the command in time; nothing is recorded.
            UnknownCommit: a leader took the command, and has not finished in time.
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
                raise UnknownCommit("another thread is recording the command, and has not finished in time")
            case State.WAITING if self._leader is not None and self._leader.state is not State.IN_BATCH:
                self._remove(self._leader)  # The leader was promoted long ago, and its thread has not begun.
                self._promote(waiter)
                return True
            case State.WAITING | State.LEFT:
                raise WriteLockNotAcquired("another transaction of this process is still writing")

    def _lead_batch(self, waiter: "_Waiter") -> None:
        """Record a batch of the waiting commands, including *waiter*'s command, and promote the next waiter."""
        try:
            with self._lock:
                self._take(waiter)
            self._write_batch(self._batch)
        finally:
            with self._lock:
                self._promote_next(waiter)

    def _take(self, waiter: "_Waiter") -> None:
        """Make the batch: *waiter*, and the waiters that have waited longest, at most one waiter of each stream."""
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
        """Wake the waiters in the batch, and promote the next waiter; do nothing if *waiter* does not lead."""
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
        """Remove *waiter* from the queue; if it leads, promote the next waiter.

        An exception may have interrupted the waiter's thread at any line.
        """
        with self._lock:
            self._remove(waiter)
            self._promote_next(waiter)
            if self._leader is not None and self._leader.state is State.LEADING:
                self._leader.wake()  # The interrupted thread may not have woken the new leader.

    def _remove(self, waiter: "_Waiter") -> None:
        waiter.state = State.LEFT
        waiter.wake()
        if waiter in self._waiting:
            self._waiting.remove(waiter)

    def _write_batch(self, waiters: Sequence["_Waiter"]) -> None:
        """Write the commands of *waiters* in one transaction.

        After UnknownCommit or WriteLockNotAcquired, the thread of each command raises this error. After any other
        error, the thread of each command writes the command alone; so does the thread of a command that the transaction
        has not written.
        """
        try:
            entries, changes = zip(*((waiter.work.entry, waiter.work.changes) for waiter in waiters), strict=True)
            with self._connection.writing() as connection:
                written = batch.write(connection, entries, (*store.rows(entries), *projector.added_rows(changes)))
        except (UnknownCommit, WriteLockNotAcquired) as error:
            for waiter in waiters:
                waiter.error = type(error)(*error.args)
        except Exception:  # noqa: BLE001, S110 -- each thread now writes its command alone, and may meet the error
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
    """A command whose thread waits until a leader has recorded the command, or until the thread must lead.

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
        """Wait until another thread calls `wake`, but for at most *seconds*."""
        self._asleep.acquire(timeout=seconds)

    def wake(self) -> None:
        """Wake the thread of this command, which may be awake already. The caller must hold the writer's lock.

        Measured: with an Event instead of a Lock, each command takes six to seven microseconds longer.
        """
        if self._asleep.locked():
            self._asleep.release()
