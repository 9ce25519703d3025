"""Places the tables of a database on the nodes of Citus: all rows of a stream are on one node (DECISIONS 129)."""

from typing import Final

from msgspec import Struct
from sqlalchemy import Connection, text

from service.database.metadata import metadata
from service.database.spread.spread_check import is_spread

FIRST: Final = "streams"
"""The table that is placed first; the rows of the other tables are placed on the nodes where its rows are."""


class CannotDistribute(Exception):
    """The tables can't be placed, and nothing was moved; *cure* is what to do."""

    def __init__(self, why: str, cure: str = "") -> None:
        super().__init__(why)
        self.cure = cure


class Placed(Struct, frozen=True):
    """A *table* that was placed, and the number of its *rows*, which were moved to the nodes."""

    table: str
    rows: int


def spread_tables() -> tuple[str, ...]:
    """Return the tables whose rows belong to streams, in the order of their placement."""
    names = [table.name for table in metadata.sorted_tables if table.info["is_spread"]]
    return (FIRST, *(name for name in names if name != FIRST))


def begin_schema_change(connection: Connection) -> None:
    """Let this transaction change the schema of placed tables. On a database that is not spread, do nothing."""
    if is_spread(connection):
        _run(connection, *_SCHEMA_CHANGE)


def distribute(connection: Connection, shards: int | None = None) -> tuple[Placed, ...]:
    """Place each table whose rows belong to streams and that is not placed yet; return what was moved.

    The other tables of the MetaData stay at the coordinator. Each table gets *shards* shards. If *shards* is None, each
    table gets as many shards as the placed tables have or, if no table is placed yet, as the setting of Citus says.

    Raises:
        CannotDistribute: the database has no Citus or no node, the tables have another number of shards already, or
            tables are to be placed while another connection of Chiptrail is open.
    """
    if not connection.scalar(_HAS_CITUS):
        raise CannotDistribute(
            "This database does not have the extension citus.", "CREATE EXTENSION citus, on each node"
        )
    if not connection.scalar(_NODES):
        raise CannotDistribute("The coordinator knows no node.", "SELECT citus_add_node('HOST', PORT), for each node")
    if (there := connection.scalar(_SHARDS, {"name": FIRST})) and shards not in {None, there}:
        raise CannotDistribute(f"The tables have {there} shards already.", "leave out --shards")
    missing = unplaced(connection)
    if missing and (others := connection.scalar(_OTHERS)):
        raise CannotDistribute(
            f"Servers or commands are connected ({others}); only a new connection learns that the database is spread.",
            "stop them first",
        )
    return _place(connection, missing, shards)


def knows_nodes(connection: Connection) -> bool:
    """Return whether the database is the coordinator of nodes."""
    return bool(connection.scalar(_HAS_CITUS) and connection.scalar(_NODES))


def keep_up(connection: Connection) -> tuple[Placed, ...]:
    """Place the tables that a migration has added, if the database is spread; return what was moved."""
    return _place(connection, unplaced(connection), None) if is_spread(connection) else ()


def place_beside(connection: Connection, name: str) -> None:
    """If the database is spread, place the new table *name* so that each stream's rows are on the stream's node.

    The table must have a column `stream_id`.
    """
    if is_spread(connection):
        _create(connection, name, None)


def unplaced(connection: Connection) -> tuple[str, ...]:
    """Return the tables whose rows belong to streams and that are not placed yet, in the order of their placement."""
    placed = set(connection.scalars(_PLACED))
    return tuple(name for name in spread_tables() if name not in placed)


def groups(connection: Connection) -> int:
    """Return the number of groups of the placed tables; within a group, each stream's rows are on one node."""
    return int(connection.scalar(_GROUPS, {"names": list(spread_tables())}) or 0)


def local_copies(connection: Connection) -> tuple[str, ...]:
    """Return the placed tables that still have rows on the coordinator's own disk."""
    return tuple(connection.scalars(_COPIES, {"names": list(spread_tables())}))


def _place(connection: Connection, names: tuple[str, ...], shards: int | None) -> tuple[Placed, ...]:
    if not names:
        return ()
    _run(connection, *_SCHEMA_CHANGE)
    moved = tuple(Placed(name, int(connection.scalar(text(f"SELECT count(*) FROM {name}")) or 0)) for name in names)  # noqa: S608  # The names are ours.
    for name in names:
        _create(connection, name, shards)
    _remove_local_copies(connection, names)
    return moved


def _create(connection: Connection, name: str, shards: int | None) -> None:
    beside = "none" if name == FIRST else FIRST
    number = "" if shards is None or name != FIRST else f", shard_count => {shards:d}"
    _run(connection, f"SELECT create_distributed_table('{name}', 'stream_id', colocate_with => '{beside}'{number})")


def _remove_local_copies(connection: Connection, names: tuple[str, ...]) -> None:
    """Remove the rows that the coordinator still has on its disk; sealed seeds are among them.

    While the copies are removed, the triggers that refuse to empty a table are off, but only for this transaction.
    """
    guards = [tuple(row) for row in connection.execute(_GUARDS, {"names": list(names)})]
    _run(connection, *(f"ALTER TABLE {table} DISABLE TRIGGER {guard}" for table, guard in guards))
    _run(connection, *(f"SELECT truncate_local_data_after_distributing_table('{name}')" for name in names))
    _run(connection, *(f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER {guard}" for table, guard in guards))


def _run(connection: Connection, *statements: str) -> None:
    for statement in statements:
        connection.exec_driver_sql(statement)


# By the first setting, Citus changes all shards of a table over one connection to each node, so that other statements
# of the transaction see the change. By the second, Citus accepts triggers on spread tables. The others remove timeouts.
_SCHEMA_CHANGE: Final = (
    "SET LOCAL citus.multi_shard_modify_mode TO 'sequential'",
    "SET LOCAL citus.enable_unsafe_triggers TO on",
    "SET LOCAL lock_timeout = 0",
    "SET LOCAL statement_timeout = 0",
)
_HAS_CITUS: Final = text("SELECT to_regclass('pg_dist_node') IS NOT NULL")
_NODES: Final = text("SELECT count(*) FROM pg_dist_node WHERE isactive AND shouldhaveshards")
_OTHERS: Final = text(
    "SELECT count(*) FROM pg_stat_activity"
    " WHERE datname = current_database() AND application_name = 'chiptrail' AND pid <> pg_backend_pid()"
)
_OF_OURS: Final = (
    "FROM pg_dist_partition JOIN pg_class ON pg_class.oid = logicalrelid"
    " WHERE relnamespace = current_schema()::regnamespace AND partmethod = 'h'"
)
_PLACED: Final = text(f"SELECT relname::text {_OF_OURS}")  # The text is ours.
_GROUPS: Final = text(f"SELECT count(DISTINCT colocationid) {_OF_OURS} AND relname = ANY(:names)")
_COPIES: Final = text(
    f"SELECT relname::text {_OF_OURS} AND relname = ANY(:names) AND pg_relation_size(logicalrelid) > 0 ORDER BY relname"
)
_SHARDS: Final = text("SELECT count(*) FROM pg_dist_shard WHERE logicalrelid = to_regclass(:name)")
_GUARDS: Final = text(  # 32: the bit of a trigger that fires on TRUNCATE
    "SELECT tgrelid::regclass::text, tgname::text FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid"
    " WHERE relname = ANY(:names) AND relnamespace = current_schema()::regnamespace AND tgtype & 32 <> 0"
    " AND NOT tgisinternal ORDER BY 1, 2"
)
