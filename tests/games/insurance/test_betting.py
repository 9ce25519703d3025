"""The bets before the deal, and sitting out: BET, NON-GAMBLING VARIATION."""

import pytest

from service.games.common_events import CardsDealt
from service.games.game import MOST_CHIPS, Refusal
from service.games.insurance.accounts import bet
from service.games.insurance.betting import place_bet
from service.games.insurance.commands import PlaceBet
from service.games.insurance.events import BetPlaced, HandBegun, HandSatOut, SatIn
from service.ledger import chips, stack
from tests.games.insurance.actors import host, seat, service, stranger
from tests.games.insurance.table import a_game, a_table, an_open_table

PHASE = {"rule": "BET", "ruling": "G.4"}
OUT = {"rule": "BET", "ruling": "I-BET.2"}


def test_a_bet_is_laid_from_the_stack() -> None:  # BET; I-BET.1
    laid = chips(stack(2), bet(2), 10, rule="BET")
    table = a_table(100, 100, 100).when(seat(2).bets(10))
    table.then(
        BetPlaced(seat=2, chips=10, begins_hand=1, transfers=(laid,)),
        HandBegun(hand=1, banker=1, players=(1, 2, 3)),
    )
    table.has(stacks=(100, 90, 100), bets=(0, 10, 0))


def test_only_the_first_bet_begins_a_hand() -> None:  # BET; I-END.2
    a_table(100, 100, 100).given(seat(2).bets(10)).when(seat(3).bets(10)).then(BetPlaced)


def test_bets_are_placed_in_any_order() -> None:  # BET; I-BET.1
    table = a_table(100, 100, 100, 100, banker=3).awaits(seat(4), seat(1), seat(2))
    table.given(seat(2).bets(12)).awaits(seat(4), seat(1))
    table.given(seat(4).bets(10)).awaits(seat(1))
    table.given(seat(1).bets(30)).awaits(seat(3)).has(bets=(30, 12, 0, 10))


@pytest.mark.parametrize("amount", [10, 11, 57, 100])
def test_a_bet_is_ten_or_more_up_to_all_that_its_player_has(amount: int) -> None:  # BET; I-BET.1
    table = a_table(100, 100)
    assert table.bounds(seat(2))["PlaceBet"] == (10, 100)
    table.when(seat(2).bets(amount)).has(bets=(0, amount), stacks=(100, 100 - amount))


@pytest.mark.parametrize("amount", [-10, 0, 1, 9, 101, MOST_CHIPS])
def test_a_bet_is_not_less_than_ten_nor_more_than_its_player_has(amount: int) -> None:  # BET; I-BET.1
    a_table(100, 100).refuses(seat(2).bets(amount), "bet_must_be_within_its_bounds", rule="BET", ruling="I-BET.1")


def test_every_player_but_the_banker_bets() -> None:  # BET, INTRODUCTION; I-BET.1
    table = a_table(100, 100, 100)
    # The banker can bet neither before any bet, nor after one bet, nor after both.
    for command in (seat(2).bets(10), seat(3).bets(10), seat(1).deals()):
        table.refuses(seat(1).bets(10), "banker_must_not_bet", rule="BET", ruling="I-BET.1")
        assert "PlaceBet" not in table.bounds(seat(1))
        table.next_cards("9s").given(command)


def test_a_placed_bet_cannot_be_changed() -> None:  # BET; I-BET.1
    table = a_table(100, 100, 100).given(seat(2).bets(10))
    for amount in (10, 20):
        table.refuses(seat(2).bets(amount), "bet_must_stand", rule="BET", ruling="I-BET.1")
    table.may(seat(2))


def test_somebody_without_a_seat_bets_nothing() -> None:  # BET; I-BET.1
    table = a_table(100, 100)
    for other in (host, stranger, service, seat(3)):
        table.refuses(other.bets(10), "player_must_be_in_the_hand", **OUT)


def test_bets_are_placed_before_the_deal_and_not_after_it() -> None:  # BET; I-BET.1, G.4
    table = a_table(100, 100).bets_lie(10).dealt("9s")
    table.refuses(seat(2).bets(10), "bets_must_be_open", **PHASE)
    table.given(seat(2).offers(1)).refuses(seat(2).bets(10), "bets_must_be_open", **PHASE)


