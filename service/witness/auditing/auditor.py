"""Reads every entry (leaf) up to a checkpoint before the checkpoint is cosigned; refuses a fork (DECISIONS 101)."""

from http import HTTPStatus
from threading import Lock
from typing import Final, Protocol

import structlog

from service import merkle
from service.audit.judging.disclosures import TYPES
from service.clock import Clock
from service.event_store.entries import Head
from service.merkle import GrowingTree
from service.transparency import tiles
from service.transparency.checkpoint import Checkpoint
from service.transparency.tiles import ReadTiles, Tile
from service.transparency.witnesses.submission import Submission
from service.witness.auditing import dispute_judge, histories
from service.witness.auditing.audit_store import AuditStore, NewEntry
from service.witness.auditing.histories import Forked
from service.witness.auditing.log_source import SourceFailed
from service.witness.cosigner import TEXT, Answer, NotCosigned

_LOG: Final = structlog.get_logger("service.witness")
_CHUNK_TILES: Final = 32
_CHUNK_BYTES: Final = 32_000_000
_LOOK_SECONDS: Final = 40.0
_NEWS: Final = frozenset(TYPES) - {"deck_opened", "deck_fixed"}
"""Types of events after which the verdict on a hand may change."""


class Source(Protocol):
    """The source from which the auditor reads the log."""

    def entries(self, tile: Tile) -> list[bytes]:
        """Return the leaves below *tile*."""

    @property
    def tiles(self) -> ReadTiles:
        """The function that returns the hashes of tiles."""


class Auditor:
    """Keeps a copy of the log in *store*, up to the largest checkpoint that it has looked at. Thread-safe."""

    def __init__(self, source: Source, store: AuditStore, clock: Clock) -> None:
        self._source = source
        self._store = store
        self._clock = clock
        self._lock = Lock()

    def look(self, submission: Submission) -> None:
        """Read the entries up to the checkpoint, in the order of the log, and follow the history of each stream.

        Raises:
            NotCosigned: the log has a fork; another request is reading the entries; or the entries can't be read, were
                not all read in time, or do not match the checkpoint. Unless the log has a fork, a later request may
                succeed.
        """
        if not self._lock.acquire(blocking=False):
            raise _later("The entries are being read for another request.")
        try:
            self._read(submission.checkpoint)
        except SourceFailed as error:
            _LOG.warning("entries_not_read", cause=str(error))
            raise _later(str(error)) from error
        finally:
            self._lock.release()

    def _read(self, target: Checkpoint) -> None:
        end = self._clock.monotonic() + _LOOK_SECONDS
        tree = self._store.tree()
        while not (fork := self._store.fork()) and tree.size < target.size:
            if self._clock.monotonic() > end:
                raise _later(f"{tree.size:,} of {target.size:,} entries were read so far.")
            self._read_chunk(tree, target)
        if fork:
            raise NotCosigned(Answer(HTTPStatus.FORBIDDEN, f"{fork}\n".encode(), TEXT))
        self._must_be_of_one_tree(target, tree)

    def _read_chunk(self, tree: GrowingTree, target: Checkpoint) -> None:
        """Add the next entries to *tree* and, if the entries match *target*, to the copy."""
        before, leaves = tree.size, list[bytes]()
        first = before // tiles.WIDTH
        for number in range(first, first + _CHUNK_TILES):
            tile = tiles.of_tree(0, number, target.size)
            if tile is None or sum(map(len, leaves)) > _CHUNK_BYTES:
                break
            leaves += self._source.entries(tile)[max(0, before - number * tiles.WIDTH) :]
        for leaf in leaves:
            tree.append(merkle.leaf_hash(leaf))
        self._must_be_of_one_tree(target, tree)
        self._add(leaves, before, tree)

    def _add(self, leaves: list[bytes], first: int, tree: GrowingTree) -> None:
        heads: dict[str, Head] = {}
        entries, fork = list[NewEntry](), ""
        for index, leaf in enumerate(leaves, start=first):
            try:
                place = histories.place_of(leaf, index)
                before = heads.get(place.stream) or self._store.head(place.stream)
                heads[place.stream] = histories.continued(before, place, leaf, index)
            except Forked as error:
                fork = str(error)
                _LOG.error("log_has_a_fork", cause=fork)
                break
            news = place.type in _NEWS or place.stream.startswith(dispute_judge.DISPUTES)
            entries.append(NewEntry(place.stream, heads[place.stream], leaf, news))
        self._store.add(entries, tree, fork)

    def _must_be_of_one_tree(self, target: Checkpoint, tree: GrowingTree) -> None:
        """Check that *tree* begins with the tree of *target*, or the tree of *target* begins with *tree*.

        Raises:
            SourceFailed: neither tree begins with the other, or the tiles of the proof can't be read.
        """
        (old, old_root), (new, new_root) = sorted([(target.size, target.root), (tree.size, tree.root)])
        proof: list[bytes] = []
        if 0 < old < new:
            proof = tiles.roots(merkle.consistency_ranges(old, new), new, self._source.tiles)
        if not merkle.is_consistent(old, old_root, new, new_root, proof):
            raise SourceFailed(f"The entries up to {tree.size:,} differ from the checkpoint.")


def _later(why: str) -> NotCosigned:
    return NotCosigned(Answer(HTTPStatus.SERVICE_UNAVAILABLE, f"{why}\n".encode(), TEXT, (("retry-after", "5"),)))
