"""Puts an event of any game into words: by a sentence of the game, by a sentence that all games share, or plainly."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from service.wording.common_sentences import COMMON
from service.wording.decision_runs import details_in_words
from service.wording.games import SENTENCES
from service.wording.hand_events import HandEvent
from service.wording.phrases import account, amount, first_seat

_CALLED: Final[Mapping[str, str]] = {
    "host": "The host had called time, so the service decided.",
    "limit": "The time limit had run out, so the service decided.",
}
_LEFT_OUT: Final = frozenset({"transfers", "called", "seat"})


def sentence(game: str, event: HandEvent) -> str:
    """Return *event* of a hand of *game* in words."""
    words = SENTENCES.get(game, {}).get(event.type) or COMMON.get(event.type)
    said = words(event) if words else plain(event)
    return f"{said} {called}" if (called := _CALLED.get(event.made.get("called", ""))) else said


def plain(event: HandEvent) -> str:
    """Return an event of an unknown type in words: its seat, its type, its members and sealed values, its transfers."""
    members: dict[str, Any] = {name: value for name, value in event.made.items() if name not in _LEFT_OUT}
    details = details_in_words({**members, **event.opened})
    who = f"{first_seat(event.seat)}: " if event.seat else ""
    kind = event.type.replace("_", " ")
    said = f"{who}{kind if who else kind.capitalize()}{f' ({details})' if details else ''}."
    return " ".join([said, *map(_moved, event.made.get("transfers", []))])


def _moved(transfer: Sequence[Any]) -> str:
    source, target, number, unit, *_ = transfer
    return f"{amount(number, unit)} went from {account(source)} to {account(target)}."
