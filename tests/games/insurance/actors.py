"""The actors at a table of Insurance, and their commands."""

from service.games.game import HOST, PLAYER, SERVICE, Command, seat_actor
from service.games.insurance import INSURANCE
from service.games.insurance.commands import (
    AcceptInsurance,
    BuyChips,
    OfferInsurance,
    PlaceBet,
    RefuseInsurance,
    SitIn,
    SitOut,
)
from tests.games.actors import AnyActor

SHEET = INSURANCE.sheet.sha256


class Actor(AnyActor):
    """An actor at a table of Insurance, and the actor's commands."""

    GAME = INSURANCE

    def bets(self, amount: int) -> Command:
        return PlaceBet(by=self.by, chips=amount)

    def sits_out(self) -> Command:
        return SitOut(by=self.by)

    def sits_in(self) -> Command:
        return SitIn(by=self.by)

    def buys(self, amount: int) -> Command:
        return BuyChips(by=self.by, chips=amount)

    def offers(self, amount: int) -> Command:
        return OfferInsurance(by=self.by, chips=amount)

    def insures(self, number: int) -> Command:
        return AcceptInsurance(by=self.by, seat=number)

    def refuses(self, number: int) -> Command:
        return RefuseInsurance(by=self.by, seat=number)


host, service, stranger = Actor(HOST), Actor(SERVICE), Actor(PLAYER)


def seat(number: int) -> Actor:
    return Actor(seat_actor(number))
