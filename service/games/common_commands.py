"""The commands that every table knows."""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Final, Literal, TypeAlias

from msgspec import Meta

from service.games.game import Command

Owner = Annotated[
    str,
    Meta(
        pattern="^own_[0-9a-f]{32}$",
        max_length=36,
        description="Who a key belongs to.",
        examples=["own_0123456789abcdef0123456789abcdef"],
    ),
]
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


class InvitePlayer(Command, frozen=True, kw_only=True):
    """Invite somebody, who may then see a private table, and sit down or decline."""

    FOR_HOST: ClassVar[bool] = True

    player: Owner


class WithdrawInvitation(Command, frozen=True, kw_only=True):
    """Take an invitation back."""

    FOR_HOST: ClassVar[bool] = True

    player: Owner


class DeclineInvitation(Command, frozen=True, kw_only=True):
    """Decline the invitation to the table: *player* is whoever asks."""

    FROM_ASKER: ClassVar[tuple[str, ...]] = ("by", "player")

    player: Owner


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


InvitationCommand: TypeAlias = InvitePlayer | WithdrawInvitation | DeclineInvitation
TableChoice: TypeAlias = (
    OpenTable | TakeSeat | LeaveSeat | StartGame | CloseTable | DealHand | EraseValue | InvitationCommand
)
"""Commands that say themselves what is decided; `CallTime` has the service choose one."""
ACTIONS: Final[tuple[type[Command], ...]] = (
    DealHand,
    LeaveSeat,
    StartGame,
    CallTime,
    CloseTable,
    InvitePlayer,
    WithdrawInvitation,
    DeclineInvitation,
)
"""Those that every table takes as an action; opening a table and sitting down have a resource of their own."""
COMMON: Final[tuple[type[Command], ...]] = (OpenTable, TakeSeat, EraseValue, *ACTIONS)
"""All of them; a game adds its own."""
