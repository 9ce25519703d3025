"""The draw for the dealer, the deal, and the next dealer: H-DEAL.1, H-DEAL.2."""

import pytest

from service.games.common_commands import DealHand
from service.games.common_events import (
    CardsDealt,
    CardsShown,
    DealerDrawn,
    DeckFixed,
    DeckOpened,
    DeckRevealed,
    GameStarted,
    HandDealt,
)
from service.games.insurance_hearts.events import HandCancelled, HandFinished, HandScored, PassAwaited, SlipsAwaited
from service.games.table_state import clockwise
from tests.games.expected import shows, some
from tests.games.insurance_hearts.actors import EVERYBODY, host, seat, service, stranger
from tests.games.insurance_hearts.table import (
    DRAW,
    FIRST,
    SEATS,
    SECOND,
    THIRD,
    a_table,
    an_open_table,
    at_auction,
    at_slips,
    hearts,
)


def test_the_highest_card_drawn_deals_first() -> None:  # standard rules; H-DEAL.1, G.6
    (
        an_open_table(players=4)
        .the_deck_begins(DRAW, "7s Kd 2c Qh")
        .when(host.starts())
        .then(
            GameStarted(),
            some(DeckFixed, epoch=DRAW, level="operator"),
            some(DeckOpened, epoch=FIRST),
            CardsDealt(epoch=DRAW, cards=((0, 1), (1, 2), (2, 3), (3, 4))),
            shows({1: "7s", 2: "Kd", 3: "2c", 4: "Qh"}),
            DealerDrawn(dealer=2),
            some(DeckRevealed, epoch=DRAW),
        )
        .awaits(seat(2))
    )


def test_players_who_tie_for_the_highest_card_draw_again_from_the_same_deck() -> None:  # standard rules; H-DEAL.1
    (
        an_open_table(players=4)
        .the_deck_begins(DRAW, "As 9c Ad Kh 2c 3c")
        .when(host.starts())
        .then_of(
            (CardsDealt, CardsShown, DealerDrawn),
            CardsDealt(epoch=DRAW, cards=((0, 1), (1, 2), (2, 3), (3, 4))),
            CardsShown,
            CardsDealt(epoch=DRAW, cards=((4, 1), (5, 3))),
            shows({1: "2c", 3: "3c"}),
            DealerDrawn(dealer=3),
        )
    )


def cards_in_the_deal(dealer: int, each: int) -> list[tuple[int, int]]:
    """Return each card's position and seat in a deal from the dealer's left; *each*: how many cards a seat gets."""
    walk = clockwise(SEATS, dealer)
    return [(position, walk[position % 4]) for position in range(4 * each)]


@pytest.mark.parametrize("dealer", SEATS)
def test_thirteen_each_are_dealt_one_at_a_time_from_the_dealers_left(
    dealer: int,
) -> None:  # standard rules; H-DEAL.1, G.5
    table = a_table(dealer=dealer, bidding=False).when_dealt()
    table.then(
        HandDealt(hand=1, dealer=dealer),
        some(DeckFixed, epoch=FIRST, level="operator"),
        some(DeckOpened, epoch=SECOND),
        CardsDealt(epoch=FIRST, cards=tuple(cards_in_the_deal(dealer, 13))),
        SlipsAwaited(),
    )


@pytest.mark.parametrize("dealer", SEATS)
def test_with_bidding_each_gets_twelve_cards_and_the_last_four_go_to_the_table(
    dealer: int,
) -> None:  # Bidding; H-DEAL.1
    table = a_table(dealer=dealer).when_dealt()
    four = [(position, "table") for position in range(48, 52)]
    dealt = CardsDealt(epoch=FIRST, cards=(*cards_in_the_deal(dealer, 12), *four))
    table.then_of(CardsDealt, dealt).never(CardsShown)
    assert {len(table.seen_by(0).hands[number]) for number in SEATS} == {12}


