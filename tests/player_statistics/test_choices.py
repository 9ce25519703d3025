"""In choices whose best alternative in hindsight is known, this alternative is found."""

from collections import Counter
from itertools import permutations
from random import Random

import pytest

from service.cards import PACK, rank
from service.player_statistics.measures.insurance import _outcome_of_bet, _outcomes_of_bet
from service.player_statistics.measures.insurance_hearts import _redealt
from tests.games.bankrupt.actors import host, seat as bankrupt_seat
from tests.games.bankrupt.table import four_players
from tests.games.insurance.actors import seat as insurance_seat
from tests.games.insurance.table import a_table
from tests.games.insurance_hearts.actors import seat as hearts_seat
from tests.games.insurance_hearts.table import hearts
from tests.player_statistics.watching import watched

HANDS = (
    "2c Ac Kc 2s As 2d 3d 4d 5d 6d 7d 8d 9d",
    "3c 6c 9c 3s 4s Td Jd Qd Kd Ad 2h 3h 4h",
    "4c 7c Tc 5s 6s 7s 8s 5h 6h 7h 8h 9h Th",
    "5c 8c Jc Qc 9s Ts Js Qs Ks Jh Qh Kh Ah",
)


@pytest.mark.parametrize(("accepts", "was_best"), [(True, False), (False, True)])
def test_bankrupt_an_offer_is_best_declined_by_a_player_who_loses_the_showdown(
    *, accepts: bool, was_best: bool
) -> None:
    table = four_players()
    found = watched(table)
    table.dealt("Ks Kd", "Ac Qd", "9c 3d", "Tc 4d").all_hold().given(bankrupt_seat(1).offers(2))
    seat = bankrupt_seat(2)
    table.given(seat.accepts() if accepts else seat.declines())
    offer, answer = found[-2:]
    assert (offer.seat, offer.was_best, offer.chosen) == (1, False, 1)  # Two pieces are a small offer; more is better.
    assert (answer.seat, answer.was_best, answer.chosen) == (2, was_best, int(accepts))
    assert answer.surprises[0] == 0
    assert answer.surprises[1] < 0  # Ace and queen win often, but not against kings.


def test_bankrupt_a_pair_of_aces_is_best_held_against_any_hands() -> None:
    table = four_players()
    found = watched(table)
    table.dealt("As Ad", "Kc Kd", "9c 3d", "Tc 4d").given(bankrupt_seat(1).holds(), bankrupt_seat(2).exchanges(1))
    held, exchanged = found
    assert held.was_best
    assert held.chance_of_best == 1
    assert held.surprises[0] == pytest.approx(0)
    assert exchanged.seat == 2


def test_bankrupt_a_choice_of_the_service_does_not_count_for_the_player() -> None:
    table = four_players()
    found = watched(table)
    table.dealt("As Ad", "Kc Kd", "9c 3d", "Tc 4d").given(host.calls_time(), bankrupt_seat(2).holds())
    assert [one.seat for one in found] == [2]


@pytest.mark.parametrize(
    ("card", "chips", "was_best"), [("2c", 6, True), ("2c", 5, False), ("Ac", 6, False), ("9c", 1, True)]
)
def test_insurance_a_high_offer_is_best_for_a_player_who_will_lose(card: str, chips: int, *, was_best: bool) -> None:
    table = a_table(100, 100).bets_lie(10).dealt("9s").next_cards(card)
    found = watched(table)
    table.given(insurance_seat(2).offers(chips))
    (offer,) = found
    assert (offer.seat, offer.was_best) == (2, was_best)
    better = 28 if chips >= 6 else 20  # Of 51 unseen cards 28 are below the nine, 3 tie, and 20 are above it.
    assert offer.chance_of_best == pytest.approx((better + 3) / 51)


@pytest.mark.parametrize(
    ("card", "insures", "was_best"), [("2c", True, False), ("2c", False, True), ("Ac", True, True), ("9c", False, True)]
)
def test_insurance_the_banker_best_insures_a_bet_that_will_win(card: str, *, insures: bool, was_best: bool) -> None:
    table = a_table(100, 100).bets_lie(10).dealt("9s").offers_lie(6).next_cards(card)
    found = watched(table)
    table.when_answered(*([2] if insures else []))
    (answer,) = found
    assert (answer.seat, answer.was_best) == (1, was_best)
    assert answer.chance_of_best == pytest.approx(((20 if insures else 28) + 3) / 51)


def test_insurance_the_outcomes_of_a_bet_equal_a_count_card_by_card() -> None:
    unseen = Random(3).sample(PACK, 30)
    outcomes = Counter(_outcome_of_bet(rank(one), rank(other)) for one, other in permutations(unseen, 2))
    counted = _outcomes_of_bet(Counter(map(rank, unseen)))
    assert counted == (outcomes[1], outcomes[0], outcomes[-1])


@pytest.mark.parametrize(("card", "was_best"), [("As", False), ("2d", True), ("Kc", True)])
def test_hearts_the_best_lead_takes_no_points_in_the_worst_case(card: str, *, was_best: bool) -> None:
    table = hearts()
    found = watched(table)
    table.dealt(*HANDS).played("2c 3c 4c 5c 8c Ac 6c 7c").given(hearts_seat(1).plays(card))
    (lead,) = found
    assert (lead.seat, lead.was_best) == (1, was_best)
    assert lead.chance_of_best <= 1
    assert len(lead.kinds) == len(lead.surprises) == 11


def test_hearts_other_deals_keep_the_sizes_of_hands_and_the_cards_that_the_leader_has_seen() -> None:
    hidden = {2: [0, 1, 2, 3], 3: [14, 15, 16], 4: [27, 28, 29, 30]}
    cards = sorted(card for hand in hidden.values() for card in hand)
    voids = {(3, 0), (4, 1)}
    for deal in _redealt(hidden, voids, Random(1)):
        assert {seat: len(hand) for seat, hand in deal.items()} == {2: 4, 3: 3, 4: 4}
        assert sorted(card for hand in deal.values() for card in hand) == cards
        assert not any((seat, card // 13) in voids for seat, hand in deal.items() for card in hand)


def test_hearts_every_deal_without_voids_is_equally_likely() -> None:
    found: Counter[tuple[int, ...]] = Counter()
    for seed in range(300):
        for deal in _redealt({2: [0, 20], 3: [40]}, {(4, 0)}, Random(seed)):
            found[tuple(deal[3])] += 1
    assert all(share == pytest.approx(1 / 3, abs=0.05) for share in (count / found.total() for count in found.values()))
    assert len(found) == 3
