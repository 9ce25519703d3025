"""Backups: copies the database into one file while servers write, and restores the file into an empty database."""

# DECISIONS 65 and 139

import os
import shutil
import sqlite3
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, Engine, select, text

from service.api_keys.sign_ins import sign_ins
from service.database.engines import reading
from service.database.spread.spread_check import is_spread
from service.event_store import export_format
from service.event_store.entries import Head
from service.event_store.export_format import End
from service.event_store.log_tables import streams
from service.exchange import new_files, spread_copy
from service.exchange.cannot_back_up import CannotBackUp as CannotBackUp  # noqa: PLC0414 -- callers use this name
from service.exchange.new_files import CannotWriteFile

_SQLITE_MAGIC: Final = b"SQLite format 3\0"
_POSTGRESQL_MAGIC: Final = b"PGDMP"
_SQLITE_SUFFIXES: Final = ("", "-wal", "-shm", "-journal")
_HAS_SIGN_INS: Final = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?"
_TABLES: Final = text("SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()")


def head_file(file: Path) -> Path:
    """Return the path of the file with the heads of all streams in the backup *file*."""
    return file.with_name(f"{file.name}.head")


def back_up(engine: Engine, file: Path) -> End:
    """Copy the database into *file*, write the heads of its streams beside *file*, and return the heads.

    Each of the two files appears only when it is complete and durable; *file* appears last. Servers may write during
    the copy: the copy is a consistent snapshot of the database. The copy has no sign-ins of browsers: a restore would
    bring back sign-ins that ended after the copy. Neither file contains the service key.

    Raises:
        CannotBackUp: one of the files exists already or can't be written, or the database can't be copied.
    """
    for target in (file, head_file(file)):
        if target.exists():
            raise CannotBackUp(f"{target} exists already; it is not overwritten.", "name another file")
    with _new_file(file) as copy, _new_file(head_file(file)) as heads:  # The file of heads gets its name first.
        end = _copy_sqlite(engine, copy) if engine.dialect.name == "sqlite" else _dump_postgresql(engine, copy)
        heads.write_bytes(export_format.end_line(end) + b"\n")
    return end


def restore(engine: Engine, file: Path) -> None:
    """Restore the backup *file* into the database of *engine*: a new SQLite file, or an empty PostgreSQL database.

    The backup of a spread database can be restored into a spread database, or into PostgreSQL without Citus.

    Raises:
        CannotBackUp: the database is not empty, the SQLite file can't be written, *file* is damaged, *file* is no
            backup of this kind of database, `pg_restore` is not installed or fails, or `spread_copy.restore` can't
            restore *file*; nothing was restored.
    """
    is_sqlite = engine.dialect.name == "sqlite"
    with file.open("rb") as opened:
        begins = opened.read(len(_SQLITE_MAGIC))
    if not begins.startswith(_SQLITE_MAGIC if is_sqlite else (_POSTGRESQL_MAGIC, spread_copy.MAGIC)):
        raise CannotBackUp(f"{file} is no backup of {'SQLite' if is_sqlite else 'PostgreSQL'}.")
    if is_sqlite:
        _restore_sqlite(engine, file)
        return
    _must_be_empty(engine)
    if begins.startswith(spread_copy.MAGIC):
        spread_copy.restore(engine, file)
    else:
        # The roles of the old server may not exist at this server, so neither owners nor privileges are restored.
        # `chiptrail migrate --grant-to` grants privileges afterwards.
        whole_or_not = ("--single-transaction", "--exit-on-error")
        _run(engine, "pg_restore", *whole_or_not, "--no-owner", "--no-privileges", str(file))


def all_heads(connection: Connection) -> End:
    """Return the heads of all streams, in the form of the last line of a whole export."""
    rows = connection.execute(
        select(streams.c.stream_id, streams.c.head, streams.c.head_hash).order_by(streams.c.stream_id)
    )
    return _end(rows)


def _end(rows: Iterable[Any]) -> End:
    heads = tuple(export_format.stream_head(bytes(row.stream_id), Head(row.head, bytes(row.head_hash))) for row in rows)
    return End(is_whole=True, streams=len(heads), leaves=sum(one.position for one in heads), heads=heads)


