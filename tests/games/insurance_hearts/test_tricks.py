"""Playing the thirteen tricks: H-LEAD.1, H-FOLLOW.1, H-FIRST.1, H-BREAK.1."""

from typing import Unpack

import pytest

from service.games.insurance_hearts.events import CardPlayed, PlayBegun, TrickTaken
from service.games.table_state import clockwise
from tests.games.insurance_hearts.actors import seat, stranger
from tests.games.insurance_hearts.deals import CLUBS, DIAMONDS, HEARTS, MIXED, SPADES
from tests.games.insurance_hearts.table import SEATS, Agreed, Table, a_table, at_auction, at_slips, hearts

FOLLOW = {"rule": "standard rules", "ruling": "H-FOLLOW.1"}
LEAD = {"rule": "standard rules", "ruling": "H-LEAD.1"}
FIRST_TRICK = {"rule": "standard rules", "ruling": "H-FIRST.1"}
BREAK = {"rule": "standard rules", "ruling": "H-BREAK.1"}


def at_play(*hands: str, **options: Unpack[Agreed]) -> Table:
    """Deal a hand without slips, passing or an auction."""
    return hearts(**options).dealt(*hands)


@pytest.mark.parametrize("holder", [1, 2, 3, 4])
def test_the_two_of_clubs_leads_the_first_trick(holder: int) -> None:  # standard rules; H-LEAD.1
    hands = ["", "", "", ""]
    hands[holder - 1] = "Ah 2c 5d"
    table = hearts().when_dealt(*hands).then(..., PlayBegun(leader=holder, to_play=clockwise(SEATS, holder - 1)))
    table.awaits(seat(holder)).may_play("2c")
    for card in ("5d", "Ah"):
        table.refuses(seat(holder).plays(card), "two_of_clubs_must_lead", **LEAD)


def test_a_player_who_was_passed_the_two_of_clubs_leads_it() -> None:  # standard rules; H-LEAD.1, H-PASS.1
    table = hearts(hand=2).dealt().when_passed("2c 3c 4c", "2d 3d 4d", "2h 3h 4h", "2s 3s 4s")
    table.then(..., PlayBegun(leader=3, to_play=(3, 4, 1, 2))).awaits(seat(3)).may_play("2c")


def test_a_player_who_got_the_two_of_clubs_in_the_auction_leads_it() -> None:  # Bidding; H-LEAD.1
    table = at_auction("3c", table="2c Ad Ah As").given(seat(4).bids("2c", 0, showing="Ks"))
    table.given(*(seat(number).bids_nothing(showing=table.hand_of(number)[0]) for number in (1, 2, 3)))
    table.given(table.next_one.chooses("Ad")).when(table.next_one.chooses("Ah"))
    table.then(..., PlayBegun(leader=4, to_play=(4, 1, 2, 3))).awaits(seat(4)).may_play("2c")


def test_play_goes_clockwise_from_the_leader() -> None:  # standard rules; H-FOLLOW.1, G.5
    table = at_play(*MIXED).awaits(seat(1)).when(seat(1).plays("2c")).then(CardPlayed(seat=1, card="2c"))
    table.awaits(seat(2)).given(seat(2).plays("3c")).awaits(seat(3)).given(seat(3).plays("4c")).awaits(seat(4))


def test_nobody_plays_out_of_turn() -> None:  # standard rules; H-FOLLOW.1
    table = at_play(*MIXED).played("2c")
    for number, card in ((1, "6c"), (3, "4c"), (4, "5c")):
        table.refuses(seat(number).plays(card), "turn_must_be_yours", **FOLLOW).may(seat(number))
    table.refuses(stranger.plays("3c"), "player_must_have_a_seat", ruling="G.4")


def test_cards_are_played_in_the_tricks_alone() -> None:  # standard rules; H-FOLLOW.1, IH.1, G.4
    for table in (a_table(), at_slips(), at_auction(), hearts(hand=0).dealt()):
        table.refuses(seat(1).plays("2c"), "tricks_must_be_played", rule="standard rules", ruling="G.4")


def test_players_play_only_their_own_cards_and_each_card_once() -> None:  # standard rules; H-FOLLOW.1
    table = at_play(*MIXED).played("2c")
    for card in ("4c", "2c", "Kc"):
        table.refuses(seat(2).plays(card), "card_must_be_held", **FOLLOW)
    table.played("Jc 4c 5c").refuses(seat(2).plays("Jc"), "card_must_be_held", **FOLLOW)


