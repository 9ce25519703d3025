"""Measures the rate of some work, as the median of several tries."""

import gc
from collections.abc import Callable
from statistics import median
from typing import Final, NamedTuple

TRIES: Final = 5


class Rate(NamedTuple):
    """The rate *per_second*, which is the median of the tries, and the rates of the *slowest* and the *fastest* try."""

    per_second: float
    slowest: float
    fastest: float

    @property
    def spread(self) -> str:
        """The number of tries and the slowest and fastest rate, as text."""
        return f"{TRIES} tries, {self.slowest:,.0f} to {self.fastest:,.0f}"


def rate(work: Callable[[], int], seconds: float, now: Callable[[], float]) -> Rate:
    """Repeat *work*, which returns a count, for about *seconds* in all by the clock *now*; return the count per second.

    Each try calls *work* at least once.

    Raises:
        ValueError: the first call of *work* returned 0.
    """
    if not work():  # The first call also builds shared objects, so it does not count.
        raise ValueError("the work counted nothing, so it has no rate")
    gc.collect()
    tries = sorted(_once(work, seconds / TRIES, now) for _ in range(TRIES))
    return Rate(median(tries), tries[0], tries[-1])


def _once(work: Callable[[], int], seconds: float, now: Callable[[], float]) -> float:
    done = 0
    begun = now()
    while (taken := now() - begun) < seconds or not done:
        done += work()
    return done / taken
