"""The auction of the four cards: IH.7, IH.8, IH.9."""

import pytest

from service.games.common_events import CardsShown
from service.games.game import Bound, Choice, Command
from service.games.insurance_hearts.commands import MakeNoBid, PlaceBid
from service.games.insurance_hearts.events import (
    AuctionSettled,
    BidsAwaited,
    BidsOpened,
    BidWritten,
    CardsPassed,
    FootTold,
    LeftoverChosen,
    LeftoverGiven,
    OpenedBid,
    PlayBegun,
    Sold,
)
from tests.games.expected import shows, some
from tests.games.insurance_hearts.actors import EVERYBODY, seat, stranger
from tests.games.insurance_hearts.table import (
    AUCTION_ALONE,
    SEATS,
    Agreed,
    Table,
    a_table,
    at_auction,
    at_slips,
    hearts,
)

BID = {"rule": "Bidding", "ruling": "IH.7"}
LEFTOVER = {"rule": "Bidding", "ruling": "IH.9"}
FOUR = "Ac Kd Qh Js"
"""The four cards on the table, one of each suit."""
SHOWN = ("2c", "2d", "2h", "2s")
"""A card of each seat's hand: the lower the seat's number, the weaker the card."""


def at_bids(*hands: str) -> Table:
    """Deal *hands*, by default one suit to each seat; one card of each suit is up for auction."""
    return at_auction(*hands, table=FOUR)


def no_bid(*numbers: int) -> list[Command]:
    """Return a command for each of the seats: to make no bid, and to show the seat's card of `SHOWN`."""
    return [seat(number).bids_nothing(showing=SHOWN[number - 1]) for number in numbers]


def test_when_insurance_and_passing_is_finished_the_four_cards_are_revealed() -> None:  # Bidding; IH.1, IH.7
    table = a_table().dealt(table=FOUR).when_slips_lie().never(CardsShown)
    passes = [seat(number).passes(" ".join(table.hand_of(number)[:3])) for number in SEATS]
    table.given(*passes[:3]).when(passes[3])
    shown = shows({0: FOUR})
    table.then(..., CardsPassed(direction="left"), shown, BidsAwaited(cards=tuple(FOUR.split()))).awaits(*EVERYBODY)


def test_without_a_pass_the_four_cards_are_revealed_after_the_slips_or_the_deal() -> None:  # Bidding; IH.1
    a_table(hand=3).dealt(table=FOUR).when_slips_lie().then(..., FootTold, shows({0: FOUR}), BidsAwaited)
    a_table(hand=3, **AUCTION_ALONE).when_dealt(table=FOUR).then(..., shows({0: FOUR}), BidsAwaited)


def test_the_four_cards_belong_to_nobody_until_they_are_sold() -> None:  # Bidding; IH.7
    table = at_bids()
    assert table.seen_by(0).auction == table.seen_by(0).left == tuple(FOUR.split())
    assert (table.seen_by(0).gained, {len(hand) for hand in table.seen_by(0).hands.values()}) == ({}, {12})


@pytest.mark.parametrize(("card", "least"), [("Js", 3), ("Qh", 2), ("Kd", 1), ("Ac", 0)])
def test_each_suit_has_its_start_up_bid(card: str, least: int) -> None:  # Bidding; IH.7
    table = at_bids().when(seat(1).bids(card, least, showing="2c")).then(BidWritten(seat=1))
    table.refuses(seat(2).bids(card, least - 1, showing="2d"), "bid_must_be_within_its_bounds", **BID)
    table.given(*no_bid(2, 3)).when(*no_bid(4)).then_of(
        AuctionSettled, some(AuctionSettled, sold=(Sold(seat=1, card=card, points=least),))
    )


def test_a_bid_has_no_upper_limit_except_the_limit_of_the_service() -> None:  # Bidding; IH.7
    for card in FOUR.split():
        table = at_bids().when(seat(1).bids(card, 999, showing="2c")).then(BidWritten(seat=1))
        table.refuses(seat(2).bids(card, 1000, showing="2d"), "bid_must_be_within_its_bounds", **BID)


@pytest.mark.parametrize("card", ["2c", "2d", "As", "??"])
def test_only_the_four_auction_cards_can_be_bid_for(card: str) -> None:  # Bidding; IH.7
    at_bids().refuses(seat(1).bids(card, 5, showing="2c"), "card_must_be_up_for_auction", **BID)


@pytest.mark.parametrize("shown", ["2d", "Ac", "Js", "??"])
def test_the_shown_card_comes_from_the_bidders_own_hand(shown: str) -> None:  # Bidding; IH.7
    at_bids().refuses(seat(1).bids("Ac", 5, showing=shown), "card_must_be_held", **BID)
    at_bids().refuses(seat(1).bids_nothing(showing=shown), "card_must_be_held", **BID)


