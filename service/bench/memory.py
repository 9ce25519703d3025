"""Figures of the memory that a process needs for cached tables in the middle of play."""

import gc
import sys
from collections.abc import Callable, Iterator, Sequence, Sized
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import cycle
from multiprocessing import get_context
from pathlib import Path
from resource import RUSAGE_SELF, getpagesize, getrusage
from typing import Any, Final

from service import deck
from service.bench import streams
from service.bench.figures import Figure
from service.event_store.codec import Codec
from service.event_store.entries import EMPTY
from service.event_store.hash_chain import decode_chain
from service.games import CURRENT, EVENTS
from service.tables import fold
from service.tables.cache import MOST_TABLES
from service.tables.sealed_store import MOST_CACHED

TABLES: Final = 2_000
MOVES: Final = 120  # at each table, so that each table has some history

_MEGABYTE: Final = 1_000_000
_VARIANTS: Final = 8  # different streams of each game, so that tables differ


def measure() -> Iterator[Figure]:
    """Measure by how many bytes a new process grows for each cached table, and for each cached deck.

    A process that has worked before would reuse free memory instead of growing.
    """
    with ProcessPoolExecutor(1, mp_context=get_context("spawn"), max_tasks_per_child=1) as new:
        decks = new.submit(_of_decks, TABLES).result()
        for game in CURRENT:
            each = new.submit(_of_tables, game, TABLES, MOVES).result()
            whole = (MOST_TABLES * each + MOST_CACHED * decks) / _MEGABYTE
            remark = f"{MOST_TABLES:,} tables and {MOST_CACHED:,} decks of {decks:,.0f} bytes: {whole:.0f} MB"
            yield Figure(f"memory.{game}.bytes_per_table", each, remark)


def resident_bytes() -> int:
    """Return the bytes of this process's resident memory; if there is no /proc, the maximum so far."""
    statm = Path("/proc/self/statm")
    if statm.exists():
        return int(statm.read_text().split()[1]) * getpagesize()
    return getrusage(RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def _of_decks(number: int) -> float:
    """Return the mean bytes of a deck, measured on *number* decks."""
    return _grown(lambda: [deck.shuffle(f"tbl/{one}", one.to_bytes(32, "big")) for one in range(1, number + 1)])


def _of_tables(game: str, number: int, moves: int) -> float:
    """Return the mean bytes of a table of *game* after *moves* moves, measured on *number* tables."""
    codec = Codec(EVENTS)
    leaves = [[one.leaf for one in streams.played(variant, moves, game).recorded] for variant in range(_VARIANTS)]
    ids = [one.to_bytes(16, "big") for one in range(1, number + 1)]
    _fold(codec, ids[:_VARIANTS], leaves)  # one table of each variant first, so that shared objects are not measured
    return _grown(partial(_fold, codec, ids, leaves))


def _fold(codec: Codec, ids: Sequence[bytes], leaves: Sequence[Sequence[bytes]]) -> list[Any]:
    return [
        fold.fold_stream(one, decode_chain(stream, codec.decode, EMPTY)[0])
        for one, stream in zip(ids, cycle(leaves), strict=False)
    ]


def _grown(make: Callable[[], Sized]) -> float:
    """Return the bytes by which this process grows for each object that *make* creates, but at least 1."""
    gc.collect()
    before = resident_bytes()
    made = make()
    gc.collect()
    return max(1.0, (resident_bytes() - before) / len(made))
