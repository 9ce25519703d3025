"""Figures of what a process needs for the tables that it keeps, each in the middle of play."""

import gc
import sys
from collections.abc import Callable, Iterator, Sequence, Sized
from functools import partial
from itertools import cycle
from pathlib import Path
from resource import RUSAGE_SELF, getpagesize, getrusage
from typing import Any, Final

from service import deck
from service.bench import streams
from service.bench.figures import Figure
from service.games import EVENTS
from service.log.codec import Codec
from service.log.entries import EMPTY
from service.log.holding import followed
from service.projections import situations
from service.projections.kept import MOST_TABLES
from service.projections.vault import MOST_KEPT

TABLES: Final = 2_000
MOVES: Final = 120  # at each table, so that it has some history

_MEGABYTE: Final = 1_000_000
_WAYS: Final = 8  # streams of each game, so that not all tables are alike


def measure() -> Iterator[Figure]:
    """Measure by how much this process grows for each table that it keeps, and for a deck."""
    codec = Codec(EVENTS)
    decks = _grown(lambda: [deck.shuffle(f"tbl/{number}", number.to_bytes(32, "big")) for number in range(1, TABLES)])
    for game in streams.GAMES:
        leaves = [[one.leaf for one in streams.played(way, MOVES, game).recorded] for way in range(_WAYS)]
        ids = [number.to_bytes(16, "big") for number in range(1, TABLES + 1)]
        _fold(codec, ids[:_WAYS], leaves)  # what all tables share is made
        each = _grown(partial(_fold, codec, ids, leaves))
        whole = (MOST_TABLES * each + MOST_KEPT * decks) / _MEGABYTE
        remark = f"{MOST_TABLES:,} tables and {MOST_KEPT:,} decks of {decks:,.0f} bytes: {whole:.0f} MB"
        yield Figure(f"memory.{game}.bytes_per_table", each, remark)


def resident_bytes() -> int:
    """Return what of this process lies in memory, or, where that is not told, the most that ever did."""
    told = Path("/proc/self/statm")
    if told.exists():
        return int(told.read_text().split()[1]) * getpagesize()
    return getrusage(RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def _fold(codec: Codec, ids: Sequence[bytes], leaves: Sequence[Sequence[bytes]]) -> list[Any]:
    return [
        situations.fold(None, one, followed(stream, codec.decode, EMPTY)[0])
        for one, stream in zip(ids, cycle(leaves), strict=False)
    ]


def _grown(make: Callable[[], Sized]) -> float:
    """Return how many bytes this process grows by for each of what *make* makes."""
    gc.collect()
    before = resident_bytes()
    made = make()
    gc.collect()
    return max(1.0, (resident_bytes() - before) / len(made))
