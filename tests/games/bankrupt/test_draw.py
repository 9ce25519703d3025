"""The draw for the first dealer: Rule 5."""

import pytest

from service.cards import RANKS
from service.games.bankrupt.events import CardUpturned
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
from tests.games.bankrupt.actors import host, seat
from tests.games.bankrupt.stacked import AFTER_THE_RITUAL, DRAW, FIRST, SECOND, UPTURNED
from tests.games.bankrupt.table import an_open_table
from tests.games.expected import shows, some


def test_the_highest_card_deals_first() -> None:  # Rule 5; B5.1
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
            some(DeckFixed, epoch=FIRST),
            some(DeckOpened, epoch=SECOND),
            CardUpturned(epoch=FIRST, pos=UPTURNED, order=AFTER_THE_RITUAL),
        )
    )


def test_the_dealer_drawn_deals_the_first_round() -> None:  # Rule 5
    table = an_open_table(players=3).the_deck_begins(DRAW, "7s Kd 2c").given(host.starts())
    table.awaits(seat(2)).when(seat(2).deals()).then(HandDealt(hand=1, dealer=2), ...)


def test_one_card_goes_to_each_seat_clockwise_from_seat_1_and_empty_seats_get_none() -> None:  # B5.1
    (
        an_open_table(players=4, seats=6)
        .given(seat(1).leaves(), seat(3).leaves())
        .the_deck_begins(DRAW, "7s Kd")
        .when(host.starts())
        .then_of(CardsDealt, CardsDealt(epoch=DRAW, cards=((0, 2), (1, 4))))
        .then_of(DealerDrawn, DealerDrawn(dealer=4))
    )


def test_in_a_tie_only_the_tied_players_are_dealt_a_second_card() -> None:  # Rule 5; B5.1
    (
        an_open_table(players=4)
        .the_deck_begins(DRAW, "As 9c Ad Kh 2c 3c")
        .when(host.starts())
        .then(
            ...,
            CardsDealt(epoch=DRAW, cards=((0, 1), (1, 2), (2, 3), (3, 4))),
            CardsShown,
            CardsDealt(epoch=DRAW, cards=((4, 1), (5, 3))),
            shows({1: "2c", 3: "3c"}),
            DealerDrawn(dealer=3),
            ...,
        )
    )


def test_the_draw_goes_on_until_one_player_is_highest() -> None:  # Rule 5; B5.1
    (
        an_open_table(players=4)
        .the_deck_begins(DRAW, "As Ad Ah Ac Ks Kd Kh 2c Qs Qd 3c Jd Tc")
        .when(host.starts())
        .then_of(
            CardsDealt,
            CardsDealt(epoch=DRAW, cards=((0, 1), (1, 2), (2, 3), (3, 4))),
            CardsDealt(epoch=DRAW, cards=((4, 1), (5, 2), (6, 3), (7, 4))),
            CardsDealt(epoch=DRAW, cards=((8, 1), (9, 2), (10, 3))),
            CardsDealt(epoch=DRAW, cards=((11, 1), (12, 2))),
        )
        .then_of(DealerDrawn, DealerDrawn(dealer=1))
    )


def test_a_player_out_of_a_tie_cannot_win_the_draw_by_an_earlier_card() -> None:  # Rule 5; B5.1
    table = an_open_table(players=3).the_deck_begins(DRAW, "As Ad Kc 2h 3h").when(host.starts())
    table.then_of(DealerDrawn, DealerDrawn(dealer=2))


def test_suits_break_no_tie() -> None:  # Rule 2; B5.1
    table = an_open_table(players=2).the_deck_begins(DRAW, "As Ac 5c 4s").when(host.starts())
    table.then_of(CardsDealt, CardsDealt, some(CardsDealt, cards=((2, 1), (3, 2))))
    table.then_of(DealerDrawn, DealerDrawn(dealer=1))


def tied_until_nothing_is_left() -> str:
    """Return a pack of pairs: the first two cards have the same rank, the next two have the same rank, and so on."""
    return " ".join(f"{rank}{suit}" for suits in ("cd", "hs") for rank in RANKS for suit in suits)


def test_a_tie_that_outlasts_the_deck_goes_on_from_a_fresh_deck() -> None:  # Rule 5; B5.1
    (
        an_open_table(players=2)
        .the_deck_begins(DRAW, tied_until_nothing_is_left())
        .the_deck_begins(FIRST, "7s 8c")
        .when(host.starts())
        .then(
            ...,
            some(CardsDealt, epoch=DRAW, cards=((50, 1), (51, 2))),
            CardsShown,
            some(DeckFixed, epoch=FIRST),
            some(DeckOpened, epoch=SECOND),
            CardsDealt(epoch=FIRST, cards=((0, 1), (1, 2))),
            shows({1: "7s", 2: "8c"}),
            DealerDrawn(dealer=2),
            some(DeckRevealed, epoch=DRAW),
            some(DeckRevealed, epoch=FIRST),
            some(DeckFixed, epoch=SECOND),
            DeckOpened,
            some(CardUpturned, epoch=SECOND),
        )
    )


def test_no_card_is_dealt_from_a_deck_with_too_few_cards_for_a_tie() -> None:  # B5.1
    aces, low = "As Ad Ah Ac", "2c 2d 2h 2s 3c 3d 3h 3s 4c 4d 4h 4s 5c"
    quads = " ".join(f"{rank}{suit}" for rank in "6789TJQK" for suit in "cdhs")
    (
        an_open_table(players=17, seats=17)
        .the_deck_begins(DRAW, f"{aces} {low} {quads} 5d 5h 5s")
        .the_deck_begins(FIRST, "2c 3c 4c 2d")
        .when(host.starts())
        .then(
            ...,
            some(CardsDealt, epoch=DRAW, cards=((45, 1), (46, 2), (47, 3), (48, 4))),
            CardsShown,
            DeckFixed,
            DeckOpened,
            CardsDealt(epoch=FIRST, cards=((0, 1), (1, 2), (2, 3), (3, 4))),
            CardsShown,
            DealerDrawn(dealer=3),
            ...,
        )
    )


@pytest.mark.parametrize("players", range(2, 18))
def test_every_number_of_players_finds_its_dealer(players: int) -> None:  # Rule 5; B1.1
    low = [f"{rank}{suit}" for rank in "2345" for suit in "cdhs"][: players - 1]
    table = an_open_table(players=players, seats=17).the_deck_begins(DRAW, " ".join([*low, "6c"]))
    table.when(host.starts()).then_of(DealerDrawn, DealerDrawn(dealer=players)).awaits(seat(players))


def test_the_deck_of_the_draw_is_retired_and_the_game_has_a_fresh_deck() -> None:  # B5.1, G.6
    table = an_open_table(players=2).the_deck_begins(DRAW, "7s 8c").when(host.starts())
    table.then(..., DealerDrawn, DeckRevealed(epoch=DRAW, server_seed=table.decks.server_seed(DRAW)), ..., CardUpturned)
    assert table.state.epoch == FIRST
