"""The options that players agree on before the game: options 1 and 2."""

import pytest
from msgspec.structs import replace

from service.games.bankrupt.events import HandThrownIn, RoundDead, RoundWon
from service.games.bankrupt.options import Options
from service.games.common_commands import OptionValue
from service.games.common_events import CardsShown
from tests.games.bankrupt.actors import host, seat
from tests.games.bankrupt.table import Table, a_table, four_players
from tests.games.expected import shows, some


def shown_by_agreement(*hands: str) -> Table:
    return a_table(*(50,) * len(hands), show_one_card=True).dealt(*hands).when_played_out()


def test_by_agreement_one_card_is_shown_if_one_card_is_enough() -> None:  # Rule 13; Option 1; BO1.1
    table = shown_by_agreement("As Qd", "8c 2d", "3h 9c", "Tc 4d")
    table.then(..., shows({1: "As", 2: "8c", 3: "9c", 4: "Tc"}), some(RoundWon, winner=1), ...)


def test_the_second_card_is_shown_if_the_highest_ties_with_the_winners() -> None:  # Rule 15; Option 1; BO1.1
    table = shown_by_agreement("As Qd", "Ac 2d", "9h 3c", "Tc 4d")
    table.then(..., shows({1: "As Qd", 2: "Ac 2d", 3: "9h", 4: "Tc"}), some(RoundWon, winner=1), ...)


def test_one_card_is_enough_if_the_highest_cards_have_the_same_value_and_different_ranks() -> None:  # Option 1; BO1.1
    table = shown_by_agreement("Ks 4d", "Qc 9d", "9h 3c", "Tc 4h")
    table.then(..., shows({1: "Ks", 2: "Qc", 3: "9h", 4: "Tc"}), some(RoundWon, winner=1), ...)


def test_losers_whose_highest_cards_tie_show_one_card_each() -> None:  # Option 1; BO1.1
    table = shown_by_agreement("As Qd", "9c 2d", "9h 3c", "Tc 4d")
    table.then(..., shows({1: "As", 2: "9c", 3: "9h", 4: "Tc"}), some(RoundWon, winner=1), ...)


def test_a_winning_pair_is_shown_whole() -> None:  # Rules 10, 16; Option 1; BO1.1
    table = shown_by_agreement("8s 8d", "Ac 2d", "9h 3c", "Tc 4d")
    table.then(..., shows({1: "8s 8d", 2: "Ac", 3: "9h", 4: "Tc"}), some(RoundWon, winner=1), ...)


def test_a_loser_whose_highest_card_has_the_rank_of_the_winning_pair_shows_both_cards() -> (
    None
):  # Rule 16; Option 1; BO1.1
    table = shown_by_agreement("8s 8d", "8c 2d", "9h 3c", "Tc 4d")
    table.then(..., shows({1: "8s 8d", 2: "8c 2d", 3: "9h", 4: "Tc"}), some(RoundWon, winner=1), ...)


def test_a_losing_pair_shows_its_first_dealt_card_alone() -> None:  # Rule 16; Option 1; BO1.1
    table = shown_by_agreement("8s 8d", "4d 4c", "9h 3c", "Tc 4h")
    table.then(..., shows({1: "8s 8d", 2: "4d", 3: "9h", 4: "Tc"}), some(RoundWon, winner=1), ...)


def test_all_who_tie_in_a_dead_round_show_both_cards() -> None:  # Rules 9, 17; Option 1; BO1.1
    table = shown_by_agreement("As Qd", "Ac Qh", "9h 3c", "Ad 4d")
    table.then(..., shows({1: "As Qd", 2: "Ac Qh", 3: "9h", 4: "Ad"}), RoundDead, ...)


def test_pairs_that_tie_in_a_dead_round_are_shown_whole() -> None:  # Rules 10, 17; Option 1; BO1.1
    table = shown_by_agreement("8s 8d", "8c 8h", "4h 4c", "Ad 4d")
    table.then(..., shows({1: "8s 8d", 2: "8c 8h", 3: "4h", 4: "Ad"}), RoundDead, ...)


def test_a_card_that_was_not_shown_stays_hidden() -> None:  # Option 1; BO1.1, G.6
    table = shown_by_agreement("As Qd", "8c 2d", "9h 3c", "Tc 4d")
    for viewer in (0, 2, 3, 4):
        assert table.seen_by(viewer).cards[1] == ("As", "??")
    assert table.seen_by(1).cards[1] == ("As", "Qd")
    assert "Qd" not in repr(table.emitted)


def test_without_agreement_both_cards_are_shown() -> None:  # Rule 13; Option 1; BO1.1
    assert Options().show_one_card is False
    table = four_players().dealt("As Qd", "8c 2d", "9h 3c", "Tc 4d").when_played_out()
    table.then_of(CardsShown, shows({1: "As Qd", 2: "8c 2d", 3: "9h 3c", 4: "Tc 4d"}))


def test_the_shown_cards_do_not_change_the_payments() -> None:  # Option 1; BO1.1
    hands = ("8s 8d", "8c 2d", "4h 4c", "Ad 4d")
    by_agreement, by_rule = shown_by_agreement(*hands), four_players().dealt(*hands).when_played_out()
    assert by_agreement.state.balances == by_rule.state.balances


def test_three_dead_rounds_and_two_throw_ins_in_a_row_are_the_default() -> None:  # Rules 11, 17; Option 2; BO2.1
    assert (Options().max_dead_rounds, Options().max_throw_ins_in_a_row) == (3, 2)


def test_no_throw_in_at_all_may_be_agreed_on() -> None:  # Rule 11; Option 2; B11.3, BO2.1
    table = four_players(max_throw_ins_in_a_row=0).given(seat(4).deals())
    table.refuses(seat(1).throws_in(), "throw_ins_in_a_row_must_be_within_the_limit", rule="11", ruling="B11.3").may(
        seat(1), seat(1).holds(), seat(1).exchanges(1)
    )


@pytest.mark.parametrize("allowed", [1, 3])
def test_another_number_of_throw_ins_may_be_agreed_on(allowed: int) -> None:  # Rule 11; Option 2; B11.3, BO2.1
    table = four_players(max_throw_ins_in_a_row=allowed)
    for _ in range(allowed):
        table.given(seat(table.state.dealer).deals())
        table.held_up_to(1).when(seat(1).throws_in()).then(some(HandThrownIn, seat=1)).when_played_out()
    table.given(seat(table.state.dealer).deals()).held_up_to(1)
    table.refuses(seat(1).throws_in(), "throw_ins_in_a_row_must_be_within_the_limit", rule="11", ruling="B11.3")


@pytest.mark.parametrize(
    "options",
    [
        {"max_dead_rounds": 0},
        {"max_throw_ins_in_a_row": -1},
        {"buy_in": 0},
        {"buy_in": True},
        {"show_one_card": 1},
        {"max_dead_rounds": "3"},
        {"free_beer": True},
    ],
)
def test_options_are_the_games_own_within_their_ranges(options: dict[str, OptionValue]) -> None:  # Option 2; BO2.1
    Table().refuses(replace(host.opens(), options=options), "options_must_be_the_games", ruling="BO2.1")
