"""Backups of a spread database: a ZIP file with the rows of all nodes, except sign-ins, as of one moment."""

# DECISIONS 139

import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta, Struct
from sqlalchemy import Connection, Engine, Row, text
from sqlalchemy.exc import DBAPIError

from service.api_keys.sign_ins import sign_ins
from service.database import schema_check
from service.database.append_only import without_triggers
from service.database.engines import Limits, administering, migrating, reading, reading_once
from service.database.errors import Fault, classify
from service.database.metadata import metadata
from service.database.spread import placement
from service.database.spread.node_readers import Shards, over_rows_of, shards_by_node
from service.database.spread.nodes import Node, engine_on
from service.exchange.cannot_back_up import CannotBackUp

MAGIC: Final = b"PK\x03\x04"
_MANIFEST: Final = "manifest.json"
_AT_COORDINATOR: Final = "coordinator"
_TRIES: Final = 5
_LOCK_TIMEOUT: Final = "2s"
_OF_A_NODE: Final = Limits(connections=1)
# A lock on these tables makes every writer wait: commands write to `streams`, the sequencer to `tree_head`, and the
# swap of a rebuild to `projection_generation`. The swap locks `projection_generation` before its other tables; to
# prevent a deadlock, the backup does the same.
_LOCKED: Final = ("projection_generation", "streams", "tree_head")
_HEADS: Final = "SELECT stream_id, head, head_hash FROM streams"


class _Table(Struct, frozen=True):
    """A table of the backup: its columns in the order of the values, and its parts.

    A part has the rows of one node, and its name is the number of the node's group in Citus; or the table has one part
    with all rows, named "coordinator".
    """

    name: Annotated[str, Meta(pattern="^[a-z_]+$")]
    columns: tuple[Annotated[str, Meta(pattern="^[a-z_0-9]+$")], ...]
    parts: tuple[str, ...]


class _Manifest(Struct, frozen=True):
    """What a backup has: the revision of the schema, and the tables in an order in which rows can be inserted."""

    revision: Annotated[str, Meta(pattern="^[0-9a-z_]+$")]
    tables: tuple[_Table, ...]