def test_no_bet_is_placed_before_the_start() -> None:  # BET; G.4
    an_open_table(players=2).refuses(seat(2).bets(10), "game_must_be_under_way", ruling="G.4")


def test_a_player_may_sit_out_a_hand_before_betting() -> None:  # BET; I-BET.2
    table = a_table(100, 100, 100).may(seat(3), seat(3).bets(10), seat(3).sits_out(), seat(3).buys(1), seat(3).leaves())
    table.when(seat(3).sits_out()).then(HandSatOut(seat=3)).awaits(seat(2))
    table.refuses(seat(3).bets(10), "player_must_be_in_the_hand", **OUT)
    table.when(seat(2).bets(10)).then(BetPlaced, HandBegun(hand=1, banker=1, players=(1, 2))).awaits(seat(1))


def test_a_player_may_sit_the_hand_out_after_others_have_bet() -> None:  # BET; I-BET.2
    table = a_table(100, 100, 100, 100).given(seat(2).bets(10)).may(seat(3), seat(3).bets(10), seat(3).sits_out())
    table.when(seat(3).sits_out()).then(HandSatOut(seat=3)).awaits(seat(4))
    assert table.state.playing == (1, 2, 4)
    table.refuses(seat(3).bets(10), "player_must_be_in_the_hand", **OUT)


def test_when_the_last_bet_awaited_is_sat_out_the_banker_may_deal() -> None:  # BET; I-BET.2, G.4
    table = a_table(100, 100, 100).given(seat(2).bets(10), seat(3).sits_out()).awaits(seat(1)).when_dealt("Ks 9d")
    table.then_of(CardsDealt, CardsDealt(epoch=table.state.epoch, cards=((0, 1),)), ...)
    assert [one.seat for one in table.settled().results] == [2]


def test_the_banker_and_a_player_who_has_bet_do_not_sit_the_hand_out() -> None:  # BET; I-BET.2
    table = a_table(100, 100, 100, 100).given(seat(2).bets(10))
    for number in (1, 2):
        table.refuses(seat(number).sits_out(), "hand_must_be_one_to_sit_out", **OUT)
    table.given(seat(3).sits_out()).refuses(seat(3).sits_out(), "hand_must_be_one_to_sit_out", **OUT)


def test_a_hand_is_sat_out_once() -> None:  # BET; I-BET.2
    table = a_table(100, 100, 100, 100).given(seat(3).sits_out())
    table.refuses(seat(3).sits_out(), "hand_must_be_one_to_sit_out", **OUT)


def test_the_next_banker_may_sit_out_before_the_first_bet_and_is_passed_over() -> None:  # BET; I-BET.2, I-END.2
    table = a_table(100, 100, 100).given(seat(1).sits_out()).awaits(seat(3))
    table.when(seat(3).bets(10)).then(BetPlaced, HandBegun(hand=1, banker=2, players=(2, 3)))


def test_sitting_out_that_would_leave_fewer_than_two_able_to_play_is_refused() -> None:  # BET; I-BET.2
    table = a_table(100, 100, 100).given(seat(2).sits_out())
    for number in (1, 3):
        table.refuses(seat(number).sits_out(), "enough_must_be_able_to_play", **OUT)
    table.may(seat(1), seat(1).buys(1), seat(1).leaves())
    table.may(seat(3), seat(3).bets(10), seat(3).buys(1), seat(3).leaves())
    table.given(seat(2).sits_in()).may(
        seat(3), seat(3).bets(10), seat(3).sits_out(), seat(3).buys(1), seat(3).leaves()
    ).when(seat(3).sits_out()).then(HandSatOut(seat=3))


def test_if_two_are_able_to_play_neither_of_them_sits_out_but_others_may() -> None:  # BET; I-BET.2
    table = a_table(100, 100, 9)
    for number in (1, 2):
        table.refuses(seat(number).sits_out(), "enough_must_be_able_to_play", **OUT)
    table.may(seat(1), seat(1).buys(1), seat(1).leaves())
    table.may(seat(3), seat(3).sits_out(), seat(3).buys(1), seat(3).leaves())


