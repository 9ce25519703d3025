"""A bot that does anything it may; what, follows from its seed."""

from collections.abc import Sequence
from random import Random
from typing import Final

from service.bots.bot import Action, Bound, Choice, Move, Table

_SELDOM: Final = frozenset({"resign", "leave_seat", "sit_out", "sit_in", "buy_chips"})
_HOW_SELDOM: Final = 0.01  # so that games are played, and resignations happen
_MOST_ABOVE: Final = 1_000  # what may be bought has no bound but the service's own
_MOST_BID: Final = 20  # above the least: what is bid counts against the bidder, and a game should last


class RandomBot:
    """Chooses among all legal actions, numbers within bounds and cards alike; it seldom stops playing."""

    def __init__(self, seed: str) -> None:
        self._dice = Random(seed)

    def choose(self, moves: Sequence[Move], table: Table) -> Action:
        """Return any of *moves*; the table is not looked at."""
        del table
        playing = [move for move in moves if move.kind not in _SELDOM]
        stops = not playing or (len(playing) < len(moves) and self._dice.random() < _HOW_SELDOM)
        move = self._dice.choice([each for each in moves if (each.kind in _SELDOM) == stops])
        numbers = {bound.member: self._within(bound) for bound in move.bounds}
        return {**move.action, **numbers, **{choice.member: self._one_of(choice) for choice in move.choices}}

    def _within(self, bound: Bound) -> int:
        most_above = _MOST_BID if bound.member == "points" else _MOST_ABOVE
        return self._dice.randint(bound.least, min(bound.most, bound.least + most_above))

    def _one_of(self, choice: Choice) -> str | list[str]:
        return self._dice.sample(choice.among, choice.count) if choice.count else self._dice.choice(choice.among)
