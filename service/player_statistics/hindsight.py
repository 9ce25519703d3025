"""Compares a choice with its alternatives, by their values under the true and under other possible hidden cards."""

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct

_SAME: Final = 1e-9
"""Values that differ by less than this count as equal."""

World = tuple[float, Sequence[float]]
"""The weight of a possible order of the hidden cards, and the value of each alternative with this order."""


class Choice(Struct, frozen=True, kw_only=True):
    """The choice of the player in *seat*, in hindsight.

    *surprises* has the surprise of each alternative: its value with the true hidden cards, less its mean value over
    other orders of the hidden cards. These orders agree with what the player saw. *chosen* is the index of the
    alternative that the player chose. The choice is compared with the player's earlier choices in the same *situation*,
    or with the mean of its alternatives if *situation* is empty. *kinds* names the kind of each alternative. From the
    surprise of an alternative, `Evidence` subtracts the mean surprise of the other players' alternatives of the same
    kind; if *kinds* is empty, it subtracts nothing. *was_best*: with the true hidden cards no alternative was better
    than the chosen one. *chance_of_best*: the share of the orders, by weight, with which no alternative was better than
    the chosen one.
    """

    seat: int
    surprises: tuple[float, ...]
    chosen: int
    was_best: bool
    chance_of_best: float
    situation: str = ""
    kinds: tuple[str, ...] = ()


def choice(  # noqa: PLR0913 -- a choice has these parts
    seat: int,
    chosen: int,
    true: Sequence[float],
    worlds: Iterable[World],
    *,
    situation: str = "",
    kinds: tuple[str, ...] = (),
) -> Choice | None:
    """Return the choice in hindsight; None: no order of the hidden cards makes one alternative better than another.

    If *worlds* is empty, or has only orders of weight 0, return None too. *true* has the value of each alternative with
    the true hidden cards.
    """
    total, best, differs = 0.0, 0.0, not _are_same(true)
    sums = [0.0] * len(true)
    for weight, values in worlds:
        total += weight
        best += weight * (values[chosen] >= max(values) - _SAME)
        differs = differs or not _are_same(values)
        for index, value in enumerate(values):
            sums[index] += weight * value
    if not differs or not total:
        return None
    return Choice(
        seat=seat,
        surprises=tuple([value - one / total for value, one in zip(true, sums, strict=True)]),
        chosen=chosen,
        was_best=true[chosen] >= max(true) - _SAME,
        chance_of_best=best / total,
        situation=situation,
        kinds=kinds,
    )


def _are_same(values: Sequence[float]) -> bool:
    return max(values) - min(values) < _SAME
