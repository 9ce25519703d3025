"""Tiles: the tree's hashes in pieces of at most 256, as C2SP tlog-tiles defines them."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct

from service import merkle
from service.merkle import Range

HEIGHT: Final = 8
WIDTH: Final = 1 << HEIGHT
HASH_BYTES: Final = 32
_HIGHEST_LEVEL: Final = 63
_GROUP: Final = 1000
_NUMBER: Final = re.compile("(?:x[0-9]{3}/){0,5}[0-9]{3}")  # a longer number would need more than 2**63 leaves
_PARTIAL: Final = re.compile(r"(?P<number>.*)\.p/(?P<width>[1-9][0-9]{0,2})")


class Tile(Struct, frozen=True, order=True):
    """The name of a tile: it has *width* hashes, the first of which is at index *number* * 256 of its *level*.

    A hash at level 0 is the hash of a leaf. A hash at each further level is the root of a full tile of the level below.
    A tile with 256 hashes is full and never changes; any other tile is partial.
    """

    level: int
    number: int
    width: int = WIDTH

    @property
    def path(self) -> str:
        """The tile's path below `tile/`, as `level/number`, or as `level/number.p/width` if it is partial."""
        return f"{self.level}/{number_path(self.number, self.width)}"


ReadTiles = Callable[[Iterable[Tile]], Mapping[Tile, bytes]]
"""Returns the hashes of tiles, each tile's hashes one after the other."""


class NoSuchTile(ValueError):
    """The path names no tile, or the tree has no such tile yet."""


def number_path(number: int, width: int = WIDTH) -> str:
    """Return the path of a tile within its level: groups of three digits; all groups except the last begin with `x`."""
    groups = [f"{number % _GROUP:03d}"]
    while number := number // _GROUP:
        groups.append(f"x{number % _GROUP:03d}")
    partial = "" if width == WIDTH else f".p/{width}"
    return "/".join(reversed(groups)) + partial


def parse_number(path: str) -> tuple[int, int]:
    """Return the number and the width of the tile whose path within its level is *path*.

    Raises:
        NoSuchTile: *path* is not the path of a tile.
    """
    partial = _PARTIAL.fullmatch(path)
    digits, width = (partial["number"], int(partial["width"])) if partial else (path, WIDTH)
    if not _NUMBER.fullmatch(digits):
        raise NoSuchTile("No tile has this path.")
    number = int(digits.replace("x", "").replace("/", ""))
    if width > WIDTH or number_path(number, width) != path:  # tile 1 has the path `001`, not `x000/001` or `001.p/256`
        raise NoSuchTile("No tile has this path.")
    return number, width


def of_tree(level: int, number: int, size: int) -> Tile | None:
    """Return the widest tile at *level* and *number* of the tree with *size* leaves; None: there is no such tile."""
    if not 0 <= level <= _HIGHEST_LEVEL // HEIGHT or number < 0:
        return None
    width = min((size >> HEIGHT * level) - (number << HEIGHT), WIDTH)
    return Tile(level, number, width) if width > 0 else None


def right_edge(size: int) -> list[Tile]:
    """Return the partial tiles of the tree with *size* leaves, from level 0 up: at most one tile of each level."""
    found = []
    for level in range(_HIGHEST_LEVEL // HEIGHT + 1):
        entries = size >> HEIGHT * level
        if entries % WIDTH:
            found.append(Tile(level, entries >> HEIGHT, entries % WIDTH))
    return found


def extended(size: int, edge: Mapping[Tile, bytes], leaf_hashes: Sequence[bytes]) -> dict[Tile, bytes]:
    """Return the tiles that are new or wider after *leaf_hashes* are appended to the tree with *size* leaves.

    *edge* has the partial tiles of the tree with *size* leaves, which `right_edge` names.
    """
    changed: dict[Tile, bytes] = {}
    by_level = {tile.level: hashes for tile, hashes in edge.items()}
    level, added = 0, b"".join(leaf_hashes)
    while added:
        number = size >> HEIGHT * (level + 1)
        hashes = by_level.get(level, b"") + added
        roots = []
        for start in range(0, len(hashes), WIDTH * HASH_BYTES):
            part = hashes[start : start + WIDTH * HASH_BYTES]
            changed[Tile(level, number, len(part) // HASH_BYTES)] = part
            if len(part) == WIDTH * HASH_BYTES:
                roots.append(merkle.root(split(part)))
            number += 1
        level, added = level + 1, b"".join(roots)
    return changed


def roots(ranges: Sequence[Range], size: int, read: ReadTiles) -> list[bytes]:
    """Return the root of each of *ranges* in the tree with *size* leaves; all tiles are read at once.

    `merkle.inclusion_ranges` and `merkle.consistency_ranges` return such ranges.
    """
    subtrees = [list(merkle.complete_subtrees(each)) for each in ranges]
    tiles = read({_tile_with(level, number, size) for each in subtrees for level, number in each})
    return [
        merkle.joined([_hash(level, number, tiles[_tile_with(level, number, size)]) for level, number in each])
        for each in subtrees
    ]


def root(size: int, read: ReadTiles) -> bytes:
    """Return the root of the tree with *size* leaves."""
    return roots([(0, size)], size, read)[0] if size else merkle.EMPTY_ROOT


def split(hashes: bytes) -> list[bytes]:
    """Return the single hashes of a tile."""
    return [hashes[start : start + HASH_BYTES] for start in range(0, len(hashes), HASH_BYTES)]


def _tile_with(level: int, number: int, size: int) -> Tile:
    """Return the tile with the hashes from which `_hash` computes the root of the subtree *number* of *level*."""
    tile_level, height = divmod(level, HEIGHT)
    tile = of_tree(tile_level, number << height >> HEIGHT, size)
    if tile is None or number + 1 << level > size:
        raise NoSuchTile(f"A tree with {size} leaves has no subtree {number} at level {level}.")
    return tile


def _hash(level: int, number: int, tile: bytes) -> bytes:
    """Return the root of the subtree *number* of *level*, from the *tile* that `_tile_with` names."""
    height = level % HEIGHT
    first = (number << height) % WIDTH
    return merkle.root(split(tile[first * HASH_BYTES : (first + (1 << height)) * HASH_BYTES]))
