"""Checks the tree: indexes without a gap, the tree's head, the tiles, and the root of each signed prefix."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import merge
from typing import Final, NamedTuple

from sqlalchemy import Connection, func, select

from service.audit.differences import NOTHING
from service.audit.findings import Finding
from service.audit.whole_log.whole_log_report import WHOLE_LOG
from service.event_store.entries import place_name
from service.merkle import GrowingTree
from service.transparency import checkpoint, index_pages, tiles, tree
from service.transparency.checkpoint import Checkpoint
from service.transparency.index_pages import GrowingTiles, IndexRow
from service.transparency.signed_note import NoteMustBeGenuine, VerifierKey
from service.transparency.tiles import Tile
from service.transparency.tree import TreeDamaged, TreeHead
from service.transparency.tree_tables import checkpoints, tree_tiles

_PAGE: Final = 500


class Prefix(NamedTuple):
    """The first *size* leaves must have the root of *checkpoint*, which comes from the source *name*.

    If the source has no genuine checkpoint, *checkpoint* is None, and *problem* is the reason.
    """

    size: int
    name: str
    check: str
    checkpoint: Checkpoint | None
    problem: str = ""


class TreeAudit:
    """Reads the indexes once, in order, and compares the roots of prefixes with the roots in signed checkpoints.

    *known* has signed checkpoints by name, from outside the database. Of the stored checkpoints, the audit reads those
    with the origin of *key*, and verifies their signatures with *key*. The memory use does not grow with the log.
    """

    def __init__(
        self, connection: Connection, key: VerifierKey | None, known: Iterable[tuple[str, Checkpoint]]
    ) -> None:
        self.checkpoints = 0
        self._connection = connection
        self._key = key
        self._known = sorted(
            (Prefix(one.size, name, "log_must_have_what_was_signed", one) for name, one in known),
            key=lambda prefix: prefix.size,
        )
        self._tree = GrowingTree()
        self._last: IndexRow | None = None
        self._fitting = 0
        self._after_fitting: IndexRow | None = None

    @property
    def size(self) -> int:
        """The number of indexes that were read."""
        return self._tree.size

    def findings(self) -> Iterator[Finding]:
        """Read the indexes page by page, and yield the findings."""
        growing, page = GrowingTiles(), list[IndexRow]()
        prefixes = merge(self._known, self._stored(), key=lambda prefix: prefix.size)
        expected = next(prefixes, None)
        while expected and not expected.size:
            yield from self._compare(expected)
            expected = next(prefixes, None)
        while found := index_pages.page(self._connection, self._last.leaf_index if self._last else -1):
            page = found
            for row in page:
                if row.leaf_index != (next_index := self._last.leaf_index + 1 if self._last else 0):
                    found_gap = f"{NOTHING} before index {row.leaf_index}"
                    yield _at(row, "indexes_must_run_on", f"index {next_index}", found_gap)
                self._append(row)
                while expected and expected.size <= self._tree.size:
                    yield from self._compare(expected)
                    expected = next(prefixes, None)
            yield from self._tiles(growing.extend([row.leaf_hash for row in page]), page)
        yield from self._tiles(growing.edge, page)
        yield from self._ends()
        for prefix in (*([expected] if expected else []), *prefixes):
            yield from self._compare(prefix)

    def _append(self, row: IndexRow) -> None:
        self._tree.append(row.leaf_hash)
        self._last = row
        if self._after_fitting is None:
            self._after_fitting = row

    def _compare(self, prefix: Prefix) -> Iterator[Finding]:
        """Compare the leaves that were read with the checkpoint of *prefix*.

        The number of these leaves is the checkpoint's size, or less if the log ends too early.
        """
        self.checkpoints += 1
        if prefix.checkpoint is None:
            yield _of_log("checkpoint_must_be_genuine", "a checkpoint of this log", prefix.problem, prefix.name)
            return
        there = Checkpoint(prefix.checkpoint.origin, self._tree.size, self._tree.root)
        if there == prefix.checkpoint:
            self._fitting, self._after_fitting = self._tree.size, None
            return
        expected, found = _shown(prefix.checkpoint), _shown(there)
        if self._tree.size < prefix.size:
            yield self._too_short(prefix, expected, f"{found}: the log ends here")
        elif self._after_fitting is None:  # Another checkpoint of this size fits the leaves.
            yield _of_log(prefix.check, expected, found, prefix.name)
        else:
            where = f"{prefix.name}; the first index that may differ is {self._fitting}"
            yield _at(self._after_fitting, prefix.check, expected, found, where)

    def _too_short(self, prefix: Prefix, expected: str, found: str) -> Finding:
        """Return a finding about the first leaf that may differ: the first leaf that no matching checkpoint covers.

        A checkpoint matches if the leaves that it covers have its root. If a matching checkpoint covers all leaves, the
        finding is about the last leaf. If there are no leaves, the finding is about the log.
        """
        if row := self._after_fitting:
            where = f"{prefix.name}; the first index that may differ is {self._fitting}"
            return _at(row, prefix.check, expected, found, where)
        if self._last:
            where = f"{prefix.name}; this is the last leaf, and all leaves up to it are as they were signed"
            return _at(self._last, prefix.check, expected, found, where)
        return _of_log(prefix.check, expected, found, prefix.name)

    def _ends(self) -> Iterator[Finding]:
        try:
            head = tree.head(self._connection)
        except TreeDamaged as error:
            yield _of_log("tree_head_must_be_the_root", "a head of the tree", str(error), "tree_head")
            return
        computed = TreeHead(self._tree.size, self._tree.root)
        if head != computed:
            ours, theirs = (f"{one.size:,} leaves, root {one.root.hex()}" for one in (computed, head))
            yield _of_log("tree_head_must_be_the_root", ours, theirs, "tree_head")
        strays = select(func.count()).select_from(tree_tiles).where(tree.is_beyond(self._tree.size))
        if count := self._connection.execute(strays).scalar_one():
            yield _of_log("tiles_must_be_of_the_tree", NOTHING, f"{count} tiles beyond the tree", "tree_tiles")

    def _tiles(self, computed: Mapping[Tile, bytes], page: Sequence[IndexRow]) -> Iterator[Finding]:
        """Compare the *computed* tiles with the stored tiles; *page* has the rows that were read last."""
        stored = tree.stored_tiles(self._connection, computed)
        for tile, hashes in sorted(computed.items()):
            found = stored.get((tile.level, tile.number), b"")
            if found == hashes:
                continue
            first = next(
                (i for i, (ours, theirs) in enumerate(zip(tiles.split(hashes), tiles.split(found), strict=False))
                 if ours != theirs),
                min(len(hashes), len(found)) // tiles.HASH_BYTES,
            )  # fmt: skip
            expected = hashes[first * tiles.HASH_BYTES :][: tiles.HASH_BYTES].hex() or NOTHING
            shown = found[first * tiles.HASH_BYTES :][: tiles.HASH_BYTES].hex() or NOTHING
            index = tile.number * tiles.WIDTH + first
            row = next((row for row in page if tile.level == 0 and row.leaf_index == index), None)
            where = f"tile {tile.path}, hash {first}"
            if row:
                yield _at(row, "tile_must_fit_the_indexes", expected, shown, where)
            else:
                yield _of_log("tile_must_fit_the_indexes", expected, shown, where)

    def _stored(self) -> Iterator[Prefix]:
        """Yield a prefix for each stored checkpoint of the present log, genuine or not, in the order of their sizes."""
        if self._key is None:
            return
        after = 0
        rows = select(checkpoints.c.size, checkpoints.c.note).where(checkpoints.c.origin == self._key.name)
        following = rows.order_by(checkpoints.c.size).limit(_PAGE)
        while page := self._connection.execute(following.where(checkpoints.c.size > after)).all():
            for row in page:
                yield _prefix(row.size, row.note, self._key)
            after = page[-1].size


def _prefix(size: int, note: str, key: VerifierKey) -> Prefix:
    name, check = f"the stored checkpoint of size {size}", "checkpoint_must_fit_the_log"
    try:
        found, _ = checkpoint.opened(note.encode(), key)
    except NoteMustBeGenuine as error:
        return Prefix(size, name, check, None, str(error))
    if found.size != size:
        return Prefix(size, name, check, None, f"a checkpoint of size {found.size}")
    return Prefix(size, name, check, found)


def _shown(one: Checkpoint) -> str:
    return f"{one.size:,} leaves, root {one.root.hex()}"


def _at(row: IndexRow, check: str, expected: str, found: str, where: str = "") -> Finding:
    """Return a finding about the leaf of *row*."""
    detail = f"index {row.leaf_index}" + (f": {where}" if where else "")
    return Finding(
        table=place_name(row.stream_id),
        position=row.position,
        check=check,
        expected=expected,
        found=found,
        detail=detail,
    )


def _of_log(check: str, expected: str, found: str, detail: str) -> Finding:
    return Finding(table=WHOLE_LOG, position=0, check=check, expected=expected, found=found, detail=detail)
