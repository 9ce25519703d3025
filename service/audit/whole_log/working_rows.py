"""Checks the rows of the outbox and of unfinished imports."""

# DECISIONS 98

from collections.abc import Iterator
from typing import Final

from sqlalchemy import Connection

from service.audit.differences import NOTHING
from service.audit.findings import Finding
from service.database.sql import Sql
from service.event_store.entries import place_name

_MOST: Final = 1_000


def outbox_findings(connection: Connection) -> Iterator[Finding]:
    """Yield a finding for each row of the outbox that names no leaf of this service; at most _MOST findings.

    The sequencer could never delete such a row.
    """
    for stream_id, position in _NAMELESS.all(connection, {"most": _MOST}):
        yield _finding(bytes(stream_id), position, "outbox_must_name_a_leaf", "a leaf of this service")


def unfinished_findings(connection: Connection) -> Iterator[Finding]:
    """Yield a finding for each mark of an unfinished import whose table is not imported; at most _MOST findings.

    Such a mark hides a table that was played here, or names no table.
    """
    for (stream_id,) in _PLAYED_HERE.all(connection, {"most": _MOST}):
        yield _finding(bytes(stream_id), 0, "unfinished_import_must_be_an_import", "an imported table")


def unfinished_imports(connection: Connection) -> Iterator[str]:
    """Yield a sentence about the imports that are not finished, if there are any."""
    if rows := _UNFINISHED.all(connection, {}):
        count, first = len(rows), place_name(bytes(rows[0][0]))
        yield (
            f"unfinished imports: {count}; the first table is {first}; nobody sees these tables until their files are"
            " imported again"
        )


def _finding(stream_id: bytes, position: int, check: str, expected: str) -> Finding:
    return Finding(table=place_name(stream_id), position=position, check=check, expected=expected, found=NOTHING)


_NAMELESS: Final = Sql(
    "SELECT stream_id, position FROM outbox WHERE NOT EXISTS (SELECT 1 FROM streams WHERE"
    " streams.stream_id = outbox.stream_id AND streams.head >= outbox.position AND streams.imported_at IS NULL)"
    " ORDER BY stream_id, position LIMIT :most"
)
_PLAYED_HERE: Final = Sql(
    "SELECT stream_id FROM unfinished_imports WHERE NOT EXISTS (SELECT 1 FROM streams WHERE"
    " streams.stream_id = unfinished_imports.stream_id AND streams.imported_at IS NOT NULL)"
    " ORDER BY stream_id LIMIT :most"
)
_UNFINISHED: Final = Sql(
    "SELECT stream_id FROM unfinished_imports WHERE EXISTS (SELECT 1 FROM streams WHERE"
    " streams.stream_id = unfinished_imports.stream_id AND streams.imported_at IS NOT NULL) ORDER BY stream_id"
)
