"""The commands that every table knows."""

from collections.abc import Mapping
from typing import ClassVar, Final, Literal, TypeAlias

from service.games.game import Command

Visibility = Literal["public", "private"]
Ground = Literal["request", "retention", "order"]
"""Why a sealed value is erased: its owner asked, its time is over, or an authority ordered it."""
OptionValue: TypeAlias = bool | int | str | tuple[int, ...]


class OpenTable(Command, frozen=True, kw_only=True):
    """Open a table for a game."""

    host: str
    game: str
    edition: int
    sheet: str
    options: Mapping[str, OptionValue]
    seats: int
    visibility: Visibility
    currency: str = ""
    worth_minor: int = 0
    time_limit_seconds: int = 0


class TakeSeat(Command, frozen=True, kw_only=True):
    """Sit *player* down with *chips*; *seat* 0 asks for the lowest free one."""

    player: str
    chips: int
    seat: int = 0


class LeaveSeat(Command, frozen=True, kw_only=True):
    """Leave the table with one's chips: before the start, or between hands where the game lets players go."""


class StartGame(Command, frozen=True, kw_only=True):
    """Start the game with the players who are seated."""

    FOR_HOST: ClassVar[bool] = True


class CallTime(Command, frozen=True, kw_only=True):
    """Have the decision that is due made by the service."""

    FOR_HOST: ClassVar[bool] = True


class CloseTable(Command, frozen=True, kw_only=True):
    """Close the table for good; all get their chips back. Before the start, or between hands where players may go."""

    FOR_HOST: ClassVar[bool] = True


class DealHand(Command, frozen=True, kw_only=True):
    """Deal the next hand."""


class EraseValue(Command, frozen=True, kw_only=True):
    """Erase what the event at *position* sealed under *field*; the service alone does, on its operator's command."""

    position: int
    field: str
    ground: Ground


TableCommand: TypeAlias = OpenTable | TakeSeat | LeaveSeat | StartGame | CallTime | CloseTable | DealHand | EraseValue
COMMON: Final[tuple[type[Command], ...]] = (
    OpenTable,
    TakeSeat,
    LeaveSeat,
    StartGame,
    CallTime,
    CloseTable,
    DealHand,
    EraseValue,
)
"""All of them; a game adds its own."""
