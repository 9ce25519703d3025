"""Upping the ante: Rule 12."""

import pytest

from service.games.bankrupt.accounts import CENTRE, offer
from service.games.bankrupt.commands import OfferUpping
from service.games.bankrupt.events import (
    CardsHeld,
    OfferReturned,
    RoundWon,
    UppingAccepted,
    UppingCollected,
    UppingDeclined,
    UppingOffered,
    UppingPassed,
)
from service.games.bankrupt.state import Phase, offer_cap
from service.games.common_events import CardsShown
from service.games.game import Bound
from service.ledger import chips, stack
from tests.games.bankrupt.actors import host, seat, service, stranger
from tests.games.bankrupt.table import Table, a_table, four_players
from tests.games.expected import some

HANDS = ("As Kd", "7c 2d", "9c 3d", "Tc 4d")


def in_the_upping(*stacks: int, dealer: int = 0) -> Table:
    """Deal, and have every player hold; *stacks* are the stacks after an ante of nine."""
    table = a_table(*(9 + pieces for pieces in stacks), dealer=dealer)
    hands = ("As Kd", "7c 2d", "9c 3d", "Tc 4d", "Jc 5d")[: len(stacks)]
    return table.dealt(*hands).all_hold()


def test_the_player_on_the_dealers_left_may_offer_or_pass() -> None:  # Rule 12; B12.1, G.5
    table = in_the_upping(41, 41, 41, 41).awaits(seat(1))
    table.may(seat(1), seat(1).offers(1), seat(1).passes()).may(seat(2)).may(seat(4))


def test_an_offer_is_laid_down_until_all_have_answered() -> None:  # Rule 12; B12.3
    (
        in_the_upping(41, 41, 41, 41)
        .when(seat(1).offers(3))
        .then(UppingOffered(seat=1, chips=3, transfers=(chips(stack(1), offer(1), 3, rule="12"),)))
        .has(stacks=(38, 41, 41, 41), offers=(3, 0, 0, 0), centre=0)
        .when(seat(2).accepts())
        .then(UppingAccepted(seat=2, chips=3, transfers=(chips(stack(2), offer(2), 3, rule="12"),)))
        .has(stacks=(38, 38, 41, 41), offers=(3, 3, 0, 0), centre=0)
    )


def test_the_others_answer_in_order_up_to_and_including_the_dealer() -> None:  # Rule 12; B12.1, G.5
    table = in_the_upping(41, 41, 41, 41).given(seat(1).offers(3))
    for number in (2, 3):
        table.awaits(seat(number)).when(seat(number).declines()).then(UppingDeclined(seat=number))
    table.awaits(seat(4)).may(seat(4), seat(4).accepts(), seat(4).declines())


def test_seats_before_the_offering_player_do_not_answer() -> None:  # Rule 12; B12.1
    table = in_the_upping(41, 41, 41, 41).given(seat(1).passes(), seat(2).offers(3), seat(3).accepts())
    table.awaits(seat(4)).when(seat(4).accepts()).then(
        UppingAccepted,
        UppingCollected(
            seats=(2, 3, 4),
            transfers=(
                chips(offer(2), CENTRE, 3, rule="12"),
                chips(offer(3), CENTRE, 3, rule="12"),
                chips(offer(4), CENTRE, 3, rule="12"),
            ),
        ),
    )


def test_no_seat_after_the_dealer_answers() -> None:  # Rule 12; B12.1
    table = in_the_upping(41, 41, 41, 41, dealer=2).given(seat(3).offers(1))
    for number in (4, 1, 2):
        table.awaits(seat(number)).given(seat(number).accepts())
    table.awaits(seat(4))


def test_an_offer_declined_by_all_goes_back_and_ends_the_upping() -> None:  # Rule 12; B12.3
    (
        in_the_upping(41, 41, 41, 41)
        .given(seat(1).offers(3), seat(2).declines(), seat(3).declines())
        .when(seat(4).declines())
        .then(
            UppingDeclined(seat=4),
            OfferReturned(seat=1, chips=3, transfers=(chips(offer(1), stack(1), 3, rule="12"),)),
            CardsShown,
            ...,
        )
        .has(centre=0, offers=(0, 0, 0, 0))
    )


