"""The view of each player (G.1, G.6).

A player sees the cards of the player's hand, the cards that the player passed or received, the player's own sealed
choices, and all public facts.
"""

import pytest

from service.cards import PACK
from service.games.insurance_hearts import INSURANCE_HEARTS
from service.games.insurance_hearts.bids import Bid
from service.games.insurance_hearts.view import HeartsView, PlayedView
from tests.games.insurance_hearts.actors import seat
from tests.games.insurance_hearts.deals import CLUBS, DIAMONDS, HEARTS, MIXED, SPADES, played_by_a
from tests.games.insurance_hearts.table import SEATS, Table, a_table, an_open_table, at_auction, at_slips, hearts

HIDDEN = ("??",) * 13
SUITS = tuple(tuple(suit.split()) for suit in (CLUBS, DIAMONDS, HEARTS, SPADES))
LOWEST = ("2c 3c 4c", "2d 3d 4d", "2h 3h 4h", "2s 3s 4s")
VIEWERS = (0, *SEATS)


def at_pass() -> Table:
    return hearts(hand=0).dealt()


def known(view: HeartsView, number: int) -> set[str]:
    """Return the cards of seat *number* that the view shows."""
    return set(view.hands[number]) - {"??"}


def test_each_player_sees_the_own_hand_and_the_number_of_cards_of_each_other_hand() -> None:  # standard rules; G.1
    table = at_pass()
    for viewer in VIEWERS:
        expected = {number: SUITS[number - 1] if number == viewer else HIDDEN for number in SEATS}
        assert table.seen_by(viewer).hands == expected


def test_a_hand_is_sorted_by_suit_and_rank() -> None:  # standard rules
    table = hearts(hand=0).dealt(*MIXED)
    for number in SEATS:
        assert table.hand_of(number) == tuple(sorted(MIXED[number - 1].split(), key=PACK.index))


def test_the_four_auction_cards_are_hidden_until_they_are_turned_up() -> None:  # Bidding; IH.1, G.6
    for table in (at_slips(), at_slips().slips_lie()):
        for viewer in VIEWERS:
            view = table.seen_by(viewer)
            assert (view.auction, view.left) == ((), ())
            assert not INSURANCE_HEARTS.visible(table.state, viewer, True) & set(range(48, 52))
    table = at_auction(table="Js Qs Ks As")
    for viewer in VIEWERS:
        assert table.seen_by(viewer).auction == ("Js", "Qs", "Ks", "As")
        assert INSURANCE_HEARTS.visible(table.state, viewer, True) >= set(range(48, 52))


@pytest.mark.parametrize("is_present", [True, False])
def test_the_allow_list_has_the_players_own_cards_and_the_four_auction_cards(is_present: bool) -> None:  # G.6  # noqa: FBT001
    table = at_slips(dealer=4)
    assert INSURANCE_HEARTS.visible(table.state, 0, is_present) == frozenset()
    for number in SEATS:
        assert INSURANCE_HEARTS.visible(table.state, number, is_present) == frozenset(range(number - 1, 48, 4))
    table = at_auction()
    assert INSURANCE_HEARTS.visible(table.state, 0, is_present) == frozenset(range(48, 52))
    assert INSURANCE_HEARTS.visible(table.state, 2, is_present) == frozenset((*range(1, 48, 4), *range(48, 52)))
    assert INSURANCE_HEARTS.visible(a_table().state, 1, is_present) == frozenset()


def test_a_past_view_shows_no_more_than_the_present_view() -> None:  # G.6
    for table in (at_slips(), at_pass().passed(*LOWEST), at_auction(), played_by_a(1, 2, 3, 4)):
        for viewer in VIEWERS:
            assert table.seen_by(viewer, is_present=False) == table.seen_by(viewer)


def test_before_the_last_pass_only_its_giver_sees_the_chosen_cards() -> None:  # standard rules; H-PASS.1, G.1
    table = at_pass().given(*(seat(number).passes(LOWEST[number - 1]) for number in (1, 2, 3)))
    for viewer in VIEWERS:
        view = table.seen_by(viewer)
        assert view.passes_in == (1, 2, 3)
        assert view.passed == ({viewer: tuple(LOWEST[viewer - 1].split())} if viewer in {1, 2, 3} else {})


@pytest.mark.parametrize(("played", "giver"), [(0, (4, 1, 2, 3)), (1, (2, 3, 4, 1)), (2, (3, 4, 1, 2))])
def test_passed_cards_are_seen_by_giver_and_receiver_alone(
    played: int, giver: tuple[int, ...]
) -> None:  # standard rules; H-PASS.1, G.1
    table = hearts(hand=played).dealt().passed(*LOWEST)
    cards = {number: tuple(LOWEST[number - 1].split()) for number in SEATS}
    assert table.seen_by(0).passed == {}
    for viewer in SEATS:
        got_from = giver[viewer - 1]
        assert table.seen_by(viewer).passed == {number: cards[number] for number in sorted({viewer, got_from})}
        assert set(table.hand_of(viewer)) == ({*SUITS[viewer - 1], *cards[got_from]} - set(cards[viewer]))


