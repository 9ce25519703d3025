"""Figures of what a process needs for the tables that it keeps, each in the middle of play."""

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
from service.games import EVENTS
from service.tables import fold
from service.tables.cache import MOST_TABLES
from service.tables.sealed_store import MOST_KEPT

TABLES: Final = 2_000
MOVES: Final = 120  # at each table, so that it has some history

_MEGABYTE: Final = 1_000_000
_VARIANTS: Final = 8  # streams of each game, so that not all tables are alike


def measure() -> Iterator[Figure]:
    """Measure by how much a new process grows for each table that it keeps, and for a deck.

    One that has done something before has memory left over, and does not grow.
    """
    with ProcessPoolExecutor(1, mp_context=get_context("spawn"), max_tasks_per_child=1) as new:
        decks = new.submit(_of_decks, TABLES).result()
        for game in streams.GAMES:
            each = new.submit(_of_tables, game, TABLES, MOVES).result()
            whole = (MOST_TABLES * each + MOST_KEPT * decks) / _MEGABYTE
            remark = f"{MOST_TABLES:,} tables and {MOST_KEPT:,} decks of {decks:,.0f} bytes: {whole:.0f} MB"
            yield Figure(f"memory.{game}.bytes_per_table", each, remark)


def resident_bytes() -> int:
    """Return what of this process lies in memory, or, where that is not told, the most that ever did."""
    told = Path("/proc/self/statm")
    if told.exists():
        return int(told.read_text().split()[1]) * getpagesize()
    return getrusage(RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def _of_decks(number: int) -> float:
    """Return how many bytes each of so many decks takes."""
    return _grown(lambda: [deck.shuffle(f"tbl/{one}", one.to_bytes(32, "big")) for one in range(1, number + 1)])


def _of_tables(game: str, number: int, moves: int) -> float:
    """Return how many bytes each of so many tables of *game* takes, after so many *moves*."""
    codec = Codec(EVENTS)
    leaves = [[one.leaf for one in streams.played(variant, moves, game).recorded] for variant in range(_VARIANTS)]
    ids = [one.to_bytes(16, "big") for one in range(1, number + 1)]
    _fold(codec, ids[:_VARIANTS], leaves)  # what all tables share is made
    return _grown(partial(_fold, codec, ids, leaves))


def _fold(codec: Codec, ids: Sequence[bytes], leaves: Sequence[Sequence[bytes]]) -> list[Any]:
    return [
        fold.fold(None, one, decode_chain(stream, codec.decode, EMPTY)[0])
        for one, stream in zip(ids, cycle(leaves), strict=False)
    ]


def _grown(make: Callable[[], Sized]) -> float:
    """Return how many bytes this process grows by for each of what *make* makes."""
    gc.collect()
    before = resident_bytes()
    made = make()
    gc.collect()
    return max(1.0, (resident_bytes() - before) / len(made))
