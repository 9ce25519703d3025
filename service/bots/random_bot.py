"""A bot that does anything it may; what, follows from its seed."""

from collections.abc import Sequence
from random import Random
from typing import Final

from service.bots.choosing import Action, Move, Table

_GIVING_UP: Final = frozenset({"resign", "leave_seat"})
_GIVES_UP: Final = 0.01  # so that games are played, and resignations happen


class RandomBot:
    """Chooses among all legal actions alike, and each number within its bounds alike; it seldom gives up."""

    def __init__(self, seed: str) -> None:
        self._dice = Random(seed)

    def choose(self, moves: Sequence[Move], table: Table) -> Action:
        """Return any of *moves*; the table is not looked at."""
        del table
        playing = [move for move in moves if move.kind not in _GIVING_UP]
        gives_up = not playing or (len(playing) < len(moves) and self._dice.random() < _GIVES_UP)
        move = self._dice.choice([each for each in moves if (each.kind in _GIVING_UP) == gives_up])
        return {**move.action, **{bound.member: self._dice.randint(bound.least, bound.most) for bound in move.bounds}}
