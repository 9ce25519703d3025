"""The second deal, the winners and the payments: RANKS, SECOND ROUND DEAL, WINNING, PAYOUT."""

import pytest

from service.cards import PACK, RANKS
from service.games.common_events import CardsDealt
from service.games.insurance.events import HandEnded, HandSettled, InsuranceRefused, Result
from tests.games.expected import shows
from tests.games.insurance.actors import seat
from tests.games.insurance.table import FIRST, Table, a_game, a_table


def a_hand(*, banker: str, player: str, bet: int = 10, offered: int = 4, insured: bool = False) -> Table:
    """Play a hand of two players who have a hundred chips each."""
    table = a_table(100, 100).bets_lie(bet)
    if banker[0] in "A2K":
        return table.when_dealt(f"{banker} {player}")
    table.dealt(banker).offers_lie(offered).next_cards(player)
    return table.when_answered(*([2] if insured else []))


@pytest.mark.parametrize(
    ("banker", "player", "insured", "stacks"),
    [
        pytest.param("Qs", "Kd", False, (90, 110), id="PAYOUT: uninsured, the banker pays 10"),
        pytest.param("Qs", "Kd", True, (94, 106), id="PAYOUT: insured for 4, the banker pays 10 and keeps 4"),
        pytest.param("Qs", "5d", True, (104, 96), id="PAYOUT: insured for 4, the bet goes back, the banker keeps 4"),
        pytest.param("Qs", "Qd", True, (100, 100), id="WINNING: tied, bet and insurance go back"),
        pytest.param("Qs", "5d", False, (110, 90), id="PAYOUT: uninsured, the banker collects 10"),
        pytest.param("Qs", "Qd", False, (100, 100), id="WINNING: tied and uninsured, the bet goes back"),
    ],
)
def test_a_bet_of_ten_is_settled_by_the_ranks_and_the_insurance(
    banker: str, player: str, *, insured: bool, stacks: tuple[int, ...]
) -> None:  # WINNING, PAYOUT; I-DEAL2.1, I-PAY.1
    a_hand(banker=banker, player=player, insured=insured).has(stacks=stacks, bets=(0, 0), insurances=(0, 0))


@pytest.mark.parametrize("bankers", RANKS[1:-2])
@pytest.mark.parametrize("players", RANKS)
def test_only_the_higher_rank_wins(bankers: str, players: str) -> None:  # RANKS, WINNING; I-DEAL2.1
    table = a_hand(banker=bankers + "s", player=players + "d")
    ours, theirs = RANKS.index(players), RANKS.index(bankers)
    assert table.result(2).outcome == ("won" if ours > theirs else "tied" if ours == theirs else "lost")


def test_the_ranks_run_from_the_ace_down_to_the_two() -> None:  # RANKS
    assert RANKS[::-1] == "AKQJT98765432"


@pytest.mark.parametrize(("player", "outcome"), [("Ad", "won"), ("Kd", "tied"), ("Qd", "lost"), ("2d", "lost")])
def test_against_a_king_only_an_ace_wins(player: str, outcome: str) -> None:  # RANKS, WINNING; I-OFFER.1, I-DEAL2.1
    assert a_hand(banker="Ks", player=player).result(2).outcome == outcome


@pytest.mark.parametrize("player", ["7c", "7d", "7h"])
def test_suits_do_not_matter(player: str) -> None:  # RANKS, WINNING; I-DEAL2.1
    assert a_hand(banker="7s", player=player).result(2).outcome == "tied"


def test_one_card_is_dealt_to_each_from_the_bankers_left() -> None:  # SECOND ROUND DEAL; I-DEAL2.1, G.4, G.5
    table = a_table(100, 100, 100, 100, banker=3).bets_lie(10, 10, 10).dealt("9s").offers_lie(1, 1, 1)
    table.next_cards("Td Tc Th").when_answered()
    table.then(
        *(InsuranceRefused, InsuranceRefused, InsuranceRefused),
        CardsDealt(epoch=FIRST, cards=((1, 4), (2, 1), (3, 2))),
        shows({4: "Td", 1: "Tc", 2: "Th"}),
        *(HandSettled, HandEnded(banker=3)),
    )


def test_the_settlement_names_each_hand_in_full() -> None:  # WINNING, PAYOUT; I-DEAL2.1
    table = a_table(100, 100, 100).bets_lie(10, 30).dealt("9s").offers_lie(4, 5).next_cards("Td 8c").when_answered(3)
    assert table.settled().results == (
        Result(seat=2, outcome="won", bet=10, card="Td"),
        Result(seat=3, outcome="lost", bet=30, insurance=5, card="8c"),
    )
    assert (table.settled().banker, table.settled().card) == (1, "9s")


