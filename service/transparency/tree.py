"""The tree in the database: its head, its tiles, and the proofs that are read from the tiles."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct
from sqlalchemy import ColumnElement, Connection, and_, func, or_, select
from sqlalchemy.dialects import postgresql, sqlite

from service import merkle
from service.database.sql import padded
from service.transparency import tiles
from service.transparency.tiles import HASH_BYTES, HEIGHT, NoSuchTile, Tile
from service.transparency.tree_tables import SLOT, leaf_indexes, tree_head, tree_tiles

_MOST_TILES: Final = 200
_LEVELS: Final = range(64 // HEIGHT)


class TreeDamaged(Exception):
    """The tree's head, a tile or an index is missing or wrong; `chiptrail rebuild` repairs only tiles."""


class TreeHead(Struct, frozen=True):
    """The tree has *size* leaves and this *root* (32 bytes)."""

    size: int
    root: bytes


class IndexedLeaf(Struct, frozen=True):
    """The leaf at *position* of a stream has the index *leaf_index* in the whole log, and the hash *leaf_hash*."""

    leaf_index: int
    position: int
    leaf_hash: bytes


def head(connection: Connection) -> TreeHead:
    """Return the present size and root of the tree.

    Raises:
        TreeDamaged: the row with the head is missing.
    """
    row = connection.execute(select(tree_head.c.size, tree_head.c.root).where(tree_head.c.slot == SLOT)).first()
    if row is None:
        raise TreeDamaged("The row with the head of the tree is missing.")
    return TreeHead(row.size, bytes(row.root))


def read_tiles(connection: Connection, wanted: Iterable[Tile]) -> dict[Tile, bytes]:
    """Return the hashes of the tiles *wanted*. A stored tile may be wider by now; it then begins with the same hashes.

    Raises:
        TreeDamaged: a tile is missing, or is narrower than wanted.
    """
    each = list(wanted)
    found = stored_tiles(connection, each)
    return {tile: _narrowed(tile, found.get((tile.level, tile.number), b"")) for tile in each}


def stored_tiles(connection: Connection, wanted: Iterable[Tile]) -> dict[tuple[int, int], bytes]:
    """Return the stored hashes of the *wanted* tiles that the database has, by level and number."""
    each = list(wanted)
    found: dict[tuple[int, int], bytes] = {}
    for start in range(0, len(each), _MOST_TILES):
        numbers: dict[int, list[int]] = {}
        for tile in each[start : start + _MOST_TILES]:
            numbers.setdefault(tile.level, []).append(tile.number)
        # A list of pairs would make SQLite scan all tiles.
        c, each_level = tree_tiles.c, numbers.items()
        named = or_(*(and_(c.level == level, c.number.in_(padded(of_level))) for level, of_level in each_level))
        rows = connection.execute(select(tree_tiles).where(named))
        found |= {(row.level, row.number): bytes(row.hashes) for row in rows}
    return found


def write_tiles(connection: Connection, changed: Mapping[Tile, bytes]) -> None:
    """Store the tiles *changed*, in place of the stored tiles with the same levels and numbers."""
    insert = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
    statement = insert(tree_tiles)
    wider = statement.on_conflict_do_update(
        index_elements=["level", "number"], set_={"hashes": statement.excluded.hashes}
    )
    rows = [{"level": tile.level, "number": tile.number, "hashes": hashes} for tile, hashes in changed.items()]
    connection.execute(wider, rows)


