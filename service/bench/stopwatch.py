"""How often something can be done in a second: tried several times, the median counts."""

import gc
from collections.abc import Callable
from statistics import median
from typing import Final, NamedTuple

TRIES: Final = 5


class Rate(NamedTuple):
    """How often *per second*, in the median of the tries, and in the slowest and the fastest of them."""

    per_second: float
    slowest: float
    fastest: float

    @property
    def spread(self) -> str:
        """The slowest and the fastest try in words."""
        return f"{TRIES} tries, {self.slowest:,.0f} to {self.fastest:,.0f}"


def rate(work: Callable[[], int], seconds: float, now: Callable[[], float]) -> Rate:
    """Do *work*, which says how often it did its thing, for *seconds* in all, of those that *now* counts.

    Raises:
        ValueError: there is nothing that it could do.
    """
    if not work():  # what is made once is made
        raise ValueError("there is nothing to do, however often")
    gc.collect()
    tries = sorted(_once(work, seconds / TRIES, now) for _ in range(TRIES))
    return Rate(median(tries), tries[0], tries[-1])


def _once(work: Callable[[], int], seconds: float, now: Callable[[], float]) -> float:
    done = 0
    begun = now()
    while (taken := now() - begun) < seconds or not done:
        done += work()
    return done / taken
