"""The commands of every game."""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Final, Literal, TypeAlias

from msgspec import Meta

from service.games.game import Command

Owner = Annotated[
    str,
    Meta(
        pattern="^own_[0-9a-f]{32}$",
        max_length=36,
        description="The owner of API keys.",
        examples=["own_0123456789abcdef0123456789abcdef"],
    ),
]
Visibility = Literal["public", "private"]
Ground = Literal["request", "retention", "order"]
"""Why a sealed value is erased: its owner's request, the end of its retention, or an authority's order."""
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
    """Seat *player*, who buys *chips*; *seat* 0: the lowest free seat."""

    player: str
    chips: int
    seat: int = 0


class LeaveSeat(Command, frozen=True, kw_only=True):
    """Leave the table with your chips: before the start, or between hands where the game allows it."""


class InvitePlayer(Command, frozen=True, kw_only=True):
    """Invite a player, who may then see a private table, and take a seat or decline."""

    FOR_HOST: ClassVar[bool] = True

    player: Owner


class WithdrawInvitation(Command, frozen=True, kw_only=True):
    """Withdraw an invitation."""

    FOR_HOST: ClassVar[bool] = True

    player: Owner


class DeclineInvitation(Command, frozen=True, kw_only=True):
    """Decline the invitation to the table; *player* is the caller."""

    FROM_CALLER: ClassVar[tuple[str, ...]] = ("by", "player")

    player: Owner


class StartGame(Command, frozen=True, kw_only=True):
    """Start the game with the seated players."""

    FOR_HOST: ClassVar[bool] = True


class CallTime(Command, frozen=True, kw_only=True):
    """Have the service make the decision that is due."""

    FOR_HOST: ClassVar[bool] = True


class CloseTable(Command, frozen=True, kw_only=True):
    """Close the table for good and pay all chips out: before the start, or between hands where players may leave."""

    FOR_HOST: ClassVar[bool] = True


class DealHand(Command, frozen=True, kw_only=True):
    """Deal the next hand."""


class EraseValue(Command, frozen=True, kw_only=True):
    """Erase the value that the event at *position* sealed under *field*; only the service may, for its operator."""

    position: int
    field: str
    ground: Ground


InvitationCommand: TypeAlias = InvitePlayer | WithdrawInvitation | DeclineInvitation
TableChoice: TypeAlias = (
    OpenTable | TakeSeat | LeaveSeat | StartGame | CloseTable | DealHand | EraseValue | InvitationCommand
)
"""The commands that name a decision; after `CallTime` the service chooses such a command."""
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
"""The common commands that clients post as actions; commands for tables and seats have their own HTTP resources."""
COMMON: Final[tuple[type[Command], ...]] = (OpenTable, TakeSeat, EraseValue, *ACTIONS)
"""All commands of every game; each game adds its own."""
