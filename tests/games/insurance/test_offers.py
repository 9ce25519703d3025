"""Offers, and the banker's answers: INSURANCE OFFER, ACCEPTANCE."""

from itertools import permutations

import pytest

from service.games.common_events import CardsDealt
from service.games.insurance.accounts import insurance, offer
from service.games.insurance.events import (
    HandSettled,
    InsuranceAccepted,
    InsuranceOffered,
    InsuranceRefused,
    OffersAwaited,
)
from service.games.insurance.state import Phase
from service.ledger import chips, stack
from tests.games.expected import some
from tests.games.insurance.actors import host, seat, service, stranger
from tests.games.insurance.table import Table, a_game, a_table

OFFER = {"rule": "INSURANCE OFFER", "ruling": "I-OFFER.2"}


def on_a_nine(*stacks: int) -> Table:
    """Set up a hand in which the banker has a nine, and every other player has bet ten."""
    return a_table(*stacks).bets_lie(*[10] * (len(stacks) - 1)).dealt("9s")


def test_an_offer_is_placed_in_the_offer_zone() -> None:  # INSURANCE OFFER; I-OFFER.2
    table = on_a_nine(100, 100, 100).when(seat(2).offers(4))
    laid = chips(stack(2), offer(2), 4, rule="INSURANCE OFFER")
    table.then(InsuranceOffered(seat=2, chips=4, transfers=(laid,)))
    table.has(stacks=(100, 86, 90), bets=(0, 10, 10), offers=(0, 4, 0))


def test_the_last_offer_brings_the_banker_to_answer() -> None:  # INSURANCE OFFER; I-ACC.1
    table = on_a_nine(100, 100, 100).given(seat(2).offers(4)).when(seat(3).offers(1))
    table.then(some(InsuranceOffered, seat=3, all_have_offered=True)).awaits(seat(1))


@pytest.mark.parametrize("order", list(permutations((2, 3, 4))))
def test_offers_are_made_in_any_order(order: tuple[int, ...]) -> None:  # INSURANCE OFFER; I-OFFER.2
    table = on_a_nine(100, 100, 100, 100).awaits(seat(2), seat(3), seat(4))
    table.given(*(seat(number).offers(number) for number in order)).awaits(seat(1)).has(offers=(0, 2, 3, 4))


@pytest.mark.parametrize("amount", [1, 2, 10, 90])
def test_an_offer_is_one_or_more_up_to_all_of_the_stack(amount: int) -> None:  # INSURANCE OFFER; I-OFFER.2
    table = on_a_nine(100, 100)
    assert table.bounds(seat(2)) == {"OfferInsurance": (1, 90)}
    table.when(seat(2).offers(amount)).has(stacks=(100, 90 - amount), offers=(0, amount))


@pytest.mark.parametrize("amount", [-1, 0, 91, 100])
def test_an_offer_has_no_other_amount(amount: int) -> None:  # INSURANCE OFFER; I-OFFER.2
    on_a_nine(100, 100).refuses(seat(2).offers(amount), "offer_must_be_within_its_bounds", **OFFER)


def test_an_offer_placed_cannot_be_changed() -> None:  # INSURANCE OFFER; I-OFFER.2
    table = on_a_nine(100, 100, 100).given(seat(2).offers(4)).may(seat(2))
    for amount in (1, 4, 5):
        table.refuses(seat(2).offers(amount), "offer_must_be_awaited", **OFFER)
    table.given(seat(3).offers(1))
    table.refuses(seat(2).offers(5), "offers_must_be_awaited", rule="INSURANCE OFFER", ruling="G.4")


def test_only_players_with_a_bet_offer_and_never_the_banker() -> None:  # INSURANCE OFFER; I-OFFER.2
    table = a_table(100, 100, 100).given(seat(3).sits_out()).bets_lie(10).dealt("9s")
    for other in (seat(1), seat(3), seat(4), host, stranger, service):
        table.refuses(other.offers(1), "offer_must_be_awaited", **OFFER)
    table.may(seat(1)).may(seat(3)).may(seat(2), seat(2).offers(1))


def test_nobody_offers_before_the_bankers_card() -> None:  # INSURANCE OFFER; G.4
    table = a_table(100, 100).bets_lie(10)
    table.refuses(seat(2).offers(1), "offers_must_be_awaited", rule="INSURANCE OFFER", ruling="G.4")


def test_every_player_must_offer_before_the_banker_answers() -> None:  # INSURANCE OFFER, ACCEPTANCE; I-OFFER.2, I-ACC.1
    table = on_a_nine(100, 100, 100).given(seat(2).offers(4)).may(seat(1))
    for command in (seat(1).insures(2), seat(1).refuses(2)):
        table.refuses(command, "offers_must_lie", rule="ACCEPTANCE", ruling="G.4")


def test_a_stack_emptied_by_the_bet_cannot_offer_and_is_uninsured() -> None:  # INSURANCE OFFER; I-OFFER.2
    table = a_table(100, 10, 100).bets_lie(10, 10).when_dealt("9s")
    table.then_of(OffersAwaited, OffersAwaited(seats=(3,))).awaits(seat(3)).may(seat(2))
    table.refuses(seat(2).offers(1), "offer_must_be_awaited", **OFFER)
    table.offers_lie(4).next_cards("5d 5h").when_answered(3)
    assert [(one.seat, one.insurance) for one in table.settled().results] == [(2, 0), (3, 4)]
    table.has(stacks=(114, 0, 96))


