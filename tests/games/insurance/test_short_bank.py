"""A banker who cannot pay every bet: I-PAY.2."""

import pytest

from service.games.common_events import GameEnded
from service.games.insurance.events import HandEnded, HandSettled, PlayerKnockedOut
from service.games.insurance.state import able
from tests.games.insurance.actors import seat
from tests.games.insurance.table import Table, a_game, a_table


def shortfalls(table: Table) -> dict[int, int]:
    """Return the chips that the banker could not pay, by seat; seats that were paid in full are left out."""
    return {one.seat: one.short for one in table.settled().results if one.short}


def test_a_banker_pays_in_order_until_the_chips_run_out_and_pays_the_last_winner_in_part() -> None:  # PAYOUT; I-PAY.2
    table = a_table(25, 100, 100, 100).bets_lie(10, 20, 30).when_dealt("2s")
    assert table.moved() == [
        ("bet:2", "stack:2", 10),
        ("stack:1", "stack:2", 10),
        ("bet:3", "stack:3", 20),
        ("stack:1", "stack:3", 15),
        ("bet:4", "stack:4", 30),
    ]
    assert shortfalls(table) == {3: 5, 4: 30}
    table.has(stacks=(0, 110, 115, 100), bets=(0, 0, 0, 0))


def test_winners_are_paid_in_order_from_the_bankers_left() -> None:  # PAYOUT; I-PAY.1, I-PAY.2, G.5
    table = a_table(100, 100, 15, 100, banker=3).bets_lie(10, 10, 10).when_dealt("2s")
    assert [one.seat for one in table.settled().results] == [4, 1, 2]
    assert shortfalls(table) == {1: 5, 2: 10}


def test_the_winners_own_bets_always_go_back() -> None:  # PAYOUT; I-PAY.2
    table = a_table(10, 100, 100).bets_lie(10, 50).when_dealt("2s")
    assert ("bet:3", "stack:3", 50) in table.moved()
    table.has(stacks=(0, 110, 100))


def test_the_bets_collected_first_pay_the_winners() -> None:  # PAYOUT; I-PAY.1, I-PAY.2
    table = a_table(10, 100, 100, 100).bets_lie(40, 20, 10).dealt("9s").offers_lie(1, 1, 7)
    table.next_cards("Td 8d 9d").when_answered(4)  # Seat 4 ties, so its insurance goes back and pays nobody.
    assert shortfalls(table) == {2: 10}
    table.has(stacks=(0, 130, 80, 100))


@pytest.mark.parametrize(("card", "short"), [("Ac", {2: 4, 3: 10}), ("8d", {2: 4}), ("9d", {2: 20})])
def test_insurance_of_winners_and_losers_is_collected_before_the_bank_pays(
    card: str, short: dict[int, int]
) -> None:  # PAYOUT; I-PAY.1, I-PAY.2
    table = a_table(10, 100, 100).bets_lie(30, 10).dealt("9s").offers_lie(1, 16)
    table.next_cards(f"Td {card}").when_answered(3)
    assert shortfalls(table) == short


def test_an_insured_losing_bet_pays_nobody() -> None:  # PAYOUT; I-PAY.1, I-PAY.2
    table = a_table(10, 100, 100).bets_lie(30, 40).dealt("9s").offers_lie(1, 2).next_cards("Td 8d").when_answered(3)
    assert shortfalls(table) == {2: 18}
    table.has(stacks=(0, 112, 98))


@pytest.mark.parametrize(("held", "short"), [(31, {}), (30, {}), (29, {3: 1}), (20, {3: 10}), (19, {3: 11})])
def test_a_bank_is_short_only_by_the_missing_chips(held: int, short: dict[int, int]) -> None:  # PAYOUT; I-PAY.2
    table = a_table(held, 100, 100).bets_lie(10, 20).when_dealt("2s")
    assert shortfalls(table) == short
    table.has(stacks=(max(0, held - 30), 110, 120 - sum(short.values())))


def test_the_shortfall_is_owed_by_nobody() -> None:  # PAYOUT; I-PAY.2, I-BET.2
    table = a_table(10, 100, 100).bets_lie(50, 10).when_dealt("2s").then_of((HandSettled, HandEnded), ..., HandEnded)
    table.given(seat(1).buys(100)).bets_lie(10, 10).dealt("As").has(stacks=(90, 130, 90))


def test_in_the_gambling_game_a_banker_who_ran_short_stays() -> None:  # PAYOUT; I-PAY.2, I-BET.2
    table = a_table(10, 100, 100).bets_lie(50, 10).when_dealt("2s").never(PlayerKnockedOut)
    assert (able(table.state), tuple(table.state.players)) == ((2, 3), (1, 2, 3))


def test_in_the_variation_a_banker_who_ran_short_is_knocked_out() -> None:  # NON-GAMBLING VARIATION, PAYOUT; I-PAY.2
    table = a_game(15, 100, 100).bets_lie(20, 10).when_dealt("2s")
    table.then_of(
        (HandSettled, PlayerKnockedOut, HandEnded), HandSettled, PlayerKnockedOut(seat=1), HandEnded(banker=1)
    )
    assert shortfalls(table) == {2: 5, 3: 10}
    table.awaits(seat(3)).has(stacks=(0, 115, 100))


def test_a_banker_who_could_just_pay_has_also_run_out() -> None:  # NON-GAMBLING VARIATION, PAYOUT; I-PAY.2
    table = a_game(30, 100, 100).bets_lie(20, 10).when_dealt("2s")
    assert shortfalls(table) == {}
    table.then_of(PlayerKnockedOut, PlayerKnockedOut(seat=1))


def test_a_bank_that_breaks_between_two_players_ends_the_variation() -> (
    None
):  # NON-GAMBLING VARIATION, PAYOUT; I-PAY.2, G.7
    table = a_game(15, 100).bets_lie(20).when_dealt("2s")
    table.then_of((PlayerKnockedOut, GameEnded), PlayerKnockedOut(seat=1), GameEnded)
    assert table.state.winners == (2,)