def test_the_shown_card_must_be_in_the_hand_at_the_time_of_the_bid() -> None:  # Bidding; IH.7, H-PASS.1
    table = at_slips(bidding=True).slips_lie().passed("2c 3c 4c", "2d 3d 4d", "2h 3h 4h", "2s 3s 4s")
    table.refuses(seat(1).bids_nothing(showing="2c"), "card_must_be_held", **BID)
    table.when(seat(1).bids_nothing(showing="2s")).then(BidWritten(seat=1))


def test_all_bid_at_the_same_time_in_any_order_and_once() -> None:  # Bidding; IH.7, G.1
    table = at_bids().awaits(*EVERYBODY).when(seat(3).bids("Ac", 1, showing="2h")).then(BidWritten(seat=3))
    table.awaits(seat(1), seat(2), seat(4)).may(seat(3))
    for other in (seat(3).bids("Ac", 2, showing="2h"), seat(3).bids_nothing(showing="2h")):
        table.refuses(other, "choice_must_stand", **BID)
    table.when(*no_bid(1)).then(BidWritten(seat=1)).awaits(seat(2), seat(4))
    table.refuses(seat(1).bids("Ac", 1, showing="2c"), "choice_must_stand", **BID)


def test_only_a_seated_player_bids_and_only_in_the_auction() -> None:  # Bidding; IH.7, G.4
    for other in (seat(5), stranger):
        at_bids().refuses(other.bids("Ac", 5, showing="2c"), "player_must_have_a_seat", ruling="G.4")
        at_bids().refuses(other.bids_nothing(showing="2c"), "player_must_have_a_seat", ruling="G.4")
    settled = at_bids().given(*no_bid(1, 2, 3, 4))
    for table in (a_table(), at_slips(), at_slips().slips_lie(), hearts().dealt(), settled):
        for command in (seat(1).bids("Ac", 5, showing="2c"), seat(1).bids_nothing(showing="2c")):
            table.refuses(command, "bids_must_be_awaited", rule="Bidding", ruling="G.4")


def test_bids_and_shown_cards_are_sealed_and_opened_in_one_step_after_the_last() -> None:  # Bidding; IH.8, G.1
    table = at_bids().given(seat(4).bids("Js", 4, showing="3s"), seat(1).bids("Js", 5, showing="3c"), *no_bid(2))
    envelope = table.decks.last(4, "bid")
    assert envelope.readers == [4]
    table.when(*no_bid(3)).then(
        BidWritten(seat=3),
        BidsOpened(
            bids=(
                OpenedBid(seat=1, card="Js", points=5, shown="3c"),
                OpenedBid(seat=2, shown="2d"),
                OpenedBid(seat=3, shown="2h"),
                OpenedBid(seat=4, card="Js", points=4, shown="3s"),
            )
        ),
        AuctionSettled(sold=(Sold(seat=1, card="Js", points=5),), choosing=(4, 3, 2), left=("Ac", "Kd", "Qh")),
    )
    assert envelope.readers == [0, 1, 2, 3, 4]


def test_cards_are_sold_in_their_order_on_the_table() -> None:  # Bidding; IH.8
    bids = [seat(n).bids(card, 9, showing=SHOWN[n - 1]) for n, card in zip((3, 1, 4, 2), FOUR.split(), strict=True)]
    table = at_bids().when(*bids)
    sold = tuple(Sold(seat=n, card=card, points=9) for n, card in zip((3, 1, 4, 2), FOUR.split(), strict=True))
    table.then(..., AuctionSettled(sold=sold, choosing=(), left=()), PlayBegun(leader=1, to_play=(1, 2, 3, 4))).never(
        LeftoverGiven
    )
    assert table.seen_by(0).gained == {3: "Ac", 1: "Kd", 4: "Qh", 2: "Js"}
    assert {"Js"} <= set(table.hand_of(2))


def test_the_highest_number_takes_a_card() -> None:  # Bidding; IH.8
    table = at_bids().given(seat(4).bids("Ac", 6, showing="2s"), seat(1).bids("Ac", 7, showing="2c"))
    table.given(seat(3).bids("Ac", 5, showing="2h")).when(*no_bid(2))
    table.then(
        ..., AuctionSettled(sold=(Sold(seat=1, card="Ac", points=7),), choosing=(4, 3, 2), left=("Kd", "Qh", "Js"))
    )


def test_a_named_club_at_0_is_a_bid_and_beats_every_no_bidder() -> None:  # Bidding; IH.7
    table = at_bids().given(seat(1).bids("Ac", 0, showing="2c")).when(*no_bid(2, 3, 4))
    table.then_of(AuctionSettled, some(AuctionSettled, sold=(Sold(seat=1, card="Ac", points=0),), choosing=(4, 3, 2)))


