"""The deck from hand to hand, the shuffle and the next banker: END OF HAND, INTRODUCTION."""

import pytest

from service.cards import Face
from service.games.common_events import CardsDealt, DeckFixed, DeckOpened, DeckRevealed
from service.games.insurance.events import DealBegun, HandBegun, HandEnded
from tests.games.expected import some
from tests.games.insurance.actors import host, seat, stranger
from tests.games.insurance.table import FIRST, NON_GAMBLING, SECOND, THIRD, Table, a_game, a_table, an_open_table


def after_aces(table: Table, *aces: str) -> Table:
    """Play one hand for each of *aces*: the banker gets the ace, and every other player loses a bet of ten."""
    for ace in aces:
        table.bets_lie(*[10] * (len(table.seen_by(0).players) - 1)).dealt(ace)
    return table


def banker(table: Table) -> int:
    return table.seen_by(0).banker


def test_the_deck_carries_over_from_hand_to_hand() -> None:  # END OF HAND; I-END.1
    table = a_table(100, 100).bets_lie(10).dealt("9s").offers_lie(1).next_cards("Td").when_answered()
    table.bets_lie(10).when_dealt("8s").never(DeckFixed, DeckRevealed)
    table.then_of(CardsDealt, CardsDealt(epoch=FIRST, cards=((2, 2),)))
    table.offers_lie(1).when(seat(2).insures(1)).then_of(CardsDealt, CardsDealt(epoch=FIRST, cards=((3, 1),)))


def test_a_hand_that_ends_on_the_bankers_card_takes_one_card() -> None:  # FIRST ROUND DEAL, END OF HAND; I-END.1
    table = after_aces(a_table(100, 100, 100), "As", "Ad", "Ac")
    assert (len(table.state.deck), table.state.epoch) == (49, FIRST)


def whole_hands(table: Table, number: int) -> Table:
    """Play *number* hands in which every player is dealt a card: the banker gets neither a 2 nor an ace."""
    for _ in range(number):
        table.bets_lie(*[10] * (len(table.seen_by(0).players) - 1)).dealt(a_card_for_a_whole_hand(table))
        table.offers_lie(*[1] * len(table.state.to_offer)).when_answered()
    return table


def a_card_for_a_whole_hand(table: Table) -> Face:
    """Return the deck's first card that is neither a 2 nor an ace: if the banker has it, there is a second deal."""
    state = table.state
    enough = len(state.deck) >= len(state.playing)
    order = table.decks.deck(state.epoch if enough else state.reserve).order
    return next(order[place] for place in (state.deck if enough else range(52)) if order[place][0] not in "2A")


