"""Checks the service's own stream, and compares the database's API keys, imports and archived tables with it."""

# DECISIONS 99

from collections.abc import Iterator
from itertools import starmap
from typing import Final

from sqlalchemy import Connection, select

from service.api_keys import repository
from service.audit.checks.leaves import ChainCheck, Row
from service.audit.differences import NOTHING
from service.audit.findings import Finding
from service.audit.whole_log.recorded_archives import archive_findings
from service.audit.whole_log.recorded_imports import has_imports, import_findings
from service.audit.whole_log.recorded_keys import key_findings
from service.database.metadata import SERVICE_STREAM
from service.database.sql import Sql
from service.event_store import queries
from service.event_store.entries import Head, place_name
from service.secrets.key_check import service_keys
from service.service_log.service_events import SERVICE_CODEC, LogOpened, ServiceEvent
from service.service_log.service_state import ServiceState
from service.transparency.signed_note import VerifierKey

SERVICE_LOG: Final = place_name(SERVICE_STREAM)
_PAGE: Final = 1_000
_NO_STREAM: Final = (
    "API keys and imports: the service's own stream, which records them, begins at the next start of a server"
)


class ServiceLogAudit:
    """Reads the service's own stream once.

    The memory use grows with the number of API keys, imported tables and values, and archived tables.

    *receipt_key* (hex; "": unknown) and *log_key* (None: unknown) are the public keys that belong to the key files.
    """

    def __init__(self, connection: Connection, receipt_key: str, log_key: VerifierKey | None) -> None:
        self.events = 0
        self.keys = 0
        self.not_checked: tuple[str, ...] = ()
        self._connection = connection
        self._receipt_key = receipt_key
        self._log_key = log_key

    def findings(self) -> Iterator[Finding]:
        """Yield the findings; set `not_checked` if there are API keys or imports, but the stream does not exist yet."""
        row = queries.HEAD.run(self._connection, {"stream_id": SERVICE_STREAM}).first()
        chain, state = ChainCheck(SERVICE_STREAM, SERVICE_CODEC), ServiceState()
        for stored in self._rows():
            yield from chain.check_row(stored)
            if chain.recorded and isinstance(chain.recorded.event, ServiceEvent):
                yield from _first(chain.rows, chain.recorded.event)
                state.apply(stored.position, chain.recorded.event)
        self.events, self.keys = chain.rows, len(state.keys)
        if row is None and not chain.rows:
            if repository.has_keys(self._connection) or has_imports(self._connection):
                self.not_checked = (_NO_STREAM,)
            return
        yield from chain.check_end(Head(row.head, bytes(row.head_hash)) if row else None)
        yield from _repeated(state)
        yield from key_findings(self._connection, state)
        yield from import_findings(self._connection, state)
        yield from archive_findings(self._connection, state)
        yield from self._of_public_keys(state)
        yield from self._of_service_key(state)

    def _rows(self) -> Iterator[Row]:
        after = 0
        while page := list(
            starmap(Row, _ROWS.all(self._connection, {"stream_id": SERVICE_STREAM, "after": after, "most": _PAGE}))
        ):
            yield from page
            after = page[-1].position

    def _of_public_keys(self, state: ServiceState) -> Iterator[Finding]:
        if state.receipt_key:
            position, recorded = state.receipt_key
            stored = self._connection.scalar(select(service_keys.c.public_key))
            if stored is not None and bytes(stored).hex() != recorded:
                where = "service_keys: public_key"
                yield _finding(position, "stored_public_key_must_be_on_record", recorded, bytes(stored).hex(), where)
            if self._receipt_key not in {"", recorded}:
                yield _finding(position, "receipt_key_must_be_on_record", recorded, self._receipt_key, "service key")
        if state.opened and self._log_key and str(self._log_key) != state.opened[1].log_key:
            position, opened = state.opened
            yield _finding(position, "log_key_must_be_on_record", opened.log_key, str(self._log_key), "log key")

    def _of_service_key(self, state: ServiceState) -> Iterator[Finding]:
        if state.rotation:
            position, rotation = state.rotation
            row = self._connection.execute(select(service_keys.c.key_id, service_keys.c.fingerprint)).first()
            found = f"svk_{bytes(row.key_id).hex()} {bytes(row.fingerprint).hex()}" if row else NOTHING
            if found != (expected := f"{rotation.service_key} {rotation.fingerprint}"):
                yield _finding(position, "service_key_must_be_on_record", expected, found, "service_keys")
        for position, unlinked, before in state.unlinked:
            yield _finding(position, "rotation_must_follow_the_recorded_key", before, unlinked.earlier)


def _first(number: int, event: ServiceEvent) -> Iterator[Finding]:
    if number == 1 and not isinstance(event, LogOpened):
        yield _finding(1, "first_event_must_open_the_log", "log_opened", type(event).__name__)


def _repeated(state: ServiceState) -> Iterator[Finding]:
    for one in state.repeated:
        yield _finding(one.position, "key_must_be_recorded_once", "a new key, or a key's first end", str(one.event))


def _finding(position: int, check: str, expected: str, found: str, detail: str = "") -> Finding:
    return Finding(
        table=SERVICE_LOG, position=position, check=check, expected=expected or NOTHING, found=found, detail=detail
    )


_ROWS: Final = Sql(
    "SELECT position, leaf, cmd FROM events WHERE stream_id = :stream_id AND position > :after"
    " ORDER BY position LIMIT :most"
)
