"""Sweeps: a visibility test sends all requests, or a share that is drawn with the seed of the run."""

import random
from collections.abc import Sequence
from typing import NamedTuple, TypeVar

T = TypeVar("T")


class Sweep(NamedTuple):
    """Chooses all requests if *is_whole* is True, else a share that *chance* draws; each run draws another share."""

    chance: random.Random
    is_whole: bool

    def some(self, choices: Sequence[T], share: int) -> list[T]:
        """Return *choices*; in a partial sweep, *share* of them at random, in the same order."""
        if self.is_whole or len(choices) <= share:
            return list(choices)
        return [choices[at] for at in sorted(self.chance.sample(range(len(choices)), share))]

    def every(self, numbers: range, step: int) -> list[int]:
        """Return *numbers*; in a partial sweep, every *step*-th number, from a random start."""
        return list(numbers if self.is_whole else numbers[self.chance.randrange(step) :: step])
