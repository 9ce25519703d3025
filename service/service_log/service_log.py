"""Opens the service's own stream, appends events to it, and reads the state after its events."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

from msgspec import Struct, structs
from sqlalchemy import Connection, func, select

from service import __version__
from service.api_keys import repository
from service.database.metadata import SERVICE_STREAM
from service.event_store.entries import EMPTY, Head, UncommittedEvent
from service.event_store.hash_chain import EVENT_MISSING, HASH_MISMATCH, HEAD_MISSING, ChainPoint
from service.event_store.log_tables import events, streams
from service.event_store.quarantine import StreamCorrupted
from service.event_store.store import Log, StreamExists
from service.service_log import import_events, key_events, stream_events
from service.service_log.service_events import (
    LogOpened,
    ReleaseChanged,
    ServiceEvent,
    SigningKeyChanged,
    StreamShortened,
)
from service.service_log.service_state import ServiceState

_AUTHOR: Final = "service"
_AT_ONCE: Final = 500  # events in one entry


class LogIdentity(Struct, frozen=True, kw_only=True):
    """The log's *origin* and key, the key that verifies receipts (hex), and the version of the software."""

    origin: str
    log_key: str
    receipt_key: str
    release: str = __version__


class ServiceLog:
    """The service's own stream. The process that first writes to the stream opens the stream.

    The opening of the stream also records the keys and the imported tables that the database already has. *log* has the
    codec of the stream's events. *identity* is called when the stream is opened, when a server starts, and when a new
    log begins.
    """

    def __init__(self, log: Log, identity: Callable[[], LogIdentity]) -> None:
        self.log: Final = log
        self.identity: Final = identity

    def open_if_needed(self, connection: Connection) -> None:
        """Open the stream if it does not exist. Call this before a change that an event is to record.

        If the change came first, the opening would record the change as older than the stream.
        """
        if not self.is_open(connection):
            self._open(connection)

    def is_open(self, connection: Connection) -> bool:
        """Return whether the stream exists."""
        return connection.execute(_HEAD).first() is not None

    def append(self, connection: Connection, events: Sequence[ServiceEvent]) -> None:
        """Append *events* to the open stream.

        Other writers of the stream wait until the transaction of *connection* ends: on PostgreSQL for the row of the
        stream's head, on SQLite for the write lock.
        """
        self._append(connection, self._locked_head(connection), iter(events))

    def record_start(self, connection: Connection, old_checkpoint: Callable[[Connection], str] = lambda _: "") -> None:
        """Record the start of a server: open the stream, or record what has changed since the last start.

        If a new log has begun, *old_checkpoint* returns the last checkpoint of the earlier log; "": none is known.
        """
        if not self.is_open(connection):
            self._open(connection)
        head, identity = self._locked_head(connection), self.identity()
        changes = list(_changes(stream_events.identities(connection), identity))
        if changes == [_opened(identity)]:
            changes = [_opened(identity, old_checkpoint(connection))]
        self._append(connection, head, iter(changes))

    def require_end(self, connection: Connection) -> None:
        """Check that the head row names the position of the last event; otherwise nothing can be appended.

        The hashes are not compared: after an altered last event, events can still be appended.

        Raises:
            StreamCorrupted: the last event or the head row is missing, or the head row names an earlier position.
        """
        row = connection.execute(_HEAD).first()
        head, last = (row.head if row else 0), (connection.execute(_LAST).scalar() or 0)
        if last < head:
            raise StreamCorrupted(SERVICE_STREAM, last + 1, EVENT_MISSING)
        if head < last:
            raise StreamCorrupted(SERVICE_STREAM, head + 1, HASH_MISMATCH if row else HEAD_MISSING)

    def record_restart(self, connection: Connection, checkpoint: str, shortened: Sequence[StreamShortened]) -> None:
        """Record that a new log begins. *checkpoint* is the earlier log's last known checkpoint; "": none."""
        if self.is_open(connection):
            opened = _opened(self.identity(), checkpoint)
            self._append(connection, self._locked_head(connection), iter([opened, *shortened]))
        else:
            self._open(connection, checkpoint)
            self.append(connection, shortened)

    def locked_state(self, connection: Connection) -> ServiceState:
        """Return the state after all events of the open stream; other writers wait until the transaction ends.

        Raises:
            StreamCorrupted: the chain of the stream is broken.
        """
        head, state = self._locked_head(connection), ServiceState()
        last: ChainPoint = EMPTY
        while page := self.log.reader.read(connection, SERVICE_STREAM, last, _AT_ONCE, head=head):
            for one in page:
                if isinstance(one.event, ServiceEvent):
                    state.apply(one.position, one.event)
            last = page[-1]
        return state

    def _open(self, connection: Connection, checkpoint: str = "") -> None:
        try:
            with connection.begin_nested():
                head = self.log.create(connection, SERVICE_STREAM)
        except StreamExists:
            return  # Another process has opened the stream in the meantime.
        self._append(connection, head, _first_events(connection, _opened(self.identity(), checkpoint)))

    def _append(self, connection: Connection, head: Head, events: Iterator[ServiceEvent]) -> None:
        while page := list(islice(events, _AT_ONCE)):
            entry = self.log.entry(SERVICE_STREAM, head, [UncommittedEvent(event, _AUTHOR) for event in page])
            self.log.write(connection, entry, self.log.generation.number)
            head = Head(entry.recorded[-1].position, entry.recorded[-1].hash)

    def _locked_head(self, connection: Connection) -> Head:
        row = connection.execute(_HEAD.with_for_update()).one()
        return Head(row.head, bytes(row.head_hash))


def _opened(identity: LogIdentity, checkpoint: str = "") -> LogOpened:
    return LogOpened(**structs.asdict(identity), checkpoint=checkpoint)


def _first_events(connection: Connection, opened: LogOpened) -> Iterator[ServiceEvent]:
    yield opened
    for key in repository.all_keys(connection):
        yield from key_events.adopted(key)
    yield from import_events.adopted(connection)


def _changes(recorded: Iterable[ServiceEvent], identity: LogIdentity) -> Iterator[ServiceEvent]:
    """Yield the events that record how *identity* differs from the identity in the events *recorded*."""
    log = receipt_key = release = ""
    for event in recorded:
        match event:
            case LogOpened():
                log, receipt_key, release = event.log_key, event.receipt_key, event.release
            case ReleaseChanged():
                release = event.release
            case SigningKeyChanged():
                receipt_key = event.receipt_key
            case _:
                pass
    if log != identity.log_key:
        # Another log key means a new log. Either the old log had no checkpoint, so that the server could make another
        # key; or another machine signs the new log.
        yield _opened(identity)
        return
    if receipt_key != identity.receipt_key:
        yield SigningKeyChanged(receipt_key=identity.receipt_key)
    if release != identity.release:
        yield ReleaseChanged(release=identity.release)


_HEAD: Final = select(streams.c.head, streams.c.head_hash).where(streams.c.stream_id == SERVICE_STREAM)
_LAST: Final = select(func.max(events.c.position)).where(events.c.stream_id == SERVICE_STREAM)