def test_each_player_has_the_cards_dealt() -> None:  # standard rules; H-DEAL.1
    table = a_table(bidding=False, dealer=2).dealt("Qs Ah", "2c", "Kd", "3h")
    assert all(len(table.hand_of(number)) == 13 for number in SEATS)
    assert {"Qs", "Ah"} <= set(table.hand_of(1))
    assert "2c" in table.hand_of(2)
    assert "Kd" in table.hand_of(3)
    assert "3h" in table.hand_of(4)


def test_the_deal_moves_clockwise_after_every_hand() -> None:  # standard rules; H-DEAL.1
    table = a_table(dealer=3, insurance=False, bidding=False, foot=False, target=10_000)
    for number, (dealer, after) in enumerate(((3, 4), (4, 1), (1, 2), (2, 3), (3, 4)), start=1):
        table.awaits(seat(dealer)).when(seat(dealer).deals()).then(HandDealt(hand=number, dealer=dealer), ...)
        table.when_played_out().then(..., HandScored, DeckRevealed, HandFinished(dealer=after))


def test_the_deal_also_moves_on_after_a_cancelled_hand() -> None:  # Foot Rule; H-DEAL.1, IH.3
    table = at_slips(dealer=4).when_slips_lie(feet=(1,))
    table.then(..., HandCancelled(callers=(1,)), DeckRevealed, HandFinished(dealer=1)).awaits(seat(1))
    table.when(seat(1).deals()).then(HandDealt(hand=2, dealer=1), ...)


def test_every_hand_is_dealt_from_a_fresh_deck_of_fifty_two() -> None:  # standard rules; H-DEAL.1, G.6
    table = hearts().dealt().when_played_out()
    table.then_of(DeckRevealed, DeckRevealed(epoch=FIRST, server_seed=table.decks.server_seed(FIRST)))
    table.when_dealt().then(
        some(HandDealt, hand=5),
        some(DeckFixed, epoch=SECOND),
        some(DeckOpened, epoch=THIRD, n=52),
        some(CardsDealt, epoch=SECOND),
        ...,
    )


def test_a_deck_stays_closed_until_its_hand_is_over() -> None:  # G.6
    table = hearts().when_dealt().never(DeckRevealed)
    for _ in range(51):
        table.when(host.calls_time()).never(DeckRevealed)
    table.when(host.calls_time()).then(..., DeckRevealed, HandFinished)


def test_only_the_dealer_deals() -> None:  # standard rules; H-DEAL.2
    table = a_table(dealer=2).awaits(seat(2)).may(seat(2), seat(2).deals())
    for other in (seat(1), seat(3), seat(4), host, stranger, service):
        table.refuses(other.deals(), "dealer_must_deal", rule="standard rules", ruling="H-DEAL.2")
    for other in (seat(1), seat(3), seat(4), stranger):
        table.may(other)


def test_the_next_hand_is_dealt_only_between_hands() -> None:  # standard rules; H-DEAL.1, G.4
    for table in (at_slips(), at_slips().slips_lie(), at_auction(), hearts().dealt()):
        for actor in EVERYBODY:
            table.refuses(actor.deals(), "hand_must_be_over", rule="standard rules", ruling="G.4")
            assert DealHand not in {type(action.command) for action in table.listed(actor)}


def test_between_hands_nothing_but_dealing_is_possible() -> None:  # G.4
    table = a_table(dealer=4)
    for command in (
        seat(1).insures(0),
        seat(1).passes("2c 3c 4c"),
        seat(1).bids("Ks", 3, showing="2c"),
        seat(1).bids_nothing(showing="2c"),
        seat(1).chooses("Ks"),
        seat(1).plays("2c"),
    ):
        assert table.refusal(command).ruling == "G.4"
    table.may(seat(4), seat(4).deals()).may(host, host.calls_time())


def test_a_deal_moves_no_points() -> None:  # G.7
    table = a_table(bidding=False).when_dealt()
    table.when_slips_lie(1, 2, 3, 4).then_of(PassAwaited, PassAwaited(direction="left"))
    assert set(table.state.balances.values()) == {0}
