"""Races in Insurance Hearts: when all four players choose at the same time, each choice is recorded once."""

# ruff: noqa: ANN401 -- JSON may be any value

from functools import partial
from itertools import count
from typing import Any, Final

from service.secrets.commitments import field_commitment
from tests.once.clients import Answer, Crowd, a_hundredfold, at_once

SEATS: Final = (1, 2, 3, 4)
MANY: Final = 16


class Table:
    """A table of Insurance Hearts, its host, and its players by seat."""

    def __init__(self, crowd: Crowd, **options: Any) -> None:
        self.host = crowd.person("host")
        self.players = {seat: crowd.person("play") for seat in SEATS}
        self.path = self.host.post("/v1/tables", {"game": "insurance_hearts", "options": options}, "open").headers[
            "Location"
        ]
        self.actions = f"{self.path}/actions"
        for seat, player in self.players.items():
            assert player.post(f"{self.path}/seats", {"chips": 0, "seat": seat}, f"sit {self.path}").status == 201
        assert self.host.post(self.actions, {"type": "start_game"}, "start").status == 200
        self._keys = (f"key {number}" for number in count(1))

    def seen(self, seat: int = 0) -> Any:
        """Return the view of the table for the player of *seat*, or for the host (0)."""
        return (self.players[seat] if seat else self.host).get(self.path).json

    def hand(self, seat: int) -> list[str]:
        return list(self.seen(seat)["view"]["hands"][str(seat)])

    def deal(self) -> None:
        dealer = self.players[self.seen()["view"]["dealer"]]
        assert dealer.post(self.actions, {"type": "deal_hand"}, next(self._keys)).status == 200

    def at_once(self, bodies: dict[int, dict[str, Any]]) -> list[Answer]:
        """Post *bodies*, by seat, at the same time. Check that all are recorded, and that the server was never busy."""
        before = len(self.stream())
        works = [
            partial(self.players[seat].post, self.actions, body, next(self._keys)) for seat, body in bodies.items()
        ]
        answers = at_once(works)
        assert [answer.status for answer in answers] == [200] * len(bodies), answers
        assert [player.put_off for player in self.players.values()] == [0] * len(SEATS)
        decided = [one["leaf"]["by"] for one in self.stream()[before:] if "cmd" in one["leaf"]]
        assert sorted(decided) == [f"seat:{seat}" for seat in bodies]
        assert len({answer.json["position"] for answer in answers}) == len(bodies)
        return answers

    def stream(self, seat: int = 0) -> list[Any]:
        return list((self.players[seat] if seat else self.host).get(f"{self.path}/events?limit=1000").json["items"])

    def opened(self, field: str, seat: int = 0) -> list[Any]:
        """List the author's seat and the value of each opening of *field* that *seat* may read (0: the host).

        The list is in the order of disclosure. Each value is checked against its commitment.
        """
        stream = self.stream(seat)
        found = []
        for one in (one for event in stream for one in event["fields"] if one["field"] == field):
            leaf = stream[one["position"] - 1]["leaf"]
            salt = bytes.fromhex(one["salt"])
            assert (
                field_commitment(one["stream"], one["position"], field, salt, one["value"]) == leaf["priv"][field]["c"]
            )
            found.append((int(leaf["pub"]["seat"]), one["value"]))
        return found

    def play_out(self) -> None:
        while self.seen()["hand_is_running"]:
            assert self.host.post(self.actions, {"type": "call_time"}, next(self._keys)).status == 200


def test_simultaneous_slips_passes_and_bids_are_each_recorded_once(crowd: Crowd) -> None:
    table = Table(crowd)
    for caller in SEATS:  # In each hand one player calls a foot, which cancels the hand.
        table.deal()
        table.at_once({seat: _slip(seat, foot=seat == caller) for seat in SEATS})
        assert not table.seen()["hand_is_running"]
        assert table.seen()["view"]["feet_used"] == list(range(1, caller + 1))
    table.deal()
    table.at_once({seat: _slip(seat) for seat in SEATS})
    passed = {seat: table.hand(seat)[:3] for seat in SEATS}
    table.at_once({seat: {"type": "pass_cards", "cards": passed[seat]} for seat in SEATS})
    for seat in SEATS:
        assert set(table.hand(seat)) >= set(passed[seat - 1 or 4])
        assert sorted(table.opened("cards", seat)) == sorted(
            [(seat, passed[seat]), (seat - 1 or 4, passed[seat - 1 or 4])]
        )
    card = table.seen()["view"]["auction"][0]
    bids = {seat: {"card": card, "points": 10 + seat, "shown": table.hand(seat)[-1]} for seat in SEATS}
    table.at_once({seat: {"type": "place_bid", **bid} for seat, bid in bids.items()})
    assert sorted(table.opened("bid")) == sorted(bids.items())
    assert table.seen()["view"]["gained"] == {"4": card}
    table.play_out()
    assert sorted(table.opened("insurance")) == [(seat, seat) for seat in SEATS]
    assert sorted(table.opened("cards")) == sorted(passed.items())
    assert [value for _, value in table.opened("foot")].count(True) == len(SEATS)


