"""Reads the indexes of all leaves in pages, so that the memory of a reader does not grow with the log."""

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct
from sqlalchemy import Connection

from service.database.sql import Sql
from service.transparency import tiles
from service.transparency.tiles import Tile

PAGE: Final = 4_096
_ROWS: Final = Sql(
    "SELECT leaf_index, stream_id, position, leaf_hash FROM leaf_indexes WHERE leaf_index > :after"
    " ORDER BY leaf_index LIMIT :most"
)


class IndexRow(Struct, frozen=True):
    """A row of `leaf_indexes`: the leaf at *position* of a stream has this index and this hash."""

    leaf_index: int
    stream_id: bytes
    position: int
    leaf_hash: bytes


def page(connection: Connection, after: int, most: int = PAGE) -> list[IndexRow]:
    """Return at most *most* rows with an index above *after*, in order."""
    rows = _ROWS.all(connection, {"after": after, "most": most})
    return [IndexRow(index, bytes(stream_id), position, bytes(hash_)) for index, stream_id, position, hash_ in rows]


def pages(connection: Connection) -> Iterator[list[IndexRow]]:
    """Yield all rows in pages."""
    after = -1
    while found := page(connection, after):
        yield found
        after = found[-1].leaf_index


class GrowingTiles:
    """Computes the tiles of a tree that grows by pages of leaves; it keeps only the partial tiles."""

    def __init__(self) -> None:
        self.size = 0
        self.edge: dict[Tile, bytes] = {}

    def extend(self, leaf_hashes: Sequence[bytes]) -> dict[Tile, bytes]:
        """Add leaves; return the tiles that became full, and keep the partial tiles in `edge`."""
        changed = tiles.extended(self.size, self.edge, leaf_hashes)
        self.size += len(leaf_hashes)
        self.edge = {one: (self.edge | changed)[one] for one in tiles.right_edge(self.size)}
        return {one: hashes for one, hashes in changed.items() if one.width == tiles.WIDTH}