@pytest.mark.parametrize("players", [2, 3, 4, 5, 13, 17, 26, 27, 51, 52])
def test_the_deck_is_shuffled_when_fewer_cards_are_left_than_a_hand_needs(
    players: int,
) -> None:  # END OF HAND; I-END.1, I-END.3, G.6
    table = whole_hands(a_game(*[1000] * players), 52 // players)
    assert (table.state.epoch, len(table.state.deck)) == (FIRST, 52 % players)
    dealer = table.bets_lie(*[10] * (players - 1)).state.banker
    table.when(table.banker.deals()).then(
        DealBegun,
        DeckRevealed(epoch=FIRST, server_seed=table.decks.server_seed(FIRST)),
        some(DeckFixed, epoch=SECOND),
        some(DeckOpened, epoch=THIRD, n=52),
        some(CardsDealt, epoch=SECOND, cards=((0, dealer),)),
        ...,
    )


def test_a_deck_with_one_card_fewer_than_a_hand_needs_is_shuffled() -> None:  # END OF HAND; I-END.1
    table = after_aces(whole_hands(a_table(*[1000] * 26), 1), "As")
    assert len(table.state.deck) == 25
    table.bets_lie(*[10] * 25).when_dealt("Ks").then_of((DeckRevealed, DeckFixed), DeckRevealed, DeckFixed)


def with_two_cards_left() -> Table:
    """Play a hand of fifty players, which leaves two cards in the deck."""
    table = whole_hands(a_table(*[900] * 50), 1)
    assert len(table.state.deck) == 2
    return table


def test_the_players_of_the_next_hand_count() -> None:  # END OF HAND; I-END.1, I-BET.2
    others = [seat(number).sits_out() for number in range(4, 51)]
    of_two = with_two_cards_left().given(*others, seat(1).sits_out()).bets_lie(10)
    of_two.when(seat(2).deals()).never(DeckFixed, DeckRevealed)
    of_three = with_two_cards_left().given(*others).bets_lie(10, 10)
    of_three.when(seat(2).deals()).then_of((DeckRevealed, DeckFixed), DeckRevealed, DeckFixed)


def test_a_player_who_sits_out_after_the_first_bet_does_not_count_either() -> None:  # END OF HAND; I-END.1, I-BET.2
    table = with_two_cards_left().given(seat(3).bets(10))
    table.given(*(seat(number).sits_out() for number in table.state.players if number not in {2, 3}))
    table.when(seat(2).deals()).never(DeckFixed, DeckRevealed)


def test_all_fifty_two_cards_are_shuffled() -> None:  # END OF HAND; I-END.1
    table = whole_hands(a_game(*[1000] * 51), 1).bets_lie(*[10] * 50).dealt("As")
    assert table.state.deck == tuple(range(1, 52))


def test_no_deck_is_revealed_before_it_is_retired() -> None:  # END OF HAND; I-END.1, G.6
    table = whole_hands(a_game(*[1000] * 51), 1).never(DeckRevealed)
    table.when(*(seat(number).bets(10) for number in table.state.players if number != 2)).never(DeckRevealed)


def test_the_cards_stay_on_the_table_until_the_next_hand_begins() -> None:  # END OF HAND
    table = a_table(100, 100).bets_lie(10).when_dealt("Ks Qd")
    assert table.seen_by(0).cards == {1: "Ks", 2: "Qd"}
    table.given(seat(1).bets(10))
    assert table.seen_by(0).cards == {}


def test_the_banker_role_moves_to_the_next_player_clockwise_after_each_hand() -> None:  # INTRODUCTION; I-END.2
    table = a_table(100, 100, 100)
    bankers = []
    for ace in ("As", "Ad", "Ac", "Ah"):
        bankers.append(banker(table))
        after_aces(table, ace)
    assert bankers == [1, 2, 3, 1]


@pytest.mark.parametrize("face", ["As", "2s", "Ks Qd Qh"])
def test_the_banker_role_moves_after_every_kind_of_end_of_a_hand(face: str) -> None:  # INTRODUCTION; I-END.2
    table = a_table(100, 100, 100).bets_lie(10, 10).when_dealt(face).then_of(HandEnded, HandEnded(banker=1))
    assert banker(table) == 2


def test_the_first_banker_is_seat_1_unless_named() -> None:  # INTRODUCTION; I-END.2
    unnamed = Table().given(host.opens(seats=3), *(stranger.sits_down(number) for number in (1, 2, 3)), host.starts())
    assert (unnamed.state.options.first_banker, banker(unnamed)) == (1, 1)
    assert banker(a_table(100, 100, 100, banker=3)) == 3


def test_an_absent_or_unable_first_banker_is_passed_over() -> None:  # INTRODUCTION; I-END.2, I-BET.2, G.5
    assert banker(a_table(100, 100, 0, 100, banker=3)) == 4
    assert banker(a_table(100, 100, 100, 0, banker=4)) == 1
    assert banker(a_table(100, 100, 9, 100, banker=3)) == 4
    assert banker(a_table(100, 100, 100, banker=3).given(seat(3).sits_out())) == 1
    assert banker(a_game(100, 100, 0, 100, banker=3)) == 4


def test_in_the_variation_a_first_banker_with_few_chips_banks() -> None:  # NON-GAMBLING VARIATION; I-END.2, I-BET.3
    assert banker(a_game(3, 100, 100)) == 1


def test_a_player_with_fewer_than_ten_chips_is_passed_over_as_banker() -> None:  # INTRODUCTION; I-END.2, I-BET.2
    assert banker(after_aces(a_table(100, 9, 100), "As")) == 3
    assert banker(after_aces(a_table(100, 19, 100), "As")) == 3  # Seat 2 has lost its bet of ten.
    assert banker(after_aces(a_table(100, 20, 100), "As")) == 2


def test_a_player_who_sits_out_is_passed_over_as_banker_once() -> None:  # INTRODUCTION; I-END.2, I-BET.2
    table = after_aces(a_table(100, 100, 100), "As").given(seat(2).sits_out())
    assert banker(table) == 3
    assert banker(after_aces(table, "Ad")) == 1


def test_the_role_of_banker_moves_on_from_a_banker_who_left() -> None:  # INTRODUCTION; I-END.2, I-BET.2
    table = after_aces(a_table(100, 100, 100, 100), "As", "Ad").given(seat(2).leaves())
    assert banker(table) == 3
    assert banker(table.given(seat(3).leaves())) == 4


def test_until_the_first_bet_the_banker_is_shown_provisionally() -> None:  # INTRODUCTION; I-END.2
    table = a_table(9, 100, 100)
    assert (banker(table), table.seen_by(0).banker_is_settled) == (2, False)
    table.given(seat(1).buys(1))
    assert (banker(table), table.seen_by(0).banker_is_settled) == (1, False)
    table.given(seat(1).sits_out())
    assert (banker(table), table.seen_by(0).banker_is_settled) == (2, False)


def test_with_the_first_bet_the_banker_is_settled() -> None:  # INTRODUCTION; I-END.2
    table = a_table(9, 100, 100, 100).when(seat(3).bets(10)).then_of(HandBegun, some(HandBegun, banker=2))
    assert (banker(table), table.seen_by(0).banker_is_settled) == (2, True)
    table.given(seat(4).sits_out())
    assert banker(table) == 2


def test_in_the_variation_the_banker_is_settled_with_the_start() -> None:  # INTRODUCTION; I-END.2
    table = a_game(100, 100, 100, banker=2)
    assert (banker(table), table.seen_by(0).banker_is_settled) == (2, True)
    after_aces(table, "As")
    assert (banker(table), table.seen_by(0).banker_is_settled) == (3, True)
    assert not an_open_table(players=2, form=NON_GAMBLING).seen_by(0).banker_is_settled


def test_nobody_is_the_banker_if_nobody_can_be() -> None:  # INTRODUCTION; I-END.2, I-BET.2
    assert banker(a_table(9, 5)) == 0
    assert a_table(9, 5).seen_by(0).players == ()


def test_a_knocked_out_player_is_passed_over_as_banker() -> None:  # NON-GAMBLING VARIATION; I-END.2
    table = a_game(100, 10, 100).bets_lie(10, 10).dealt("As")
    assert banker(table) == 3
    table.awaits(seat(1))


def test_the_end_of_a_hand_names_its_banker() -> None:  # END OF HAND; I-END.2
    table = a_table(100, 100, banker=2).bets_lie(10).when_dealt("As").then_of(HandEnded, HandEnded(banker=2))
    assert (table.state.last_banker, table.state.banker, table.state.hand, table.state.hand_is_running) == (
        *(2, 0, 1, False),
    )
    table.given(seat(2).bets(10))
    assert table.state.hand == 2
