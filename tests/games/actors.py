"""The actors at a table of any game, and the common commands."""

from typing import ClassVar

from msgspec.structs import replace

from service.games.common_commands import (
    CallTime,
    CloseTable,
    DealHand,
    DeclineInvitation,
    InvitePlayer,
    LeaveSeat,
    OpenTable,
    OptionValue,
    StartGame,
    TakeSeat,
    WithdrawInvitation,
)
from service.games.definition import Game
from service.games.game import Command, acting_seat

OWNER_OF_THE_TABLE = "own_" + "0" * 32


def owner(seat: int) -> str:
    """Return the owner id of the player in *seat*."""
    return f"own_{seat:032x}"


def example_player(number: int = 0) -> str:
    """Return the owner id that the listed action `invite_player` has as an example, after *number* invitations."""
    return f"own_{'f' * 28}{number:04x}"


class AnyActor:
    """An actor at a table of GAME, and the common commands of that actor."""

    GAME: ClassVar[Game]

    def __init__(self, by: str) -> None:
        self.by = by

    @property
    def number(self) -> int:
        """The seat of this actor; 0: no seat."""
        return acting_seat(self.by)

    def deals(self) -> Command:
        return DealHand(by=self.by)

    def leaves(self) -> Command:
        return LeaveSeat(by=self.by)

    def starts(self) -> Command:
        return StartGame(by=self.by)

    def calls_time(self) -> Command:
        return CallTime(by=self.by)

    def closes(self) -> Command:
        return CloseTable(by=self.by)

    def invites(self, player: str) -> Command:
        return InvitePlayer(by=self.by, player=player)

    def withdraws(self, player: str) -> Command:
        """Return the command to withdraw the invitation of *player*."""
        return WithdrawInvitation(by=self.by, player=player)

    def turns_down(self, player: str) -> Command:
        """Return the command by which *player* declines an invitation."""
        return DeclineInvitation(by=self.by, player=player)

    def opens_in_private(self, seats: int = 4, **options: OptionValue) -> Command:
        return replace(self.opens(seats=seats, **options), visibility="private")

    def opens(self, *, seats: int = 4, **options: OptionValue) -> Command:
        return OpenTable(
            by=self.by,
            host=OWNER_OF_THE_TABLE,
            game=self.GAME.name,
            edition=self.GAME.edition,
            sheet=self.GAME.sheet.sha256,
            options=options,
            seats=seats,
            visibility="public",
        )

    def sits_down(self, number: int = 0, *, pieces: int = 50, player: str = "") -> Command:
        """Return the command to take seat *number* (0: any free seat) for *player* (default: `owner(number)`)."""
        return TakeSeat(by=self.by, player=player or owner(number), chips=pieces, seat=number)
