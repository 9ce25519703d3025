"""The generation of the projections: a reader sees one whole set of them, or reads again."""

from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from typing import Final, ParamSpec, TypeVar

from sqlalchemy import Connection, select, text

from service.projections.projection_tables import projection_generation

# PostgreSQL looks up a table's name as it is now, and the table's rows as the transaction's snapshot has them. So a
# reader whose snapshot is older than a rebuild's swap would read the new tables without the rows that are newer than
# its snapshot, and no error would say so. The swap therefore replaces the row of `projection_generation` by TRUNCATE
# and INSERT. TRUNCATE works at once for every snapshot, the INSERT only for newer ones: an older one finds no row.
#
# To look before the reading is enough, because the look locks that table until its transaction ends, and the swap
# takes that table for itself before it touches any other. A reader that has found the row can't be overtaken. The
# look must not come earlier than needed: a table in the cache must not be newer than the snapshot.
#
# On SQLite a transaction sees tables and rows of one moment, and so always finds the row.

_MOST_TRIES: Final = 20

P = ParamSpec("P")
R = TypeVar("R")


class ProjectionsWereSwapped(Exception):
    """A rebuild has put other projections in place since this transaction began: only a new one can read them."""


def require_current_projections(connection: Connection) -> int:
    """Pass a transaction that sees the rows of the projections in use, until it ends; return their generation.

    Every function that reads projections asks this first; `retry_after_swap` begins its reader anew where it does not pass.

    Raises:
        ProjectionsWereSwapped: the transaction's snapshot is older than they are.
    """
    generation = connection.execute(_GENERATION).scalar()
    if generation is None:
        raise ProjectionsWereSwapped
    return int(generation)


def retry_after_swap(read: Callable[P, R]) -> Callable[P, R]:
    """Have *read*, which reads projections in a transaction of its own, begin anew where a rebuild swapped them.

    Raises:
        ProjectionsWereSwapped: again and again, more often than rebuilds can follow each other: the row of
            `projection_generation` is gone. A rebuild makes it anew.
    """

    @wraps(read)
    def repeating(*args: P.args, **kwargs: P.kwargs) -> R:
        for _ in range(_MOST_TRIES):
            with suppress(ProjectionsWereSwapped):
                return read(*args, **kwargs)
        return read(*args, **kwargs)

    return repeating


def lock(connection: Connection) -> None:
    """Wait for all who read projections, and hold off others, until the transaction ends; before any other lock."""
    if connection.dialect.name == "postgresql":  # Whoever writes SQLite writes alone.
        connection.exec_driver_sql("LOCK TABLE projection_generation IN ACCESS EXCLUSIVE MODE")


def begin_generation(connection: Connection) -> None:
    """Begin the next generation, in the transaction that has put it in place and holds the `lock`."""
    generation = connection.execute(_GENERATION).scalar() or 0
    is_postgresql = connection.dialect.name == "postgresql"
    connection.exec_driver_sql(f"{'TRUNCATE' if is_postgresql else 'DELETE FROM'} projection_generation")
    connection.execute(_INSERT, {"generation": generation + 1})


_GENERATION: Final = select(projection_generation.c.generation)
_INSERT: Final = text("INSERT INTO projection_generation (slot, generation) VALUES (1, :generation)")
