"""Says seats, counts, accounts and owners in words."""

from collections.abc import Sequence
from typing import Final

_OF_A_SEAT: Final = ":"


def seats(numbers: Sequence[int]) -> str:
    """Return the seats with these *numbers* in words, such as "seats 1, 2 and 4"."""
    if not numbers:
        return "no seat"
    return f"seat{'s' if len(numbers) > 1 else ''} {listed([str(number) for number in numbers])}"


def listed(words: Sequence[str]) -> str:
    """Return *words* as a list in a sentence, such as "a, b and c"."""
    *others, last = words
    return f"{', '.join(others)} and {last}" if others else last


def counted(number: int, noun: str) -> str:
    """Return *number* with its *noun*, such as "1 piece" or "3 pieces"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def account(name: str) -> str:
    """Return the account with this *name* in words, such as "the stack of seat 3"."""
    kind, _, seat = name.partition(_OF_A_SEAT)
    return f"the {kind} of seat {seat}" if seat else f"the {kind}"
