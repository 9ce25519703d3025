"""The best hand, and the debt of a loser: Rules 2, 3, 9, 10, 13, 15 and 16."""

from itertools import combinations

import pytest

from service.cards import PACK, rank
from service.games.bankrupt.events import Claim, RoundDead, RoundWon
from service.games.bankrupt.showdown import debt, high_first, is_pair, strength, value
from service.games.common_events import CardsShown
from tests.games.bankrupt.table import a_table, four_players, hand
from tests.games.expected import shows, some


@pytest.mark.parametrize(
    ("face", "worth"),
    [pytest.param(f"{number}s", int(number), id=f"rule 3: {number}") for number in "23456789"]
    + [
        pytest.param("Ts", 10, id="rule 3: ten"),
        pytest.param("Js", 10, id="rule 3: jack"),
        pytest.param("Qs", 10, id="rule 3: queen"),
        pytest.param("Ks", 10, id="rule 3: king"),
        pytest.param("As", 11, id="rule 3: ace"),
    ],
)
def test_the_worth_of_a_card(face: str, worth: int) -> None:  # Rule 3
    assert value(face) == worth
    assert {value(face[0] + suit) for suit in "cdhs"} == {worth}


def test_cards_are_ranked_from_the_two_to_the_ace() -> None:  # Rule 3; B9.1
    assert sorted("A2K3Q4J5T6789", key=lambda letter: rank(f"{letter}s")) == list("23456789TJQKA")


def test_fifty_two_cards_and_no_joker() -> None:  # Rule 2
    assert len(set(PACK)) == len(PACK) == 52


@pytest.mark.parametrize(
    ("winner", "loser"),
    [
        pytest.param("As 2d", "Kh Qc", id="rule 9: the highest card wins"),
        pytest.param("Ks 2d", "Qh Jc", id="rule 9: by rank, though both are worth ten"),
        pytest.param("As 8d", "Ah 7c", id="rule 9: in a tie the second card"),
        pytest.param("As Kd", "Ah Qc", id="rule 9: in a tie the second card, by rank"),
        pytest.param("2s Kd", "Qh Jc", id="rule 9: whichever was dealt first"),
        pytest.param("2s 2d", "Ah Kc", id="rule 10: any pair beats an ace and a king"),
        pytest.param("3s 3d", "2h 2c", id="rule 10: the highest pair"),
        pytest.param("Ks Kd", "Qh Qc", id="rule 10: the highest pair by rank"),
        pytest.param("As Ad", "Kh Kc", id="rule 10: aces over kings"),
    ],
)
def test_a_hand_beats_another(winner: str, loser: str) -> None:  # Rules 9, 10; B9.1
    assert strength(hand(winner)) > strength(hand(loser))
    table = a_table(50, 50).dealt(winner, loser).when_played_out()
    table.then_of((RoundWon, RoundDead), some(RoundWon, winner=1))
    table = a_table(50, 50).dealt(loser, winner).when_played_out()
    table.then_of((RoundWon, RoundDead), some(RoundWon, winner=2))


@pytest.mark.parametrize(
    "hands",
    [
        pytest.param(("As Qd", "Ah Qc", "8c 2d", "9c 3d"), id="rule 9: both cards tie"),
        pytest.param(("As Qd", "Qh Ac", "8c 2d", "9c 3d"), id="rule 9: in either order"),
        pytest.param(("8s 8d", "8h 8c", "Ac 2d", "9c 3d"), id="rule 10: two highest pairs are the same"),
    ],
)
def test_a_round_is_dead(hands: tuple[str, ...]) -> None:  # Rules 9, 10; B9.1
    four_players().dealt(*hands).when_played_out().then_of(
        (RoundWon, RoundDead), RoundDead(seats=(1, 2), dead_rounds=1)
    )


def test_three_can_tie_for_the_best_hand() -> None:  # Rule 9; B9.1
    table = four_players().dealt("As Qd", "8c 2d", "Ah Qc", "Ad Qh").when_played_out()
    table.then_of((RoundWon, RoundDead), RoundDead(seats=(1, 3, 4), dead_rounds=1))


def test_a_tie_among_losers_changes_nothing() -> None:  # Rules 9, 10; B9.1
    table = four_players().dealt("As Qd", "8c 2d", "8h 2c", "9c 3d").when_played_out()
    table.then_of((RoundWon, RoundDead), some(RoundWon, winner=1))


