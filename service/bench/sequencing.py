"""Figures of the log keeper: how much it slows commands, how soon a leaf has its index, how long a proof takes."""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from hashlib import sha256
from random import Random
from statistics import median, quantiles
from threading import Event
from typing import Final, NamedTuple

from sqlalchemy import Engine, update

from service.bench import databases, headless, processors
from service.bench.databases import TemporaryDatabases
from service.bench.figures import Figure
from service.bench.games import LOADS
from service.bench.stopwatch import TRIES
from service.clock import Clock
from service.database.engines import administering, reading
from service.database.sql import Insert
from service.entropy import Entropy
from service.transparency import log_signer, tiles, tree
from service.transparency.log_keeper import LogKeeper
from service.transparency.sequencer import MOST_LEAVES, Sequencer
from service.transparency.tiles import Tile
from service.transparency.tree_tables import leaf_indexes, tree_head

THREADS: Final = 8
PAIRS: Final = 20
PROBES: Final = 200
PROOFS: Final = 200
LEAVES_FILLED: Final = 1_000_000

_POLL_SECONDS: Final = 0.002
_CHUNK: Final = 50_000
_LEAVES_PER_STREAM: Final = 1_000
_INDEXES: Final = Insert(leaf_indexes, "leaf_index", "stream_id", "position", "leaf_hash")


class _Try(NamedTuple):
    """The commands per second of a try, and the processor time of this process for each command."""

    per_second: float
    processor_ms: float


class _Tables:
    """Tables in one service, for moves of the steady load; `play` has a thread for each table except the last."""

    def __init__(self, engine: Engine, clock: Clock) -> None:
        self.engine = engine
        self._clock = clock
        service = headless.HeadlessService(engine)
        self.tables = [
            headless.Table(service, number, LOADS.options, seats=LOADS.seats) for number in range(1, THREADS + 2)
        ]
        self._moves = [table.play(partial(LOADS.cycle, "steady")) for table in self.tables]

    def play(self, seconds: float) -> _Try:
        """Play at all tables except the last table for about *seconds*."""
        end, before = (begun := self._clock.monotonic()) + seconds, processors.own_seconds()

        def play(moves: Iterator[None]) -> int:
            done = 0
            while not done or self._clock.monotonic() < end:
                next(moves)
                done += 1
            return done

        with ThreadPoolExecutor(THREADS) as threads:
            done = sum(threads.map(play, self._moves[:-1]))
        return _Try(done / (self._clock.monotonic() - begun), 1000 * (processors.own_seconds() - before) / done)

    def write_leaves(self, count: int) -> None:
        """Make moves at the last table until it has *count* more leaves."""
        last = self.tables[-1].table_at.position + count
        while self.tables[-1].table_at.position < last:
            next(self._moves[-1])

    def milliseconds_to_index(self) -> float:
        """Make one move at the last table; return how long its last leaf waits for an index after the commit."""
        next(self._moves[-1])
        begun, probed = self._clock.monotonic(), self.tables[-1]
        while not self._has_index(probed.stream_id, probed.table_at.position):
            Event().wait(_POLL_SECONDS)
        return 1000 * (self._clock.monotonic() - begun)

    def _has_index(self, stream_id: bytes, position: int) -> bool:
        with reading(self.engine) as connection:
            return tree.indexed(connection, stream_id, position) is not None


def measure(temporary: TemporaryDatabases, kind: str, seconds: float, clock: Clock) -> Iterator[Figure]:
    """Measure the log keeper on a database of *kind*.

    *seconds* is the total length of the tries with the log keeper, and also of the tries without the log keeper.
    """
    with temporary.create(kind) as url, databases.opened(url) as engine:
        files = temporary.home / clock.new_id("log")
        signer = log_signer.load_or_make(files / "key", files / "head", Entropy())
        tables = _Tables(engine, clock)
        start = LogKeeper(engine, signer, clock).start
        yield _commands(kind, *_play(tables, start, seconds / PAIRS))
        yield _extending(kind, tables, clock)
        _catch_up(engine)
        yield from _waits(kind, tables, start)
    with temporary.create(kind) as url, databases.opened(url) as engine:
        _fill(engine)
        yield _proofs(kind, engine, clock)


def _play(tables: _Tables, start: Callable[[], Callable[[], None]], seconds: float) -> tuple[list[_Try], list[_Try]]:
    """Play without and with a log keeper in turn; return the tries without a log keeper, then the tries with it.

    Every second pair is measured in reversed order. Between two tries all leaves get their indexes.
    """
    without: list[_Try] = []
    beside: list[_Try] = []
    tables.play(seconds)  # The first try also builds shared objects, so it does not count.
    for number in range(2 * PAIRS):
        _catch_up(tables.engine)
        if number % 4 in (0, 3):
            without.append(tables.play(seconds))
        else:
            end = start()
            beside.append(tables.play(seconds))
            end()
    return without, beside