STRENGTHS = [
    pytest.param("As", "Ks", id="IH.8: ace before king"),
    pytest.param("3s", "2s", id="IH.8: three before two"),
    pytest.param("Ts", "9s", id="IH.8: ten before nine"),
    pytest.param("Jh", "Th", id="IH.8: jack before ten"),
    pytest.param("2s", "Ah", id="IH.8: the two of spades before the ace of hearts"),
    pytest.param("2h", "Ad", id="IH.8: hearts before diamonds"),
    pytest.param("2d", "Kc", id="IH.8: diamonds before clubs"),
    pytest.param("As", "2c", id="IH.8: the strongest before the weakest"),
]


@pytest.mark.parametrize(("stronger", "weaker"), STRENGTHS)
def test_equal_numbers_are_decided_by_the_stronger_card_shown(stronger: str, weaker: str) -> None:  # Bidding; IH.8
    for strong, weak in ((1, 2), (2, 1), (3, 4)):
        hands = ["", "", "", ""]
        hands[strong - 1], hands[weak - 1] = stronger, weaker
        table = at_auction(*hands, table="Ac Qd 6h Qs")
        table.given(*(seat(n).bids_nothing(showing=table.hand_of(n)[0]) for n in SEATS if n not in {strong, weak}))
        table.given(seat(strong).bids("Qs", 4, showing=stronger)).when(seat(weak).bids("Qs", 4, showing=weaker))
        table.then_of(AuctionSettled, some(AuctionSettled, sold=(Sold(seat=strong, card="Qs", points=4),)))


@pytest.mark.parametrize(("stronger", "weaker"), STRENGTHS)
def test_the_player_who_shows_the_stronger_card_chooses_first(
    stronger: str, weaker: str
) -> None:  # Bidding; IH.8, IH.9
    for strong, weak in ((1, 4), (4, 1)):
        hands = ["", "", "", ""]
        hands[strong - 1], hands[weak - 1] = stronger, weaker
        table = at_auction(*hands, table="Ac Qd 6h Qs").given(seat(strong).bids_nothing(showing=stronger))
        table.given(seat(weak).bids_nothing(showing=weaker))
        table.given(*(seat(n).bids_nothing(showing=table.hand_of(n)[0]) for n in (2, 3)))
        order = table.seen_by(0).choosing
        assert order.index(strong) < order.index(weak)


def test_if_three_bids_tie_the_strongest_shown_card_wins() -> None:  # Bidding; IH.8
    table = at_bids().given(*(seat(n).bids("Kd", 3, showing=SHOWN[n - 1]) for n in (4, 1))).given(*no_bid(2))
    table.when(seat(3).bids("Kd", 3, showing="Kh")).then_of(
        AuctionSettled,
        AuctionSettled(sold=(Sold(seat=4, card="Kd", points=3),), choosing=(3, 2, 1), left=("Ac", "Qh", "Js")),
    )


def test_a_stronger_card_is_worth_nothing_against_a_higher_number() -> None:  # Bidding; IH.8
    table = at_bids().given(seat(4).bids("Kd", 3, showing="As"), *no_bid(2, 3))
    table.when(seat(1).bids("Kd", 4, showing="2c"))
    table.then_of(AuctionSettled, some(AuctionSettled, sold=(Sold(seat=1, card="Kd", points=4),)))


def test_shown_cards_go_back_to_their_hands() -> None:  # Bidding; IH.8
    table = at_bids().given(*no_bid(1, 2, 3, 4))
    for number, shown in zip(SEATS, SHOWN, strict=True):
        assert shown in table.hand_of(number)
        assert sorted(table.seen_by(0).hands[number]) == sorted([shown, *["??"] * 11])


def test_players_without_a_card_choose_openly_and_in_turn_with_the_strongest_first() -> None:  # Bidding; IH.9
    table = at_bids().given(*no_bid(1, 2, 3, 4)).awaits(seat(4))
    table.may(seat(4), *(seat(4).chooses(card) for card in FOUR.split()))
    table.may(seat(3)).refuses(seat(3).chooses("Ac"), "turn_must_be_yours", **LEFTOVER)
    table.when(seat(4).chooses("Kd")).then(LeftoverChosen(seat=4, card="Kd")).awaits(seat(3))
    table.may(seat(3), *(seat(3).chooses(card) for card in ("Ac", "Qh", "Js")))
    for card in ("Kd", "2s", "??"):
        table.refuses(seat(3).chooses(card), "card_must_be_left", **LEFTOVER)
    table.when(seat(3).chooses("Js")).then(LeftoverChosen(seat=3, card="Js")).awaits(seat(2))
    assert (table.seen_by(0).left, table.seen_by(0).gained) == (("Ac", "Qh"), {4: "Kd", 3: "Js"})


