"""The sums, scores and corrections behind the figures."""

from collections import Counter
from random import Random

import pytest

from service.player_statistics.evidence import Evidence, Surprises, chance_of
from service.player_statistics.hindsight import Choice, choice
from service.player_statistics.holm import adjusted
from service.player_statistics.pairs import Exchange, PairSums, exchanges
from service.player_statistics.played_hands import PlayedHand
from service.player_statistics.player_figures import LEVEL, Figures

A, B, C, D = "own_a", "own_b", "own_c", "own_d"


def of(chosen: int, *surprises: float, situation: str = "one", kinds: tuple[str, ...] = ()) -> Choice:
    """Return a choice in hindsight."""
    return Choice(
        seat=1, surprises=surprises, chosen=chosen, was_best=True, chance_of_best=0.5, situation=situation, kinds=kinds
    )


def evidence(*choices: Choice) -> Evidence:
    """Return the evidence of hands with one choice each."""
    found, surprises = Evidence(), Surprises()
    for one in choices:
        found.add_hand((one,), surprises)
    return found


def test_a_choice_that_no_hidden_card_affects_is_no_choice() -> None:
    assert choice(1, 0, (1.0, 1.0), [(1.0, (0.5, 0.5))]) is None
    assert choice(1, 0, (1.0, 1.0), [(1.0, (0.5, 0.0))]) is not None


def test_a_surprise_is_the_value_less_its_mean_over_the_orders() -> None:
    found = choice(1, 0, (1.0, 0.0), [(3.0, (0.0, 0.0)), (1.0, (1.0, 2.0))])
    assert found is not None
    assert found.surprises == (0.75, -0.5)
    assert (found.was_best, found.chance_of_best) == (True, 0.75)


def test_a_player_who_always_chooses_the_same_gives_no_evidence() -> None:
    assert evidence(*[of(0, 1.0, -1.0)] * 50).score(0.0) == 0


def test_a_player_who_chooses_by_the_hidden_cards_gives_evidence() -> None:
    knowing = [of(index % 2, 1.0 - 2 * (index % 2), 2 * (index % 2) - 1.0) for index in range(50)]
    assert evidence(*knowing).score(0.0) > 5


def test_a_player_who_chooses_at_random_gives_as_much_evidence_as_a_normal_variable() -> None:
    dice = Random(1)
    scores = [
        evidence(*(of(dice.randrange(2), value, -value) for value in (dice.gauss() for _ in range(100)))).score(0.0)
        for _ in range(400)
    ]
    assert abs(sum(scores) / 400) < 0.15
    assert sum(score**2 for score in scores) / 400 == pytest.approx(1, abs=0.2)


def test_the_surprises_of_others_correct_the_surprises_of_the_same_kind() -> None:
    surprises, other, own = Surprises(), Evidence(), Evidence()
    for _ in range(1_000):
        other.add_hand((of(0, 0.5, 0.0, situation="", kinds=("high", "low")),), surprises)
    own.add_hand((of(0, 0.5, 0.0, situation="", kinds=("high", "low")),), surprises)
    assert own.total == pytest.approx(0, abs=0.01)


def test_an_allowance_lowers_the_score_by_its_share_of_each_hand() -> None:
    found = evidence(*[of(index % 2, 1.0 - 2 * (index % 2), 2 * (index % 2) - 1.0) for index in range(100)])
    assert found.score(0.0) - found.score(0.1) == pytest.approx(1)


def test_holms_correction() -> None:
    assert adjusted([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert adjusted([0.9, 0.5]) == [1.0, 1.0]
    assert adjusted([]) == []


def test_chances_follow_the_normal_distribution() -> None:
    assert chance_of(0) == 0.5
    assert chance_of(3.0902323) == pytest.approx(0.001)


def surplus(one: str, other: str, **given: float) -> float:
    """Return the surplus from *one* to *other* in one hand; the argument AB=5, for example, means that A gave B 5."""
    letters = {"A": A, "B": B, "C": C, "D": D}
    gifts = {(letters[pair[0]], letters[pair[1]]): amount for pair, amount in given.items()}
    sums = PairSums()
    sums.add(dict(exchanges((A, B, C, D), gifts))[one, other])
    return sums.surplus


def test_a_player_who_loses_equally_to_everybody_gives_nobody_too_much() -> None:
    for other in (B, C, D):
        assert surplus(A, other, AB=5, AC=5, AD=5) == pytest.approx(0)


def test_a_weak_player_does_not_give_a_strong_player_too_much() -> None:
    assert surplus(A, B, AB=10, AC=5, AD=5, CB=5, DB=5) == pytest.approx(0)


def test_gifts_to_a_single_player_are_a_surplus_of_this_pair_only() -> None:
    assert surplus(A, B, AB=10, BA=2) == pytest.approx(4)
    assert surplus(A, B, BA=10, AB=2) == pytest.approx(-4)
    for one, other in ((A, C), (A, D), (B, C), (B, D), (C, D)):
        assert surplus(one, other, AB=10, BA=2) == pytest.approx(0)


def test_a_pair_at_a_table_for_two_has_nobody_to_be_compared_with() -> None:
    assert dict(exchanges((A, B), {(A, B): 10})) == {(A, B): Exchange(10, 0.0)}


def test_the_allowance_of_a_pair_moves_its_score_towards_nothing() -> None:
    sums = PairSums()
    for _ in range(100):
        sums.add(Exchange(0.0, 1.0, -1.0, -1.0, -1.0))
    assert sums.score(0.0) == -10
    assert sums.score(0.2) == -8
    assert sums.score(2.0) == 0


def test_the_figures_of_a_few_hands() -> None:
    figures = Figures()
    for won in (3, 1):
        hand = PlayedHand(hand=1, players={1: A, 2: B, 3: C}, seats={1, 2}, won=Counter({A: won, B: -won}))
        hand.given = {(B, A): won}
        figures.add("a game", hand)
    players, (pair,) = figures.report()
    of_a = next(one for one in players if one.player == A)
    assert {one.player for one in players} == {A, B}  # C took no part.
    assert (of_a.hands, of_a.won_per_hand) == (2, 2)
    assert (of_a.won_low, of_a.won_high) == pytest.approx((2 - 1.95996, 2 + 1.95996), abs=1e-4)
    assert (pair.players, pair.hands, pair.given, pair.got, pair.net) == ((A, B), 2, 0, 4, -4)
    assert not any(one.is_flagged for one in players)


def test_a_player_with_two_seats_is_counted_once_a_hand() -> None:
    figures = Figures()
    figures.add("a game", PlayedHand(hand=1, players={1: A, 2: B, 3: A}, seats={1, 2, 3}))
    players, pairs = figures.report()
    assert [one.hands for one in players] == [1, 1]
    assert len(pairs) == 1


def test_the_level_of_significance_is_one_in_a_thousand() -> None:
    assert LEVEL == 0.001
