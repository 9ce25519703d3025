"""Simulates players, honest or with sight of hidden cards; prints one line of JSON for each table.

`python -m tests.player_statistics.simulation GAME HANDS TABLES [seeing]` plays TABLES tables of HANDS hands with four
players each. With `seeing`, one player at each table sees hidden cards.
"""

import sys
from collections.abc import Iterator, Mapping
from functools import partial
from random import Random
from typing import Any

import msgspec

from service.player_statistics.player_figures import Figures
from tests.player_statistics.simulated import SimulatedTable, Strategy, owner
from tests.player_statistics.strategies import HONEST, OPTIONS, SEEING

SEATS = 4


def name_of(strategy: Strategy) -> str:
    """Return the name of a strategy, with the values that it was given."""
    if isinstance(strategy, partial):
        return f"{strategy.func.__name__} {strategy.keywords}"
    return strategy.__name__


def play(figures: Figures, game: str, number: int, hands: int, *, seeing: bool) -> Mapping[str, str]:
    """Play *hands* hands with four new players, and add them to *figures*; return the players' strategies by owner.

    When a player can't play on, or the game is over, all move to a new table.
    """
    dice = Random(f"{game} {number} {seeing}")
    strategies = list(HONEST[game])
    dice.shuffle(strategies)
    if seeing:
        strategies[dice.randrange(SEATS)] = SEEING[game]
    players = [(owner(SEATS * number + seat), strategies[seat]) for seat in range(SEATS)]
    left = hands
    for table in range(hands):
        for hand in SimulatedTable(game, f"{number}/{table}", players, dice, **OPTIONS[game]).hands():
            if len(hand.taking_part) < SEATS:
                break
            figures.add(game, hand)
            left -= 1
            if not left:
                return {player: name_of(strategy) for player, strategy in players}
    raise AssertionError("a table has no hand")


def results(game: str, hands: int, tables: int, *, seeing: bool) -> Iterator[dict[str, Any]]:
    """Yield the figures of the players and pairs of each table; all tables are in one report."""
    figures = Figures()
    for number in range(tables):
        names = play(figures, game, number, hands, seeing=seeing)
        players = [figures.evidence(game, player) for player in names]
        yield {
            "players": [
                [name, one.hands, one.total, one.variance, one.choices, one.best, one.expected_best]
                for name, one in zip(names.values(), players, strict=True)
            ],
            "pairs": [
                [names[one], names[other], sums.hands, sums.score(0.0)]
                for (one, other), sums in figures.pairs(game, tuple(names)).items()
            ],
        }


if __name__ == "__main__":
    for line in results(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), seeing="seeing" in sys.argv[4:]):
        sys.stdout.write(msgspec.json.encode(line).decode() + "\n")
        sys.stdout.flush()