def test_nothing_shows_who_passed_which_card_before_the_deck_is_retired() -> None:  # standard rules; H-PASS.1, G.1
    table = at_pass().passed(*LOWEST)
    while table.state.hand_is_running:
        assert table.seen_by(0).passed == {}
        assert table.seen_by(3).passed.keys() == {2, 3}
        assert all(known(table.seen_by(0), number) == set() for number in SEATS)
        (first, *_) = table.listed(table.next_one)
        table.given(first.command)
    for viewer in VIEWERS:
        assert table.seen_by(viewer).passed == {n: tuple(LOWEST[n - 1].split()) for n in SEATS}


def test_a_card_that_was_passed_on_is_known_to_its_giver_until_it_is_played() -> None:  # standard rules; H-PASS.1
    table = at_pass().passed(*LOWEST)
    assert known(table.seen_by(1), 2) == {"2c", "3c", "4c"}
    table.played("2c")
    assert known(table.seen_by(1), 2) == {"3c", "4c"}
    assert len(table.seen_by(1).hands[2]) == 12
    assert known(table.seen_by(3), 2) == set()


def test_bids_are_seen_by_their_authors_until_all_are_opened() -> None:  # Bidding; IH.8, G.1
    table = at_auction(table="Ac Kd Qh Js").given(seat(1).bids("Js", 7, showing="2c"))
    table.given(seat(2).bids_nothing(showing="2d"), seat(4).bids("Js", 5, showing="2s"))
    own = {
        1: Bid(card="Js", points=7, shown="2c"),
        2: Bid(card="", points=0, shown="2d"),
        4: Bid(card="Js", points=5, shown="2s"),
    }
    for viewer in VIEWERS:
        view = table.seen_by(viewer)
        assert view.bids_in == (1, 2, 4)
        assert view.bids == {number: bid for number, bid in own.items() if number == viewer}
        assert all(known(view, number) == set() for number in SEATS if number != viewer)
    table.given(seat(3).bids_nothing(showing="2h"))
    for viewer in VIEWERS:
        assert table.seen_by(viewer).bids == {**own, 3: Bid(card="", points=0, shown="2h")}


def test_each_players_card_of_the_four_auction_cards_is_open() -> None:  # Bidding; IH.9
    table = at_auction(table="Ac Kd Qh Js").given(seat(1).bids("Js", 7, showing="2c"))
    table.given(*(seat(number).bids_nothing(showing=f"2{suit}") for number, suit in ((2, "d"), (3, "h"), (4, "s"))))
    table.given(seat(4).chooses("Ac"))
    for viewer in VIEWERS:
        view = table.seen_by(viewer)
        assert (view.gained, view.left, view.choosing, view.phase) == (
            {1: "Js", 4: "Ac"},
            ("Kd", "Qh"),
            (3, 2),
            "choosing",
        )
        assert "Ac" in view.hands[4]
        assert "Js" in view.hands[1]


def test_a_card_shown_in_the_auction_is_known_until_it_is_played() -> None:  # Bidding; IH.8
    table = at_auction(table="Ac Kd Qh Js").nobody_bids("2c", "2d", "2h", "2s")
    table.given(seat(4).chooses("Js"), seat(3).chooses("Qh"), seat(2).chooses("Kd"))
    assert [known(table.seen_by(0), number) for number in SEATS] == [
        {"Ac", "2c"},
        {"Kd", "2d"},
        {"Qh", "2h"},
        {"Js", "2s"},
    ]
    table.played("2c 3d")
    assert [known(table.seen_by(0), number) for number in (1, 2)] == [{"Ac"}, {"Kd", "2d"}]
    assert [len(table.seen_by(0).hands[number]) for number in SEATS] == [12, 12, 13, 13]
    table.played("2h 2s Ac 2d Qh Js")
    assert [known(table.seen_by(0), number) for number in SEATS] == [set(), {"Kd"}, set(), set()]


def test_a_passed_card_that_its_receiver_shows_is_known_as_one_card() -> None:  # Bidding; H-PASS.1, IH.8
    table = at_slips().slips_lie().passed("2c 3c 4c", "Ac 2d 3d", "2h 3h 4h", "2s 3s 4s")
    table.nobody_bids("5c", "2c", "5h", "5s")
    assert table.seen_by(1).hands[2] == ("2c", "3c", "4c", *["??"] * 9)
    assert table.seen_by(0).hands[2] == ("2c", *["??"] * 11)


def test_slips_are_seen_by_their_authors_alone_until_their_time() -> None:  # Insurance, Foot Rule; IH.2, IH.3, G.1
    table = at_slips().given(seat(1).insures(5), seat(4).calls_foot(2))
    assert (table.seen_by(1).insurance, table.seen_by(1).foot) == ({1: 5}, {1: False})
    assert (table.seen_by(4).insurance, table.seen_by(4).foot) == ({4: 2}, {4: True})
    for viewer in (0, 2, 3):
        assert (table.seen_by(viewer).insurance, table.seen_by(viewer).foot) == ({}, {})
    table.given(seat(2).insures(0), seat(3).insures(1))
    written = {1: 5, 2: 0, 3: 1, 4: 2}
    for viewer in VIEWERS:
        view = table.seen_by(viewer)
        assert view.foot == {1: False, 2: False, 3: False, 4: True}
        assert view.insurance == {seat: number for seat, number in written.items() if seat == viewer}
        assert view.feet_used == (4,)


