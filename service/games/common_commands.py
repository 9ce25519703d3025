"""The commands that the games share."""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Final, Literal, TypeAlias

from msgspec import Meta

from service.games.game import Command

Owner = Annotated[
    str,
    Meta(
        pattern="^own_[0-9a-f]{32}$",
        max_length=36,
        description="The id of an owner of API keys.",
        examples=["own_0123456789abcdef0123456789abcdef"],
    ),
]
Visibility = Literal["public", "private"]
Ground = Literal["request", "retention", "order"]
"""The ground of an erasure: a request of the value's owner, the end of its retention, or an authority's order."""
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
    """Seat *player* on *seat*, or on the lowest free seat if *seat* is 0; the player buys *chips*."""

    player: str
    chips: int
    seat: int = 0


class LeaveSeat(Command, frozen=True, kw_only=True):
    """Leave the table with your chips, before the start or, if the game allows leaving, between hands."""

    IS_RARE: ClassVar[bool] = True


class InvitePlayer(Command, frozen=True, kw_only=True):
    """Invite an owner: the owner may then see the table even if it is private, and may take a seat or decline."""

    FOR_HOST: ClassVar[bool] = True

    player: Owner


class WithdrawInvitation(Command, frozen=True, kw_only=True):
    """Withdraw the invitation of *player*."""

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
    """Call time: the service makes the first decision that is due, on behalf of the player."""

    FOR_HOST: ClassVar[bool] = True


class CloseTable(Command, frozen=True, kw_only=True):
    """Close the table for good and pay all chips out, before the start or, if players may leave, between hands."""

    FOR_HOST: ClassVar[bool] = True


class DealHand(Command, frozen=True, kw_only=True):
    """Deal the next hand."""


class EraseValue(Command, frozen=True, kw_only=True):
    """Erase the value that the event at *position* sealed under *field*; only the service may give this command."""

    position: int
    field: str
    ground: Ground


InvitationCommand: TypeAlias = InvitePlayer | WithdrawInvitation | DeclineInvitation
TableChoice: TypeAlias = (
    OpenTable | TakeSeat | LeaveSeat | StartGame | CloseTable | DealHand | EraseValue | InvitationCommand
)
"""The common commands except `CallTime`: when time is called, the service itself chooses a command."""
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
"""The common commands that clients post as actions.

`OpenTable` and `TakeSeat` have HTTP resources of their own; `EraseValue` has no HTTP resource.
"""
COMMON: Final[tuple[type[Command], ...]] = (OpenTable, TakeSeat, EraseValue, *ACTIONS)
"""All commands that the games share; each game adds its own commands."""