def test_an_offer_declined_by_all_counts_for_collecting_the_centre() -> None:  # Rule 12; B12.3, B12.7
    table = a_table(50, 50, centre=7).dealt("As Kd", "7c 2d").all_hold().given(seat(1).offers(3))
    table.when(seat(2).declines()).then(..., OfferReturned, ..., some(RoundWon, winner=1, centre="collected"), ...)


def test_the_later_offer_declined_by_all_also_ends_the_upping() -> None:  # Rule 12; B12.3
    table = in_the_upping(41, 41, 41, 41)
    table.given(seat(1).offers(1), seat(2).accepts(), seat(3).declines(), seat(4).declines())
    table.given(seat(2).offers(1), seat(3).declines()).when(seat(4).declines()).then(
        UppingDeclined, OfferReturned, CardsShown, ...
    )


def test_after_an_acceptance_all_offered_pieces_go_to_the_centre_together_and_the_right_to_offer_moves_on() -> (
    None
):  # Rule 12; B12.3
    (
        in_the_upping(41, 41, 41, 41)
        .given(seat(1).offers(3), seat(2).declines(), seat(3).accepts())
        .has(offers=(3, 0, 3, 0), centre=0)
        .when(seat(4).declines())
        .then(
            UppingDeclined(seat=4),
            UppingCollected(
                seats=(1, 3),
                transfers=(chips(offer(1), CENTRE, 3, rule="12"), chips(offer(3), CENTRE, 3, rule="12")),
            ),
        )
        .has(stacks=(38, 41, 38, 41), offers=(0, 0, 0, 0), centre=6)
        .awaits(seat(2))
        .may(seat(2), seat(2).offers(1), seat(2).passes())
    )


def test_a_pass_moves_the_right_to_the_next_player() -> None:  # Rule 12; B12.3
    in_the_upping(41, 41, 41, 41).when(seat(1).passes()).then(UppingPassed(seat=1)).awaits(seat(2))


def test_the_right_never_comes_round_again() -> None:  # Rule 12; B12.1
    table = in_the_upping(41, 41, 41, 41).given(seat(1).passes(), seat(2).passes(), seat(3).offers(2))
    table.when(seat(4).accepts()).then(UppingAccepted, UppingCollected, CardsShown, ...)


def test_the_dealer_never_gets_to_offer() -> None:  # Rule 12; B12.2
    table = in_the_upping(41, 41, 41, 41).given(seat(1).passes(), seat(2).passes())
    table.when(seat(3).passes()).then(UppingPassed(seat=3), CardsShown, ...)


def test_nobody_offers_if_no_later_player_can_answer_because_the_dealer_threw_in() -> None:  # Rule 12; B12.2
    table = four_players().dealt(*HANDS).given(*(seat(number).holds() for number in (1, 2, 3)), seat(4).throws_in())
    table.given(seat(1).passes()).awaits(seat(2))
    table.when(seat(2).passes()).then(UppingPassed(seat=2), CardsShown, ...)


def test_nobody_offers_if_no_later_player_can_answer_because_the_dealer_is_barred() -> None:  # Rule 12; B12.2
    table = in_the_upping(41, 41, 41, 0).given(seat(1).passes()).awaits(seat(2))
    table.when(seat(2).passes()).then(UppingPassed(seat=2), CardsShown, ...)


def test_the_upping_is_left_out_if_only_one_player_could_offer() -> None:  # Rule 12; B12.2, B12.6, G.4
    table = a_table(50, 9, 9).dealt("As Kd", "7c 2d", "9c 3d").given(seat(1).holds(), seat(2).holds())
    table.when(seat(3).holds()).then(CardsHeld(seat=3, all_have_decided=True), CardsShown, RoundWon, ...)
    assert table.state.phase is Phase.BETWEEN_ROUNDS


def test_a_player_who_has_declined_may_accept_a_later_offer_for_that_offer_alone() -> None:  # Rule 12; B12.4
    table = in_the_upping(41, 41, 41, 41)
    table.given(seat(1).offers(5), seat(2).accepts(), seat(3).declines(), seat(4).declines())
    table.given(seat(2).offers(2)).when(seat(3).accepts())
    table.then(UppingAccepted(seat=3, chips=2, transfers=(chips(stack(3), offer(3), 2, rule="12"),)))


