"""Dry runs at two tables, which differ in one fact that is hidden from the caller."""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from sqlalchemy import Engine


class Sides(NamedTuple):
    """The same dry run at two tables: *is_so* at the table where a hidden fact holds, *is_not* where it does not."""

    is_so: Callable[[], None]
    is_not: Callable[[], None]


HiddenFact: TypeAlias = Callable[[Engine], Sides]
"""Plays on a database until two tables differ in a hidden fact of a game, and returns the dry runs at these tables."""