def test_the_last_card_goes_to_the_last_player_without_a_choice() -> None:  # Bidding; IH.9, G.4
    table = at_bids().given(*no_bid(1, 2, 3, 4), seat(4).chooses("Kd"), seat(3).chooses("Js"))
    table.when(seat(2).chooses("Ac"))
    table.then(
        LeftoverChosen(seat=2, card="Ac"), LeftoverGiven(seat=1, card="Qh"), PlayBegun(leader=1, to_play=(1, 2, 3, 4))
    )
    assert [face for face in ("Ac", "Kd", "Qh", "Js") if face in table.hand_of(1)] == ["Qh"]
    assert {len(hand) for hand in table.seen_by(0).hands.values()} == {13}


def test_if_three_cards_are_sold_the_fourth_is_given_at_once() -> None:  # Bidding; IH.9, G.4
    table = at_bids().given(seat(1).bids("Ac", 0, showing="2c"), seat(2).bids("Kd", 1, showing="2d"))
    table.given(seat(3).bids("Qh", 2, showing="2h")).when(*no_bid(4))
    settled = some(AuctionSettled, choosing=(4,), left=("Js",))
    table.then(
        BidWritten(seat=4),
        BidsOpened,
        settled,
        LeftoverGiven(seat=4, card="Js"),
        PlayBegun(leader=1, to_play=(1, 2, 3, 4)),
    )


def test_an_outbid_player_chooses_like_a_player_who_made_no_bid() -> None:  # Bidding; IH.9
    table = at_bids().given(seat(1).bids("Js", 9, showing="2c"), seat(2).bids("Js", 8, showing="Qd"), *no_bid(4))
    table.when(seat(3).bids("Js", 7, showing="3h"))
    table.then_of(AuctionSettled, some(AuctionSettled, choosing=(4, 3, 2))).awaits(seat(4))
    weak = at_bids("", "", "", "3c").given(seat(1).bids("Js", 9, showing="2c"), seat(2).bids("Js", 8, showing="3d"))
    weak.given(seat(3).bids_nothing(showing="3h")).when(seat(4).bids_nothing(showing="3c"))
    weak.then_of(AuctionSettled, some(AuctionSettled, choosing=(3, 2, 4)))


def test_leftovers_are_chosen_only_in_the_auction_and_by_seated_players() -> None:  # Bidding; IH.9, G.4
    for table in (a_table(), at_bids(), at_slips(), hearts().dealt()):
        table.refuses(seat(1).chooses("Ac"), "leftovers_must_lie", rule="Bidding", ruling="G.4")
    choosing = at_bids().given(*no_bid(1, 2, 3, 4))
    choosing.refuses(stranger.chooses("Ac"), "player_must_have_a_seat", ruling="G.4")
    choosing.refuses(seat(4).plays("2s"), "tricks_must_be_played", rule="standard rules", ruling="G.4")


def test_a_bought_or_chosen_card_may_be_played() -> None:  # Bidding; IH.8, IH.9
    table = at_bids().given(seat(2).bids("Ac", 5, showing="2d"), *no_bid(1, 3, 4))
    table.given(seat(4).chooses("Qh"), seat(3).chooses("Js")).played("2c").may_play("Ac").played("Ac")
    assert "Ac" not in table.hand_of(2)


def test_bids_are_offered_with_their_bounds_and_with_all_cards_that_can_be_shown() -> None:  # Bidding; IH.7
    table = at_bids()
    hand = table.hand_of(3)
    offered = table.listed(seat(3))
    bids = {a.command.card: a for a in offered if isinstance(a.command, PlaceBid)}
    assert {card: bid.bounds for card, bid in bids.items()} == {
        card: (Bound(member="points", least=least, most=999),)
        for card, least in zip(FOUR.split(), (0, 1, 2, 3), strict=True)
    }
    assert [type(action.command) for action in offered].count(MakeNoBid) == 1
    assert {action.choices for action in offered} == {(Choice(member="shown", among=hand),)}
    for action in offered:
        table.accepts(action)


@pytest.mark.parametrize("options", [{}, {"insurance": False, "foot": False}])
def test_bids_and_choices_can_be_decided_again(options: Agreed) -> None:  # Bidding; IH.7, IH.9
    table = a_table(hand=3, **options).dealt(table=FOUR)
    if not options:
        table.slips_lie()
    table.when_decided_again(seat(2).bids("Ac", 0, showing="2d"), seat(2).by)
    for number in (1, 3, 4):
        (command,) = no_bid(number)
        table.when_decided_again(command, seat(number).by)
    table.when_decided_again(seat(4).chooses("Js"), seat(4).by)
    table.when_decided_again(seat(3).chooses("Kd"), seat(3).by)
