"""Finds the leaves of a feed (an owner's tables, or all tables), in the order of their indexes (DECISIONS 100)."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct
from sqlalchemy import Connection, bindparam, text

from service.database.spread.spread_check import SPREAD, kind
from service.database.sql import Sql, padded
from service.projections.seats_and_invitations import LAST_INVITATION
from service.projections.swap_guard import require_current_projections

ALL_TABLES: Final = ""
"""The name of the feed with every table. The name of any other feed is the id of its owner.

The feed of an owner has the tables that the owner now hosts, has a seat at, or is invited to.
"""


WINDOW: Final = 1_000
"""The maximum number of indexes that one statement searches."""


class FeedLeaf(Struct, frozen=True):
    """The leaf at *position* of a table's stream, with its index in the whole log."""

    leaf_index: int
    stream_id: bytes
    position: int


def between(connection: Connection, feed: str, first: int, end: int, most: int) -> list[FeedLeaf]:
    """Return the first *most* leaves of *feed* with an index from *first* to *end* - 1.

    There must be at most `WINDOW` indexes from *first* to *end* - 1. The work depends on the number of indexes, and on
    a spread database also on the number of the owner's tables.
    """
    require_current_projections(connection)
    statements = _OF_OWNER if feed != ALL_TABLES else _OF_ALL_TABLES
    rows = statements[kind(connection)].all(connection, {"owner": feed, "first": first, "end": end, "most": most})
    return [FeedLeaf(leaf_index, bytes(stream_id), position) for leaf_index, stream_id, position in rows]


def between_of(connection: Connection, streams: Sequence[bytes], first: int, end: int, most: int) -> list[FeedLeaf]:
    """Return the first *most* leaves of *streams*, the stream ids of tables, with an index from *first* to *end* - 1.

    There must be at most `WINDOW` indexes from *first* to *end* - 1.
    """
    require_current_projections(connection)
    values = {"streams": padded(streams), "first": first, "end": end, "most": most}
    return [
        FeedLeaf(leaf_index, bytes(stream_id), position)
        for leaf_index, stream_id, position in connection.execute(_OF_STREAMS, values)
    ]


def next_index(connection: Connection, owner: str, first: int) -> int | None:
    """Return the lowest index from *first* on in the feed of *owner*, or None if there is no such index.

    The work depends on the number of the owner's tables, but not on the number of indexes.
    """
    require_current_projections(connection)
    found: int | None = _NEXT[kind(connection)].all(connection, {"owner": owner, "first": first})[0][0]
    return found


def feeds_with(connection: Connection, first: int, end: int) -> frozenset[str]:
    """Return `ALL_TABLES`, and the owners' feeds with a leaf at an index from *first* to *end* - 1.

    There must be at most `WINDOW` indexes from *first* to *end* - 1.
    """
    require_current_projections(connection)
    statement = _OWNERS[kind(connection)]
    return frozenset(owner for (owner,) in statement.all(connection, {"first": first, "end": end})) | {ALL_TABLES}


