"""Says seats, counts, accounts and owners in words."""

from collections.abc import Sequence
from typing import Final

_OF_A_SEAT: Final = ":"
_ASIDE: Final = "aside"


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


def place(of_card: int | str) -> str:
    """Return in words where a card was dealt: the number of a seat, or the name of a place such as `table`."""
    if isinstance(of_card, int):
        return f"seat {of_card}"
    return "the side of the table" if of_card == _ASIDE else f"the {of_card.replace('_', ' ')}"


def places(of_cards: Sequence[int | str]) -> str:
    """Return in words where cards were dealt, such as "seats 1 and 2 and the table"; each place stands once."""
    numbers = sorted({where for where in of_cards if isinstance(where, int)})
    names = {place(where): None for where in of_cards if isinstance(where, str)}
    return listed([*([seats(numbers)] if numbers else []), *names])


def deck(epoch: str) -> str:
    """Return the deck of *epoch* in words, such as "deck 3"."""
    return f"deck {epoch.rpartition('/')[2]}"
