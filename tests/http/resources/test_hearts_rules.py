"""Insurance Hearts over HTTP: the listed choices, the refusals, and the decisions that the service makes."""

# ruff: noqa: ANN401 -- JSON may be any value

from typing import Any

import pytest

from service.cards import rank, suit
from tests.http.hearts import SEATS, Hearts
from tests.http.service import Person, Service, accepted, refused

START_UP = {"s": 3, "h": 2, "d": 1, "c": 0}
SUITS = "cdhs"


def _items(person: Person, table: Hearts) -> list[Any]:
    return list(accepted(person.get(f"{table.path}/actions")).json["items"])


def _refused(person: Person, table: Hearts, code: str, ruling: str, **body: Any) -> Any:
    """Check that the rules refuse *body*, also as a dry run, with *code* and *ruling*; return the problem's details."""
    for query in ("", "?dry_run=true"):
        details = refused(person.post(f"{table.path}/actions{query}", body), 409, code)
        assert details["ruling"] == ruling
    return details


def _strength(card: str) -> tuple[int, int]:
    return SUITS.index(suit(card)), rank(card)


def test_a_slip_is_offered_with_its_bounds_and_a_foot_is_offered_while_a_foot_is_left(service: Service) -> None:
    table = Hearts(service)
    table.dealt()
    bounds = [{"member": "insurance", "least": 0, "most": 6}]
    slip, foot = _items(table.players[1], table)
    assert (slip["action"], slip["bounds"]) == ({"type": "write_slip", "insurance": 0, "foot": False}, bounds)
    assert (foot["action"], foot["bounds"]) == ({"type": "write_slip", "insurance": 0, "foot": True}, bounds)
    assert (slip["rule"], slip["ruling"], foot["rule"], foot["ruling"]) == ("Insurance", "IH.2", "Foot Rule", "IH.4")
    table.slips(feet=(1,)).dealt_again()
    assert [len(_items(table.players[seat], table)) for seat in SEATS] == [1, 2, 2, 2]
    details = _refused(table.players[1], table, "foot_must_be_left", "IH.4", type="write_slip", insurance=0, foot=True)
    assert details["rule"] == "Foot Rule"
    table.slip(1)
    assert _items(table.players[1], table) == []
    _refused(table.players[1], table, "choice_must_stand", "IH.2", type="write_slip", insurance=1)


def test_only_the_listed_cards_are_accepted(service: Service) -> None:
    table = Hearts(service)
    table.dealt()
    table.slips()
    for seat, player in table.players.items():
        (item,) = _items(player, table)
        hand = table.hand(seat)
        assert item["choices"] == [{"member": "cards", "among": hand, "count": 3}]
        elses = table.hand(seat % 4 + 1)[0]
        details = _refused(player, table, "card_must_be_held", "H-PASS.1", type="pass_cards", cards=[*hand[:2], elses])
        assert elses not in details["detail"]
        for cards in ([hand[0]] * 3, hand[:2], hand[:4]):
            refused(player.do(table.path, "pass_cards", cards=cards), 422, "request_must_have_its_shape")
        accepted(player.post(f"{table.path}/actions?dry_run=true", item["action"]))
    table.passes()
    for seat, player in table.players.items():
        items, hand = _items(player, table), table.hand(seat)
        assert [item["action"]["type"] for item in items] == ["place_bid"] * 4 + ["make_no_bid"]
        assert all(item["choices"] == [{"member": "shown", "among": hand, "count": 0}] for item in items)
        for item in items[:4]:
            least = START_UP[suit(item["action"]["card"])]
            assert item["bounds"] == [{"member": "points", "least": least, "most": 999}]
            if least:
                _refused(
                    player, table, "bid_must_be_within_its_bounds", "IH.7", **{**item["action"], "points": least - 1}
                )
        elses = table.hand(seat % 4 + 1)[0]
        _refused(player, table, "card_must_be_held", "IH.7", type="make_no_bid", shown=elses)
        _refused(
            player,
            table,
            "card_must_be_up_for_auction",
            "IH.7",
            type="place_bid",
            card=hand[0],
            points=9,
            shown=hand[0],
        )