def test_a_player_who_can_follow_suit_must_follow_suit() -> None:  # standard rules; H-FOLLOW.1
    table = at_play(*MIXED).played("2c").may_play("3c 7c Jc")
    for card in ("2d", "Ad", "4s", "Qs", "5h"):
        table.refuses(seat(2).plays(card), "suit_must_be_followed", **FOLLOW)


def test_hearts_and_the_queen_follow_suit_as_other_cards_do() -> None:  # standard rules; H-FOLLOW.1, H-BREAK.1
    table = at_play(*MIXED).played("2c 3c 4c 5c").played("Ts").may_play("3s 7s Js").played("3s")
    table.may_play("4s 8s Qs")


def test_a_player_who_cannot_follow_plays_any_card() -> None:  # standard rules; H-FOLLOW.1
    table = at_play("2c 3c 4c 5c", "6c Qs 2h 3d", "Ac 7c", "8c").played("2c 6c Ac 8c 7c 2s Kc")
    table.awaits(seat(2)).may_play("Qs 2h 3h 3d 7d 8d 9d Td Jd Qd Kd Ad")


def test_the_highest_of_the_suit_led_takes_the_trick_and_leads_the_next() -> None:  # standard rules; H-FOLLOW.1
    table = at_play(*MIXED).when_played("2c Jc Qc 9c")
    table.then(
        ..., CardPlayed(seat=4, card="9c"), TrickTaken(seat=3, cards=("2c", "Jc", "Qc", "9c"), to_play=(3, 4, 1, 2))
    )
    table.awaits(seat(3)).when_played("3d 8d Kd Ad").then(
        ..., TrickTaken(seat=2, cards=("3d", "8d", "Kd", "Ad"), to_play=(2, 3, 4, 1))
    )
    table.awaits(seat(2))


def test_a_higher_card_of_another_suit_takes_nothing() -> None:  # standard rules; H-FOLLOW.1
    table = (
        at_play()
        .when_played("2c Ad Ah As")
        .then(..., TrickTaken(seat=1, cards=("2c", "Ad", "Ah", "As"), to_play=(1, 2, 3, 4)))
    )
    table.awaits(seat(1))


def test_a_trick_is_taken_with_its_fourth_card_and_not_before() -> None:  # standard rules; H-FOLLOW.1
    at_play(*MIXED).when_played("2c Jc Qc").never(TrickTaken)


def test_no_heart_and_no_queen_of_spades_on_the_first_trick() -> None:  # standard rules; H-FIRST.1
    table = at_play(CLUBS, "Qs 2h 2d", DIAMONDS.replace("2d", "3h"), "As").played("2c")
    offered = " ".join(face for face in table.hand_of(2) if face[1] != "h" and face != "Qs")
    table.may_play(offered)
    for card in ("Qs", "2h"):
        table.refuses(seat(2).plays(card), "first_trick_must_be_free_of_points", **FIRST_TRICK)


def test_a_hand_of_only_hearts_and_the_queen_plays_any_of_them_on_the_first_trick() -> (
    None
):  # standard rules; H-FIRST.1
    table = at_play(CLUBS, DIAMONDS, HEARTS, SPADES).played("2c").may_play(DIAMONDS).played("2d").may_play(HEARTS)
    table.played("2h").may_play(SPADES.replace("Qs ", ""))
    only_points = at_play(CLUBS, DIAMONDS, "Qs " + HEARTS[3:], "2h").played("2c 2d")
    only_points.may_play("Qs " + HEARTS[3:])


def test_in_the_first_trick_a_player_with_one_card_that_is_no_heart_must_play_it() -> None:  # standard rules; H-FIRST.1
    at_play(CLUBS, DIAMONDS, "2s " + HEARTS[3:], "2h").played("2c 2d").may_play("2s")


def test_from_the_second_trick_on_hearts_and_the_queen_may_be_thrown() -> None:  # standard rules; H-FIRST.1
    at_play().played("2c 2d 2h 2s 3c 3d").may_play(HEARTS[3:]).played("3h").may_play(SPADES[3:])


def test_no_heart_is_led_until_hearts_are_broken() -> None:  # standard rules; H-BREAK.1
    table = at_play(*MIXED).played("2c 3c 4c 5c").may_play("9c Kc 4d 8d Qd 2s 6s Ts As")
    assert not table.seen_by(0).hearts_are_broken
    for card in ("3h", "Jh"):
        table.refuses(seat(4).plays(card), "hearts_must_be_broken", **BREAK)


