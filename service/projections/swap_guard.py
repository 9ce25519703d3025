"""Protects readers from the swap of projections, by a generation number (DECISIONS 67)."""

from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from typing import Final, ParamSpec, TypeVar

from sqlalchemy import Connection, select, text

from service.database.spread.spread_check import at_coordinator
from service.projections.projection_tables import projection_generation

# PostgreSQL resolves a table's name at the time of the query, but reads the table's rows by the transaction's snapshot.
# A reader whose snapshot is older than a swap would read the new tables without the rows that are newer than the
# snapshot, and would get no error. So the swap replaces the row of `projection_generation` by TRUNCATE and INSERT.
# Every snapshot sees the TRUNCATE, even an older snapshot, but only newer snapshots see the INSERT. So a reader with an
# older snapshot finds no row.
#
# One check before reading is enough: the check locks `projection_generation` until the reader's transaction ends, and
# the swap locks `projection_generation` before any other table. If a transaction also uses the table cache, the check
# must come after the look-up in the cache: a transaction's first statement takes its snapshot, and a cached table must
# not be newer than the snapshot.
#
# On SQLite a transaction sees tables and rows of the same moment, and so always finds the row.

_MOST_TRIES: Final = 20

P = ParamSpec("P")
R = TypeVar("R")


class ProjectionsWereSwapped(Exception):
    """A rebuild has swapped the projections since this transaction began; only a new transaction can read them."""


def require_current_projections(connection: Connection) -> int:
    """Check that this transaction can read the projections in use; return the generation of the projections.

    Every function that reads a projection calls this function first. `retry_after_swap` catches the exception.

    Raises:
        ProjectionsWereSwapped: the transaction's snapshot is older than the projections.
    """
    generation = at_coordinator(connection).execute(_GENERATION).scalar()
    if generation is None:
        raise ProjectionsWereSwapped
    return int(generation)


def retry_after_swap(read: Callable[P, R]) -> Callable[P, R]:
    """Decorate *read*, which reads projections in its own transaction, so that *read* is repeated after a swap.

    Raises:
        ProjectionsWereSwapped: *read* raised this error more than twenty times in a row, as it does if the row of
            `projection_generation` is missing. A rebuild inserts the row.
    """

    @wraps(read)
    def repeating(*args: P.args, **kwargs: P.kwargs) -> R:
        for _ in range(_MOST_TRIES):
            with suppress(ProjectionsWereSwapped):
                return read(*args, **kwargs)
        return read(*args, **kwargs)

    return repeating


def lock(connection: Connection) -> None:
    """Lock out the readers of projections until the transaction ends. Call this before any projection is locked."""
    if connection.dialect.name == "postgresql":  # SQLite has one writer.
        connection.exec_driver_sql("LOCK TABLE projection_generation IN ACCESS EXCLUSIVE MODE")


def begin_generation(connection: Connection) -> None:
    """Begin the next generation, in the transaction that swaps the projections and holds the `lock`."""
    generation = connection.execute(_GENERATION).scalar() or 0
    is_postgresql = connection.dialect.name == "postgresql"
    connection.exec_driver_sql(f"{'TRUNCATE' if is_postgresql else 'DELETE FROM'} projection_generation")
    connection.execute(_INSERT, {"generation": generation + 1})


_GENERATION: Final = select(projection_generation.c.generation)
_INSERT: Final = text("INSERT INTO projection_generation (slot, generation) VALUES (1, :generation)")
