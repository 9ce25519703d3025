"""What two players gave each other, compared with their exchanges with the others in the same hands."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from math import copysign, sqrt
from typing import Final, NamedTuple

from msgspec import Struct, field

_LEAST_PLAYERS: Final = 3
"""With two players there is nobody to compare with."""


class Exchange(NamedTuple):
    """What a player gave to and got from another in a hand, and by how much the net gift was too large.

    Each of the last three members is the net gift less another value. *beyond_strength*: less the difference of the
    strengths that explain the hand best. *beyond_gifts*: less the giver's mean net gift to the others. *beyond_gains*:
    less the mean net gift of the others to the taker. With two players all three are 0.
    """

    given: float
    got: float
    beyond_strength: float = 0.0
    beyond_gifts: float = 0.0
    beyond_gains: float = 0.0


class _Sum(Struct):
    total: float = 0.0
    squares: float = 0.0

    def add(self, value: float) -> None:
        self.total += value
        self.squares += value**2

    @property
    def score(self) -> float:
        return self.total / sqrt(self.squares) if self.squares else 0.0


class PairSums(Struct):
    """The sums over the hands that two players played together; *given* and *got* are the first player's sums."""

    hands: int = 0
    given: float = 0.0
    got: float = 0.0
    _beyond: tuple[_Sum, _Sum, _Sum] = field(default_factory=lambda: (_Sum(), _Sum(), _Sum()))

    def add(self, exchange: Exchange) -> None:
        """Add a hand."""
        self.hands += 1
        self.given += exchange.given
        self.got += exchange.got
        for one, value in zip(self._beyond, exchange[2:], strict=True):
            one.add(value)

    @property
    def surplus(self) -> float:
        """The amount by which, in every comparison, the first player gave the second too much.

        Below zero: the second player gave the first too much. 0: the comparisons disagree on who gave too much.
        """
        return _least([one.total for one in self._beyond])

    def score(self, allowance: float) -> float:
        """Return the surplus in standard deviations, moved toward 0 by an allowance for each hand.

        The allowance for a hand is *allowance* standard deviations of a hand's surplus.
        """
        least = _least([one.score for one in self._beyond])
        return copysign(max(0.0, abs(least) - allowance * sqrt(self.hands)), least)


def exchanges(
    players: Sequence[str], given: Mapping[tuple[str, str], float]
) -> Iterator[tuple[tuple[str, str], Exchange]]:
    """Yield what each pair of the *players* of a hand exchanged; the ids of a pair are sorted.

    A gift counts as too large only if three comparisons agree. The first comparison gives each player a strength,
    fitted by least squares, and expects the difference of two strengths as the net gift: so a player who loses to
    everybody gives nobody too much. But a gift to a third player changes the strengths too. So the gift must also be
    larger than the giver's other gifts, and larger than what the others gave the taker.
    """
    count = len(players)
    net = {
        (one, other): given.get((one, other), 0.0) - given.get((other, one), 0.0)
        for one in players
        for other in players
        if one != other
    }
    gains = {player: sum(gift for (_, to), gift in net.items() if to == player) for player in players}
    for one, other in combinations(sorted(players), 2):
        gave, got, gift = given.get((one, other), 0.0), given.get((other, one), 0.0), net[one, other]
        if count < _LEAST_PLAYERS:
            yield (one, other), Exchange(gave, got)
            continue
        others = count - 2
        yield (
            (one, other),
            Exchange(
                gave,
                got,
                gift - (gains[other] - gains[one]) / count,
                gift - (-gains[one] - gift) / others,
                gift - (gains[other] - gift) / others,
            ),
        )


def _least(values: Sequence[float]) -> float:
    """Return the value that is nearest to 0 if all have the same sign, else 0."""
    if min(values) > 0:
        return min(values)
    return max(values) if max(values) < 0 else 0.0
