"""The actors at a table of Bankrupt, and their commands."""

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
from service.games.game import HOST, PLAYER, SERVICE, Command, seat_actor
from tests.games.actors import AnyActor

SHEET = BANKRUPT.sheet.sha256


class Actor(AnyActor):
    """An actor at a table of Bankrupt, and the actor's commands."""

    GAME = BANKRUPT

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


host, service, stranger = Actor(HOST), Actor(SERVICE), Actor(PLAYER)


def seat(number: int) -> Actor:
    return Actor(seat_actor(number))