def test_first_the_banker_collects_then_bets_go_back_then_the_banker_pays() -> None:  # PAYOUT; I-PAY.1, G.5
    table = a_table(*[200] * 9, banker=4).bets_lie(11, 12, 13, 14, 15, 16, 17, 18).dealt("9s")
    table.offers_lie(1, 2, 3, 4, 5, 6, 7, 8)
    # From the left of seat 4: three uninsured bets are won, lost and tied; three insured bets are won, lost and tied;
    # one uninsured bet is won; one insured bet is lost.
    table.next_cards("Ts 8s 9d Th 8h 9h Tc 8c").when_answered(8, 9, 1, 3)
    assert table.moved() == [
        ("bet:6", "stack:4", 12),
        ("insurance:8", "stack:4", 4),
        ("insurance:9", "stack:4", 5),
        ("insurance:3", "stack:4", 8),
        ("bet:7", "stack:7", 13),
        ("bet:9", "stack:9", 15),
        ("bet:1", "stack:1", 16),
        ("insurance:1", "stack:1", 6),
        ("bet:3", "stack:3", 18),
        ("bet:5", "stack:5", 11),
        ("stack:4", "stack:5", 11),
        ("bet:8", "stack:8", 14),
        ("stack:4", "stack:8", 14),
        ("bet:2", "stack:2", 17),
        ("stack:4", "stack:2", 17),
    ]


def test_an_insured_winner_is_paid_and_the_banker_keeps_the_insurance() -> None:  # PAYOUT; I-PAY.1
    table = a_hand(banker="9s", player="Td", bet=20, offered=7, insured=True)
    assert table.moved() == [("insurance:2", "stack:1", 7), ("bet:2", "stack:2", 20), ("stack:1", "stack:2", 20)]


def test_an_insured_losing_bet_is_returned_and_the_banker_keeps_the_insurance() -> None:  # PAYOUT; I-PAY.1
    table = a_hand(banker="9s", player="8d", bet=20, offered=7, insured=True)
    assert table.moved() == [("insurance:2", "stack:1", 7), ("bet:2", "stack:2", 20)]


def test_a_refused_offer_insures_nothing() -> None:  # ACCEPTANCE, PAYOUT; I-ACC.1, I-PAY.1
    table = a_hand(banker="9s", player="8d", bet=20, offered=7)
    assert table.moved() == [("bet:2", "stack:1", 20)]


def test_a_tie_returns_bet_and_insurance() -> None:  # WINNING; I-DEAL2.1, I-PAY.1
    table = a_hand(banker="9s", player="9d", bet=20, offered=7, insured=True)
    assert table.moved() == [("bet:2", "stack:2", 20), ("insurance:2", "stack:2", 7)]


def test_insurance_may_cost_more_than_the_bet() -> None:  # INSURANCE OFFER, PAYOUT; I-OFFER.2
    a_hand(banker="9s", player="8d", bet=10, offered=90, insured=True).has(stacks=(190, 10))


def test_the_non_gambling_variation_settles_alike() -> None:  # NON-GAMBLING VARIATION, PAYOUT; I-PAY.1
    table = a_game(100, 100, 100).bets_lie(10, 10).dealt("9s").offers_lie(3, 4).next_cards("Td 8d").when_answered(2, 3)
    table.has(stacks=(97, 107, 96))


@pytest.mark.parametrize("seats", [2, 3, 17, 51, 52])
def test_two_to_fifty_two_players_play_a_hand_from_one_deck(seats: int) -> None:  # INTRODUCTION; I-END.3
    faces = ["9s", *(face for face in PACK if face != "9s")]
    table = a_table(*[100] * seats).bets_lie(*[10] * (seats - 1)).dealt("9s").offers_lie(*[1] * (seats - 1))
    table.next_cards(" ".join(faces[1:seats])).when_answered()
    assert [one.card for one in table.settled().results] == faces[1:seats]
    assert len(table.state.deck) == 52 - seats


def test_all_that_nobody_decides_follows_at_once() -> None:  # SECOND ROUND DEAL, END OF HAND; G.4
    table = a_table(100, 100).bets_lie(10).dealt("9s").offers_lie(1).next_cards("Td").when(seat(1).refuses(2))
    table.then(InsuranceRefused, CardsDealt, shows({2: "Td"}), HandSettled, HandEnded)