def is_beyond(size: int) -> ColumnElement[bool]:
    """Return the condition that a stored tile does not belong to the tree with *size* leaves."""
    ends = {level: -(-(size >> HEIGHT * level) // tiles.WIDTH) for level in _LEVELS}
    return or_(
        *(and_(tree_tiles.c.level == level, tree_tiles.c.number >= end) for level, end in ends.items()),
        tree_tiles.c.level.not_in(_LEVELS),
        tree_tiles.c.number < 0,
    )


def tile(connection: Connection, level: int, number: int, width: int) -> bytes:
    """Return the hashes of one tile.

    Raises:
        NoSuchTile: the tree has no such tile of this width.
        TreeDamaged: the tree's head is missing; or the tree has such a tile, but it is missing or too narrow in the
            database.
    """
    must_have_tile(connection, level, number, width)
    wanted = Tile(level, number, width)
    return read_tiles(connection, [wanted])[wanted]


def must_have_tile(connection: Connection, level: int, number: int, width: int) -> None:
    """Check that the tree has a tile at *level* and *number* with at least *width* hashes.

    Raises:
        NoSuchTile: the tree has no such tile.
        TreeDamaged: the tree's head is missing.
    """
    there = tiles.of_tree(level, number, head(connection).size)
    if there is None or there.width < width:
        raise NoSuchTile("The tree has no such tile yet.")


def indexed(connection: Connection, stream_id: bytes, position: int) -> IndexedLeaf | None:
    """Return the index of the leaf at *position* of a stream, or None if the leaf has no index yet."""
    row = connection.execute(
        select(leaf_indexes.c.leaf_index, leaf_indexes.c.leaf_hash).where(
            leaf_indexes.c.stream_id == stream_id, leaf_indexes.c.position == position
        )
    ).first()
    return IndexedLeaf(row.leaf_index, position, bytes(row.leaf_hash)) if row else None


def last_covered(connection: Connection, stream_id: bytes, size: int) -> int:
    """Return the last position of a stream whose leaf is in the tree with *size* leaves; 0: no leaf is."""
    covered = leaf_indexes.c.stream_id == stream_id, leaf_indexes.c.leaf_index < size
    return connection.execute(select(func.max(leaf_indexes.c.position)).where(*covered)).scalar() or 0


def inclusion_proof(connection: Connection, leaf_index: int, size: int) -> list[bytes]:
    """Return the hashes that prove the leaf at *leaf_index* in the tree with *size* leaves (RFC 6962, 2.1.1).

    Raises:
        ValueError: that tree has no such leaf.
        TreeDamaged: a tile is missing.
    """
    return _roots(connection, merkle.inclusion_ranges(leaf_index, size), size)


def checked_proof(connection: Connection, leaf: IndexedLeaf, size: int, root_hash: bytes) -> list[bytes]:
    """Return the hashes that prove *leaf* in the tree with *size* leaves, whose root must be *root_hash*.

    Raises:
        TreeDamaged: a tile is missing; or a tile, or the index of *leaf*, was altered, so there is no such proof.
    """
    index = leaf.leaf_index
    hashes = inclusion_proof(connection, index, size) if 0 <= index < size else []
    if not merkle.is_included(leaf.leaf_hash, index, size, hashes, root_hash):
        raise TreeDamaged(f"The tiles of the tree do not prove the leaf with the index {index}.")
    return hashes


def consistency_proof(connection: Connection, old_size: int, new_size: int) -> list[bytes]:
    """Return the hashes that prove that the newer tree begins with the tree with *old_size* leaves (RFC 6962, 2.1.2).

    Raises:
        ValueError: *old_size* is negative, or above *new_size*.
        TreeDamaged: a tile is missing.
    """
    return _roots(connection, merkle.consistency_ranges(old_size, new_size), new_size)


def checked_consistency(connection: Connection, old_size: int, new_size: int, new_root: bytes) -> list[bytes]:
    """Return the hashes as `consistency_proof` does; the root of the newer tree must be *new_root*.

    Raises:
        ValueError: as for `consistency_proof`.
        TreeDamaged: a tile is missing or was altered, so there is no such proof.
    """
    hashes = consistency_proof(connection, old_size, new_size)
    if not merkle.is_consistent(old_size, root(connection, old_size), new_size, new_root, hashes):
        raise TreeDamaged(f"The tiles of the tree do not prove that it begins with the first {old_size:,} leaves.")
    return hashes


def root(connection: Connection, size: int) -> bytes:
    """Return the root of the tree with *size* leaves, from the tiles.

    Raises:
        TreeDamaged: a tile is missing.
    """
    return _roots(connection, [(0, size)], size)[0] if size else merkle.EMPTY_ROOT


def number_of_leaves(connection: Connection) -> int:
    """Return how many leaves have an index."""
    last = connection.execute(select(func.max(leaf_indexes.c.leaf_index))).scalar()
    return 0 if last is None else last + 1


def _roots(connection: Connection, ranges: Sequence[merkle.Range], size: int) -> list[bytes]:
    return tiles.roots(ranges, size, lambda wanted: read_tiles(connection, wanted))


def _narrowed(wanted: Tile, hashes: bytes) -> bytes:
    if len(hashes) < wanted.width * HASH_BYTES:
        raise TreeDamaged(f"The tile {wanted.path} (height {HEIGHT}) is missing or too narrow.")
    return hashes[: wanted.width * HASH_BYTES]
