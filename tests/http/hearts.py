"""A table of Insurance Hearts under test, with methods that play a hand step by step."""

# ruff: noqa: ANN401 -- JSON may be any value

from collections.abc import Iterable
from typing import Any, Final

from tests.http.service import Person, Service, Table, accepted

SEATS: Final = (1, 2, 3, 4)


class Hearts(Table):
    """A table of Insurance Hearts for four players.

    Each player writes the number of its own seat on the slip, and passes the first three cards of its hand. Seats 1 and
    2 bid ten points for the first card of the auction; the others make no bid. Each seat shows the first card of its
    hand.
    """

    def __init__(self, service: Service, **more: Any) -> None:
        super().__init__(service, 4, game="insurance_hearts", **more)

    def hand(self, seat: int) -> list[str]:
        """Return the cards that the player of *seat* sees in its own hand."""
        return list(self.view(self.players[seat])["view"]["hands"][str(seat)])

    def slip(self, seat: int, *, foot: bool = False) -> Any:
        return accepted(self.players[seat].do(self.path, "write_slip", insurance=seat, foot=foot)).json

    def give(self, seat: int) -> Any:
        return accepted(self.players[seat].do(self.path, "pass_cards", cards=self.hand(seat)[:3])).json

    def bid(self, seat: int) -> Any:
        return accepted(self.players[seat].post(f"{self.path}/actions", self.bid_of(seat))).json

    def bid_of(self, seat: int) -> dict[str, Any]:
        shown = self.hand(seat)[0]
        if seat in {1, 2}:
            return {"type": "place_bid", "card": self.view()["view"]["auction"][0], "points": 10, "shown": shown}
        return {"type": "make_no_bid", "shown": shown}

    def slips(self, seats: Iterable[int] = SEATS, feet: Iterable[int] = ()) -> "Hearts":
        for seat in seats:
            self.slip(seat, foot=seat in feet)
        return self

    def passes(self, seats: Iterable[int] = SEATS) -> "Hearts":
        for seat in seats:
            self.give(seat)
        return self

    def bids(self, seats: Iterable[int] = SEATS) -> "Hearts":
        for seat in seats:
            self.bid(seat)
        return self

    def begun(self) -> "Hearts":
        """Play the hand up to the moment when somebody must play the first card."""
        self.dealt()
        self.slips().passes().bids()
        while self.view()["view"]["phase"] == "choosing":
            self.call_time()
        return self

    def dealt_again(self) -> "Hearts":
        accepted(self.due.do(self.path, "deal_hand"))
        return self

    def call_time(self) -> Any:
        return accepted(self.host.do(self.path, "call_time")).json

    def finish(self) -> "Hearts":
        """Call time for every decision until the hand is over."""
        while self.view()["hand_is_running"]:
            self.call_time()
        return self

    def events(self, person: Person, query: str = "?limit=1000") -> list[Any]:
        return list(accepted(person.get(f"{self.path}/events{query}")).json["items"])

    def everybody(self) -> dict[str, Person]:
        """Return the players by their seats; and the host, a spectator, a stranger and an auditor by these names."""
        players = {str(seat): player for seat, player in self.players.items()}
        return {
            **players,
            "host": self.host,
            "spectator": self.service.spectator,
            "stranger": self.service.person("play"),
            "auditor": self.service.person("audit", "play"),
        }
