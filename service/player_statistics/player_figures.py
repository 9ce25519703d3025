"""The figures of players and pairs of players, by game, over any number of hands (DECISIONS 106)."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from math import sqrt
from statistics import NormalDist
from typing import Annotated, Final, TypeVar

from msgspec import Meta, Struct, field
from msgspec.structs import replace

from service.player_statistics.evidence import Evidence, Surprises, chance_of
from service.player_statistics.holm import adjusted
from service.player_statistics.measures import MEASURES
from service.player_statistics.pairs import PairSums, exchanges
from service.player_statistics.played_hands import PlayedHand

LEVEL: Final = 0.001
"""The chance that a report flags any honest player or pair is at most about this, however many the report tests."""
CONFIDENCE: Final = 0.95
_WIDTH: Final = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)

Chance = Annotated[float, Meta(ge=0, le=1)]


class Tested(Struct, frozen=True, kw_only=True):
    """A player or a pair in one game, with the result of the test for cheating."""

    game: Annotated[str, Meta(description="The game's name.")]
    hands: Annotated[
        int,
        Meta(ge=1, le=2**53 - 1, description="Hands of the player, or of both players, that ended and are disclosed."),
    ]
    score: Annotated[
        float,
        Meta(
            description="The evidence that the player knew hidden cards, or the surplus of the pair, in standard "
            "deviations, less an allowance."
        ),
    ]
    chance: Annotated[
        Chance,
        Meta(
            description="The chance that an honest player has at least this score, or an honest pair a score at least "
            "this far from 0."
        ),
    ]
    adjusted_chance: Annotated[
        Chance, Meta(description="`chance`, corrected by Holm's method for all players and pairs that were tested.")
    ]
    is_flagged: Annotated[bool, Meta(description="Whether `adjusted_chance` is at most 0.001.")]


class PlayerFigures(Tested, frozen=True, kw_only=True):
    """The figures of one player in one game."""

    player: Annotated[str, Meta(description="The owner id of the player.")]
    won_per_hand: Annotated[
        float,
        Meta(description="Chips won per hand; below zero: lost. In a game for points: points (the fewer, the better)."),
    ]
    won_low: Annotated[float, Meta(description="The lower end of the 95 % confidence interval of `won_per_hand`.")]
    won_high: Annotated[float, Meta(description="The upper end of the 95 % confidence interval of `won_per_hand`.")]
    choices: Annotated[
        int,
        Meta(
            ge=0,
            le=2**53 - 1,
            description="Choices in which one alternative was better than another, at least with some order of the "
            "hidden cards.",
        ),
    ]
    best: Annotated[int, Meta(ge=0, le=2**53 - 1, description="Choices that were best in hindsight.")]
    expected_best: Annotated[
        float,
        Meta(
            ge=0, description="How many of the choices would be best with other orders of the hidden cards, on average."
        ),
    ]


class PairFigures(Tested, frozen=True, kw_only=True):
    """The figures of two players in one game; *given* and *got* are the chips or points that moved between them."""

    players: Annotated[tuple[str, str], Meta(description="The owner ids of the two players.")]
    given: Annotated[float, Meta(ge=0, description="What the first player gave the second, in chips or in points.")]
    got: Annotated[float, Meta(ge=0, description="What the first player got from the second, in chips or in points.")]
    net: Annotated[float, Meta(description="`given` less `got`.")]
    surplus: Annotated[
        float,
        Meta(description="The part of `net` that transfers with others in the same hands do not explain."),
    ]


F = TypeVar("F", bound=Tested)


class _Results(Struct):
    hands: int = 0
    total: float = 0.0
    squares: float = 0.0
    evidence: Evidence = field(default_factory=Evidence)


class Figures:
    """Collects hands, and gives the figures of all players and pairs in them."""

    def __init__(self) -> None:
        """Begin without hands."""
        self.hands = 0
        self._players: dict[tuple[str, str], _Results] = {}
        self._pairs: dict[tuple[str, str, str], PairSums] = {}
        self._surprises: dict[str, Surprises] = {}

    def add(self, game: str, hand: PlayedHand) -> None:
        """Add an ended and disclosed *hand* of *game*."""
        self.hands += 1
        surprises = self._surprises.setdefault(game, Surprises())
        players = tuple(dict.fromkeys(hand.taking_part))
        for player in players:
            results = self._players.setdefault((game, player), _Results())
            results.hands += 1
            results.total += hand.won[player]
            results.squares += hand.won[player] ** 2
            results.evidence.add_hand(hand.choices.get(player, ()), surprises)
        for (one, other), exchange in exchanges(players, hand.given):
            self._pairs.setdefault((game, one, other), PairSums()).add(exchange)

    def evidence(self, game: str, player: str) -> Evidence:
        """Return the evidence from the hands of *player* in *game*."""
        return self._players[game, player].evidence

    def pairs(self, game: str, players: Sequence[str]) -> Mapping[tuple[str, str], PairSums]:
        """Return the sums of each pair of *players* who played *game* together."""
        found = combinations(sorted(players), 2)
        return {pair: self._pairs[game, *pair] for pair in found if (game, *pair) in self._pairs}

    def report(self) -> tuple[tuple[PlayerFigures, ...], tuple[PairFigures, ...]]:
        """Return the figures of players, and of pairs: flagged figures first, then by chance, the smallest first."""
        players = [_of_player(*key, results) for key, results in self._players.items()]
        pairs = [_of_pair(*key, sums) for key, sums in self._pairs.items()]
        corrected = adjusted([one.chance if one.score else 1.0 for one in (*players, *pairs)])
        return _flagged(players, corrected[: len(players)]), _flagged(pairs, corrected[len(players) :])


def _flagged(figures: Iterable[F], corrected: Iterable[float]) -> tuple[F, ...]:
    """Return *figures* with their *corrected* chances: flagged figures first, then by chance, the smallest first."""
    found = [
        replace(one, adjusted_chance=chance, is_flagged=chance <= LEVEL)
        for one, chance in zip(figures, corrected, strict=True)
    ]
    return tuple(sorted(found, key=lambda one: (not one.is_flagged, one.chance)))


def _of_player(game: str, player: str, results: _Results) -> PlayerFigures:
    mean = results.total / results.hands
    spread = max(0.0, results.squares / results.hands - mean**2)
    half = _WIDTH * sqrt(spread / (results.hands - 1)) if results.hands > 1 else 0.0
    evidence = results.evidence
    score = evidence.score(MEASURES[game].ALLOWANCE) if game in MEASURES else 0.0
    return PlayerFigures(
        game=game,
        player=player,
        hands=results.hands,
        won_per_hand=mean,
        won_low=mean - half,
        won_high=mean + half,
        choices=evidence.choices,
        best=evidence.best,
        expected_best=evidence.expected_best,
        score=score,
        chance=chance_of(score),
        adjusted_chance=1.0,
        is_flagged=False,
    )


def _of_pair(game: str, one: str, other: str, sums: PairSums) -> PairFigures:
    score = sums.score(MEASURES[game].PAIR_ALLOWANCE) if game in MEASURES else 0.0
    return PairFigures(
        game=game,
        players=(one, other),
        hands=sums.hands,
        given=sums.given,
        got=sums.got,
        net=sums.given - sums.got,
        surplus=sums.surplus,
        score=score,
        chance=2 * chance_of(abs(score)),
        adjusted_chance=1.0,
        is_flagged=False,
    )