# PostgreSQL plans each statement once, without the values of parameters. So it expects a range to have a large share of
# the log, and would hash all rows of a table. The fixed limits and the sub-selects in these statements prevent such
# plans.
_LEAVES: Final = (
    "SELECT leaf_index, stream_id, position FROM (SELECT leaf_index, stream_id, position FROM leaf_indexes"
    " WHERE leaf_index >= :first AND leaf_index < :end ORDER BY leaf_index LIMIT 1000) AS leaves"
)
_FIRST: Final = "ORDER BY leaf_index LIMIT :most"
_PRESENT: Final = f"seat <= {LAST_INVITATION}"
"""Selects the rows of seats and invitations; the other rows of `seats` are of players who left."""
_OWN: Final = (
    "SELECT stream_id FROM tables WHERE host = :owner"  # noqa: S608  # The names are ours, here and below.
    f" UNION SELECT stream_id FROM seats WHERE player = :owner AND {_PRESENT}"
)
OWN: Final = Sql(_OWN)
"""Selects the streams of the tables in the feed of an owner."""
_LOOKED_UP: Final = Sql(
    f"{_LEAVES} WHERE"  # noqa: S608
    " (SELECT 1 FROM tables WHERE tables.stream_id = leaves.stream_id AND host = :owner) IS NOT NULL"
    " OR (SELECT 1 FROM seats WHERE seats.stream_id = leaves.stream_id"
    f" AND player = :owner AND {_PRESENT} LIMIT 1) IS NOT NULL"
    f" {_FIRST}"
)
# `leaf_indexes` is a table of the coordinator; Citus can't look up a row on a node for each row of `leaf_indexes`. On a
# spread database the statements select by lists of streams, and so their work depends on the number of the owner's
# tables (DECISIONS 129).
_OF_OWNER: Final = {
    "sqlite": _LOOKED_UP,
    "postgresql": _LOOKED_UP,
    SPREAD: Sql(f"{_LEAVES} WHERE stream_id IN ({_OWN}) {_FIRST}"),
}
_OF_TABLES: Final = Sql(  # The log also has leaves of streams that are not tables.
    f"{_LEAVES} WHERE (SELECT 1 FROM tables WHERE tables.stream_id = leaves.stream_id) IS NOT NULL {_FIRST}"  # noqa: S608
)
_OF_ALL_TABLES: Final = {
    "sqlite": _OF_TABLES,
    "postgresql": _OF_TABLES,
    SPREAD: Sql(
        "SELECT leaf_index, leaves.stream_id, position FROM (SELECT leaf_index, stream_id, position"  # noqa: S608
        " FROM leaf_indexes"
        " WHERE leaf_index >= :first AND leaf_index < :end ORDER BY leaf_index LIMIT 1000) AS leaves"
        f" JOIN tables ON tables.stream_id = leaves.stream_id {_FIRST}"
    ),
}
_OF_STREAMS: Final = text(
    "SELECT leaf_index, stream_id, position FROM (SELECT leaf_index, stream_id, position FROM leaf_indexes"
    " WHERE leaf_index >= :first AND leaf_index < :end ORDER BY leaf_index LIMIT 1000) AS leaves"
    " WHERE stream_id IN :streams ORDER BY leaf_index LIMIT :most"
).bindparams(bindparam("streams", expanding=True))
_NEXT_OF_EACH: Final = Sql(
    "SELECT min(following) FROM (SELECT (SELECT min(leaf_index) FROM leaf_indexes"  # noqa: S608
    " WHERE leaf_indexes.stream_id = own.stream_id AND leaf_index >= :first) AS following"
    f" FROM ({_OWN}) AS own) AS found"
)
_NEXT: Final = {
    "sqlite": _NEXT_OF_EACH,
    "postgresql": _NEXT_OF_EACH,
    SPREAD: Sql(
        f"SELECT min(leaf_index) FROM leaf_indexes WHERE leaf_index >= :first AND stream_id IN ({_OWN})"  # noqa: S608
    ),
}
_OWNERS: Final = {
    "postgresql": Sql(
        "WITH changed AS MATERIALIZED (SELECT DISTINCT stream_id FROM (SELECT stream_id FROM leaf_indexes"  # noqa: S608
        " WHERE leaf_index >= :first AND leaf_index < :end LIMIT 1000) AS leaves)"
        " SELECT host FROM changed, LATERAL"
        " (SELECT host FROM tables WHERE tables.stream_id = changed.stream_id LIMIT 1) AS hosts"
        " UNION SELECT player FROM changed, LATERAL"
        f" (SELECT player FROM seats WHERE seats.stream_id = changed.stream_id AND {_PRESENT} LIMIT 10000) AS players"
    ),
    SPREAD: Sql(
        "SELECT host FROM tables WHERE stream_id IN"  # noqa: S608
        " (SELECT stream_id FROM leaf_indexes WHERE leaf_index >= :first AND leaf_index < :end)"
        f" UNION SELECT player FROM seats WHERE {_PRESENT} AND stream_id IN"
        " (SELECT stream_id FROM leaf_indexes WHERE leaf_index >= :first AND leaf_index < :end)"
    ),
    "sqlite": Sql(
        "WITH changed AS (SELECT stream_id FROM leaf_indexes WHERE leaf_index >= :first AND leaf_index < :end)"  # noqa: S608
        " SELECT host FROM tables WHERE stream_id IN (SELECT stream_id FROM changed)"
        f" UNION SELECT player FROM seats WHERE {_PRESENT} AND stream_id IN (SELECT stream_id FROM changed)"
    ),
}
