"""The variation in which nobody buys more chips or leaves with chips: NON-GAMBLING VARIATION."""

import pytest

from service.games.common_events import DeckRevealed, DeckUnused, GameEnded, SeatTaken
from service.games.insurance.events import HandEnded, HandSettled, PlayerKnockedOut
from service.games.insurance.state import Phase
from service.games.table_state import balance_of
from service.ledger import HOUSE, chips, stack
from tests.games.insurance.actors import host, seat, stranger
from tests.games.insurance.table import FIRST, NON_GAMBLING, SECOND, a_game, a_table, an_open_table
from tests.games.table import balances

WHY = {"rule": "NON-GAMBLING VARIATION", "ruling": "I-BET.3"}


def test_each_player_starts_with_the_same_number_of_chips() -> None:  # NON-GAMBLING VARIATION; I-BET.5
    table = an_open_table(buy_in=100, form=NON_GAMBLING)
    for pieces in (-100, 0, 1, 99, 101):
        table.refuses(
            stranger.sits_down(1, pieces=pieces),
            "buy_in_must_be_the_tables",
            rule="NON-GAMBLING VARIATION",
            ruling="I-BET.5",
        )
    table.when(stranger.sits_down(1, pieces=100)).then(SeatTaken)


def test_nobody_buys_in_once_the_game_has_started() -> None:  # NON-GAMBLING VARIATION; I-BET.3, I-BET.5, G.4
    table = an_open_table(players=2, seats=3, form=NON_GAMBLING).given(host.starts())
    table.refuses(stranger.sits_down(3, pieces=100), "game_must_not_have_started", ruling="G.4")
    table.refuses(seat(1).buys(10), "table_must_be_for_gambling", **WHY)


def test_nobody_leaves_with_chips_and_the_table_is_not_closed() -> None:  # NON-GAMBLING VARIATION; I-BET.3
    table = a_game(100, 100, 100).may(host, host.calls_time()).may(seat(1))
    table.refuses(seat(1).leaves(), "table_must_be_for_gambling", **WHY)
    table.refuses(host.closes(), "table_must_be_for_gambling", **WHY)


def test_before_the_start_a_player_leaves_and_the_host_closes_as_ever() -> None:  # NON-GAMBLING VARIATION; G.4, G.7
    table = an_open_table(players=2, form=NON_GAMBLING).given(seat(1).leaves())
    assert balances(table) == {HOUSE: -100, stack(2): 100}
    assert balances(table.given(host.closes())) == {}


def test_a_player_who_runs_out_of_chips_is_knocked_out() -> None:  # NON-GAMBLING VARIATION; I-BET.3
    table = a_game(100, 10, 100, 100).bets_lie(10, 10, 10).when_dealt("As")
    table.then_of((HandSettled, PlayerKnockedOut, HandEnded), HandSettled, PlayerKnockedOut(seat=2), HandEnded)
    assert table.seen_by(0).out == (2,)
    table.refuses(seat(2).bets(10), "player_must_be_in_the_hand", rule="BET", ruling="I-BET.3")
    table.may(seat(2))


@pytest.mark.parametrize("left", [1, 5, 9])
def test_a_player_with_fewer_than_ten_chips_has_not_run_out(left: int) -> None:  # NON-GAMBLING VARIATION; I-BET.3
    table = a_game(100, 10 + left, 100).bets_lie(10, 10).when_dealt("As").never(PlayerKnockedOut)
    table.awaits(seat(3), seat(1)).has(stacks=(120, left, 90))  # Seat 2 is the banker now.


def test_in_the_gambling_game_nobody_is_knocked_out() -> None:  # NON-GAMBLING VARIATION; I-BET.2, I-BET.3, G.4
    table = a_table(100, 10).bets_lie(10).when_dealt("As").never(PlayerKnockedOut, GameEnded)
    table.has(stacks=(110, 0)).given(seat(2).buys(10)).awaits(seat(1))


def test_a_player_who_insured_the_bet_with_the_last_chip_is_not_knocked_out() -> (
    None
):  # NON-GAMBLING VARIATION, PAYOUT; I-BET.3
    for card, left in (("8d", 10), ("9d", 15), ("Td", 20)):
        table = a_game(100, 15, 100).bets_lie(10, 10).dealt("9s").offers_lie(5, 1).next_cards(f"{card} 8h")
        assert balance_of(table.when_answered(2).never(PlayerKnockedOut).state, stack(2)) == left


