"""Puts seats and counts into words."""

from collections.abc import Sequence

from service.wording import phrases


def seats(numbers: Sequence[int]) -> str:
    """Return the seats with these *numbers* in words, such as "seats 1, 2 and 4" or "no seat"."""
    return phrases.seats(numbers) if numbers else "no seat"


def counted(number: int, noun: str) -> str:
    """Return *number* with its *noun*, such as "1 piece" or "3 pieces"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