def test_many_identical_posts_of_a_slip_a_pass_and_a_bid_make_one_event_each(crowd: Crowd) -> None:
    for fills_in in (1, 4):  # This seat posts many times: seat 1 before the others choose, seat 4 after them.
        table = Table(crowd)
        table.deal()
        others = [seat for seat in SEATS if seat != fills_in]
        _many(crowd, table, fills_in, others, {seat: _slip(seat) for seat in SEATS})
        passes = {seat: {"type": "pass_cards", "cards": table.hand(seat)[-3:]} for seat in SEATS}
        _many(crowd, table, fills_in, others, passes)
        bids = {seat: {"type": "make_no_bid", "shown": table.hand(seat)[0]} for seat in SEATS}
        _many(crowd, table, fills_in, others, bids)
        kinds = [one["leaf"]["type"] for one in table.stream()]
        assert [kinds.count(kind) for kind in ("slip_written", "pass_chosen", "bid_written")] == [4, 4, 4]
        assert [kinds.count(kind) for kind in ("foot_told", "cards_passed", "bids_opened")] == [1, 1, 1]


def test_of_two_simultaneous_slips_of_a_player_one_is_recorded(crowd: Crowd) -> None:
    table = Table(crowd)
    table.deal()
    twins = [crowd.twin(table.players[1]) for _ in range(8)]
    answers = at_once(
        [partial(twin.post, table.actions, _slip(number % 7), f"slip {number}") for number, twin in enumerate(twins)]
    )
    assert sorted(answer.status for answer in answers) == [200] + [409] * 7
    assert {answer.json["code"] for answer in answers if answer.status == 409} == {"choice_must_stand"}
    (number_on_slip,) = [number % 7 for number, answer in enumerate(answers) if answer.status == 200]
    assert table.opened("insurance", 1) == [(1, number_on_slip)]


def test_time_called_while_a_slip_arrives_leaves_one_slip_of_each_seat(crowd: Crowd) -> None:
    table = Table(crowd, foot=False)
    table.deal()
    table.at_once({seat: _slip(seat) for seat in (1, 2, 3)})
    called, slip = at_once(
        [
            partial(table.host.post, table.actions, {"type": "call_time"}, "time"),
            partial(table.players[4].post, table.actions, _slip(4), "slip"),
        ]
    )
    assert called.status == 200  # The call of time writes the slip, or passes cards if the slip came first.
    ours = slip.status == 200
    assert ours or slip.json["code"] == "slips_must_be_awaited"
    assert table.opened("insurance", 4) == [(4, 4 if ours else 0)]
    assert [one["leaf"]["type"] for one in table.stream()].count("slip_written") == 4


def _slip(insurance: int, *, foot: bool = False) -> dict[str, Any]:
    return {"type": "write_slip", "insurance": insurance, "foot": foot}


def _many(crowd: Crowd, table: Table, seat: int, others: list[int], bodies: dict[int, dict[str, Any]]) -> None:
    """Post the choice of *seat* many times concurrently: after the *others* choose if *seat* is 4, else before."""
    is_last = seat == SEATS[-1]
    if is_last:
        table.at_once({other: bodies[other] for other in others})
    before = len(table.stream())
    answer = a_hundredfold(crowd, table.players[seat], table.actions, bodies[seat], MANY)
    assert len(table.stream()) == before + len(answer.json["events"])
    assert (len(answer.json["events"]) > 1) == is_last
    if not is_last:
        table.at_once({other: bodies[other] for other in others})
