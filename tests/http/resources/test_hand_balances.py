"""The balances of a hand add up: the opening balance of each account plus its net change is its closing balance."""

# ruff: noqa: ANN401 -- JSON may be any value

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import pytest

from service.games import CURRENT
from service.ledger import Transfer, account_seat, book, nets
from tests.http.service import Service, Table, accepted
from tests.play.hearts import play_on

MOST_HANDS = 8


def _played(service: Service, game: str, seed: int) -> Table:
    """Return a table at which random players played some hands, and perhaps a part of another hand."""
    played = CURRENT[game]
    options: Mapping[str, Any] = played.sample_tables.bench
    table = Table(service, played.seats.default, game=game, **options).started()
    stream_id = bytes.fromhex(table.id.removeprefix("tbl_"))
    play_on(service.parts, stream_id, Random(seed), lambda state: state.hand > MOST_HANDS)
    return table


def _transfers(table: Table) -> list[tuple[int, list[Transfer]]]:
    """Return the transfers of every event, with the position of the event."""
    items, after = [], 0
    while page := accepted(table.host.get(f"{table.path}/events?limit=1000&after={after}")).json["items"]:
        items += [one["leaf"] for one in page]
        after = items[-1]["position"]
    return [(one["position"], [Transfer(*moved) for moved in one["pub"].get("transfers", ())]) for one in items]


def _between(moved: Sequence[tuple[int, list[Transfer]]], first: int, last: int) -> list[Transfer]:
    return [transfer for position, several in moved if first <= position <= last for transfer in several]


@pytest.fixture(autouse=True)
def _the_same_cards(quick_service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """Shuffle alike in every run, so that the games always have the same length."""
    chance = Random(1)
    monkeypatch.setattr(quick_service.parts.clock, "secret", lambda: chance.randbytes(32))


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("game", CURRENT)
def test_opening_plus_net_is_the_closing_and_transfers_between_hands_lead_to_the_next_opening(
    quick_service: Service, game: str, seed: int
) -> None:
    table = _played(quick_service, game, seed)
    moved = _transfers(table)
    listed = accepted(table.host.get(f"{table.path}/hands")).json["items"]
    assert len(listed) > 1
    closed: dict[str, int] = {}
    closed_at = 0
    for one in listed:
        view = accepted(table.host.get(f"{table.path}/hands/{one['hand']}")).json
        accounts = {account["account"]: account for account in view["accounts"]}
        held = {name: account["opening"] for name, account in accounts.items()}
        before, _ = book(closed, _between(moved, closed_at + 1, one["first"] - 1))
        assert {**dict.fromkeys(held, 0), **before} == held
        closed = {name: account["closing"] for name, account in accounts.items()}
        after, _ = book(held, _between(moved, one["first"], one["last"]))
        assert {**held, **after} == closed
        assert all(account["opening"] + account["net"] == account["closing"] for account in accounts.values())
        assert sum(account["net"] for account in accounts.values()) == 0
        at_its_end = accepted(table.host.get(f"{table.path}/balances?at={one['last']}")).json["balances"]
        assert {**dict.fromkeys(closed, 0), **at_its_end} == closed
        _must_sum_up(view, len(table.players))
        closed_at = one["last"]


def _must_sum_up(view: Any, seats: int) -> None:
    """Check that `opening`, `net` and `closing` of each seat are the sums over its accounts."""
    assert [one["seat"] for one in view["seats"]] == list(range(1, seats + 1))
    for one in view["seats"]:
        own = [account for account in view["accounts"] if account_seat(account["account"]) == one["seat"]]
        for member in ("opening", "net", "closing"):
            assert one[member] == sum(account[member] for account in own)
        assert {account["unit"] for account in own} == {one["unit"]}


def test_the_transfers_of_a_running_hand_add_up_so_far(quick_service: Service) -> None:
    table = Table(quick_service, 3, buy_in=12).dealt()
    view = accepted(table.host.get(f"{table.path}/hands/1")).json
    assert [(one["seat"], one["opening"], one["net"], one["closing"]) for one in view["seats"]] == [
        (seat, 12, 0, 12) for seat in (1, 2, 3)
    ]
    found = {one["account"]: (one["opening"], one["net"], one["closing"]) for one in view["accounts"]}
    assert found == {
        "house": (-36, 0, -36),
        **{f"ante:{seat}": (0, 9, 9) for seat in (1, 2, 3)},
        **{f"stack:{seat}": (12, -9, 3) for seat in (1, 2, 3)},
    }


def test_a_hand_that_is_called_off_changes_no_score(quick_service: Service) -> None:
    table = Table(quick_service, 4, game="insurance_hearts").started()
    stream_id = bytes.fromhex(table.id.removeprefix("tbl_"))
    play_on(quick_service.parts, stream_id, Random(1), lambda state: state.hand > 1, feet={1})
    view = accepted(table.host.get(f"{table.path}/hands/1")).json
    assert [(one["account"], one["unit"], one["closing"]) for one in view["accounts"]] == [
        (f"score:{seat}", "points", 0) for seat in range(1, 5)
    ]


def test_the_cost_of_a_bid_is_explained_by_the_bought_card(quick_service: Service) -> None:
    table = _played(quick_service, "insurance_hearts", 3)
    found = 0
    for one in accepted(table.host.get(f"{table.path}/hands")).json["items"]:
        view = accepted(table.host.get(f"{table.path}/hands/{one['hand']}")).json
        page = accepted(table.host.get(f"{table.path}/events?after={one['first'] - 1}&limit=300")).json["items"]
        sold = [
            (f"score:{each['seat']}", each["card"], each["points"])
            for leaf in (item["leaf"] for item in page)
            if leaf["type"] == "auction_settled" and leaf["position"] <= one["last"]
            for each in leaf["pub"]["sold"]
        ]
        told = [(each["payout"]["target"], *each["payout"]["cards"], each["payout"]["amount"])
                for each in view["payouts"] if each["payout"]["ruling"] == "IH.10"]  # fmt: skip
        assert sorted(told) == sorted(each for each in sold if each[2]) or not one["is_settled"]
        found += len(told)
    assert found


def test_nets_are_the_sums_of_transfers() -> None:
    moved = [Transfer("a", "b", 3, "chips", "1"), Transfer("b", "c", 1, "chips", "1")]
    assert nets(moved) == {"a": -3, "b": 2, "c": 1}
