"""The writer: commands that wait at the same time are recorded by one transaction."""

from collections.abc import Sequence
from threading import Lock
from typing import Final

from msgspec import Struct
from sqlalchemy import Engine

from service.entropy import Entropy
from service.log import store, together
from service.log.database import UnknownCommit, writing
from service.log.entries import Entry
from service.log.pen import Pen
from service.log.store import Log
from service.log.turns import TurnDidNotCome
from service.projections import recording
from service.projections.recording import Changes

MOST_TOGETHER: Final = 64
PATIENCE_SECONDS: Final = 15.0
"""How long somebody waits for who writes: longer than a statement waits for a lock, and not for ever."""


class Work(Struct, frozen=True):
    """What is to be recorded of a command: its *entry* in the log, and its *changes* in the projections.

    *is_new*: the stream is made with it.
    """

    entry: Entry
    changes: Changes
    is_new: bool = False


class Writer:
    """Records commands, as many together as there are waiting, *most* at once and one of a stream.

    Whoever finds nobody writing takes the pen, writes for all who wait, and hands it to the next of those who came
    meanwhile: so many commands share their statements and one sync of the disk, and nobody waits for company.
    """

    def __init__(
        self,
        engine: Engine,
        log: Log,
        clock: Entropy,
        *,
        most: int = MOST_TOGETHER,
        patience_seconds: float = PATIENCE_SECONDS,
    ) -> None:
        self._engine = engine
        self._log = log
        self._most = most
        self._patience_seconds = patience_seconds
        self._lock = Lock()
        self._pen = Pen(engine, clock)
        self._waiting: list[_Waiting] = []
        self._is_written = False

    def record(self, work: Work) -> None:
        """Record *work*, all or nothing; when this returns, it is committed.

        Raises:
            StalePosition, StreamExists, CommandRecorded, StreamIsImported, NoSuchStream, LogMustRunOn: nothing is
                recorded, as `Log.write` says.
            TurnDidNotCome, SQLAlchemyError: nothing is recorded.
            UnknownCommit: it may be recorded.
        """
        if work.is_new or self._most == 1 or work.entry.erases or not work.changes.is_plain:
            self._write_alone(work)
            return
        mine = _Waiting(work)
        with self._lock:
            self._waiting.append(mine)
            leads = not self._is_written
            self._is_written = True
        if leads or self._waits_to_lead(mine):
            self._lead()
        if mine.error is not None:
            raise mine.error
        if not mine.is_written:
            self._write_alone(work)

    def confirm(self, stream_id: bytes) -> None:
        """Return once all that a stream was seen to hold is as safe as what `record` has recorded.

        Raises:
            TurnDidNotCome, SQLAlchemyError, UnknownCommit: it may not be.
        """
        with writing(self._engine) as connection:
            recording.confirm(connection, stream_id)

    def _waits_to_lead(self, mine: "_Waiting") -> bool:
        """Wait until somebody has written *mine*, or it is for us to lead.

        Raises:
            TurnDidNotCome: nobody came to it; nothing is recorded.
            UnknownCommit: who took it does not come to an end.
        """
        if not mine.wait(self._patience_seconds):
            with self._lock:
                is_left = mine in self._waiting and not mine.leads
                if is_left:
                    self._waiting.remove(mine)
            if is_left:
                raise TurnDidNotCome("another transaction of this process is still writing")
            if not (mine.leads or mine.is_done):
                raise UnknownCommit("another thread records it, and has not come to an end")
        return not mine.is_done

    def _lead(self) -> None:
        """Write for some who wait, oneself among them, and let the next one go on with the others."""
        taken: list[_Waiting] = []
        try:
            taken = self._taken()
            self._write_together(taken)
        finally:
            with self._lock:
                following = self._waiting[0] if self._waiting else None
                self._is_written = following is not None
                if following is not None:
                    following.leads = True
            for one in taken:
                one.end()
            if following is not None:
                following.go_on()

    def _taken(self) -> list["_Waiting"]:
        """Take the first who waits, and others of other streams."""
        with self._lock:
            taken: dict[bytes, _Waiting] = {}
            left = []
            for one in self._waiting:
                if len(taken) < self._most and one.work.entry.stream_id not in taken:
                    taken[one.work.entry.stream_id] = one
                else:
                    left.append(one)
            self._waiting = left
        return list(taken.values())

    def _write_together(self, taken: Sequence["_Waiting"]) -> None:
        """Write what can be; each of the others is left to find out by itself what is wrong with it."""
        try:
            entries, changes = zip(*((one.work.entry, one.work.changes) for one in taken), strict=True)
            with self._pen.writing() as connection:
                written = together.write(connection, entries, (*store.rows(entries), *recording.rows(changes)))
        except (UnknownCommit, TurnDidNotCome) as error:
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
            self._log.write(connection, work.entry)
            recording.record(connection, work.changes)


class _Waiting:
    """Somebody who waits until their *work* is done, or until it is for them to lead."""

    def __init__(self, work: Work) -> None:
        self.work: Final = work
        self.is_written = False
        self.is_done = False
        self.leads = False
        self.error: Exception | None = None
        self._gate = Lock()
        self._gate.acquire()

    def wait(self, seconds: float) -> bool:
        """Wait for `end` or `go_on`; say whether one came."""
        return self._gate.acquire(timeout=seconds)

    def end(self) -> None:
        """Let go who waited: what was to be done is done."""
        self.is_done = True
        self._gate.release()

    def go_on(self) -> None:
        """Let who waited lead."""
        self._gate.release()
