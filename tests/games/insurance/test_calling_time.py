"""Decisions that the service makes when time is called: G.3."""

import pytest
from msgspec.structs import replace

from service.games import seating
from service.games.common_events import CardsDealt
from service.games.game import Decision
from service.games.insurance import INSURANCE
from service.games.insurance.events import (
    BetPlaced,
    DealBegun,
    HandBegun,
    HandEnded,
    HandSettled,
    InsuranceOffered,
    InsuranceRefused,
)
from tests.games.expected import some
from tests.games.insurance.actors import host, seat, service, stranger
from tests.games.insurance.table import Table, a_game, a_table, an_open_table
from tests.games.table import nothing_sealed


def betting() -> Table:
    return a_table(100, 100, 100, 100, banker=2).given(seat(4).bets(20))


def to_deal() -> Table:
    return betting().given(seat(3).bets(20), seat(1).bets(20)).next_cards("9s")


def offering() -> Table:
    return to_deal().given(seat(2).deals(), seat(3).offers(5))


def accepting() -> Table:
    return offering().given(seat(4).offers(6), seat(1).offers(7))


def at_every_kind_of_decision() -> list[Table]:
    return [betting(), to_deal(), offering(), accepting()]


def test_a_player_who_does_not_bet_places_the_least_bet_from_the_bankers_left() -> None:  # BET; G.3, G.5, I-BET.4
    table = betting()
    table.when(host.calls_time()).then(some(BetPlaced, seat=3, chips=10)).awaits(seat(1))
    table.when(host.calls_time()).then(some(BetPlaced, seat=1, chips=10)).awaits(seat(2))


@pytest.mark.parametrize(("held", "bets", "least"), [(100, (), 10), (6, (), 6), (100, (15,), 15), (12, (15,), 12)])
def test_the_least_bet_of_the_variation_is_the_standard_or_all_chips_of_the_player(
    held: int, bets: tuple[int, ...], least: int
) -> None:  # NON-GAMBLING VARIATION; I-BET.3, I-BET.4
    table = a_game(100, 100, held, bets=bets).given(seat(2).bets(15))
    table.when(host.calls_time()).then(some(BetPlaced, seat=3, chips=least))


def test_a_deal_not_started_in_time_is_started() -> None:  # FIRST ROUND DEAL; G.3, I-DEAL1.2
    to_deal().when(host.calls_time()).then(DealBegun(banker=2, called="host"), ..., CardsDealt, ...).awaits(
        seat(3), seat(4), seat(1)
    )


def test_a_player_who_does_not_offer_offers_one_chip() -> None:  # INSURANCE OFFER; G.3, G.5, I-OFFER.3
    table = offering().when(host.calls_time()).then(some(InsuranceOffered, seat=4, chips=1)).awaits(seat(1))
    table.when(host.calls_time()).then(some(InsuranceOffered, seat=1, chips=1)).awaits(seat(2))


def test_a_banker_who_does_not_answer_refuses() -> None:  # ACCEPTANCE; G.3, I-ACC.2
    table = accepting()
    for number in (3, 4):
        table.when(host.calls_time()).then(some(InsuranceRefused, seat=number)).awaits(seat(2))
    table.when(host.calls_time()).then(some(InsuranceRefused, seat=1), CardsDealt, ..., HandSettled, HandEnded)


def test_between_hands_nothing_moves_by_itself() -> None:  # BET; G.4, I-BET.4
    for table in (a_table(100, 100), a_table(9, 9), a_table(100, 100).bets_lie(10).dealt("As")):
        for caller in (host, service):
            table.refuses(caller.calls_time(), "hand_must_be_under_way", rule="BET", ruling="I-BET.4")


def test_in_the_variation_nobody_can_leave_and_nobody_can_hold_up_the_next_hand() -> None:  # G.3, I-BET.4
    for caller in (host, service):
        table = a_game(100, 100, 100).may(host, host.calls_time())
        table.when(caller.calls_time()).then(some(BetPlaced, seat=2, chips=10), HandBegun)


def test_within_a_hand_the_host_may_always_call_time() -> None:  # G.3
    for table in at_every_kind_of_decision():
        table.may(host, host.calls_time())


def test_the_service_may_call_time_for_a_time_limit() -> None:  # G.3
    for table, other in zip(at_every_kind_of_decision(), at_every_kind_of_decision(), strict=True):
        by_limit, by_host = table.when(service.calls_time()).emitted, other.when(host.calls_time()).emitted
        assert by_limit == (replace(by_host[0], called="limit"), *by_host[1:])


def test_no_player_may_call_time() -> None:  # G.3
    for table in at_every_kind_of_decision():
        for other in (seat(1), seat(2), stranger):
            table.refuses(other.calls_time(), "host_must_ask", ruling="G.4")


def test_a_decision_of_the_service_is_marked_as_such_and_names_the_seat() -> None:  # G.3
    for table, number in zip(at_every_kind_of_decision(), (3, 2, 4, 3), strict=True):
        decision = table.when(host.calls_time()).emitted[0]
        assert seating.author(host.calls_time(), decision) == service.by
        assert getattr(decision, "seat", getattr(decision, "banker", 0)) == number


def test_a_decision_of_the_service_can_be_decided_again() -> None:  # G.3
    for table in at_every_kind_of_decision():
        table.when_decided_again(host.calls_time(), service.by)
    for table in at_every_kind_of_decision():
        table.when_decided_again(service.calls_time(), service.by)


def test_a_players_decision_is_not_recorded_as_a_decision_of_the_service() -> None:  # G.3
    for table, number in zip(at_every_kind_of_decision(), (3, 2, 4, 2), strict=True):
        (action, *_) = table.listed(seat(number))
        assert (
            INSURANCE.command_of(table.when(action.command).emitted[0], seat(number).by, nothing_sealed)
            == action.command
        )
    answer = accepting().when(seat(2).refuses(4)).emitted[0]
    assert INSURANCE.command_of(answer, seat(2).by, nothing_sealed) == seat(2).refuses(4)


def test_time_is_called_for_one_decision_at_a_time() -> None:  # G.3
    for table in at_every_kind_of_decision():
        decisions = [event for event in table.when(host.calls_time()).emitted if isinstance(event, Decision)]
        assert len(decisions) == 1


def test_there_is_no_decision_to_call_for_before_the_game_and_after_it() -> None:  # G.3, G.4
    for table in (an_open_table(players=2), a_game(100, 10).bets_lie(10).dealt("As"), Table()):
        table.refuses(host.calls_time(), "game_must_be_under_way", ruling="G.4")


def test_a_hand_can_be_played_to_its_end_by_calling_time_alone() -> None:  # G.3, G.4
    for table in at_every_kind_of_decision():
        while table.state.hand_is_running:
            table.given(host.calls_time())
        assert table.state.hand == 1
