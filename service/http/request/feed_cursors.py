"""Cursors of feeds: each names an index and the log, so that a cursor of another log is refused (DECISIONS 100)."""

import re
from hashlib import sha256
from typing import Final

from service.http.problems.problem import Problem
from service.http.request.services import services

LATEST: Final = "latest"
"""Instead of a cursor: begin after the leaves that have an index now."""
CURSOR: Final = "[0-9]{1,15}-[0-9a-f]{16}"
"""The pattern of a cursor: an index, and the first 8 bytes of the SHA-256 of the log's origin."""


def cursor_after(size: int) -> str:
    """Return the cursor of a reader that has passed the indexes below *size*; "": *size* is 0."""
    return f"{size - 1}-{_log()}" if size else ""


def is_well_formed(cursor: str) -> bool:
    """Return whether *cursor* matches `CURSOR`."""
    return re.fullmatch(CURSOR, cursor) is not None


def first_index(cursor: str) -> int:
    """Return the index at which a feed begins after *cursor*, which matches `CURSOR` or is "".

    Raises:
        Problem: *cursor* belongs to another log.
    """
    index, _, log = cursor.partition("-")
    if cursor and log != _log():
        raise Problem("cursor_must_be_of_this_log", f"The log is {services().log_key.name} now.")
    return int(index) + 1 if cursor else 0


def must_be_within(first: int, size: int) -> None:
    """Check that a log with *size* leaves has a leaf at every index below *first*.

    Raises:
        Problem: the log is shorter, because it has lost leaves; or the cursor was invented.
    """
    if first > size:
        raise Problem(
            "cursor_must_be_of_this_log", f"The log has {size} leaves, and the cursor names index {first - 1}."
        )


def _log() -> str:
    return sha256(services().log_key.name.encode()).hexdigest()[:16]
