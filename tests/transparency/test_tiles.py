"""Tiles have the paths and the hashes of C2SP tlog-tiles."""

import random
from collections.abc import Iterable, Mapping
from functools import cache
from hashlib import sha256

import pytest
from hypothesis import given, strategies as st
from pymerkle import InmemoryTree

from service import merkle
from service.transparency import tiles
from service.transparency.tiles import HASH_BYTES, WIDTH, NoSuchTile, Tile

MOST = 700
LEAVES = [merkle.leaf_hash(f"leaf {index}".encode()) for index in range(MOST)]


@cache
def hash_at(level: int, number: int) -> bytes:
    """Return a synthetic hash for a subtree that is too big to have each of its leaves in a test."""
    return sha256(f"subtree {number} of level {level}".encode()).digest()


def whole_tree(hashes: list[bytes]) -> dict[Tile, bytes]:
    """Return all tiles of the tree, as C2SP defines them: each level from the full tiles of the level below."""
    found: dict[Tile, bytes] = {}
    level = 0
    while hashes:
        above = []
        for number in range(-(-len(hashes) // WIDTH)):
            part = hashes[number * WIDTH : (number + 1) * WIDTH]
            found[Tile(level, number, len(part))] = b"".join(part)
            if len(part) == WIDTH:
                above.append(merkle.root(part))
        level, hashes = level + 1, above
    return found


def root_of(stored: Mapping[Tile, bytes], size: int) -> bytes:
    return tiles.root(size, lambda wanted: {tile: stored[tile] for tile in wanted})


def newest(stored: Mapping[Tile, bytes], size: int) -> dict[Tile, bytes]:
    """Return the *stored* tiles that the tree with *size* leaves has."""
    return {tile: hashes for tile, hashes in stored.items() if tiles.of_tree(tile.level, tile.number, size) == tile}


@pytest.mark.parametrize(
    ("tile", "path"),
    [
        (Tile(0, 0), "0/000"),
        (Tile(0, 999), "0/999"),
        (Tile(0, 1_000), "0/x001/000"),
        (Tile(0, 1_234_067), "0/x001/x234/067"),
        (Tile(0, 1_234_067, 5), "0/x001/x234/067.p/5"),
        (Tile(3, 7, 255), "3/007.p/255"),
        (Tile(1, 1_000_000, 1), "1/x001/x000/000.p/1"),
        (Tile(0, 2**55 - 1), "0/x036/x028/x797/x018/x963/967"),
    ],
)
def test_a_tile_has_the_path_that_c2sp_defines(tile: Tile, path: str) -> None:
    assert tile.path == path
    assert tiles.parse_number(path.partition("/")[2]) == (tile.number, tile.width)


@given(number=st.integers(0, 2**55), width=st.integers(1, WIDTH))
def test_the_path_of_every_tile_is_parsed(number: int, width: int) -> None:
    assert tiles.parse_number(tiles.number_path(number, width)) == (number, width)


@pytest.mark.parametrize(
    "path",
    [
        "", "0", "00", "0000", "1000", "x000", "x000/000", "x001", "x001/", "/000", "000/", "x01/000", "x0001/000",
        "001/000",
        "X001/000",
        "x001/x000", "x001//000", "-01", "+01", "\u0660\u0660\u0660", "000 ", "000\n", "\n000", "000.p", "000.p/",
        "000.p/0", "000.p/00", "000.p/01", "000.p/256", "000.p/999", "000.p/1000", "000.p/-1", "000.p/1/", "000.p/x",
        "000.p/1.p/1",
        "000.P/1", "000.p/\u0665", "000p/1", "000.p/1\n", "../000", "%30%30%30", "x001/" * 6 + "000",
        "x001/" * 50_000 + "000", "9" * 5_000, "000.p/" + "9" * 5_000,
    ],
)  # fmt: skip
def test_a_text_that_is_no_path_of_a_tile_is_refused_without_being_quoted(path: str) -> None:
    with pytest.raises(NoSuchTile, match=r"^No tile has this path\.\Z"):
        tiles.parse_number(path)


@given(st.text(alphabet="x019/.p", max_size=30))
def test_a_tile_has_only_one_path(path: str) -> None:
    try:
        number, width = tiles.parse_number(path)
    except NoSuchTile:
        return
    assert tiles.number_path(number, width) == path
    assert 1 <= width <= WIDTH


@pytest.mark.parametrize(
    ("level", "number", "size", "width"),
    [
        (0, 0, 0, 0),
        (0, 0, 1, 1), (0, 0, 255, 255), (0, 0, 256, 256), (0, 1, 256, 0), (0, 1, 257, 1), (0, 0, 257, 256),
        (1, 0, 255, 0), (1, 0, 256, 1), (1, 0, 65_535, 255), (1, 0, 65_536, 256), (1, 1, 65_536, 0), (1, 1, 65_792, 1),
        (2, 0, 65_535, 0), (2, 0, 65_536, 1), (7, 0, 2**56, 1), (7, 0, 2**63 - 1, 127), (8, 0, 2**63 - 1, 0),
        (63, 0, 2**63 - 1, 0), (10**100, 0, 5, 0), (0, 10**100, 5, 0), (-1, 0, 5, 0), (0, -1, 5, 0),
    ],
)  # fmt: skip
def test_a_tree_has_its_tiles_and_no_others(level: int, number: int, size: int, width: int) -> None:
    assert tiles.of_tree(level, number, size) == (Tile(level, number, width) if width else None)


@given(st.integers(0, 2**63 - 1))
def test_the_right_edge_has_the_partial_tile_of_each_level(size: int) -> None:
    edge = tiles.right_edge(size)
    assert len({tile.level for tile in edge}) == len(edge)
    for tile in edge:
        assert tile.width < WIDTH
        assert tiles.of_tree(tile.level, tile.number, size) == tile
        assert tiles.of_tree(tile.level, tile.number + 1, size) is None
    levels = {tile.level for tile in edge}
    assert all(level in levels or not (size >> 8 * level) % WIDTH for level in range(8))


@given(pieces=st.lists(st.integers(0, 300), max_size=6), seed=st.integers(0, 100))
def test_a_tree_that_grows_in_pieces_is_the_tree_of_all_its_leaves(pieces: list[int], seed: int) -> None:
    stored: dict[Tile, bytes] = {}
    size = 0
    for piece in pieces:
        added = LEAVES[size : size + piece]
        edge = {tile: stored[tile] for tile in tiles.right_edge(size)}
        stored |= tiles.extended(size, edge, added)
        size += len(added)
        assert root_of(stored, size) == merkle.root(LEAVES[:size])
    assert newest(stored, size) == whole_tree(LEAVES[:size])
    must_prove(stored, size, random.Random(seed))


def must_prove(stored: Mapping[Tile, bytes], size: int, chance: random.Random) -> None:
    """Check one inclusion proof and one consistency proof, which need only tiles of the tree with *size* leaves."""

    def read(wanted: Iterable[Tile]) -> dict[Tile, bytes]:
        return {tile: newest(stored, size)[tile] for tile in wanted}

    if not size:
        return
    index, old_size = chance.randrange(size), chance.randint(1, size)
    root = merkle.root(LEAVES[:size])
    proof = tiles.roots(merkle.inclusion_ranges(index, size), size, read)
    assert merkle.is_included(LEAVES[index], index, size, proof, root)
    proof = tiles.roots(merkle.consistency_ranges(old_size, size), size, read)
    assert merkle.is_consistent(old_size, merkle.root(LEAVES[:old_size]), size, root, proof)


def test_the_root_equals_the_root_of_another_implementation() -> None:
    other = InmemoryTree(algorithm="sha256")  # type: ignore[no-untyped-call]  # the library has no types
    for index in range(600):
        other.append_entry(f"leaf {index}".encode())
    stored = tiles.extended(0, {}, LEAVES[:600])
    assert root_of(stored, 600) == other.get_root()


def test_a_tree_without_leaves_has_no_tiles() -> None:
    assert tiles.extended(0, {}, []) == {}
    assert tiles.right_edge(0) == []
    assert tiles.root(0, lambda wanted: dict.fromkeys(wanted, b"")) == merkle.EMPTY_ROOT


def synthetic_edge(size: int) -> dict[Tile, bytes]:
    """Return the right edge of a tree with *size* leaves whose subtrees have synthetic hashes."""
    return {
        tile: b"".join(hash_at(tile.level, tile.number * WIDTH + each) for each in range(tile.width))
        for tile in tiles.right_edge(size)
    }


@pytest.mark.parametrize(
    "size", [WIDTH - 1, WIDTH, 2**16 - 2, 2**16 - 1, 2**16, 2**24 - 1, 2**24 + 2**16 - 1, 2**56 - 1]
)
@pytest.mark.parametrize("added", [1, 2, 255, 256, 257, 600])
def test_a_tree_grows_over_the_end_of_full_tiles(size: int, added: int) -> None:
    edge = synthetic_edge(size)
    changed = tiles.extended(size, edge, LEAVES[:added])
    level, hashes, first = 0, LEAVES[:added], size
    while hashes:  # For each level: the old partial tile, and then the new hashes.
        before = next((each for tile, each in edge.items() if tile.level == level), b"")
        row = tiles.split(before) + hashes
        start = first - first % WIDTH
        own = {tile: each for tile, each in changed.items() if tile.level == level}
        assert own == {
            Tile(level, (start + at) // WIDTH, len(part)): b"".join(part)
            for at in range(0, len(row), WIDTH)
            if (part := row[at : at + WIDTH])
        }
        full = range(0, len(row) - len(row) % WIDTH, WIDTH)
        hashes, first, level = [merkle.root(row[at : at + WIDTH]) for at in full], first // WIDTH, level + 1
    assert {tile.level for tile in changed} == set(range(level))
    now = edge | changed
    assert all(tile in now for tile in tiles.right_edge(size + added))
    root_of(now, size + added)  # `now` has all tiles that `root_of` needs.


def test_every_tile_has_whole_hashes() -> None:
    for tile, hashes in tiles.extended(0, {}, LEAVES).items():
        assert len(hashes) == tile.width * HASH_BYTES
        assert tiles.split(hashes) == [hashes[at : at + HASH_BYTES] for at in range(0, len(hashes), HASH_BYTES)]


@given(size=st.integers(1, 2**62), part=st.fractions(0, 1))
def test_a_proof_in_a_huge_tree_reads_few_tiles_and_only_tiles_of_this_tree(size: int, part: float) -> None:
    index = min(int(size * part), size - 1)
    read: list[Tile] = []

    def answer(wanted: Iterable[Tile]) -> dict[Tile, bytes]:
        read.extend(wanted)
        return {tile: b"".join(hash_at(tile.level, each) for each in range(tile.width)) for tile in read}

    tiles.roots(merkle.inclusion_ranges(index, size), size, answer)
    assert len(read) == len(set(read)) <= 2 * 8
    assert all(tiles.of_tree(tile.level, tile.number, size) == tile for tile in read)


def test_a_proof_beyond_the_tree_reads_nothing() -> None:
    with pytest.raises(NoSuchTile, match="has no subtree"):
        tiles.roots([(4, 5)], 4, lambda wanted: dict.fromkeys(wanted, b""))
