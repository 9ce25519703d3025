"""Evidence that a player knew hidden cards: a sum over hands that is zero on average for a player who knew none."""

from collections import Counter
from collections.abc import Iterable
from math import sqrt
from statistics import NormalDist
from typing import Final

from msgspec import Struct, field

from service.player_statistics.hindsight import Choice

_NORMAL: Final = NormalDist()
_LEAST_HABIT: Final = 3
"""A choice in a situation is evidence only if the player had at least this many earlier choices in this situation."""
_PRIOR: Final = 3
"""This many surprises of 0 are added to the surprises of each kind, so that the mean of a few surprises stays small."""


class Surprises(Struct):
    """The number and the sum of the surprises of each kind of alternative."""

    _sums: dict[str, tuple[int, float]] = field(default_factory=dict)

    def add(self, choice: Choice) -> None:
        """Add the alternatives of *choice*."""
        for kind, surprise in zip(choice.kinds, choice.surprises, strict=False):
            count, total = self.of(kind)
            self._sums[kind] = count + 1, total + surprise

    def of(self, kind: str) -> tuple[int, float]:
        """Return the number of alternatives of *kind*, and the sum of their surprises."""
        return self._sums.get(kind, (0, 0.0))


class Evidence(Struct):
    """The evidence from a player's hands in one game.

    *total* is the sum of the evidence of each hand, and *variance* the sum of the squares of each hand's evidence.
    *best* counts the choices that were best in hindsight, and *expected_best* is how many would be best on average with
    other orders of the hidden cards.
    """

    hands: int = 0
    choices: int = 0
    best: int = 0
    expected_best: float = 0.0
    total: float = 0.0
    variance: float = 0.0
    _habits: dict[str, Counter[int]] = field(default_factory=dict)
    _own: Surprises = field(default_factory=Surprises)

    def add_hand(self, choices: Iterable[Choice], of_all: Surprises) -> None:
        """Add the player's next hand with its *choices*; also add their surprises to *of_all*.

        *of_all* has the surprises of all players.
        """
        of_hand = 0.0
        for choice in choices:
            self.choices += 1
            self.best += choice.was_best
            self.expected_best += choice.chance_of_best
            of_hand += self._evidence(choice, of_all)
            self._own.add(choice)
            of_all.add(choice)
        self.hands += 1
        self.total += of_hand
        self.variance += of_hand**2

    def score(self, allowance: float) -> float:
        """Return the evidence in standard deviations, less an allowance for each hand; 0: there is no evidence yet.

        The allowance for a hand is *allowance* standard deviations of a hand's evidence.
        """
        return self.total / sqrt(self.variance) - allowance * sqrt(self.hands) if self.variance else 0.0

    def _evidence(self, choice: Choice, of_all: Surprises) -> float:
        """Return the surprise of the chosen alternative, less the mean surprise of all alternatives of *choice*.

        If *choice* has kinds, the usual surprise of an alternative's kind is first subtracted from the alternative's
        surprise. If *choice* has a situation, the mean counts each alternative as often as the player chose it in this
        situation before. If the player had fewer than `_LEAST_HABIT` earlier choices in this situation, return 0.
        """
        surprises = choice.surprises
        if choice.kinds:
            surprises = tuple(
                [one - self._usual(kind, of_all) for kind, one in zip(choice.kinds, surprises, strict=True)]
            )
        if not choice.situation:
            return surprises[choice.chosen] - sum(surprises) / len(surprises)
        habit = self._habits.setdefault(choice.situation, Counter())
        before = habit.total()
        usual = sum(count * surprises[index] for index, count in habit.items())
        habit[choice.chosen] += 1
        return surprises[choice.chosen] - usual / before if before >= _LEAST_HABIT else 0.0

    def _usual(self, kind: str, of_all: Surprises) -> float:
        """Return the mean of the surprises of the other players' alternatives of *kind*, and of `_PRIOR` zeros."""
        (all_count, all_sum), (own_count, own_sum) = of_all.of(kind), self._own.of(kind)
        return (all_sum - own_sum) / (all_count - own_count + _PRIOR)


def chance_of(score: float) -> float:
    """Return the chance that a standard normal variable is at least *score*."""
    return _NORMAL.cdf(-score)
