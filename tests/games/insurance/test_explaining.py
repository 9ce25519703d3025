"""The reason for every transfer: the rule, the ruling, and the cards compared."""

import pytest

from service.games.insurance import INSURANCE
from service.games.insurance.accounts import bet, insurance
from service.games.payouts import Payout
from service.ledger import CHIPS, stack
from tests.games.insurance.actors import host, seat, stranger
from tests.games.insurance.table import NON_GAMBLING, Table, a_game, a_table, an_open_table


def payouts(table: Table) -> tuple[Payout, ...]:
    """Return the payouts of the settlement."""
    return INSURANCE.explain(table.settled())


def test_a_payout_names_the_compared_cards_and_the_reason() -> None:  # PAYOUT; I-PAY.1
    table = a_table(100, 100).bets_lie(10).dealt("Qs").offers_lie(4).next_cards("Kd").when_answered(2)
    kept, own, won = payouts(table)
    assert kept == Payout(
        source=insurance(2),
        target=stack(1),
        amount=4,
        unit=CHIPS,
        rule="PAYOUT",
        ruling="I-PAY.1",
        formula="banker Qs, player Kd: won, and the banker keeps the insurance",
        cards=("Qs", "Kd"),
    )
    assert (own.source, own.target, own.amount, own.rule, own.ruling) == (bet(2), stack(2), 10, "PAYOUT", "I-PAY.1")
    assert (won.source, won.target, won.amount, won.rule, won.ruling) == (stack(1), stack(2), 10, "PAYOUT", "I-PAY.1")
    assert won.formula == "banker Qs, player Kd: won, one to one"


@pytest.mark.parametrize(
    ("card", "insured", "expected"),
    [
        ("8d", (), [("PAYOUT", "I-PAY.1", "banker 9s, player 8d: lost")]),
        (
            "8d",
            (2,),
            [
                ("PAYOUT", "I-PAY.1", "banker 9s, player 8d: lost, and the banker keeps the insurance"),
                ("PAYOUT", "I-PAY.1", "banker 9s, player 8d: lost, and insured, so the bet goes back"),
            ],
        ),
        (
            "9d",
            (2,),
            [
                ("WINNING", "I-DEAL2.1", "banker 9s, player 9d: tied, so all goes back"),
                ("WINNING", "I-DEAL2.1", "banker 9s, player 9d: tied, so all goes back"),
            ],
        ),
    ],
)
def test_every_outcome_has_its_reason(
    card: str, insured: tuple[int, ...], expected: list[tuple[str, str, str]]
) -> None:  # WINNING, PAYOUT; I-PAY.1, I-DEAL2.1
    table = a_table(100, 100).bets_lie(10).dealt("9s").offers_lie(4).next_cards(card).when_answered(*insured)
    assert [(one.rule, one.ruling, one.formula) for one in payouts(table)] == expected
    assert all(one.cards == ("9s", card) for one in payouts(table))


def test_if_only_the_bankers_card_decides_then_it_is_named_alone() -> None:  # FIRST ROUND DEAL; I-DEAL1.1
    (lost,) = payouts(a_table(100, 100).bets_lie(10).when_dealt("As"))
    assert (lost.rule, lost.ruling) == ("FIRST ROUND DEAL", "I-DEAL1.1")
    assert (lost.cards, lost.formula) == (("As",), "banker As: lost")
    own, won = payouts(a_table(100, 100).bets_lie(10).when_dealt("2s"))
    assert (own.source, won.source, won.formula) == (bet(2), stack(1), "banker 2s: won, one to one")
    for paid in (own, won):
        assert (paid.rule, paid.ruling, paid.cards, paid.amount) == ("FIRST ROUND DEAL", "I-DEAL1.1", ("2s",), 10)


def test_a_shortfall_is_explained_with_the_part_that_was_paid() -> None:  # PAYOUT; I-PAY.2
    (_, whole, _, part, own) = payouts(a_table(15, 100, 100, 100).bets_lie(10, 20, 30).when_dealt("2s"))
    assert (whole.amount, whole.ruling) == (10, "I-DEAL1.1")
    assert (part.amount, part.ruling) == (5, "I-PAY.2")
    assert "the banker could pay only 5 of the 20 chips won" in part.formula
    assert (own.source, own.amount, own.ruling) == (bet(4), 30, "I-PAY.2")
    assert own.formula.endswith("own bet goes back; the banker could pay nothing of the 30 chips won")
    table = a_table(14, 100, 100).bets_lie(10, 10).dealt("9s").offers_lie(1, 1).next_cards("Td Th").when_answered()
    assert [(one.amount, one.ruling) for one in payouts(table) if one.source == stack(1)] == [
        (10, "I-PAY.1"),
        (4, "I-PAY.2"),
    ]


@pytest.mark.parametrize("form", ["gambling", NON_GAMBLING])
def test_before_the_start_a_player_who_leaves_and_all_players_of_a_closed_table_get_the_buy_in_back(
    form: str,
) -> None:  # G.4
    table = an_open_table(players=2, form=form, buy_in=100).when(seat(1).leaves(), host.closes())
    returned = [(one.rule, one.ruling, one.formula) for event in table.emitted for one in INSURANCE.explain(event)]
    assert returned == [("G.4", "G.4", "buy-in returned")] * 2


def test_each_transfer_is_explained_by_its_ruling() -> None:  # G.7, I-BET.1, I-BET.2, I-OFFER.2, I-ACC.1
    opened = an_open_table(players=1).when(stranger.sits_down(2))
    assert opened.why_moved() == [("seat_taken", "G.7")]
    table = a_table(100, 100, 100).when(seat(1).buys(5), seat(2).bets(10), seat(3).bets(10))
    assert table.why_moved() == [
        ("chips_bought", "I-BET.2"),
        ("bet_placed", "I-BET.1"),
        ("bet_placed", "I-BET.1"),
    ]
    table.dealt("9s").when(seat(2).offers(3), seat(3).offers(4), seat(1).insures(2))
    assert table.why_moved() == [*[("insurance_offered", "I-OFFER.2")] * 2, ("insurance_accepted", "I-ACC.1")]
    table.next_cards("Td 8d").when(seat(1).refuses(3))
    assert table.why_moved() == [("insurance_refused", "I-ACC.1"), ("hand_settled", "I-PAY.1")]
    table.when(seat(2).leaves(), host.closes())
    assert table.why_moved() == [("seat_left", "G.7"), ("table_closed", "G.7")]
    over = a_game(100, 10).bets_lie(10).when_dealt("As")
    assert over.why_moved() == [("hand_settled", "I-DEAL1.1"), ("game_ended", "G.7")]