def dump(engine: Engine, copy: Path) -> list[Row[Any]]:
    """Copy the spread database into the file *copy*; return the streams with their heads, in the order of their ids.

    For a moment all writers wait, until a transaction with a snapshot is open at each node. Then they go on.

    Raises:
        CannotBackUp: writers held their locks for too long, or a transaction over several nodes is not finished.
    """
    with ExitStack() as stack:
        opened = _snapshots(engine, stack)
        heads = [row for at, shards in opened.values() for row in _rows(at, over_rows_of(shards, _HEADS), shards)]
        tables = tuple(_table(str(table.name), opened) for table in metadata.sorted_tables if table is not sign_ins)
        with zipfile.ZipFile(copy, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
            for table in tables:
                for part in table.parts:
                    at, shards = opened[part]
                    columns = ", ".join(table.columns)
                    _copy_out(at, over_rows_of(shards, f"SELECT {columns} FROM {table.name}"), file, _name(table, part))  # noqa: S608  # The names are ours.
            file.writestr(_MANIFEST, msgspec.json.encode(_Manifest(schema_check.head_revision(), tables)))
        return sorted(heads, key=lambda row: bytes(row.stream_id))


def restore(engine: Engine, copy: Path) -> None:
    """Restore *copy* into the empty PostgreSQL database of *engine*, in one transaction.

    If the database knows nodes, and *copy* has the schema of this release, the rows are then moved to the nodes.

    Raises:
        CannotBackUp: *copy* is damaged; a newer release made *copy*; or the rows must move to nodes while a server or
            another command is connected to the database. Nothing was restored.
    """
    with _opened(copy) as (file, manifest), migrating(engine) as connection:
        if not schema_check.upgrade(connection, manifest.revision):
            raise CannotBackUp(f"A newer release has made {copy}; nothing was restored.", "install this release")
        names = [table.name for table in manifest.tables]
        with without_triggers(connection, *names):
            for name in reversed(names):  # The migrations have made some rows.
                connection.exec_driver_sql(f"DELETE FROM {name}")  # noqa: S608  # The manifest has names only.
            for table in manifest.tables:
                for part in table.parts:
                    _copy_in(connection, file, table, part)
        if manifest.revision == schema_check.head_revision():
            _place(connection)  # The rows move only now, because the triggers of shards stay on.
    engine.dispose()  # The next connection learns whether the database is spread.


def _place(connection: Connection) -> None:
    """Move the rows to the nodes that the database knows, if any.

    Raises:
        CannotBackUp: a server or another command is connected to the database.
    """
    if placement.knows_nodes(connection):
        try:
            placement.distribute(connection)
        except placement.CannotDistribute as error:
            raise CannotBackUp(str(error), error.cure) from error


def _snapshots(engine: Engine, stack: ExitStack) -> Mapping[str, tuple[Connection, Shards]]:
    """Begin a transaction at the coordinator and at each node, with snapshots of the same moment.

    Return the transactions by the names of their parts of the backup, each with the shards at its node.

    Raises:
        CannotBackUp: as for `dump`.
    """
    at_nodes: dict[Node, Engine] = {}
    for tries_left in reversed(range(_TRIES)):
        try:
            with ExitStack() as begun, _without_writers(engine) as locked:
                shards = shards_by_node(locked)
                for node in shards:
                    if node not in at_nodes:
                        at_nodes[node] = engine_on(engine, node, _OF_A_NODE)
                        stack.callback(at_nodes[node].dispose)
                _must_have_nothing_prepared(engine, *at_nodes.values())
                opened: dict[str, tuple[Connection, Shards]] = {}
                opened[_AT_COORDINATOR] = begun.enter_context(_snapshot(engine, _local_tables())), {}
                for node, own in shards.items():
                    every = [shard for names in own.values() for shard in names]
                    opened[str(node.group)] = begun.enter_context(_snapshot(at_nodes[node], every)), own
                stack.push(begun.pop_all())
                return opened
        except DBAPIError as error:
            if classify(error) is not Fault.BUSY:
                raise
            if not tries_left:
                raise CannotBackUp("Other transactions held their locks for too long.", "run it again") from error
    raise AssertionError


@contextmanager
def _without_writers(engine: Engine) -> Iterator[Connection]:
    """Let all writers wait until the block ends. Citus takes the locks at the coordinator and at all nodes."""
    with administering(engine) as connection:
        connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{_LOCK_TIMEOUT}'")
        for table in _LOCKED:
            connection.exec_driver_sql(f"LOCK TABLE {table} IN SHARE MODE")
        yield connection


def _must_have_nothing_prepared(*engines: Engine) -> None:
    """Check that no server has a prepared transaction.

    Citus may already count such a transaction as committed, and a snapshot would lack its rows.

    Raises:
        CannotBackUp: a server has a prepared transaction.
    """
    for engine in engines:
        with reading_once(engine) as connection:
            if connection.scalar(_PREPARED):
                raise CannotBackUp(
                    "A transaction over several nodes is not finished.",
                    "SELECT recover_prepared_transactions(), and run it again",
                )


@contextmanager
def _snapshot(engine: Engine, names: list[str]) -> Iterator[Connection]:
    """Begin a transaction with one snapshot; until the transaction ends, nobody can drop the tables *names*."""
    with reading(engine, without_idle_limit=True) as connection:
        connection.exec_driver_sql("SET LOCAL statement_timeout = 0")
        every = " UNION ALL ".join(f"SELECT 1 FROM {name}" for name in names)  # noqa: S608  # These are names of tables.
        connection.exec_driver_sql(f"SELECT FROM ({every}) AS locked LIMIT 0")
        yield connection


def _local_tables() -> list[str]:
    spread = placement.spread_tables()
    return [name for name in metadata.tables if name not in spread]


def _table(name: str, opened: Mapping[str, tuple[Connection, Shards]]) -> _Table:
    nodes = tuple(part for part, (_, shards) in opened.items() if name in shards)
    return _Table(
        name, tuple(str(column.name) for column in metadata.tables[name].columns), nodes or (_AT_COORDINATOR,)
    )


def _rows(at: Connection, statement: str, shards: Shards) -> list[Row[Any]]:
    return list(at.exec_driver_sql(statement).all()) if shards else []


def _name(table: _Table, part: str) -> str:
    return f"{table.name}/{part}"


def _copy_out(at: Connection, statement: str, file: zipfile.ZipFile, name: str) -> None:
    driver: Any = at.connection.driver_connection
    statement = f"COPY ({statement}) TO STDOUT (FORMAT binary)"
    with file.open(name, "w", force_zip64=True) as part, driver.cursor() as cursor, cursor.copy(statement) as rows:
        for row in rows:
            part.write(row)


def _copy_in(connection: Connection, file: zipfile.ZipFile, table: _Table, name: str) -> None:
    driver: Any = connection.connection.driver_connection
    columns = ", ".join(table.columns)
    statement = f"COPY {table.name} ({columns}) FROM STDIN (FORMAT binary)"
    with file.open(_name(table, name)) as part, driver.cursor() as cursor, cursor.copy(statement) as rows:
        while data := part.read(_CHUNK):
            rows.write(data)


@contextmanager
def _opened(copy: Path) -> Iterator[tuple[zipfile.ZipFile, _Manifest]]:
    """Open *copy*, and check every byte.

    Raises:
        CannotBackUp: *copy* is damaged.
    """
    with ExitStack() as stack:
        try:
            file = stack.enter_context(zipfile.ZipFile(copy))
            damaged = file.testzip()
            manifest = msgspec.json.decode(file.read(_MANIFEST), type=_Manifest)
            missing = {_name(table, part) for table in manifest.tables for part in table.parts} - set(file.namelist())
        except (zipfile.BadZipFile, zlib.error, EOFError, KeyError, msgspec.DecodeError):
            damaged, missing = copy.name, set()
        if damaged or missing:
            raise CannotBackUp(f"{copy} is damaged or incomplete; nothing was restored.", "take another backup")
        yield file, manifest


_CHUNK: Final = 1 << 20
_PREPARED: Final = text("SELECT count(*) FROM pg_prepared_xacts WHERE database = current_database()")
