"""The banker's card, and what follows from its rank: FIRST ROUND DEAL, INSURANCE OFFER."""

import pytest

from service.cards import PACK, rank
from service.games.common_events import CardsDealt, CardsShown, DeckFixed, DeckOpened
from service.games.insurance.events import DealBegun, HandEnded, HandSettled, OffersAwaited
from service.games.insurance.state import Phase
from tests.games.expected import shows, some
from tests.games.insurance.actors import host, seat, service, stranger
from tests.games.insurance.table import FIRST, SECOND, a_table, an_open_table

OFFERED_ON = [face for face in PACK if 3 <= rank(face) <= 12]


def test_the_banker_deals_one_card_to_himself_face_up() -> None:  # FIRST ROUND DEAL; I-DEAL1.2
    table = a_table(100, 100, 100).bets_lie(10, 10).may(seat(1), seat(1).deals()).when_dealt("9s")
    table.then(
        DealBegun(banker=1),
        some(DeckFixed, epoch=FIRST),
        some(DeckOpened, epoch=SECOND, n=52),
        CardsDealt(epoch=FIRST, cards=((0, 1),)),
        shows({1: "9s"}),
        OffersAwaited(seats=(2, 3)),
    )


def test_the_banker_deals_once_every_bet_is_placed() -> None:  # BET, FIRST ROUND DEAL; I-BET.1, I-DEAL1.2
    table = a_table(100, 100, 100)
    why = {"rule": "FIRST ROUND DEAL", "ruling": "I-DEAL1.2"}
    table.refuses(seat(1).deals(), "bets_must_all_lie", **why)
    table.given(seat(3).bets(10)).refuses(seat(1).deals(), "bets_must_all_lie", **why).may(seat(1))
    table.given(seat(2).bets(10)).when_dealt("9s").then(DealBegun, ..., OffersAwaited)


def test_nobody_but_the_banker_deals() -> None:  # INTRODUCTION, FIRST ROUND DEAL; I-DEAL1.2
    table = a_table(100, 100, 100).bets_lie(10, 10)
    for other in (seat(2), seat(3), host, stranger, service):
        table.refuses(other.deals(), "banker_must_do_it", rule="FIRST ROUND DEAL", ruling="I-DEAL1.2")


def test_if_nobody_can_play_nothing_is_dealt() -> None:  # FIRST ROUND DEAL; I-DEAL1.2, I-BET.2
    a_table(9, 9).refuses(seat(1).deals(), "bets_must_all_lie", rule="FIRST ROUND DEAL", ruling="I-DEAL1.2")


def test_the_hand_is_dealt_once() -> None:  # FIRST ROUND DEAL; G.4
    table = a_table(100, 100).bets_lie(10).dealt("9s")
    for command in (seat(1).deals(), seat(2).deals()):
        table.refuses(command, "bets_must_be_open", rule="FIRST ROUND DEAL", ruling="G.4")
    an_open_table(players=2).refuses(seat(1).deals(), "game_must_be_under_way", ruling="G.4")


def test_once_the_bets_are_placed_the_deal_waits_for_the_banker() -> None:  # FIRST ROUND DEAL; G.4
    table = a_table(100, 100).when(seat(2).bets(10)).never(DealBegun, CardsDealt).awaits(seat(1))
    assert table.state.phase is Phase.BETTING


@pytest.mark.parametrize("face", ["2c", "2d", "2h", "2s"])
def test_on_a_2_the_banker_pays_all_the_bets_and_the_hand_ends(face: str) -> None:  # FIRST ROUND DEAL; I-DEAL1.1
    table = a_table(100, 100, 100).bets_lie(10, 30).when_dealt(face)
    table.then(DealBegun, DeckFixed, DeckOpened, CardsDealt, CardsShown, HandSettled, HandEnded(banker=1))
    table.has(stacks=(60, 110, 130), bets=(0, 0, 0))
    assert [(one.seat, one.outcome, one.card) for one in table.settled().results] == [(2, "won", ""), (3, "won", "")]
    assert (table.settled().banker, table.settled().card) == (1, face)


@pytest.mark.parametrize("face", ["Ac", "Ad", "Ah", "As"])
def test_on_an_ace_the_banker_collects_all_the_bets_and_the_hand_ends(
    face: str,
) -> None:  # FIRST ROUND DEAL; I-DEAL1.1
    table = a_table(100, 100, 100).bets_lie(10, 30).when_dealt(face)
    table.then(DealBegun, DeckFixed, DeckOpened, CardsDealt, CardsShown, HandSettled, HandEnded(banker=1))
    table.has(stacks=(140, 90, 70), bets=(0, 0, 0))
    assert [(one.seat, one.outcome) for one in table.settled().results] == [(2, "lost"), (3, "lost")]


def test_any_bet_is_paid_one_to_one_on_a_2() -> None:  # FIRST ROUND DEAL; I-DEAL1.1
    table = a_table(100, 100).bets_lie(37).when_dealt("2s").has(stacks=(63, 137))
    assert table.moved() == [("bet:2", "stack:2", 37), ("stack:1", "stack:2", 37)]


@pytest.mark.parametrize("face", OFFERED_ON)
def test_a_card_of_3_up_to_a_queen_asks_for_offers(face: str) -> None:  # FIRST ROUND DEAL, INSURANCE OFFER; I-OFFER.1
    table = a_table(100, 100, 100).bets_lie(10, 10).when_dealt(face).never(HandSettled)
    table.then_of(OffersAwaited, OffersAwaited(seats=(2, 3))).awaits(seat(2), seat(3))


@pytest.mark.parametrize("face", ["Kc", "Kd", "Kh", "Ks"])
def test_on_a_king_the_second_deal_follows_at_once_and_nobody_is_insured(
    face: str,
) -> None:  # INSURANCE OFFER; I-OFFER.1, G.4
    table = a_table(100, 100, 100).bets_lie(10, 10).when_dealt(f"{face} Ad Qd")
    table.then(
        *(DealBegun, DeckFixed, DeckOpened, CardsDealt, shows({1: face})),
        CardsDealt(epoch=FIRST, cards=((1, 2), (2, 3))),
        *(shows({2: "Ad", 3: "Qd"}), HandSettled, HandEnded),
    )
    assert [(one.outcome, one.insurance) for one in table.settled().results] == [("won", 0), ("lost", 0)]
    table.has(stacks=(100, 110, 90))