def test_suits_are_of_no_relevance() -> None:  # Rule 2; B9.1
    for suits in ("csdh", "shcd", "dchs"):
        a, b, c, d = suits
        assert strength(hand(f"A{a} K{b}")) == strength(hand(f"A{c} K{d}"))
        assert debt(hand(f"A{a} K{b}"), hand(f"8{a} 2{b}")).pieces == debt(hand("As Kd"), hand(f"8{c} 2{d}")).pieces


def test_each_player_lays_both_cards_on_the_table() -> None:  # Rule 13
    table = four_players().dealt("As Qd", "8c 2d", "9h 3c", "Tc 4d").when_played_out()
    table.then(..., shows({1: "As Qd", 2: "8c 2d", 3: "9h 3c", 4: "Tc 4d"}), RoundWon, ...)


def test_in_a_dead_round_both_cards_are_laid_down_as_well() -> None:  # Rule 13
    table = a_table(50, 50, 50).dealt("As Qd", "Ah Qc", "2c 3d").when_played_out()
    table.then_of(CardsShown, shows({1: "As Qd", 2: "Ah Qc", 3: "2c 3d"}))


WORKED = [
    pytest.param("As Qd", "8h 2c", 3, "15", "B15.1", "As", "8h", id="rule 15: ace less eight"),
    pytest.param("As Qd", "Ah 3c", 7, "15", "B15.1", "Qd", "3c", id="rule 15: second cards after a tie"),
    pytest.param("Ks 4d", "Qh 9c", 1, "15", "B15.1", "Ks", "Qh", id="rule 15: both worth ten"),
    pytest.param("Ks 2d", "Th 9c", 1, "15", "B15.1", "Ks", "Th", id="rule 15: king less ten"),
    pytest.param("As Kd", "Ah Jc", 1, "15", "B15.1", "Kd", "Jc", id="B15.1: second cards both worth ten"),
    pytest.param("4s 4d", "Qh 9c", 6, "16", "B16.1", "4s", "Qh", id="rule 16: low pair, queen less four"),
    pytest.param("8s 8d", "8h 5c", 3, "15", "B16.1", "8d", "5c", id="B16.1: pair of the loser's rank, second cards"),
    pytest.param("Js Jd", "Kh 2c", 1, "16", "B16.1", "Js", "Kh", id="rule 16: jacks over a king, both worth ten"),
    pytest.param("2s 2d", "Ah Kc", 9, "16", "B16.1", "2s", "Ah", id="rule 16: twos over an ace"),
    pytest.param("As Ad", "Kh Kc", 1, "15", "B16.1", "As", "Kh", id="B16.1: aces over kings"),
    pytest.param("9s 9d", "7h 2c", 2, "15", "B16.1", "9s", "7h", id="rule 16: a higher pair wins as it would anyway"),
    pytest.param("Ts Td", "Th 9c", 1, "15", "B16.1", "Td", "9c", id="B16.1: tens over a ten"),
    pytest.param("Ks Kd", "Kh 2c", 8, "15", "B16.1", "Kd", "2c", id="B16.1: kings over a king and a two"),
]


@pytest.mark.parametrize(("winner", "loser", "pieces", "rule", "ruling", "winning", "losing"), WORKED)
def test_winner_takes(
    winner: str, loser: str, pieces: int, rule: str, ruling: str, winning: str, losing: str
) -> None:  # Rules 15, 16; B15.1, B16.1
    table = a_table(50, 50).dealt(winner, loser).when_played_out()
    (won,) = (event for event in table.emitted if isinstance(event, RoundWon))
    assert won.claims == (
        Claim(
            seat=2,
            winning=winning,
            losing=losing,
            difference=pieces,
            due=pieces,
            taken=pieces,
            rule=rule,
            ruling=ruling,
            from_heaps=(pieces,),
        ),
    )
    table.has(stacks=(50 + pieces, 50 - pieces))


def test_every_winner_takes_one_to_nine_pieces_from_every_loser() -> None:  # Rules 15, 16; B15.1, B16.1
    deck = [f"{letter}{suit}" for letter in "23456789TJQKA" for suit in "cd"]
    hands = {strength(high_first(*two)): high_first(*two) for two in combinations(deck, 2)}
    pieces = {debt(hands[best], hands[other]).pieces for best in hands for other in hands if best > other}
    assert pieces == set(range(1, 10))
    assert {is_pair(two) for two in hands.values()} == {True, False}
