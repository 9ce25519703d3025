"""The tables of a process: kept as they were last seen, and begun from a snapshot where they were not."""

from collections import OrderedDict
from collections.abc import Sequence
from itertools import islice
from threading import Lock
from typing import Final

import structlog
from msgspec.structs import replace
from sqlalchemy import Connection, Engine

from service.log.codec import Recorded
from service.log.database import administering
from service.log.entries import EMPTY
from service.log.holding import ODD, Break, LogMustRunOn
from service.log.store import ALL, Log
from service.projections import snapshots
from service.projections.situations import Situation, fold, table_id

MOST_TABLES: Final = 10_000

_LOG: Final = structlog.get_logger("service.projections")


class Situations:
    """The tables of this process as they were last seen, brought up to date by reading only what is newer."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._kept: OrderedDict[bytes, Situation] = OrderedDict()
        self._lock = Lock()
        self.life = 0
        """Another number each time that all was forgotten: what was read before then is not kept after it."""

    def seen(self, stream_id: bytes) -> Situation | None:
        """Return the table as it was last seen here, which may be long ago; None: never."""
        with self._lock:
            return self._kept.get(stream_id)

    def latest(self, most: int) -> dict[bytes, int]:
        """Return the positions of the tables that were used last, of *most* at most, by their streams."""
        with self._lock:
            return {stream_id: self._kept[stream_id].position for stream_id in islice(reversed(self._kept), most)}

    def keep(self, situation: Situation, life: int) -> None:
        """Remember *situation*, committed and read in a *life*, unless a later one is known."""
        with self._lock:
            if life != self.life:
                return
            known = self._kept.get(situation.stream_id)
            if known is None or known.position < situation.position:
                self._kept[situation.stream_id] = situation
            self._kept.move_to_end(situation.stream_id)
            if len(self._kept) > MOST_TABLES:
                self._kept.popitem(last=False)

    def forget(self) -> None:
        """Forget all tables: the database may be another one now, which has not all that was seen."""
        with self._lock:
            self._kept.clear()
            self.life += 1

    def drop(self, stream_id: bytes) -> None:
        """Forget one table."""
        with self._lock:
            self._kept.pop(stream_id, None)

    def now(self, connection: Connection, stream_id: bytes) -> Situation | None:
        """Return the table as it stands, or as far as its log holds; None: there is none.

        The connection's transaction must see only what is committed.

        Raises:
            LogMustRunOn: not even its first event holds.
        """
        life, seen = self.life, self.seen(stream_id)
        if seen is not None and seen.broken_at:
            return seen
        try:
            seen = seen or self.snapshot(connection, stream_id)
            newer = self._log.newer(connection, stream_id, seen.head if seen else EMPTY)
            situation = self.folded(connection, seen, stream_id, newer)
        except LogMustRunOn as error:
            situation = self._before(connection, stream_id, error)
        if situation is not None:
            self.keep(situation, life)
        return situation

    def then(self, connection: Connection, present: Situation, position: int) -> Situation | None:
        """Return the table that is at *present* where it stood at *position*; None: there was none yet.

        A value that was erased since is shown no more there either.

        Raises:
            LogMustRunOn: what led there does not hold.
        """
        stream_id = present.stream_id
        since = self.snapshot(connection, stream_id, position)
        head = since.head if since else EMPTY
        recorded = self._log.read(connection, stream_id, head, position - head.position, head=present.head)
        past = self.folded(connection, since, stream_id, recorded)
        return replace(past, erased=present.erased) if past else None

    def snapshot(self, connection: Connection, stream_id: bytes, upto: int = ALL) -> Situation | None:
        """Return the table as a snapshot has it, the last at a position of *upto* at most; None: there is none."""
        found = snapshots.newest(connection, self._log, stream_id, upto)
        return replace(found, imported_at=self._log.imported_at(connection, stream_id)) if found else None

    def folded(
        self, connection: Connection, seen: Situation | None, stream_id: bytes, events: Sequence[Recorded]
    ) -> Situation | None:
        """Fold *events* into what was *seen*; a table seen for the first time is asked whether it was imported.

        Raises:
            LogMustRunOn: one of them can't come there.
        """
        try:
            situation = fold(seen, stream_id, events)
        except Exception as error:  # Whatever an altered event does to the rules ends with this table.
            raise self._log.damaged(connection, stream_id, Break(_first_odd(seen, stream_id, events), ODD)) from error
        if situation is None or seen is not None:
            return situation
        return replace(situation, imported_at=self._log.imported_at(connection, stream_id))

    def _before(self, connection: Connection, stream_id: bytes, error: LogMustRunOn) -> Situation:
        """Return the table as it stood right before its log ceased to hold.

        Raises:
            LogMustRunOn: there was nothing before.
        """
        recorded = self._log.read(connection, stream_id, EMPTY, error.position - 1)
        situation = self.folded(connection, None, stream_id, recorded)
        if situation is None:
            raise error
        return replace(situation, broken_at=error.position)

    def snap(self, engine: Engine, before: int, situation: Situation) -> None:
        """Write a snapshot of *situation*, which is committed, where it is the first past another EVERY events.

        *before*: where the table stood before the command. That costs a transaction of its own, once in many commands.
        Where it fails nothing is lost, nor told to who made the command, which is recorded.
        """
        if situation.position // snapshots.EVERY == before // snapshots.EVERY:
            return
        try:
            with administering(engine) as connection:
                snapshots.put(connection, self._log, situation)
        except Exception as error:  # noqa: BLE001 -- whatever it is, it is no matter of the command
            _LOG.warning("snapshot_failed", table=table_id(situation.stream_id), error=type(error).__name__)


def _first_odd(seen: Situation | None, stream_id: bytes, events: Sequence[Recorded]) -> int:
    """Return the position of the first of *events* that can't come after what was *seen*."""
    for one in events:
        try:
            seen = fold(seen, stream_id, [one])
        except Exception:  # noqa: BLE001 -- whatever it is, it is there
            return one.position
    return events[-1].position
