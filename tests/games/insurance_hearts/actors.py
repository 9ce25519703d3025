"""The actors at a table of Insurance Hearts, and their commands."""

from service.games.game import HOST, PLAYER, SERVICE, Command, seat_actor
from service.games.insurance_hearts import INSURANCE_HEARTS
from service.games.insurance_hearts.commands import (
    ChooseLeftover,
    MakeNoBid,
    PassCards,
    PlaceBid,
    PlayCard,
    WriteSlip,
)
from tests.games.actors import AnyActor

SHEET = INSURANCE_HEARTS.sheet.sha256


class Actor(AnyActor):
    """An actor at a table of Insurance Hearts, and the actor's commands."""

    GAME = INSURANCE_HEARTS

    def insures(self, number: int) -> Command:
        return WriteSlip(by=self.by, insurance=number)

    def calls_foot(self, number: int = 0) -> Command:
        return WriteSlip(by=self.by, insurance=number, foot=True)

    def passes(self, faces: str) -> Command:
        return PassCards(by=self.by, cards=tuple(faces.split()))

    def bids(self, card: str, points: int, *, showing: str) -> Command:
        return PlaceBid(by=self.by, card=card, points=points, shown=showing)

    def bids_nothing(self, *, showing: str) -> Command:
        return MakeNoBid(by=self.by, shown=showing)

    def chooses(self, card: str) -> Command:
        return ChooseLeftover(by=self.by, card=card)

    def plays(self, card: str) -> Command:
        return PlayCard(by=self.by, card=card)


host, service, stranger = Actor(HOST), Actor(SERVICE), Actor(PLAYER)


def seat(number: int) -> Actor:
    return Actor(seat_actor(number))


EVERYBODY = tuple(map(seat, range(1, 5)))
