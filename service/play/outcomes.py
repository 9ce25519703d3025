"""Outcomes of commands, which an observer of the write path counts (DECISIONS 85)."""

from collections.abc import Callable
from typing import Final, Literal, TypeAlias

from service.database.engines import UnknownCommit
from service.event_store.quarantine import StreamCorrupted
from service.play.orders import (
    CallerMustBe,
    CommandResult,
    KeyMustBeNew,
    NoSuchTable,
    PositionMustMatch,
    Refused,
    TableIsImported,
)

Outcome: TypeAlias = Literal[
    "recorded", "replayed", "refused", "stale", "denied", "mismatched", "damaged", "unknown", "failed"
]

Observer: TypeAlias = Callable[[str, Outcome], None]
"""Takes the name of a command's game ("": the game is secret or not known), and the command's outcome."""

NAME_THE_GAME: Final[frozenset[Outcome]] = frozenset({"recorded", "replayed", "refused", "stale", "mismatched"})
"""Only a caller who may know of the table gets these outcomes, so the name of the game reveals no table."""

_OF_ERRORS: Final[tuple[tuple[type[BaseException], Outcome], ...]] = (
    (Refused, "refused"),
    (PositionMustMatch, "stale"),
    (NoSuchTable, "denied"),
    (CallerMustBe, "denied"),
    (TableIsImported, "denied"),
    (KeyMustBeNew, "mismatched"),
    (StreamCorrupted, "damaged"),
    (UnknownCommit, "unknown"),
)


def of_result(result: CommandResult) -> Outcome:
    """Return the outcome of a command that was recorded now or earlier."""
    return "replayed" if result.replayed else "recorded"


def of_error(error: BaseException) -> Outcome:
    """Return the outcome of a command that failed with *error*."""
    return next((outcome for kind, outcome in _OF_ERRORS if isinstance(error, kind)), "failed")


def ignore(_game: str, _outcome: Outcome) -> None:
    """Ignore the outcome: the observer of a service that counts nothing."""
