"""How much a test of visibility asks: all that there is to ask, or a share of it that the run's seed draws."""

import random
from collections.abc import Sequence
from typing import NamedTuple, TypeVar

T = TypeVar("T")


class Sweep(NamedTuple):
    """Everything if it *is_whole*, and otherwise what its *chance* draws, which is another share in every run."""

    chance: random.Random
    is_whole: bool

    def some(self, choices: Sequence[T], share: int) -> list[T]:
        """Return all *choices*, or as many of them as *share*, in their order."""
        if self.is_whole or len(choices) <= share:
            return list(choices)
        return [choices[at] for at in sorted(self.chance.sample(range(len(choices)), share))]

    def every(self, numbers: range, step: int) -> list[int]:
        """Return *numbers* as they are, or one in *step* of them from the first, the second or a later one on."""
        return list(numbers if self.is_whole else numbers[self.chance.randrange(step) :: step])
