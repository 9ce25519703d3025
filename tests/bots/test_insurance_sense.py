"""The sensible bot at Insurance: its bets, its offers, its answers to offers, and its deal."""

from typing import Any

import pytest

from service.bots.sensible_bot import SensibleBot
from service.bots.strategies.insurance import fair_price
from service.client.table_answers import Bound, Move, Table


def table(you: int, balances: dict[str, int], **view: Any) -> Table:  # noqa: ANN401 -- the value may be any JSON
    facts: dict[str, Any] = {"banker": 1, "banker_chips": 100, "bets_total": 0, "cards": {}, **view}
    return Table(
        table="tbl_1",
        game="insurance",
        position=9,
        status="playing",
        hand=1,
        you=you,
        balances=balances,
        winners=(),
        options={},
        view=facts,
    )


def move(kind: str, least: int = 0, most: int = 0, **members: int) -> Move:
    bounds = (Bound("chips", least, most),) if most else ()
    return Move({"type": kind, **members}, bounds)


def chosen(seen: Table, *moves: Move) -> dict[str, Any]:
    return dict(SensibleBot("1").choose(moves, seen))


@pytest.mark.parametrize(("card", "price"), [("3c", 10 / 12), ("8d", 5), ("Qh", 10 * 10 / 12)])
def test_the_higher_the_bankers_card_the_more_insurance_is_worth(card: str, price: float) -> None:
    assert fair_price(10, card) == pytest.approx(price)


def test_a_bet_is_a_share_of_the_players_chips_within_its_bounds() -> None:
    bet = chosen(table(2, {}), move("place_bet", 10, 400), move("sit_out"), move("buy_chips", 1, 10**9))
    assert bet["type"] == "place_bet"
    assert 20 <= bet["chips"] <= 60
    assert chosen(table(2, {}), move("place_bet", 10, 12))["chips"] == 10
    assert chosen(table(2, {}), move("place_bet", 40, 40))["chips"] == 40


def test_a_bet_is_no_more_than_the_bank_can_pay_if_there_is_a_choice() -> None:
    short = table(2, {}, banker_chips=30, bets_total=15)
    assert chosen(short, move("place_bet", 10, 1_000))["chips"] == 15
    empty = table(2, {}, banker_chips=10, bets_total=15)
    assert chosen(empty, move("place_bet", 10, 1_000))["chips"] == 10


def test_an_offer_is_the_fair_price_or_the_least_offer() -> None:
    dear = table(2, {"bet:2": 20}, cards={"1": "Qs"})
    assert chosen(dear, move("offer_insurance", 1, 80))["chips"] == 17
    assert chosen(dear, move("offer_insurance", 1, 5))["chips"] == 5
    cheap = table(2, {"bet:2": 4}, cards={"1": "3s"})
    assert chosen(cheap, move("offer_insurance", 1, 80))["chips"] == 1


@pytest.mark.parametrize(("offered", "answer"), [(5, "accept_insurance"), (4, "refuse_insurance")])
def test_a_banker_accepts_an_offer_that_pays(offered: int, answer: str) -> None:
    seen = table(1, {"bet:3": 10, "offer:3": offered}, cards={"1": "8s"})
    moves = [move("accept_insurance", seat=3), move("refuse_insurance", seat=3)]
    assert chosen(seen, *moves) == {"type": answer, "seat": 3}


def test_a_banker_deals() -> None:
    assert chosen(table(1, {}), move("deal_hand")) == {"type": "deal_hand"}
