"""Finds the first leaf that may differ from what was signed: compares the tree with the stored checkpoints."""

from typing import Final

from sqlalchemy import Connection, select

from service.event_store.entries import stream_name
from service.transparency import checkpoint, index_pages, tree
from service.transparency.signed_note import NoteMustBeGenuine, VerifierKey
from service.transparency.tree import TreeDamaged
from service.transparency.tree_tables import checkpoints

_STORED: Final = select(checkpoints.c.size, checkpoints.c.note).order_by(checkpoints.c.size.desc()).limit(1)


def describe(connection: Connection, key: VerifierKey, size: int) -> str:
    """Return a sentence that names the first leaf after the longest prefix that matches a stored checkpoint of *key*.

    If no leaf follows this prefix, the sentence says so. Only prefixes of at most *size* leaves are compared. If a
    prefix matches its checkpoint, each shorter prefix does, too; so bisection finds the longest matching prefix.
    """
    fitting, above = 0, size + 1
    below = 0
    while below + 1 < above:
        middle = (below + above) // 2
        of_log = _STORED.where(checkpoints.c.origin == key.name)
        row = connection.execute(of_log.where(checkpoints.c.size > below, checkpoints.c.size <= middle)).first()
        if row is None:
            below = middle
        elif _fits(connection, key, row.size, row.note):
            fitting, below = row.size, middle
        else:
            above = row.size
    rows = index_pages.page(connection, fitting - 1, 1)
    if not rows:
        return f"The first {fitting:,} leaves match a signed checkpoint, and the log has no further leaf."
    place = f"position {rows[0].position} of {stream_name(rows[0].stream_id)}"
    return f"The first leaf that may differ from what was signed has index {fitting}: {place}."


def _fits(connection: Connection, key: VerifierKey, size: int, note: str) -> bool:
    """Return whether *note* is a genuine checkpoint, and the tree with *size* leaves has the checkpoint's root."""
    try:
        found, _ = checkpoint.opened(note.encode(), key)
        return (found.size, found.root) == (size, tree.root(connection, size))
    except (NoteMustBeGenuine, TreeDamaged):
        return False
