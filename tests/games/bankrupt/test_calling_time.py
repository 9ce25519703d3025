"""Decisions that the service makes when time is called: G.3."""

from msgspec.structs import replace

from service.games import seating
from service.games.bankrupt import BANKRUPT
from service.games.bankrupt.commands import HoldCards
from service.games.bankrupt.events import CardsHeld, OfferReturned, RoundEnded, UppingDeclined, UppingPassed
from service.games.common_events import CardsDealt, CardsShown, HandDealt
from service.games.game import Decision
from tests.games.bankrupt.actors import host, seat, service, stranger
from tests.games.bankrupt.table import Table, a_table, an_open_table, four_players
from tests.games.table import nothing_sealed


def test_a_deal_not_started_in_time_is_started() -> None:  # Rule 8; G.3, B8.1
    four_players().when(host.calls_time()).then(HandDealt(hand=1, dealer=4, called="host"), ..., CardsDealt).awaits(
        seat(1)
    )


def test_when_time_is_called_a_players_cards_are_held() -> None:  # Rule 11; G.3, B11.7
    four_players().given(seat(4).deals()).when(host.calls_time()).then(CardsHeld(seat=1, called="host")).awaits(seat(2))


def test_a_player_who_does_not_offer_passes() -> None:  # Rule 12; G.3, B12.9
    table = four_players().given(seat(4).deals()).all_hold()
    table.when(host.calls_time()).then(UppingPassed(seat=1, called="host")).awaits(seat(2))


def test_a_player_who_does_not_answer_declines() -> None:  # Rule 12; G.3, B12.9
    table = four_players().given(seat(4).deals()).all_hold().given(seat(1).offers(3))
    table.when(host.calls_time()).then(UppingDeclined(seat=2, called="host")).awaits(seat(3))


def test_consequences_also_follow_after_a_call_of_time() -> None:  # G.3, G.4
    table = a_table(50, 50).given(seat(2).deals()).all_hold().given(seat(1).offers(3))
    table.when(host.calls_time()).then(
        UppingDeclined(seat=2, called="host"), OfferReturned, CardsShown, ..., RoundEnded
    )


def at_every_kind_of_decision() -> list[Table]:
    deciding = four_players().given(seat(4).deals())
    upping = four_players().given(seat(4).deals()).all_hold()
    answering = four_players().given(seat(4).deals()).all_hold().given(seat(1).offers(3))
    return [four_players(), deciding, upping, answering]


def test_the_host_may_always_call_time() -> None:  # G.3
    for table in at_every_kind_of_decision():
        table.may(host, host.calls_time())


def test_the_service_may_call_time_for_a_time_limit() -> None:  # G.3
    for table, other in zip(at_every_kind_of_decision(), at_every_kind_of_decision(), strict=True):
        by_limit, by_host = table.when(service.calls_time()).emitted, other.when(host.calls_time()).emitted
        assert by_limit == (replace(by_host[0], called="limit"), *by_host[1:])


def test_a_table_has_no_time_limit_unless_one_is_set() -> None:  # G.3
    assert an_open_table().state.time_limit_seconds == 0


def test_no_player_may_call_time() -> None:  # G.3
    for table in at_every_kind_of_decision():
        for other in (seat(1), seat(2), seat(4), stranger):
            table.refuses(other.calls_time(), "host_must_ask", ruling="G.4")


def test_a_decision_of_the_service_is_marked_as_such_and_names_the_seat() -> None:  # G.3
    table = four_players().given(seat(4).deals())
    decision = table.when(host.calls_time()).emitted[0]
    assert decision == CardsHeld(seat=1, called="host")
    assert seating.author(host.calls_time(), decision) == service.by
    assert seating.author(seat(1).holds(), decision) == seat(1).by


def test_a_decision_of_the_service_can_be_decided_again() -> None:  # G.3
    for table in at_every_kind_of_decision():
        table.when_decided_again(host.calls_time(), service.by)
    for table in at_every_kind_of_decision():
        table.when_decided_again(service.calls_time(), service.by)


def test_a_players_decision_is_not_recorded_as_a_decision_of_the_service() -> None:  # G.3
    table = four_players().given(seat(4).deals())
    assert BANKRUPT.command_of(table.when(seat(1).holds()).emitted[0], seat(1).by, nothing_sealed) == HoldCards(
        by=seat(1).by
    )


def test_time_is_called_for_one_decision_at_a_time() -> None:  # G.3
    for table in at_every_kind_of_decision():
        decisions = [event for event in table.when(host.calls_time()).emitted if isinstance(event, Decision)]
        assert len(decisions) == 1


def test_there_is_no_decision_to_call_for_before_the_game_and_after_it() -> None:  # G.3, G.4
    for table in (an_open_table(players=2), a_table(50, 50).given(seat(1).resigns()), Table()):
        table.refuses(host.calls_time(), "game_must_be_under_way", ruling="G.4")


def test_a_game_can_be_played_to_its_end_by_calling_time_alone() -> None:  # G.3, G.4
    table = an_open_table(players=2, buy_in=1).given(host.starts())
    while table.state.status == "playing":
        assert table.state.hand < 100
        table.given(host.calls_time())
    assert table.state.status == "finished"
