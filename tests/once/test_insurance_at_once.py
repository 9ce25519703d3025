"""Races in Insurance: of several concurrent commands, each is recorded in full or refused with a clear code."""

from functools import partial
from typing import Any, Final

from tests.once.clients import Answer, Crowd, Person, at_once

PLAYERS: Final = 8
CHIPS: Final = 100
HANDS: Final = 6


class Table:
    """A table of Insurance with its host and players by seat; seat 1 is the first banker."""

    def __init__(self, crowd: Crowd, players: int = PLAYERS, **options: Any) -> None:  # noqa: ANN401 -- the value may be any JSON
        self.host = crowd.person("host")
        self.players = {seat: crowd.person("play") for seat in range(1, players + 1)}
        body = {"game": "insurance", "seats": players + 1, "options": options}
        self.path = self.host.post("/v1/tables", body, "open").headers["Location"]
        for seat, player in self.players.items():
            sits = player.post(f"{self.path}/seats", {"chips": CHIPS, "seat": seat}, f"sit {self.path}")
            assert sits.status == 201
        assert self.host.post(f"{self.path}/actions", {"type": "start_game"}, "start").status == 200

    @property
    def view(self) -> Any:  # noqa: ANN401 -- the value may be any JSON
        return self.host.get(self.path).json

    def at_once(self, *deeds: tuple[Person, str, dict[str, Any]]) -> list[Answer]:
        """Post all *deeds* (player, action type, members) at the same time; return the responses in their order."""
        key = f"at {self.view['position']}"
        return at_once(
            [
                partial(who.post, f"{self.path}/actions", {"type": kind, **members}, f"{key} {number}")
                for number, (who, kind, members) in enumerate(deeds)
            ]
        )

    def do(self, who: Person, kind: str, **members: Any) -> Answer:  # noqa: ANN401 -- the value may be any JSON
        (answer,) = self.at_once((who, kind, members))
        return answer

    def total(self) -> int:
        """Return the sum of the balances of all accounts but the house's."""
        return sum(held for account, held in self.view["balances"].items() if account != "house")

    def to_the_offers(self) -> None:
        """Play hands until a hand reaches the phase "offering"."""
        while True:
            view = self.view["view"]
            banker = self.players[view["banker"]]
            bets = [
                (self.players[seat], "place_bet", {"chips": 10}) for seat in view["players"] if seat != view["banker"]
            ]
            assert {answer.status for answer in self.at_once(*bets)} == {200}
            assert self.do(banker, "deal_hand").status == 200
            if self.view["view"]["phase"] == "offering":
                return

    def finish_hand(self) -> None:
        while (seen := self.view)["hand_is_running"]:
            assert self.do(self.host, "call_time").status in {200, 409}, seen


def test_simultaneous_bets_and_offers_are_all_recorded(crowd: Crowd) -> None:
    table = Table(crowd)
    table.to_the_offers()  # All bets are posted at the same time.
    waiting = table.view["view"]["to_offer"]
    assert len(waiting) == PLAYERS - 1
    answers = table.at_once(*((table.players[seat], "offer_insurance", {"chips": seat}) for seat in waiting))
    assert [answer.status for answer in answers] == [200] * len(waiting)
    seen = table.view
    assert seen["view"]["phase"] == "accepting"
    assert {seat: seen["balances"][f"offer:{seat}"] for seat in waiting} == {seat: seat for seat in waiting}
    assert table.total() == PLAYERS * CHIPS


def test_only_one_of_a_simultaneous_acceptance_and_refusal_happens(crowd: Crowd) -> None:
    table = Table(crowd, 4)
    for _ in range(HANDS):
        table.to_the_offers()
        view = table.view["view"]
        assert {answer.status for answer in _offers(table, view["to_offer"])} == {200}
        banker = table.players[view["banker"]]
        deeds = [
            (banker, kind, {"seat": seat})
            for seat in view["to_offer"]
            for kind in ("accept_insurance", "refuse_insurance")
        ]
        answers = table.at_once(*deeds)
        by_seat = [sorted(answer.status for answer in answers[at : at + 2]) for at in range(0, len(answers), 2)]
        assert by_seat == [[200, 409]] * len(view["to_offer"])
        refused = {answer.json["code"] for answer in answers if answer.status == 409}
        assert refused <= {"offer_must_lie_in_its_zone", "offers_must_lie"}
        assert not table.view["hand_is_running"]
        assert table.total() == 4 * CHIPS


def _offers(table: Table, seats: list[int]) -> list[Answer]:
    return table.at_once(*((table.players[seat], "offer_insurance", {"chips": 1}) for seat in seats))


def test_a_player_who_leaves_or_sits_out_during_a_bet_is_either_in_the_hand_or_not(crowd: Crowd) -> None:
    table = Table(crowd, 5)
    for kind in ("sit_out", "leave_seat", "sit_out"):
        view = table.view["view"]
        bets, goes, *_ = [seat for seat in view["players"] if seat != view["banker"]]
        bet, gone = table.at_once((table.players[bets], "place_bet", {"chips": 10}), (table.players[goes], kind, {}))
        assert bet.status == 200
        seen = table.view
        assert seen["hand_is_running"]
        if kind == "leave_seat" and gone.status == 200:
            assert seen["seats"][goes - 1]["player"] == ""
            del table.players[goes]
        elif gone.status == 200:
            assert goes in seen["view"]["sitting_out"]
        else:
            assert (gone.status, gone.json["code"]) == (409, "hand_must_be_over")
        assert (goes in seen["view"]["players"]) == (gone.status == 409)
        table.finish_hand()
        assert table.total() == -table.view["balances"]["house"]


def test_time_called_while_a_bet_arrives_places_one_bet(crowd: Crowd) -> None:
    table = Table(crowd, 3)
    for _ in range(HANDS):
        view = table.view["view"]
        first, second = (seat for seat in view["players"] if seat != view["banker"])
        assert table.do(table.players[first], "place_bet", chips=10).status == 200
        called, bet = table.at_once((table.host, "call_time", {}), (table.players[second], "place_bet", {"chips": 15}))
        assert called.status == 200  # Calling time bets for the player, or deals for the banker if the bet came first.
        if bet.status == 200:
            assert table.total() == 3 * CHIPS
        else:
            assert (bet.status, bet.json["code"]) == (409, "bet_must_stand")
            assert table.view["balances"][f"bet:{second}"] == 10
        table.finish_hand()
        assert table.total() == 3 * CHIPS


def test_a_table_closed_while_somebody_bets_is_closed_or_plays_on(crowd: Crowd) -> None:
    table = Table(crowd, 3)
    view = table.view["view"]
    bets = next(seat for seat in view["players"] if seat != view["banker"])
    closed, bet = table.at_once((table.host, "close_table", {}), (table.players[bets], "place_bet", {"chips": 10}))
    assert sorted((closed.status, bet.status)) == [200, 409]
    if closed.status == 200:
        assert bet.json["code"] == "game_must_be_under_way"
        assert set(table.view["balances"].values()) == {0}
    else:
        assert closed.json["code"] == "hand_must_be_over"
        assert table.total() == 3 * CHIPS