def test_a_hand_has_received_and_bought_cards_and_givers_see_their_passed_cards(service: Service) -> None:
    table = Hearts(service)
    table.dealt()
    table.slips()
    before = {seat: table.hand(seat) for seat in SEATS}
    passed = {seat: cards[:3] for seat, cards in before.items()}
    table.passes((1, 2, 3))
    assert table.hand(1) == before[1], "nothing changes hands before all have chosen"
    table.passes((4,))
    now = {seat: {*before[seat][3:], *passed[seat - 1 or 4]} for seat in SEATS}
    for seat in SEATS:
        assert set(table.hand(seat)) == now[seat]
        seen = table.view(table.players[seat])["view"]["hands"]
        assert sorted(seen[str(seat % 4 + 1)]) == sorted([*passed[seat], *["??"] * 9])
        assert seen[str((seat + 1) % 4 + 1)] == ["??"] * 12
    table.bids()
    while table.view()["view"]["phase"] == "choosing":
        table.call_time()
    gained = table.view()["view"]["gained"]
    assert sorted(gained) == ["1", "2", "3", "4"]
    for seat in SEATS:
        assert set(table.hand(seat)) == {*now[seat], gained[str(seat)]}
        assert gained[str(seat)] in table.view()["view"]["hands"][str(seat)]


def test_tricks_are_played_by_the_rules(service: Service) -> None:
    table = Hearts(service).begun()
    seat, hand = table.due_seat, table.hand(table.due_seat)
    other = next(card for card in hand if card != "2c")
    assert _refused(table.due, table, "two_of_clubs_must_lead", "H-LEAD.1", type="play_card", card=other)["rule"]
    assert _refused(table.others[0], table, "turn_must_be_yours", "H-FOLLOW.1", type="play_card", card="2c")["rule"]
    elses = table.hand(seat % 4 + 1)[0]
    assert (
        elses
        not in _refused(table.due, table, "card_must_be_held", "H-FOLLOW.1", type="play_card", card=elses)["detail"]
    )
    is_seen = False
    while table.view()["hand_is_running"]:
        view, hand = table.view(), table.hand(table.due_seat)
        items = _items(table.due, table)
        legal = [item["action"]["card"] for item in items]
        if trick := view["view"]["trick"]:
            led = suit(trick[0]["card"])
            off = [card for card in hand if suit(card) != led]
            if off and len(off) < len(hand):
                details = _refused(
                    table.due, table, "suit_must_be_followed", "H-FOLLOW.1", type="play_card", card=off[0]
                )
                assert details["rule"] == "standard rules"
                assert [item["action"] for item in details["actions"]] == [item["action"] for item in items]
                assert set(legal) == set(hand) - set(off)
                is_seen = True
        elif not view["view"]["hearts_are_broken"] and legal[0] != "2c" and set(hand) != set(legal):
            heart = next(card for card in hand if suit(card) == "h")
            _refused(table.due, table, "hearts_must_be_broken", "H-BREAK.1", type="play_card", card=heart)
        accepted(table.due.do(table.path, "play_card", card=legal[-1]))
    assert is_seen


def test_a_seat_costs_nothing_and_points_are_worth_nothing(service: Service) -> None:
    table = Hearts(service)
    details = refused(table.players[1].post(f"{table.path}/seats", {"chips": 5}), 409, "seat_must_cost_nothing")
    assert details["ruling"] == "H-SCORE.2"
    host = service.person("host")
    worth = {"game": "insurance_hearts", "worth": {"currency": "EUR", "minor": 10}}
    assert refused(host.post("/v1/tables", worth), 409, "worth_must_be_of_chips")["ruling"] == "H-SCORE.2"
    five = {"game": "insurance_hearts", "seats": 5}
    refused(host.post("/v1/tables", five), 422, "request_must_have_its_shape")
    for seat in (1, 2, 3):
        accepted(table.players[seat].post(f"{table.path}/seats", {"chips": 0, "seat": seat}), 201)
    assert table.host.do(table.path, "start_game").status_code == 409
    accepted(table.players[4].post(f"{table.path}/seats", {"chips": 0}), 201)
    accepted(table.host.do(table.path, "start_game"))


