"""A rate is the median of several tries, and the processor time of a process grows with its work."""

from itertools import chain, repeat

import pytest

from service.bench.processors import own_seconds, seconds
from service.bench.stopwatch import TRIES, Rate, rate


class Work:
    """Counts ten units for each call; each call advances the clock by the next of *takes*, in seconds."""

    def __init__(self, *takes: float) -> None:
        self.now = 0.0
        self.calls = 0
        self._takes = chain(takes, repeat(takes[-1]))

    def __call__(self) -> int:
        self.calls += 1
        self.now += next(self._takes)
        return 10


def test_the_median_of_the_tries_counts_and_the_first_call_does_not() -> None:
    first, tries = 100.0, (1.0, 2.0, 4.0, 5.0, 10.0)
    work = Work(first, *tries)
    assert rate(work, TRIES * 0.5, lambda: work.now) == Rate(2.5, 1.0, 10.0)
    assert work.calls == 1 + TRIES


def test_a_try_goes_on_for_as_long_as_was_asked_for() -> None:
    work = Work(0.25)
    assert rate(work, TRIES * 1.0, lambda: work.now).per_second == pytest.approx(40)
    assert work.calls == 1 + TRIES * 4


def test_the_spread_is_printed_in_words() -> None:
    assert Rate(2500.0, 1999.6, 12_345.6).spread == "5 tries, 2,000 to 12,346"


def test_a_process_computes_as_it_works() -> None:
    before = own_seconds()
    assert sum(range(1_000_000))
    assert own_seconds() > before


def test_a_process_number_without_a_process_has_no_processor_time() -> None:
    assert seconds(2**30) == 0.0


def test_work_that_counts_nothing_has_no_figure() -> None:
    with pytest.raises(ValueError, match="counted nothing"):
        rate(lambda: 0, 1.0, lambda: 0.0)
