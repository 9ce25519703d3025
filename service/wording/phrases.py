"""Phrases of sentences about hands: seats, amounts, cards, lists."""

from collections.abc import Iterable, Sequence

from service.ledger import HOUSE, account_kind, account_seat

_STACK = "stack"


def seat(number: int) -> str:
    """Return the name of a seat within a sentence."""
    return f"seat {number}"


def first_seat(number: int) -> str:
    """Return the name of a seat at the beginning of a sentence."""
    return f"Seat {number}"


def seats(numbers: Sequence[int]) -> str:
    """Return the names of several seats within a sentence, such as "seats 1, 2 and 4"."""
    return f"seat{'s' if len(numbers) > 1 else ''} {listed(map(str, numbers))}"


def first_seats(numbers: Sequence[int]) -> str:
    """Return the names of several seats at the beginning of a sentence."""
    return seats(numbers).capitalize()


def listed(parts: Iterable[str]) -> str:
    """Return *parts* as a list in a sentence: "none", "a", "a and b", "a, b and c"."""
    *before, last = [*parts] or ["none"]
    return f"{', '.join(before)} and {last}" if before else last


def capitalised(words: str) -> str:
    """Return *words* as the beginning of a sentence."""
    return f"{words[:1].upper()}{words[1:]}"


def cards(faces: Iterable[str]) -> str:
    """Return cards in a sentence, by their faces."""
    return " ".join(faces)


def amount(number: int, unit: str) -> str:
    """Return an amount of chips or points, such as "1 chip" or "5 points"."""
    return f"{number:,} {unit.removesuffix('s') if number == 1 else unit}"


def chips(number: int) -> str:
    """Return an amount of chips, such as "1 chip" or "5 chips"."""
    return amount(number, "chips")


def points(number: int) -> str:
    """Return an amount of points, such as "1 point" or "5 points"."""
    return amount(number, "points")


def account(name: str) -> str:
    """Return an account in words, such as "the stack of seat 4", "the ante of seat 2", "the centre"."""
    kind = account_kind(name).replace("_", " ")
    if number := account_seat(name):
        return f"the {kind} of seat {number}"
    return f"the {kind}"


def party(name: str) -> str:
    """Return the party whose account *name* is: a seat, or a place that belongs to no seat, such as "the centre"."""
    return seat(number) if (number := account_seat(name)) else account(name)


def is_outside(name: str) -> bool:
    """Return whether an account is the house, which is outside the game: it sells chips and buys them back."""
    return account_kind(name) == HOUSE
