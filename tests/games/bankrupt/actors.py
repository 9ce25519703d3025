"""Who may act at a table of Bankrupt, and the commands they make."""

from service.games.bankrupt import BANKRUPT
from service.games.bankrupt.commands import (
    AcceptUpping,
    DeclineUpping,
    ExchangeCard,
    HoldCards,
    OfferUpping,
    PassUpping,
    Resign,
    ThrowIn,
)
from service.games.commands import (
    CallTime,
    CloseTable,
    DealHand,
    LeaveSeat,
    OpenTable,
    StartGame,
    TakeSeat,
)
from service.games.game import HOST, PLAYER, SERVICE, Command, seat_actor

OWNER_OF_THE_TABLE = "own_" + "0" * 32
SHEET = BANKRUPT.sheet.sha256


def owner(seat: int) -> str:
    """Return who sits in *seat*."""
    return f"own_{seat:032x}"


class Actor:
    """Somebody at the table, and the commands they can make."""

    def __init__(self, by: str) -> None:
        self.by = by

    def deals(self) -> Command:
        return DealHand(by=self.by)

    def holds(self) -> Command:
        return HoldCards(by=self.by)

    def exchanges(self, card: int) -> Command:
        return ExchangeCard(by=self.by, card=card)

    def throws_in(self) -> Command:
        return ThrowIn(by=self.by)

    def offers(self, pieces: int) -> Command:
        return OfferUpping(by=self.by, chips=pieces)

    def passes(self) -> Command:
        return PassUpping(by=self.by)

    def accepts(self) -> Command:
        return AcceptUpping(by=self.by)

    def declines(self) -> Command:
        return DeclineUpping(by=self.by)

    def resigns(self) -> Command:
        return Resign(by=self.by)

    def leaves(self) -> Command:
        return LeaveSeat(by=self.by)

    def starts(self) -> Command:
        return StartGame(by=self.by)

    def calls_time(self) -> Command:
        return CallTime(by=self.by)

    def closes(self) -> Command:
        return CloseTable(by=self.by)

    def opens(self, *, seats: int = 4, **options: bool | int) -> Command:
        return OpenTable(
            by=self.by,
            host=OWNER_OF_THE_TABLE,
            game="bankrupt",
            edition=1,
            sheet=SHEET,
            options=options,
            seats=seats,
            visibility="public",
        )

    def sits_down(self, number: int = 0, *, pieces: int = 50, player: str = "") -> Command:
        """Take the seat *number* (0: any); the player is the one who belongs there unless another is named."""
        return TakeSeat(by=self.by, player=player or owner(number), chips=pieces, seat=number)


host, service, stranger = Actor(HOST), Actor(SERVICE), Actor(PLAYER)


def seat(number: int) -> Actor:
    return Actor(seat_actor(number))