@pytest.mark.parametrize("stacks", [(100, 9), (9, 9), (100, 9, 9)])
def test_if_fewer_than_two_are_able_to_play_nobody_sits_out(stacks: tuple[int, ...]) -> None:  # BET; I-BET.2
    table = a_table(*stacks)
    for number, _ in enumerate(stacks, start=1):
        table.refuses(seat(number).sits_out(), "enough_must_be_able_to_play", **OUT)
        table.may(seat(number), seat(number).buys(1), seat(number).leaves())


def test_within_a_hand_at_least_the_banker_and_one_bettor_stay() -> None:  # BET; I-BET.2
    table = a_table(100, 100, 100, 100).given(seat(2).bets(10))
    table.when(seat(3).sits_out()).then(HandSatOut(seat=3))
    table.when(seat(4).sits_out()).then(HandSatOut(seat=4)).awaits(seat(1))
    assert table.state.playing == (1, 2)


def test_only_a_seated_player_sits_out_and_only_before_the_deal() -> None:  # BET; I-BET.2, G.4
    table = a_table(100, 100, 100)
    for other in (seat(4), host, stranger):
        table.refuses(other.sits_out(), "player_must_have_a_seat", ruling="G.4")
    table.bets_lie(10, 10).dealt("9s").refuses(seat(2).sits_out(), "bets_must_be_open", **PHASE)
    an_open_table(players=3).refuses(seat(2).sits_out(), "game_must_be_under_way", ruling="G.4")


def test_a_player_who_sat_out_is_in_the_next_hand_again() -> None:  # BET; I-BET.2
    table = a_table(100, 100, 100).given(seat(3).sits_out()).bets_lie(10).dealt("As")
    assert table.state.sitting_out == frozenset()
    table.awaits(seat(3), seat(1))


@pytest.mark.parametrize("held", [1, 9])
def test_a_player_with_fewer_than_ten_chips_sits_the_hand_out(held: int) -> None:  # BET; I-BET.2
    table = a_table(100, 100, held).awaits(seat(2))
    table.refuses(seat(3).bets(held), "player_must_be_in_the_hand", **OUT)
    table.when(seat(2).bets(10)).then(BetPlaced, HandBegun(hand=1, banker=1, players=(1, 2))).awaits(seat(1))
    table.refuses(seat(3).bets(held), "player_must_be_in_the_hand", **OUT)
    table.refuses(seat(3).sits_out(), "hand_must_be_one_to_sit_out", **OUT).may(seat(3))


@pytest.mark.parametrize("held", [0, 1, 9])
def test_a_player_may_sit_out_with_any_number_of_chips(held: int) -> None:  # BET; I-BET.2
    table = a_table(100, 100, 10).given(seat(2).bets(10), seat(3).bets(10)).dealt("As")  # Seat 3 has nothing left.
    if held:
        table.given(seat(3).buys(held))
    table.may(seat(3), seat(3).sits_out(), seat(3).buys(1), seat(3).leaves())
    table.when(seat(3).sits_out()).then(HandSatOut(seat=3)).awaits(seat(1))
    assert table.seen_by(0).sitting_out == (3,)
    table.refuses(seat(3).sits_out(), "hand_must_be_one_to_sit_out", **OUT)


def test_a_player_who_sits_out_and_buys_chips_still_sits_out() -> None:  # BET; I-BET.2, I-END.2
    table = a_table(9, 100, 100).given(seat(1).sits_out(), seat(1).buys(91)).awaits(seat(3))
    assert (table.state.sitting_out, table.seen_by(0).banker) == (frozenset({1}), 2)
    table.refuses(seat(1).bets(10), "player_must_be_in_the_hand", **OUT)
    table.when(seat(3).bets(10)).then(BetPlaced, HandBegun(hand=1, banker=2, players=(2, 3)))


def test_a_short_player_who_sat_out_may_sit_in_and_plays_once_the_player_has_ten_chips() -> None:  # BET; I-BET.2
    table = a_table(100, 100, 9).given(seat(3).sits_out())
    table.may(seat(3), seat(3).sits_in(), seat(3).buys(1), seat(3).leaves())
    table.when(seat(3).sits_in()).then(SatIn(seat=3)).awaits(seat(2))
    table.given(seat(3).buys(1)).awaits(seat(2), seat(3))