def test_the_bet_rises_with_each_knock_out() -> None:  # NON-GAMBLING VARIATION; I-BET.3
    table = a_game(200, 10, 200, 200, bets=(10, 15, 40))
    assert table.seen_by(0).standard_bet == 10
    table.bets_lie(10, 10, 10).dealt("As")
    assert (table.seen_by(0).standard_bet, table.seen_by(0).least_bet) == (15, 15)
    assert table.bounds(seat(1)) == {"PlaceBet": (15, 15)}
    table.bets_lie(15, 15).dealt("Ad")
    assert table.seen_by(0).standard_bet == 15


def test_two_knock_outs_in_one_hand_are_two_steps() -> None:  # NON-GAMBLING VARIATION; I-BET.3
    table = a_game(200, 10, 200, 10, bets=(10, 15, 40)).bets_lie(10, 10, 10).when_dealt("As")
    table.then_of(PlayerKnockedOut, PlayerKnockedOut(seat=2), PlayerKnockedOut(seat=4))
    assert table.seen_by(0).standard_bet == 40


@pytest.mark.parametrize("bets", [(10,), (10, 15), (10, 12, 15), (10, 11, 12, 15)])
def test_after_the_last_step_the_bet_does_not_rise(bets: tuple[int, ...]) -> None:  # NON-GAMBLING VARIATION; I-BET.3
    table = a_game(200, 10, 10, 10, 10, 200, bets=bets).bets_lie(*[10] * 5).dealt("As")
    assert (len(table.state.out), table.seen_by(0).standard_bet) == (4, bets[-1])


def test_without_a_schedule_the_bet_stays_free() -> None:  # NON-GAMBLING VARIATION; I-BET.3
    table = a_game(200, 10, 200).bets_lie(10, 10).dealt("As")
    assert (table.seen_by(0).standard_bet, table.seen_by(0).least_bet) == (0, 10)


def test_players_are_knocked_out_in_order_from_the_bankers_left_with_the_banker_last() -> (
    None
):  # NON-GAMBLING VARIATION; I-PAY.2, G.5
    table = a_game(10, 100, 10, 10, banker=3).bets_lie(10, 10, 40).dealt("9s").offers_lie(1)
    table.next_cards("8d 8h Td").when_answered()
    table.then_of(PlayerKnockedOut, PlayerKnockedOut(seat=4), PlayerKnockedOut(seat=1), PlayerKnockedOut(seat=3))


def test_the_last_player_remaining_wins_and_is_paid_out() -> None:  # NON-GAMBLING VARIATION; I-BET.5, G.4, G.6, G.7
    table = a_game(100, 10, 10).bets_lie(10, 10).when_dealt("As")
    paid = chips(stack(1), HOUSE, 120, rule="G.7")
    table.then(
        ...,
        HandSettled,
        *(PlayerKnockedOut(seat=2), PlayerKnockedOut(seat=3), HandEnded(banker=1)),
        GameEnded(winners=(1,), transfers=(paid,)),
        DeckRevealed(epoch=FIRST, server_seed=table.decks.server_seed(FIRST)),
        DeckUnused(epoch=SECOND, server_seed=table.decks.server_seed(SECOND)),
    ).awaits()
    assert (table.state.status, table.state.winners, table.state.phase) == ("finished", (1,), Phase.OVER)
    assert balances(table) == {}


def test_nobody_does_anything_after_the_end() -> None:  # NON-GAMBLING VARIATION; G.4
    table = a_game(100, 10).bets_lie(10).dealt("As").may(host).may(seat(1)).may(seat(2))
    for command in (seat(2).bets(10), seat(1).deals(), seat(2).offers(1), seat(1).insures(2), host.calls_time()):
        table.refuses(command, "game_must_be_under_way", ruling="G.4")
    for command in (stranger.sits_down(2), seat(1).leaves(), host.closes(), host.starts()):
        table.refuses(command, "game_must_not_have_started", ruling="G.4")