def test_a_player_who_has_accepted_may_decline_a_later_offer() -> None:  # Rule 12; B12.4
    table = in_the_upping(41, 41, 41, 41)
    table.given(seat(1).offers(5), seat(2).accepts(), seat(3).accepts(), seat(4).declines())
    table.given(seat(2).offers(2)).when(seat(3).declines()).then(UppingDeclined(seat=3)).has(centre=15)


def test_no_offer_is_more_than_six_pieces() -> None:  # Rule 12; B12.5
    table = in_the_upping(41, 41, 41, 41)
    table.refuses(seat(1).offers(7), "offer_must_be_within_the_cap", rule="12", ruling="B12.5")
    table.when(seat(1).offers(6)).then(some(UppingOffered, chips=6))


def test_no_offer_is_more_than_the_least_successful_player_holds_beside_the_antes() -> None:  # Rule 12; B12.5
    table = in_the_upping(41, 41, 3, 41)
    table.refuses(seat(1).offers(4), "offer_must_be_within_the_cap", rule="12", ruling="B12.5")
    table.when(seat(1).offers(3)).then(some(UppingOffered, chips=3))


def test_the_offering_players_own_stack_also_bounds_the_offer() -> None:  # Rule 12; B12.5
    table = in_the_upping(2, 41, 41, 41)
    table.refuses(seat(1).offers(3), "offer_must_be_within_the_cap", rule="12", ruling="B12.5")


def test_the_stack_of_a_player_who_passed_also_bounds_the_offer() -> None:  # Rule 12; B12.5
    table = in_the_upping(4, 41, 41, 41).given(seat(1).passes())
    table.refuses(seat(2).offers(5), "offer_must_be_within_the_cap", rule="12", ruling="B12.5")
    table.when(seat(2).offers(4)).then(some(UppingOffered, chips=4))


def test_the_stack_of_a_player_who_threw_in_bounds_no_offer() -> None:  # Rule 12; B12.5, B11.2
    table = a_table(50, 50, 11, 50).dealt(*HANDS).given(seat(1).holds(), seat(2).holds(), seat(3).throws_in())
    assert offer_cap(table.given(seat(4).holds()).state) == 6


def test_the_cap_is_computed_at_the_moment_of_the_offer() -> None:  # Rule 12; B12.5
    table = in_the_upping(41, 41, 41, 8)
    table.given(seat(1).offers(6), seat(2).declines(), seat(3).declines(), seat(4).accepts())
    table.refuses(seat(2).offers(3), "offer_must_be_within_the_cap", rule="12", ruling="B12.5")
    table.when(seat(2).offers(2)).then(some(UppingOffered, chips=2))


def test_once_the_losing_player_has_no_pieces_left_the_upping_is_normal() -> None:  # Rule 12; B12.5, B12.6
    table = in_the_upping(41, 41, 41, 2)
    table.given(seat(1).offers(2), seat(2).declines(), seat(3).declines(), seat(4).accepts()).has(
        stacks=(39, 41, 41, 0)
    )
    table.given(seat(2).offers(6)).awaits(seat(3))
    table.when(seat(3).accepts()).then(UppingAccepted, some(UppingCollected, seats=(2, 3)), CardsShown, ...)


@pytest.mark.parametrize("pieces", [-1, 0, 7, 1_000_000_000_000])
def test_an_offer_is_a_whole_number_from_one_to_six(pieces: int) -> None:  # Rule 12; B12.5
    table = in_the_upping(41, 41)
    command = OfferUpping(by="seat:1", chips=pieces)
    table.refuses(command, "offer_must_be_within_the_cap", rule="12", ruling="B12.5")


@pytest.mark.parametrize(("smallest", "cap"), [(1, 1), (5, 5), (6, 6), (7, 6), (0, 6)])
def test_the_actions_and_the_view_show_the_cap(smallest: int, cap: int) -> None:  # Rule 12; B12.5
    table = in_the_upping(41, smallest, 41, 41)
    offers, passes = table.listed(seat(1))
    assert (offers.bounds, passes.bounds) == ((Bound(member="chips", least=1, most=cap),), ())
    assert table.seen_by(1).offer_cap == cap