@pytest.mark.parametrize("face", ["3s", "9s", "Qs"])
def test_if_nobody_is_able_to_offer_the_second_deal_follows_at_once(face: str) -> None:  # INSURANCE OFFER; I-OFFER.2
    table = a_table(100, 10, 25).bets_lie(10, 25).when_dealt(f"{face} Ad 2d").never(OffersAwaited)
    table.then_of((CardsDealt, HandSettled), CardsDealt, some(CardsDealt, cards=((1, 2), (2, 3))), HandSettled)
    assert [(one.outcome, one.insurance) for one in table.settled().results] == [("won", 0), ("lost", 0)]


def test_the_banker_agrees_by_pulling_the_payment_into_the_insurance_zone() -> None:  # ACCEPTANCE; I-ACC.1
    table = on_a_nine(100, 100, 100).offers_lie(4, 6).when(seat(1).insures(2))
    taken = chips(offer(2), insurance(2), 4, rule="ACCEPTANCE")
    table.then(InsuranceAccepted(seat=2, chips=4, transfers=(taken,)))
    table.has(stacks=(100, 86, 84), offers=(0, 0, 6), insurances=(0, 4, 0), bets=(0, 10, 10))


def test_a_refused_payment_goes_back_to_the_stack_at_once() -> None:  # ACCEPTANCE; I-ACC.1
    table = on_a_nine(100, 100, 100).offers_lie(4, 6).when(seat(1).refuses(3))
    back = chips(offer(3), stack(3), 6, rule="ACCEPTANCE")
    table.then(InsuranceRefused(seat=3, chips=6, transfers=(back,)))
    table.has(stacks=(100, 86, 90), offers=(0, 4, 0), insurances=(0, 0, 0), bets=(0, 10, 10))


@pytest.mark.parametrize("order", list(permutations((2, 3, 4))))
def test_the_banker_answers_the_offers_in_any_order(order: tuple[int, ...]) -> None:  # ACCEPTANCE; I-ACC.1
    table = on_a_nine(100, 100, 100, 100).offers_lie(2, 3, 4).next_cards("9d 9h 9c")
    for number in order[:2]:
        table.when(seat(1).insures(number)).then(InsuranceAccepted).awaits(seat(1))
    table.when(seat(1).refuses(order[2])).then(InsuranceRefused, CardsDealt, ...)
    assert {one.seat for one in table.settled().results if one.insurance} == set(order[:2])


def test_the_banker_may_accept_or_refuse_every_offer() -> None:  # ACCEPTANCE; I-ACC.1
    table = on_a_nine(100, 100, 100).given(seat(3).offers(1), seat(2).offers(1))
    table.may(seat(1), seat(1).insures(3), seat(1).refuses(3), seat(1).insures(2), seat(1).refuses(2)).may(seat(2))
    table.given(seat(1).insures(3)).may(seat(1), seat(1).insures(2), seat(1).refuses(2))


def test_the_second_deal_follows_the_last_answer_and_not_one_before() -> None:  # ACCEPTANCE, SECOND ROUND DEAL; G.4
    table = on_a_nine(100, 100, 100).offers_lie(1, 1).when(seat(1).refuses(2)).never(CardsDealt)
    assert table.state.phase is Phase.ACCEPTING
    table.when(seat(1).insures(3)).then(InsuranceAccepted, CardsDealt, ...)


def test_an_offer_is_answered_once() -> None:  # ACCEPTANCE; I-ACC.1
    table = on_a_nine(100, 100, 100).offers_lie(1, 1).given(seat(1).insures(2))
    for command in (seat(1).insures(2), seat(1).refuses(2), seat(1).insures(1), seat(1).refuses(4)):
        table.refuses(command, "offer_must_lie_in_its_zone", rule="ACCEPTANCE", ruling="I-ACC.1")


def test_nobody_but_the_banker_answers() -> None:  # ACCEPTANCE; I-ACC.1
    table = on_a_nine(100, 100, 100).offers_lie(1, 1)
    for other in (seat(2), seat(3), host, stranger, service):
        for command in (other.insures(2), other.refuses(2)):
            table.refuses(command, "banker_must_do_it", rule="ACCEPTANCE", ruling="I-ACC.1")


def test_nobody_can_answer_without_offers() -> None:  # ACCEPTANCE; G.4
    for table in (a_table(100, 100), on_a_nine(100, 100)):
        table.refuses(seat(1).insures(2), "offers_must_lie", rule="ACCEPTANCE", ruling="G.4")


def test_offers_are_made_in_the_non_gambling_variation_as_in_the_gambling_game() -> (
    None
):  # NON-GAMBLING VARIATION; I-OFFER.2, I-BET.3
    table = a_game(100, 8, 100, bets=(20,)).bets_lie(8, 20).dealt("9s").awaits(seat(3))
    assert table.bounds(seat(3)) == {"OfferInsurance": (1, 80)}
