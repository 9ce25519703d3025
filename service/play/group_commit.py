"""The writer: commands that wait at the same time are recorded by one transaction."""

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
"""How long somebody waits for who writes: longer than a statement waits for a lock, and not for ever."""


class Work(Struct, frozen=True):
    """What is to be recorded of a command: its *entry* in the log, and its *changes* in the projections.

    *generation*: the one in which it was decided. *is_new*: the stream is made with it.
    """

    entry: Entry
    changes: Changes
    generation: int
    is_new: bool = False


class State(Enum):
    """How far a command that waits has come."""

    WAITING = "nobody has taken it"
    LEADING = "its thread is to lead, and has not begun"
    IN_BATCH = "the leader is recording it"
    DONE = "its outcome is known"
    LEFT = "its thread waits no more"


class Writer:
    """Records commands by group commit, at most *most* at once and one of a stream.

    The first thread becomes the leader, records every waiting command in one transaction, and then promotes the next
    waiter: so many commands share their statements and one sync of the disk, and nobody waits for company. All that
    the threads know of each other is guarded by one lock.
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
        """Record *work*, all or nothing; when this returns, it is committed.

        Raises:
            StalePosition, StreamExists, CommandRecorded, StreamIsImported, NoSuchStream, StreamCorrupted,
            StreamReplaced:
                nothing is recorded, as `Log.write` says.
            WriteLockNotAcquired, SQLAlchemyError: nothing is recorded.
            UnknownCommit: it may be recorded.
        """
        if work.is_new or self._most == 1 or work.entry.erases or not work.changes.is_plain:
            self._write_alone(work)
            return
        mine = _Waiter(work)
        try:
            if self._is_promoted(mine):
                self._lead_batch(mine)
        except BaseException:  # Whatever ends this thread, in whatever line: the others go on.
            self._leave(mine)
            raise
        if mine.error is not None:
            raise mine.error
        if not mine.is_written:
            self._write_alone(work)

    def make_durable(self, stream_id: bytes, told: RecordedEvent) -> None:
        """Return once an event that was read, and all before it, are as safe as what `record` has recorded.

        Raises:
            StreamReplaced: it is not there any more.
            WriteLockNotAcquired, SQLAlchemyError, UnknownCommit: it may not be safe.
        """
        with writing(self._engine) as connection:
            projector.wait_until_durable(connection, stream_id, told)

    def _is_promoted(self, mine: "_Waiter") -> bool:
        """Wait until somebody has recorded *mine*, or it is for its thread to lead; tell which.

        Raises:
            WriteLockNotAcquired: nobody came to it; nothing is recorded.
            UnknownCommit: the leader that took it does not come to an end.
        """
        with self._lock:
            self._waiting.append(mine)
            if self._leader is None:
                self._promote(mine)
                return True
        mine.wait(self._patience_seconds)
        with self._lock:
            return self._after_waiting(mine)

    def _after_waiting(self, mine: "_Waiter") -> bool:
        match mine.state:
            case State.DONE:
                return False
            case State.LEADING:
                return True
            case State.IN_BATCH:
                raise UnknownCommit("another thread records it, and has not come to an end")
            case State.WAITING if self._leader is not None and self._leader.state is not State.IN_BATCH:
                self._remove(self._leader)  # It was promoted long ago, and its thread does not come.
                self._promote(mine)
                return True
            case State.WAITING | State.LEFT:
                raise WriteLockNotAcquired("another transaction of this process is still writing")

    def _lead_batch(self, mine: "_Waiter") -> None:
        """Record some of those who wait, *mine* among them, and let the next one go on with the others."""
        try:
            with self._lock:
                self._take(mine)
            self._write_batch(self._batch)
        finally:
            with self._lock:
                self._promote_next(mine)

    def _take(self, mine: "_Waiter") -> None:
        """Take *mine*, and those who have waited longest, one of a stream."""
        if mine.state is not State.LEADING:
            raise WriteLockNotAcquired("another thread leads by now")
        taken = {mine.work.entry.stream_id: mine}
        for one in self._waiting:
            if len(taken) == self._most:
                break
            if one.state is State.WAITING:
                taken.setdefault(one.work.entry.stream_id, one)
        self._batch = list(taken.values())
        for one in self._batch:
            one.state = State.IN_BATCH
        self._waiting = [one for one in self._waiting if one.state is State.WAITING]

    def _promote_next(self, mine: "_Waiter") -> None:
        """Tell all whom *mine* took that it is over, and promote who has waited longest; once, if *mine* leads."""
        if self._leader is not mine:
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

    def _promote(self, one: "_Waiter") -> None:
        one.state = State.LEADING
        self._leader = one
        one.wake()

    def _leave(self, mine: "_Waiter") -> None:
        """Have nobody count on *mine* any more, in whatever line it was ended."""
        with self._lock:
            self._remove(mine)
            self._promote_next(mine)
            if self._leader is not None and self._leader.state is State.LEADING:
                self._leader.wake()  # *mine* may have ended right before this

    def _remove(self, one: "_Waiter") -> None:
        one.state = State.LEFT
        one.wake()
        if one in self._waiting:
            self._waiting.remove(one)

    def _write_batch(self, taken: Sequence["_Waiter"]) -> None:
        """Write what can be; each of the others is left to find out by itself what is wrong with it."""
        try:
            entries, changes = zip(*((one.work.entry, one.work.changes) for one in taken), strict=True)
            with self._connection.writing() as connection:
                written = batch.write(connection, entries, (*store.rows(entries), *projector.added_rows(changes)))
        except (UnknownCommit, WriteLockNotAcquired) as error:
            for one in taken:
                one.error = type(error)(*error.args)
        except Exception:  # noqa: BLE001, S110 -- one command's fault, or the database's, which each meets again and is told
            pass
        else:
            for one in taken:
                one.is_written = one.work.entry.stream_id in written

    def _write_alone(self, work: Work) -> None:
        with writing(self._engine) as connection:
            if work.is_new:
                self._log.create(connection, work.entry.stream_id)
            self._log.write(connection, work.entry, work.generation)
            projector.write_changes(connection, work.changes)


class _Waiter:
    """A command whose thread waits until it is recorded, or is to lead. *state* is the writer's, under its lock."""

    def __init__(self, work: Work) -> None:
        self.work: Final = work
        self.state = State.WAITING
        self.is_written = False
        self.error: Exception | None = None
        self._asleep: Final = Lock()
        self._asleep.acquire()

    def wait(self, seconds: float) -> None:
        """Wait until it is woken, or for so long."""
        self._asleep.acquire(timeout=seconds)

    def wake(self) -> None:
        """Wake its thread, which may have been woken before. The writer's lock is held.

        An Event does the same, and takes ten microseconds more of a command.
        """
        if self._asleep.locked():
            self._asleep.release()
