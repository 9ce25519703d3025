"""Entry bundles as C2SP tlog-tiles defines them: the leaves below a tile of level 0, each after its length."""

from collections.abc import Iterable
from typing import Final

from sqlalchemy import Connection, and_, select

from service.event_store.log_tables import events
from service.event_store.quarantine import StreamCorrupted
from service.transparency import tree
from service.transparency.tiles import WIDTH
from service.transparency.tree import TreeDamaged
from service.transparency.tree_tables import leaf_indexes

_LENGTH_BYTES: Final = 2


def bundle(connection: Connection, number: int, width: int = WIDTH) -> bytes:
    """Return the leaves below the first *width* hashes of the tile *number* of level 0.

    An altered leaf is not refused but returned: the reader of the bundle compares the leaves with the tile's hashes,
    and so finds the altered leaf.

    Raises:
        NoSuchTile: the tree has no such tile, or the tile is narrower than *width*.
        StreamCorrupted: the event of a leaf is missing.
        TreeDamaged: the tree's head, or the index of a leaf, is missing.
    """
    tree.must_have_tile(connection, 0, number, width)
    first = number * WIDTH
    rows = connection.execute(
        select(leaf_indexes.c.stream_id, leaf_indexes.c.position, events.c.leaf)
        .outerjoin(
            events,
            and_(events.c.stream_id == leaf_indexes.c.stream_id, events.c.position == leaf_indexes.c.position),
        )
        .where(leaf_indexes.c.leaf_index >= first, leaf_indexes.c.leaf_index < first + width)
        .order_by(leaf_indexes.c.leaf_index)
    ).all()
    if len(rows) != width:
        raise TreeDamaged(f"Indexes from {first} to {first + width - 1} are missing.")
    for row in rows:
        if row.leaf is None:
            raise StreamCorrupted(bytes(row.stream_id), row.position, "the event is missing")
    return encoded(bytes(row.leaf) for row in rows)


def encoded(leaves: Iterable[bytes]) -> bytes:
    """Return the bundle of *leaves*: the length of each leaf, high byte first, and then the leaf."""
    return b"".join(len(leaf).to_bytes(_LENGTH_BYTES, "big") + leaf for leaf in leaves)