BEFORE_A_BREAK = ("2c " + CLUBS[6:] + " 2s", DIAMONDS, "Qs " + HEARTS[3:], "3c 2h " + SPADES[3:].replace("Qs ", ""))
"""Seat 3 has only hearts and the queen of spades; seat 4 takes the first trick, and has a heart."""
SPADES_OF_FOUR = SPADES[3:].replace("Qs ", "")


def test_a_heart_that_is_played_breaks_hearts() -> None:  # standard rules; H-BREAK.1
    table = at_play(*BEFORE_A_BREAK).played("2c 2d").when_played("3h")
    table.then(CardPlayed(seat=3, card="3h", breaks_hearts=True)).played("3c").may_play("2h " + SPADES_OF_FOUR)
    assert table.seen_by(0).hearts_are_broken


def test_hearts_are_broken_once() -> None:  # standard rules; H-BREAK.1
    table = at_play(*BEFORE_A_BREAK).played("2c 2d 3h 3c").when_played("2h")
    table.then(CardPlayed(seat=4, card="2h"))


def test_the_queen_of_spades_does_not_break_hearts() -> None:  # standard rules; H-BREAK.1
    table = at_play(*BEFORE_A_BREAK).played("2c 2d Qs 3c").may_play(SPADES_OF_FOUR)
    assert not table.seen_by(0).hearts_are_broken
    table.refuses(seat(4).plays("2h"), "hearts_must_be_broken", **BREAK)


def test_by_agreement_the_queen_also_breaks_hearts() -> None:  # standard rules; H-BREAK.1
    table = at_play(*BEFORE_A_BREAK, queen_breaks_hearts=True)
    table.played("2c 2d").when_played("Qs").then(CardPlayed(seat=3, card="Qs", breaks_hearts=True))
    table.played("3c").may_play("2h " + SPADES_OF_FOUR)
    assert table.seen_by(0).hearts_are_broken
    at_play(*BEFORE_A_BREAK, queen_breaks_hearts=True).played("2c 2d 3h 3c").may_play("2h " + SPADES_OF_FOUR)


@pytest.mark.parametrize("queen_breaks", [False, True])
def test_the_queen_of_spades_may_be_led_at_any_time(queen_breaks: bool) -> None:  # standard rules; H-BREAK.1  # noqa: FBT001
    table = at_play(*MIXED, queen_breaks_hearts=queen_breaks).played("2c Jc 4c 5c")
    table.may_play("3c 7c 2d 6d Td Ad 4s 8s Qs").played("Qs 5s 2s 3s")
    hearts_too = " 5h 9h Kh" if queen_breaks else ""
    table.awaits(seat(2)).may_play("3c 7c 2d 6d Td Ad 4s 8s" + hearts_too)


def test_a_hand_of_only_hearts_leads_a_heart_without_a_break() -> None:  # standard rules; H-BREAK.1
    table = at_play("2c", "3c", "Ac " + HEARTS[3:], "4c").played("2c 3c Ac 4c")
    assert not table.seen_by(0).hearts_are_broken
    table.may_play(HEARTS[3:]).played("3h")
    assert table.seen_by(0).hearts_are_broken


@pytest.mark.parametrize("queen_breaks", [False, True])
def test_a_hand_of_hearts_and_the_queen_must_lead_the_queen(queen_breaks: bool) -> None:  # H-BREAK.1  # noqa: FBT001
    table = at_play("2c", "3c", "Ac Qs " + HEARTS[6:], "4c", queen_breaks_hearts=queen_breaks).played("2c 3c Ac 4c")
    table.may_play("Qs").refuses(seat(3).plays("Ah"), "hearts_must_be_broken", **BREAK)


def test_once_hearts_are_broken_a_hand_of_hearts_and_the_queen_leads_any_card() -> None:  # standard rules; H-BREAK.1
    table = at_play("2c 5c", "3c " + DIAMONDS[3:], "Ac Kc Qs " + HEARTS[9:], "4c 2h").played("2c 3c Ac 4c")
    table.played("Kc 2h 5c 3d").awaits(seat(3)).may_play("Qs " + HEARTS[9:])


def test_a_break_lasts_for_its_hand_alone() -> None:  # standard rules; H-BREAK.1
    table = at_play().played("2c 2d 2h 2s")
    assert table.seen_by(0).hearts_are_broken
    table.played_out().dealt()
    assert not table.seen_by(0).hearts_are_broken


def test_a_card_played_can_be_decided_again() -> None:  # standard rules; H-FOLLOW.1
    table = at_play(*MIXED)
    for number, card in ((1, "2c"), (2, "Jc"), (3, "Qc"), (4, "9c")):
        table.when_decided_again(seat(number).plays(card), seat(number).by)