def _copy_sqlite(engine: Engine, copy: Path) -> End:
    with reading(engine, without_idle_limit=True) as connection, closing(sqlite3.connect(copy)) as made:
        end = all_heads(connection)  # This read begins the transaction, so the copy has exactly these heads.
        source: Any = connection.connection.driver_connection
        try:
            source.backup(made)
            if made.execute(_HAS_SIGN_INS, (sign_ins.name,)).fetchone():
                made.execute(f"DELETE FROM {sign_ins.name}")  # noqa: S608 -- this is the name of a table of ours
                made.commit()
            made.execute("PRAGMA journal_mode=DELETE")  # In this mode the copy needs no -wal file.
        except sqlite3.Error as error:
            raise CannotBackUp(f"The database can't be copied: {error}.") from error
        return end


def _restore_sqlite(engine: Engine, file: Path) -> None:
    target = Path(engine.url.database or "").absolute()
    for suffix in _SQLITE_SUFFIXES:
        if (beside := target.with_name(target.name + suffix)).exists():
            raise CannotBackUp(f"{beside} exists already; it is not overwritten.", "restore into an empty folder")
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _new_file(target) as copy:
        shutil.copyfile(file, copy)
        if not _is_whole(copy):
            raise CannotBackUp(f"{file} is damaged or incomplete; nothing was restored.", "take another backup")


def _is_whole(copy: Path) -> bool:
    """Return whether the SQLite file *copy* has all of its pages, and every page can be read."""
    with closing(sqlite3.connect(f"{copy.as_uri()}?immutable=1", uri=True)) as opened:
        try:
            (page_bytes,) = opened.execute("PRAGMA page_size").fetchone()
            found = opened.execute("PRAGMA quick_check(1)").fetchall()
        except sqlite3.DatabaseError:
            return False
    # SQLite reads an incomplete last page as if zeros followed.
    return found == [("ok",)] and copy.stat().st_size % page_bytes == 0


def _dump_postgresql(engine: Engine, copy: Path) -> End:
    with reading(engine, without_idle_limit=True) as connection:
        if is_spread(connection):
            return _end(spread_copy.dump(engine, copy))
        snapshot = connection.scalars(text("SELECT pg_export_snapshot()")).one()
        end = all_heads(connection)
        left_out = f"--exclude-table-data={sign_ins.name}"
        _run(engine, "pg_dump", "--format=custom", left_out, f"--snapshot={snapshot}", f"--file={copy}")
        return end


def _must_be_empty(engine: Engine) -> None:
    with reading(engine) as connection:
        if found := connection.scalars(_TABLES).one():
            raise CannotBackUp(
                f"The database is not empty (tables: {found}), and is not overwritten.", "createdb another one"
            )


def _run(engine: Engine, program: str, *arguments: str) -> None:
    """Run the PostgreSQL *program* on the database of *engine*. The password is not on the program's command line.

    Raises:
        CannotBackUp: the program is not installed, or failed.
    """
    from psycopg.conninfo import make_conninfo  # noqa: PLC0415 -- psycopg need not be installed if only SQLite is used

    path = shutil.which(program)
    if path is None:
        cure = "install PostgreSQL's client programs, of the server's version or newer (Debian: postgresql-client)"
        raise CannotBackUp(f"{program} was not found; this program copies PostgreSQL databases.", cure)
    _, place = engine.dialect.create_connect_args(engine.url)
    password = place.pop("password", None)
    known = {name: str(value) for name, value in place.items() if isinstance(value, str | int)}
    done = subprocess.run(  # noqa: S603 -- no shell interprets the arguments
        [path, f"--dbname={make_conninfo(**known)}", "--no-password", *arguments],
        env={**os.environ, **({"PGPASSWORD": str(password)} if password else {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        cure = "run it as the role that `chiptrail migrate` uses" if "permission denied" in done.stderr else ""
        raise CannotBackUp(f"{program} failed: {done.stderr.strip()}", cure)


@contextmanager
def _new_file(target: Path) -> Iterator[Path]:
    """Yield a temporary file that becomes *target* at the end of the block.

    Raises:
        CannotBackUp: the file can't be written, or another process has made *target* meanwhile.
    """
    try:
        with new_files.new_file(target) as part:
            yield part
    except CannotWriteFile as error:
        raise CannotBackUp(str(error)) from error