def _catch_up(engine: Engine) -> None:
    sequencer = Sequencer(engine)
    while sequencer.round():
        pass


def _commands(kind: str, without: list[_Try], beside: list[_Try]) -> Figure:
    ratios = [one.per_second / other.per_second for one, other in zip(beside, without, strict=True)]
    rates, times = ([median(one[member] for one in tries) for tries in (beside, without)] for member in (0, 1))
    least, _, most = quantiles(ratios, n=4)
    remark = (
        f"{THREADS} threads, no HTTP; with the log keeper and without: {rates[0]:,.0f} and {rates[1]:,.0f} commands/s,"
        f" {times[0]:.2f} and {times[1]:.2f} ms of this process's processor time for each;"
        f" {PAIRS} pairs of tries, half of the ratios from {least:.2f} to {most:.2f}"
    )
    return Figure(f"sequencing.{kind}.commands_ratio", median(ratios), remark)


def _extending(kind: str, tables: _Tables, clock: Clock) -> Figure:
    """Measure rounds of the sequencer, each with the maximum number of leaves of a round."""
    taken = []
    for _ in range(TRIES):
        _catch_up(tables.engine)
        tables.write_leaves(MOST_LEAVES)
        begun = clock.monotonic()
        Sequencer(tables.engine, most_leaves=MOST_LEAVES).round()
        taken.append(1000 * (clock.monotonic() - begun))
    remark = (
        f"{TRIES} rounds of {MOST_LEAVES:,} leaves, with reading, hashing and the commit; slowest {max(taken):.1f} ms"
    )
    return Figure(f"sequencing.{kind}.extend_ms", median(taken), remark)


def _waits(kind: str, tables: _Tables, start: Callable[[], Callable[[], None]]) -> Iterator[Figure]:
    """Measure the time from commit to index while the other tables play."""
    end, over = start(), Event()

    def play() -> None:
        while not over.is_set():
            tables.play(1.0)

    with ThreadPoolExecutor(1) as thread:
        playing = thread.submit(play)
        waits = [tables.milliseconds_to_index() for _ in range(PROBES)]
        over.set()
        playing.result()
    end()
    remark = f"{PROBES} commands at one table, while {THREADS} threads play at others in the same process"
    yield Figure(f"sequencing.{kind}.index_p50_ms", median(waits), remark)
    yield Figure(f"sequencing.{kind}.index_p99_ms", quantiles(waits, n=100)[-1], remark)


def _fill(engine: Engine) -> None:
    """Write the indexes and the tiles of a tree of synthetic hashes."""
    for first in range(0, LEAVES_FILLED, _CHUNK):
        hashes = [sha256(b"%d" % index).digest() for index in range(first, min(first + _CHUNK, LEAVES_FILLED))]
        with administering(engine) as connection:
            edge = tree.read_tiles(connection, tiles.right_edge(first))
            changed = tiles.extended(first, edge, hashes)
            rows = [(first + number, *_place(first + number), each) for number, each in enumerate(hashes)]
            for start in range(0, len(rows), MOST_LEAVES):
                _INDEXES.run(connection, rows[start : start + MOST_LEAVES])
            tree.write_tiles(connection, changed)
            size = first + len(hashes)
            connection.execute(update(tree_head).values(size=size, root=_root(size, edge | changed)))


def _root(size: int, edge: Mapping[Tile, bytes]) -> bytes:
    return tiles.root(size, lambda wanted: {one: edge[one] for one in wanted})


def _place(index: int) -> tuple[bytes, int]:
    """Return the stream and the position of a synthetic leaf."""
    stream, position = divmod(index, _LEAVES_PER_STREAM)
    return stream.to_bytes(16, "big"), position + 1


def _proofs(kind: str, engine: Engine, clock: Clock) -> Figure:
    dice, taken = Random(1), []
    for index in (dice.randrange(LEAVES_FILLED) for _ in range(PROOFS)):
        begun = clock.monotonic()
        with reading(engine) as connection:
            leaf = tree.indexed(connection, *_place(index))
            if leaf is not None:
                tree.inclusion_proof(connection, leaf.leaf_index, LEAVES_FILLED)
        taken.append(1000 * (clock.monotonic() - begun))
    remark = f"index and inclusion proof of {PROOFS} random leaves of {LEAVES_FILLED:,}; slowest {max(taken):.1f} ms"
    return Figure(f"sequencing.{kind}.proof_ms", median(taken), remark)