def test_a_short_player_who_sits_out_never_banks_even_if_others_leave_or_chips_are_bought() -> None:  # BET; I-BET.2
    changes = (seat(2).buys(1), seat(1).leaves())
    assert a_table(100, 9, 100, 100).given(*changes).seen_by(0).banker == 2
    assert a_table(100, 9, 100, 100).given(seat(2).sits_out(), *changes).seen_by(0).banker == 3


def test_a_player_with_exactly_ten_chips_plays() -> None:  # BET; I-BET.1, I-BET.2
    table = a_table(100, 100, 10).awaits(seat(2), seat(3))
    assert table.bounds(seat(3))["PlaceBet"] == (10, 10)
    table.when(seat(3).bets(10)).has(stacks=(100, 100, 0))


@pytest.mark.parametrize("stacks", [(100, 9), (9, 100), (5, 5, 100), (1, 1)])
def test_no_hand_starts_with_fewer_than_two_able_to_play(stacks: tuple[int, ...]) -> None:  # BET; I-BET.2
    table = a_table(*stacks).awaits()
    for number, _ in enumerate(stacks, start=1):
        table.refuses(seat(number).bets(10), "enough_must_be_able_to_play", **OUT)
        assert "PlaceBet" not in table.bounds(seat(number))


def test_the_players_of_a_hand_are_settled_with_the_first_bet() -> None:  # BET; I-BET.2
    table = a_table(100, 100, 5).given(seat(3).buys(5)).awaits(seat(2), seat(3))
    table.when(seat(2).bets(10)).then(BetPlaced, HandBegun(hand=1, banker=1, players=(1, 2, 3)))


def test_in_the_non_gambling_variation_a_short_player_bets_all_chips() -> None:  # NON-GAMBLING VARIATION; I-BET.3
    table = a_game(100, 7, 100).awaits(seat(2), seat(3))
    assert (table.bounds(seat(2)), table.bounds(seat(3))) == ({"PlaceBet": (7, 7)}, {"PlaceBet": (10, 100)})
    for amount in (1, 6, 8, 10):
        table.refuses(
            seat(2).bets(amount), "bet_must_be_within_its_bounds", rule="NON-GAMBLING VARIATION", ruling="I-BET.3"
        )
    table.when(seat(2).bets(7)).then(BetPlaced, HandBegun(hand=1, banker=1, players=(1, 2, 3))).has(stacks=(100, 0))


def test_without_a_standard_bet_the_players_of_the_variation_choose_their_bets() -> (
    None
):  # NON-GAMBLING VARIATION; I-BET.1, I-BET.3
    table = a_game(100, 100)
    table.refuses(seat(2).bets(9), "bet_must_be_within_its_bounds", rule="NON-GAMBLING VARIATION", ruling="I-BET.3")
    table.when(seat(2).bets(63)).has(bets=(0, 63))


@pytest.mark.parametrize(("held", "owed"), [(100, 20), (21, 20), (20, 20), (19, 19), (7, 7)])
def test_with_a_standard_bet_everyone_bets_exactly_the_standard(
    held: int, owed: int
) -> None:  # NON-GAMBLING VARIATION; I-BET.3
    table = a_game(100, held, bets=(20, 30))
    assert table.bounds(seat(2)) == {"PlaceBet": (owed, owed)}
    for amount in (owed - 1, owed + 1, 10 if owed != 10 else 9):
        table.refuses(
            seat(2).bets(amount), "bet_must_be_within_its_bounds", rule="NON-GAMBLING VARIATION", ruling="I-BET.3"
        )
    with pytest.raises(Refusal) as refused:
        place_bet(table.state, PlaceBet(by="seat:2", chips=owed + 1))
    assert ("the standard bet" in refused.value.detail) == (owed == 20)
    table.when(seat(2).bets(owed)).has(bets=(0, owed))


def test_in_the_variation_nobody_sits_a_hand_out() -> None:  # NON-GAMBLING VARIATION; I-BET.3
    table = a_game(100, 100, 100).may(seat(2), seat(2).bets(10)).may(seat(1))
    table.refuses(seat(2).sits_out(), "table_must_be_for_gambling", rule="NON-GAMBLING VARIATION", ruling="I-BET.3")
