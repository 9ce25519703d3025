"""A bot that does anything it may; what, follows from its seed."""

from collections.abc import Sequence
from random import Random
from typing import Final

from service.bots.choosing import Action, Bound, Move, Table

_SELDOM: Final = frozenset({"resign", "leave_seat", "sit_out", "sit_in", "buy_chips"})
_HOW_SELDOM: Final = 0.01  # so that games are played, and resignations happen
_MOST_ABOVE: Final = 1_000  # what may be bought has no bound but the service's own


class RandomBot:
    """Chooses among all legal actions alike, and each number within its bounds alike; it seldom stops playing."""

    def __init__(self, seed: str) -> None:
        self._dice = Random(seed)

    def choose(self, moves: Sequence[Move], table: Table) -> Action:
        """Return any of *moves*; the table is not looked at."""
        del table
        playing = [move for move in moves if move.kind not in _SELDOM]
        stops = not playing or (len(playing) < len(moves) and self._dice.random() < _HOW_SELDOM)
        move = self._dice.choice([each for each in moves if (each.kind in _SELDOM) == stops])
        return {**move.action, **{bound.member: self._within(bound) for bound in move.bounds}}

    def _within(self, bound: Bound) -> int:
        return self._dice.randint(bound.least, min(bound.most, bound.least + _MOST_ABOVE))