def test_a_player_with_an_empty_stack_is_skipped_in_offering() -> None:  # Rule 12; B12.6
    in_the_upping(0, 41, 0, 41).awaits(seat(2))


def test_a_player_with_an_empty_stack_is_skipped_in_answering() -> None:  # Rule 12; B12.6
    table = in_the_upping(41, 0, 41, 41).given(seat(1).offers(1)).awaits(seat(3))
    table.given(seat(3).declines()).awaits(seat(4))
    table.refuses(seat(2).accepts(), "turn_must_be_yours", rule="12", ruling="B12.1")


def test_one_piece_is_enough_to_answer_and_to_offer() -> None:  # Rule 12; B12.2, B12.6
    in_the_upping(41, 1, 41).given(seat(1).offers(1)).awaits(seat(2))
    in_the_upping(1, 41).awaits(seat(1))
    in_the_upping(41, 1).awaits(seat(1))


def test_an_offer_is_declined_by_all_when_all_who_may_answer_decline() -> None:  # Rule 12; B12.3, B12.6
    table = in_the_upping(41, 0, 41, 0).given(seat(1).offers(1))
    table.when(seat(3).declines()).then(UppingDeclined, some(OfferReturned, seat=1, chips=1), CardsShown, ...)


def test_an_offer_of_the_last_piece_is_still_answered() -> None:  # Rule 12; B12.3, B12.6
    table = in_the_upping(2, 41, 41).given(seat(1).offers(2)).has(stacks=(0, 41, 41)).awaits(seat(2))
    table.given(seat(2).accepts()).awaits(seat(3))


def test_a_player_who_accepted_with_the_last_piece_has_no_right_to_offer() -> None:  # Rule 12; B12.2, B12.6
    table = in_the_upping(41, 2, 41, 41).given(seat(1).offers(2), seat(2).accepts(), seat(3).declines())
    table.given(seat(4).declines()).awaits(seat(3))


def test_nobody_speaks_out_of_turn() -> None:  # Rule 12; B12.1
    table = in_the_upping(41, 41, 41, 41)
    for number in (2, 3, 4):
        table.refuses(seat(number).offers(1), "turn_must_be_yours", rule="12", ruling="B12.1")
        table.refuses(seat(number).passes(), "turn_must_be_yours", rule="12", ruling="B12.1")
    table.given(seat(1).offers(1))
    for number in (1, 3, 4):
        table.refuses(seat(number).accepts(), "turn_must_be_yours", rule="12", ruling="B12.1")
        table.refuses(seat(number).declines(), "turn_must_be_yours", rule="12", ruling="B12.1")
    for other in (host, service, stranger):
        table.refuses(other.accepts(), "player_must_be_in_the_game", rule="20", ruling="B20.1")


def test_an_offer_is_answered_before_another_is_made_or_the_right_passed_on() -> None:  # Rule 12; B12.3
    table = in_the_upping(41, 41, 41, 41).given(seat(1).offers(1))
    for number in (1, 2):
        table.refuses(seat(number).offers(1), "offer_must_be_answered_first", rule="12", ruling="B12.3")
        table.refuses(seat(number).passes(), "offer_must_be_answered_first", rule="12", ruling="B12.3")


def test_nobody_can_answer_before_an_offer() -> None:  # Rule 12; B12.3
    table = in_the_upping(41, 41, 41, 41)
    for number in (1, 2):
        table.refuses(seat(number).accepts(), "offer_must_have_been_made", rule="12", ruling="B12.3")
        table.refuses(seat(number).declines(), "offer_must_have_been_made", rule="12", ruling="B12.3")


def test_there_is_no_upping_before_all_have_decided_on_their_cards() -> None:  # Rules 11, 12; G.4
    table = four_players().given(seat(4).deals(), seat(1).holds())
    for command in (seat(1).offers(1), seat(1).passes(), seat(2).accepts(), seat(2).declines()):
        table.refuses(command, "ante_must_be_being_upped", rule="12", ruling="G.4")