def test_the_seats_that_have_chosen_are_shown() -> None:  # G.1, IH.2, H-PASS.1, IH.7
    table = at_slips().given(seat(4).insures(0), seat(2).insures(0))
    assert table.seen_by(0).slips_in == (2, 4)
    table = at_pass().given(seat(4).passes(LOWEST[3]), seat(2).passes(LOWEST[1]))
    assert table.seen_by(0).passes_in == (2, 4)
    table = at_auction().given(seat(4).bids_nothing(showing="2s"), seat(2).bids_nothing(showing="2d"))
    assert table.seen_by(0).bids_in == (2, 4)


def test_numbers_are_shown_to_all_once_the_hand_is_scored() -> None:  # Insurance; IH.2, IH.5
    table = played_by_a(5, 2, 0, 1).played_out()
    assert all(table.seen_by(viewer).insurance == {1: 5, 2: 2, 3: 0, 4: 1} for viewer in VIEWERS)


def test_a_slip_has_no_choice_for_a_rule_that_is_off() -> None:  # Insurance, Foot Rule; IH.2
    assert at_slips(foot=False).given(seat(1).insures(3)).seen_by(1).foot == {}
    assert at_slips(insurance=False).given(seat(1).calls_foot()).seen_by(1).insurance == {}


def test_the_trick_is_open() -> None:  # standard rules; H-FOLLOW.1
    table = hearts().dealt(*MIXED).played("2c Jc Qc 9c 3d 8d")
    first = (("2c", 1), ("Jc", 2), ("Qc", 3), ("9c", 4))
    for viewer in VIEWERS:
        view = table.seen_by(viewer)
        assert view.trick == (PlayedView(seat=3, card="3d"), PlayedView(seat=4, card="8d"))
        assert view.last_trick == tuple(PlayedView(seat=number, card=card) for card, number in first)
        assert (view.tricks, view.taken, view.phase) == ({3: 1}, {}, "playing")
        assert [len(view.hands[number]) for number in SEATS] == [12, 12, 11, 11]


def test_hearts_and_the_queen_are_shown_with_their_taker() -> None:  # standard rules; H-SCORE.1
    view = played_by_a(0, 0, 0, 0).seen_by(0)
    assert {number: set(cards) for number, cards in view.taken.items()} == {
        1: {"Qs", "Jh", "8h", "Qh"},
        2: {"9h", "Kh", "5h"},
        3: {"3h", "7h", "6h", "Ah", "Th"},
    }


def test_the_view_shows_the_present_table() -> None:  # standard rules; H-DEAL.1, H-PASS.1
    view = an_open_table(players=2).seen_by(0)
    assert (view.phase, view.dealer, view.hands, view.scores) == ("seating", 0, {1: (), 2: ()}, {1: 0, 2: 0})
    view = a_table(dealer=3, totals=(1, 2, 3, 4), hand=1).seen_by(0)
    assert (view.phase, view.dealer, view.scores) == ("between_hands", 3, {1: 1, 2: 2, 3: 3, 4: 4})
    table = at_slips(dealer=2)
    assert (table.seen_by(0).phase, table.seen_by(0).dealer, table.seen_by(0).direction) == ("slips", 2, "left")
    assert table.slips_lie().seen_by(0).phase == "passing"
    assert at_auction().seen_by(0).phase == "bidding"
    assert (hearts().dealt().seen_by(0).phase, hearts().dealt().seen_by(0).direction) == ("playing", "none")


def test_once_the_hand_is_over_nobody_holds_cards() -> None:  # standard rules; G.6
    table = hearts().dealt().played_out()
    for viewer in VIEWERS:
        assert table.seen_by(viewer).hands == dict.fromkeys(SEATS, ())
        assert INSURANCE_HEARTS.visible(table.state, viewer, True) == frozenset()
    cancelled = at_slips().slips_lie(feet=(1,))
    assert all(cancelled.seen_by(viewer).hands == dict.fromkeys(SEATS, ()) for viewer in VIEWERS)


def test_a_new_hand_shows_nothing_of_the_last_hand() -> None:  # standard rules; H-DEAL.1
    view = a_table(hand=2).dealt().slips_lie(1, 2, 3, 4).played_out().dealt().seen_by(0)
    assert (view.slips_in, view.passes_in, view.bids_in, view.insurance, view.foot) == ((), (), (), {}, {})
    assert (view.passed, view.bids, view.auction, view.left, view.gained) == ({}, {}, (), (), {})
    assert (view.choosing, view.trick, view.last_trick, view.tricks, view.taken) == ((), (), (), {}, {})
    assert not view.hearts_are_broken
