"""Why each chip moved: every payout with its rule, its ruling, and the cards compared."""

import pytest

from service.games.bankrupt import BANKRUPT
from service.games.bankrupt.events import CentreCollected, RoundWon
from service.games.game import Event, Payout
from service.games.rulings import RULINGS as FOR_ALL_GAMES
from service.ledger import CENTRE, CHIPS, ante, stack
from tests.games.bankrupt.actors import seat
from tests.games.bankrupt.table import Table, a_table, four_players
from tests.games.random_play import play


def payouts(table: Table, kind: type[Event]) -> tuple[Payout, ...]:
    (event,) = (event for event in table.told if isinstance(event, kind))
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
            formula="As against 8h: 3",
            cards=("As", "8h"),
        ),
    )


@pytest.mark.parametrize(
    ("stacks", "dead_rounds", "formula", "amount"),
    [
        pytest.param((50, 50), 1, "As against 4h: 7 x 2 (rounds of the streak) = 14", 14, id="rule 17"),
        pytest.param(
            (50, 11),
            1,
            "As against 4h: 7 x 2 (rounds of the streak) = 14, capped at 11 (B17.1: no more stood in the ante)",
            11,
            id="B17.1",
        ),
        pytest.param(
            (4, 50), 0, "As against 4h: 7, capped at 4 (B18.2: the winner's own ante on last legs)", 4, id="B18.2"
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


def test_the_centre_names_why_it_was_collected() -> None:  # Rules 14, 18; B12.7, B12.8
    table = a_table(50, 50, centre=7).dealt("As Qd", "8h 2c").all_hold().given(seat(1).offers(1))
    (by_offer,) = payouts(table.when(seat(2).declines()), CentreCollected)
    assert (by_offer.source, by_offer.target, by_offer.amount, by_offer.rule) == (CENTRE, stack(1), 7, "14")
    assert (by_offer.ruling, "offer or acceptance" in by_offer.formula) == ("B12.7", True)
    (by_last_legs,) = payouts(a_table(5, 50, centre=7).dealt("As Qd", "8h 2c").when_played_out(), CentreCollected)
    assert (by_last_legs.ruling, "last legs" in by_last_legs.formula) == ("B12.8", True)


def test_every_chip_that_moves_is_explained() -> None:
    for seed in range(30):
        for step in play(BANKRUPT, seed):
            for event in step.events:
                explained = [payout for payout in BANKRUPT.explain(event) if payout.amount]
                assert [(p.source, p.target, p.amount, p.unit, p.rule) for p in explained] == [
                    (t.source, t.target, t.amount, t.unit, t.rule) for t in event.transfers
                ]
                for payout in explained:
                    assert payout.ruling in {**BANKRUPT.rulings, **FOR_ALL_GAMES}
                    assert payout.formula


def test_what_moves_no_chip_has_nothing_to_explain() -> None:
    table = four_players().when(seat(4).deals())
    assert BANKRUPT.explain(table.told[0]) == ()
