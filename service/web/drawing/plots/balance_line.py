"""A stepped line of an account's balance over positions, as an SVG path."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import Any, Final

from msgspec import Struct

from service.web.drawing.amounts import whole
from service.web.drawing.plots.axis_ticks import ticks

WIDTH: Final = 760
HEIGHT: Final = 260
LEFT, RIGHT, TOP, BOTTOM = 88, 744, 14, 222
_COLUMN: Final = 2
"""The width of a column; the line shows the first, the lowest, the highest and the last balance of each column."""


class Tick(Struct, frozen=True):
    """A *label* at the coordinate *at*."""

    at: float
    label: str


class BalanceLine(Struct, frozen=True, kw_only=True):
    """The line's *path* and axes, and *words* about the line; *zero* is the y-coordinate of the balance 0."""

    path: str
    across: tuple[Tick, ...]
    up: tuple[Tick, ...]
    zero: float
    words: str


class _Point(Struct, frozen=True):
    position: int
    balance: int


def balance_line(postings: Sequence[Mapping[str, Any]]) -> BalanceLine:
    """Return the line of *postings*, which are the postings of one account in order; there is at least one."""
    points = [_Point(one["position"], one["balance"]) for one in postings]
    begins = points[0].balance - postings[0]["amount"]
    low, high = (pick(begins, *(one.balance for one in points)) for pick in (min, max))
    first, last = points[0].position, points[-1].position
    across = _Scale(first, last, LEFT, RIGHT)
    up = _Scale(min(low, 0), max(high, 0), BOTTOM, TOP)
    return BalanceLine(
        path=" ".join(_path(points, begins, across, up)),
        across=tuple(Tick(across.at(tick), whole(tick)) for tick in ticks(first, last)),
        up=tuple(Tick(up.at(tick), whole(tick)) for tick in ticks(min(low, 0), max(high, 0))),
        zero=up.at(0),
        words=_words(points, begins),
    )


class _Scale:
    def __init__(self, low: int, high: int, start: int, end: int) -> None:
        self._low = low
        self._span = high - low
        self._start = start
        self._length = end - start

    def at(self, value: int) -> float:
        share = (value - self._low) / self._span if self._span else 0.5
        return round(self._start + share * self._length, 1)


def _path(points: Iterable[_Point], begins: int, across: _Scale, up: _Scale) -> Iterator[str]:
    yield f"M{LEFT} {up.at(begins):g}"
    for column, group in groupby(points, key=lambda point: int(across.at(point.position) // _COLUMN)):
        balances = [point.balance for point in group]
        shown = (balances[0], min(balances), max(balances), balances[-1])
        distinct = [shown[0], *(after for before, after in pairwise(shown) if after != before)]
        yield f"H{column * _COLUMN}" + "".join(f"V{up.at(balance):g}" for balance in distinct)
    yield f"H{RIGHT}"


def _words(points: Sequence[_Point], begins: int) -> str:
    lowest = min(points, key=lambda point: point.balance)
    highest = max(points, key=lambda point: point.balance)
    return (
        f"The balance is {whole(begins)} before position {points[0].position:,}, and {whole(points[-1].balance)} after "
        f"position {points[-1].position:,}. Of the balances after each posting, the lowest is {whole(lowest.balance)}, "
        f"at position {lowest.position:,}, and the highest {whole(highest.balance)}, at position {highest.position:,}."
    )