def test_the_host_calls_time_in_every_phase_and_the_service_makes_the_documented_decision(service: Service) -> None:
    table = Hearts(service)
    table.started()
    phases = []
    while (view := table.view())["hand"] < 1 or view["hand_is_running"]:
        phase, due = view["view"]["phase"], view["due"]
        dealer = view["view"]["dealer"]
        seats = [int(one.removeprefix("seat:")) for one in due]
        seat = min(seats, key=lambda one: (one - dealer - 1) % 4)
        hand, left = table.hand(seat) if view["hand_is_running"] else [], view["view"]["left"]
        legal = [one["action"].get("card", "") for one in _items(table.players[seat], table)]
        for player in table.players.values():
            refused(player.do(table.path, "call_time"), 403, "scope_must_be_granted")
        (made, *_) = table.call_time()["events"]
        assert (made["leaf"]["by"], made["fields"]) == ("service", [])
        assert made["leaf"]["pub"].get("seat", dealer) == seat
        (told,) = table.events(table.players[seat], f"?after={made['leaf']['position'] - 1}&limit=1")
        sealed = {one["field"]: one["value"] for one in told["fields"]}
        match phase:
            case "slips":
                assert sealed == {"insurance": 0, "foot": False}
            case "passing":
                highest = sorted(hand, key=lambda card: (rank(card), SUITS.index(suit(card))), reverse=True)
                assert sealed == {"cards": highest[:3]}
            case "bidding":
                assert sealed == {"bid": {"card": "", "points": 0, "shown": min(hand, key=_strength)}}
            case "choosing":
                assert made["leaf"]["pub"]["card"] == max(left, key=_strength)
            case "playing":
                lowest = min(legal, key=lambda card: (rank(card), SUITS.index(suit(card))))
                assert made["leaf"]["pub"]["card"] == lowest
            case _:
                assert made["leaf"]["type"] == "hand_dealt"
        phases.append(phase)
    assert [phases.count(one) for one in ("between_hands", "slips", "passing", "bidding", "choosing", "playing")] == [
        1,
        4,
        4,
        4,
        3,
        52,
    ]


@pytest.mark.parametrize("visibility", ["public", "private"])
def test_everybody_may_choose_for_themselves_and_for_nobody_else(service: Service, visibility: str) -> None:
    table = Hearts(service, visibility=visibility)
    for player in table.players.values():
        accepted(table.host.post(f"{table.path}/seats", {"chips": 0, "player": player.owner}), 201)
    accepted(table.host.do(table.path, "start_game"))
    accepted(table.due.do(table.path, "deal_hand"))
    unknown = {"public": 403, "private": 404}[visibility]
    cases = [
        (service.spectator, 401),
        (service.person("play"), unknown),
        (service.person("audit", "play"), unknown),
        (service.person("audit"), 403),
        (service.person("host"), 403),
        (table.host, 403),
        (table.players[2], 200),
    ]
    bodies: dict[str, list[dict[str, Any]]] = {
        "slips": [{"type": "write_slip", "insurance": 2}],
        "passing": [{"type": "pass_cards", "cards": ["2c", "3c", "4c"]}],
        "bidding": [
            {"type": "make_no_bid", "shown": "2c"},
            {"type": "place_bid", "card": "2c", "points": 3, "shown": "3c"},
        ],
    }
    moves = {"slips": table.slips, "passing": table.passes, "bidding": table.bids}
    for phase, move in moves.items():
        assert table.view()["view"]["phase"] == phase
        mine = _items(table.players[2], table)[0]["action"]
        for person, status in cases:
            for body in [mine] if status == 200 else bodies[phase]:
                answer = person.post(f"{table.path}/actions?dry_run=true", body)
                assert answer.status_code == status, (phase, person.owner, answer.data)
        move()
