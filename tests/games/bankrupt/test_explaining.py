"""The reason for every transfer: the rule, the ruling, and the cards compared."""

import pytest

from service.games.bankrupt import BANKRUPT
from service.games.bankrupt.accounts import CENTRE, ante
from service.games.bankrupt.events import CentreCollected, RoundWon
from service.games.game import Event
from service.games.payouts import Payout
from service.ledger import CHIPS, stack
from tests.games.bankrupt.actors import host, seat, stranger
from tests.games.bankrupt.table import Table, a_table, an_open_table, four_players


def payouts(table: Table, kind: type[Event]) -> tuple[Payout, ...]:
    (event,) = (event for event in table.emitted if isinstance(event, kind))
    return BANKRUPT.explain(event)


def test_a_claim_names_the_cards_compared_and_their_difference() -> None:  # Rule 15; B15.1
    assert payouts(a_table(50, 50).dealt("As Qd", "8h 2c").when_played_out(), RoundWon) == (
        Payout(
            source=ante(2),
            target=stack(1),
            amount=3,
            unit=CHIPS,
            rule="15",
            ruling="B15.1",
            formula="As against 8h: 11 - 8 = 3",
            cards=("As", "8h"),
        ),
    )


def test_a_claim_of_cards_of_one_value_says_that_it_counts_one() -> None:  # Rule 15; B15.1
    (payout,) = payouts(a_table(50, 50).dealt("Kd 2c", "Jc 3h").when_played_out(), RoundWon)
    assert (payout.formula, payout.amount) == ("Kd against Jc: 10 - 10 = 0, which counts 1", 1)


@pytest.mark.parametrize(
    ("stacks", "dead_rounds", "formula", "amount"),
    [
        pytest.param((50, 50), 1, "As against 4h: 11 - 4 = 7, 7 x 2 (rounds of the streak) = 14", 14, id="rule 17"),
        pytest.param(
            (50, 11),
            1,
            "As against 4h: 11 - 4 = 7, 7 x 2 (rounds of the streak) = 14, "
            "capped at 11 (B17.1: the ante had no more pieces)",
            11,
            id="B17.1",
        ),
        pytest.param(
            (4, 50),
            0,
            "As against 4h: 11 - 4 = 7, capped at 4 (B18.2: the winner's own ante on last legs)",
            4,
            id="B18.2",
        ),
    ],
)
def test_a_claim_names_multiplier_and_cap(
    stacks: tuple[int, ...], dead_rounds: int, formula: str, amount: int
) -> None:  # Rules 15, 17, 18; B17.1, B18.2
    table = a_table(*stacks)
    for _ in range(dead_rounds):
        table.dead_round()
    (payout,) = payouts(table.dealt("As Qd", "4h 2c").when_played_out(), RoundWon)
    assert (payout.formula, payout.amount) == (formula, amount)


def test_the_payout_of_the_centre_names_its_reason() -> None:  # Rules 14, 18; B12.7, B12.8
    table = a_table(50, 50, centre=7).dealt("As Qd", "8h 2c").all_hold().given(seat(1).offers(1))
    (by_offer,) = payouts(table.when(seat(2).declines()), CentreCollected)
    assert (by_offer.source, by_offer.target, by_offer.amount, by_offer.rule) == (CENTRE, stack(1), 7, "14")
    assert (by_offer.ruling, "offer or acceptance" in by_offer.formula) == ("B12.7", True)
    (by_last_legs,) = payouts(a_table(5, 50, centre=7).dealt("As Qd", "8h 2c").when_played_out(), CentreCollected)
    assert (by_last_legs.ruling, "last legs" in by_last_legs.formula) == ("B12.8", True)


def test_each_transfer_is_explained_by_its_ruling() -> None:  # G.4, G.7, B6.1, B6.2, B11.2, B12.3, B12.4, B12.5
    opened = an_open_table(players=1).when(stranger.sits_down(2), seat(1).leaves(), host.closes())
    assert opened.why_moved() == [("seat_taken", "G.7"), ("seat_left", "G.4"), ("table_closed", "G.4")]
    upped = four_players().when(seat(4).deals(), seat(1).throws_in(), seat(2).holds(), seat(3).holds(), seat(4).holds())
    assert upped.why_moved() == [("antes_placed", "B6.1"), ("hand_thrown_in", "B11.2")]
    upped.when(seat(2).offers(2), seat(3).accepts(), seat(4).declines())
    assert upped.why_moved() == [
        ("upping_offered", "B12.5"),
        ("upping_accepted", "B12.4"),
        ("upping_collected", "B12.3"),
    ]
    declined = a_table(50, 50).dealt("As Qd", "Ah Qc").all_hold().when(seat(1).offers(1), seat(2).declines())
    assert declined.why_moved() == [("upping_offered", "B12.5"), ("offer_returned", "B12.3")]
    won = a_table(50, 50).dealt("As Qd", "8h 2c").when_played_out()
    assert won.why_moved() == [("round_won", "B15.1"), ("antes_returned", "B6.2")]


def test_each_last_transfer_is_explained_by_its_ruling() -> None:  # B17.2, B19.1, B20.2
    dead = a_table(50, 50, centre=8, max_dead_rounds=1).dealt("As Qd", "Ah Qc").when_played_out()
    assert dead.why_moved() == [("centre_divided", "B17.2"), ("antes_returned", "B6.2")]
    over = a_table(50, 50).when(seat(2).resigns())
    assert over.why_moved() == [("player_resigned", "B19.1"), ("game_ended", "B20.2")]


def test_an_event_without_transfers_has_nothing_to_explain() -> None:
    table = four_players().when(seat(4).deals())
    assert BANKRUPT.explain(table.emitted[0]) == ()
