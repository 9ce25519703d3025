"""The shuffle, the ritual, the upturned card, and the place of used cards: Rule 7."""

from collections import Counter

from service.games.bankrupt import BANKRUPT
from service.games.bankrupt.events import CardUpturned, RoundDead, RoundEnded, RoundWon, UpturnedExposed
from service.games.common_events import CardsBottomed, CardsDealt, DeckFixed, DeckOpened, DeckRevealed, GameEnded
from tests.games.bankrupt.actors import host, seat
from tests.games.bankrupt.stacked import AFTER_THE_RITUAL, FIRST, SECOND, THIRD, UPTURNED
from tests.games.bankrupt.table import Table, a_table, an_open_table, four_players
from tests.games.expected import some
from tests.games.stacked import salt


def with_cards_above_the_upturned(table: Table, left: int) -> Table:
    """Use up the deck until *left* cards are above the upturned card; the used cards are under the deck."""
    above = AFTER_THE_RITUAL[: AFTER_THE_RITUAL.index(UPTURNED)]
    below = AFTER_THE_RITUAL[len(above) + 1 :]
    carried = (*above[-left:], UPTURNED, *below, *above[:-left])
    return table.happened(CardUpturned(epoch=FIRST, pos=UPTURNED, order=carried))


def test_the_deck_has_from_the_top_39_cards_then_the_upturned_card_then_the_upper_six_and_the_lower_six() -> (
    None
):  # Rule 7; B7.1
    table = an_open_table(players=2).when(host.starts())
    (upturned,) = (event for event in table.emitted if isinstance(event, CardUpturned))
    main, upper, lower = tuple(range(7, 46)), tuple(range(6)), tuple(range(46, 52))
    assert upturned.pos == 6  # Position 6 is the top card once six cards are counted off.
    assert upturned.order == (*main, 6, *upper, *lower)
    assert len(main) == 39
    assert Counter(upturned.order) == Counter(range(52))


def test_the_ritual_follows_at_once_on_the_draw_so_that_all_see_the_card_before_the_deal() -> None:  # Rule 7; B7.0
    table = an_open_table(players=2).the_ritual_turns_up("Qh").when(host.starts())
    table.then(..., some(DeckFixed, epoch=FIRST), DeckOpened, some(CardUpturned, epoch=FIRST))
    assert [table.seen_by(viewer).upturned for viewer in (0, 1, 2)] == ["Qh", "Qh", "Qh"]


def test_cards_are_dealt_from_the_top_of_the_main_deck() -> None:  # Rules 7, 8; B7.1
    table = a_table(50, 50).when(seat(2).deals())
    table.then_of(CardsDealt, CardsDealt(epoch=FIRST, cards=((7, 1), (8, 2), (9, 1), (10, 2))))


def test_used_cards_go_under_the_deck_seat_by_seat_from_the_dealers_left() -> None:  # Rule 7; B7.2
    table = a_table(50, 50, 50, dealer=1).dealt("As Kd", "7c 2d", "9c 3d").when_played_out()
    # The cards are dealt from the left of seat 1: 7 and 10 to seat 2, 8 and 11 to seat 3, 9 and 12 to seat 1.
    table.then(..., CardsBottomed(epoch=FIRST, positions=(7, 10, 8, 11, 9, 12)), RoundEnded(dealer=2))
    assert table.state.deck == (*AFTER_THE_RITUAL[6:], 7, 10, 8, 11, 9, 12)


def test_a_discard_goes_before_its_hand_and_a_replacement_takes_its_place() -> None:  # Rule 7; B7.2
    table = (
        a_table(50, 50).given(seat(2).deals()).given(seat(1).exchanges(1)).given(seat(2).exchanges(2)).when_played_out()
    )
    # Seat 1 was dealt 7 and 9, and exchanged 7 for 11; seat 2 was dealt 8 and 10, and exchanged 10 for 12.
    table.then_of(CardsBottomed, CardsBottomed(epoch=FIRST, positions=(7, 11, 9, 10, 8, 12)))


def test_cards_thrown_in_are_also_used_cards() -> None:  # Rule 7; B7.2
    table = a_table(50, 50, 50).given(seat(3).deals()).given(seat(1).throws_in()).when_played_out()
    table.then_of(CardsBottomed, CardsBottomed(epoch=FIRST, positions=(7, 10, 8, 11, 9, 12)))


def test_cards_of_a_player_who_is_bankrupt_now_go_under_the_deck_as_well() -> None:  # Rule 7; B7.2
    table = a_table(50, 1, 50).dealt("As Kd", "7c 2d", "9c 3d").when_played_out()
    table.then_of((CardsBottomed,), CardsBottomed(epoch=FIRST, positions=(7, 10, 8, 11, 9, 12)))
    assert 2 in table.state.out


def test_the_deck_is_used_on_as_long_as_a_card_is_above_the_upturned_card() -> None:  # Rule 7; B7.0, B7.3
    table = with_cards_above_the_upturned(a_table(50, 50), 5).when(seat(2).deals())
    table.never(UpturnedExposed)
    assert table.state.deck[:2] == (45, UPTURNED)
    table.when_played_out()
    table.then(..., CardsBottomed, RoundEnded).never(DeckFixed, CardUpturned, DeckRevealed)
    assert table.state.epoch == FIRST


def test_an_upturned_card_exposed_in_the_middle_of_a_deal_is_set_aside_and_dealing_goes_on_under_it() -> (
    None
):  # Rule 7; B7.3
    table = with_cards_above_the_upturned(a_table(50, 50).the_ritual_turns_up("Qh"), 2).when(seat(2).deals())
    table.then(
        ...,
        CardsDealt(epoch=FIRST, cards=((44, 1), (45, 2), (UPTURNED, "aside"), (0, 1), (1, 2))),
        UpturnedExposed(epoch=FIRST, pos=UPTURNED, face="Qh", salt=salt(UPTURNED)),
    )
    assert table.state.cards == {1: (44, 0), 2: (45, 1)}
    assert (table.state.upturned, table.state.exposed) == (-1, UPTURNED)


def test_the_card_that_an_exchange_takes_may_expose_the_upturned_card() -> None:  # Rule 7; B7.3
    table = with_cards_above_the_upturned(a_table(50, 50), 5).given(seat(2).deals()).when(seat(1).exchanges(2))
    table.then(..., CardsDealt(epoch=FIRST, cards=((45, 1), (UPTURNED, "aside"))), UpturnedExposed)
    table.when(seat(2).exchanges(1)).then(..., CardsDealt(epoch=FIRST, cards=((0, 2),)), ...).never(UpturnedExposed)


def test_the_upturned_card_is_exposed_even_by_the_last_card_of_a_round() -> None:  # Rule 7; B7.3
    table = with_cards_above_the_upturned(a_table(50, 50), 4).when(seat(2).deals())
    table.then(
        ..., CardsDealt(epoch=FIRST, cards=((42, 1), (43, 2), (44, 1), (45, 2), (UPTURNED, "aside"))), UpturnedExposed
    )
    table.when_played_out()
    table.then(..., RoundEnded, DeckRevealed, DeckFixed, DeckOpened, some(CardUpturned, epoch=SECOND))


def test_once_the_upturned_card_is_exposed_the_whole_deck_is_shuffled_before_the_next_round() -> (
    None
):  # Rule 7; B7.0, B7.3
    table = with_cards_above_the_upturned(a_table(50, 50), 2).given(seat(2).deals()).when_played_out()
    table.then(
        ...,
        RoundEnded(dealer=1),
        DeckRevealed(epoch=FIRST, server_seed=table.decks.server_seed(FIRST)),
        some(DeckFixed, epoch=SECOND),
        DeckOpened,
        CardUpturned(epoch=SECOND, pos=UPTURNED, order=AFTER_THE_RITUAL),
    )
    assert Counter(table.state.deck) == Counter(range(52))  # The card that was set aside is among these cards.


def test_a_set_aside_card_is_not_put_under_the_deck() -> None:  # Rule 7; B7.2
    table = with_cards_above_the_upturned(a_table(50, 50), 2).given(seat(2).deals()).when_played_out()
    table.never(CardsBottomed)  # No card goes under the deck: all 52 cards are shuffled.
    assert table.state.deck == AFTER_THE_RITUAL


def test_the_deck_is_not_shuffled_while_the_round_goes_on() -> None:  # Rule 7; B7.3
    table = with_cards_above_the_upturned(four_players(), 2).given(seat(4).deals())
    table.when(*(seat(number).exchanges(1) for number in (1, 2, 3, 4))).never(DeckFixed, CardUpturned, DeckRevealed)
    assert table.state.epoch == FIRST


def test_the_ritual_also_follows_a_dead_round_if_the_card_was_exposed() -> None:  # Rule 7; B7.0
    table = with_cards_above_the_upturned(a_table(50, 50), 3).dealt("As Kd", "Ah Kc").when_played_out()
    table.then(..., RoundDead, ..., RoundEnded, DeckRevealed, DeckFixed, DeckOpened, CardUpturned)


def test_the_ritual_also_follows_an_uncontested_round_if_the_card_was_exposed() -> None:  # Rule 7; B7.0
    table = with_cards_above_the_upturned(a_table(50, 50), 3).given(seat(2).deals()).when(seat(1).throws_in())
    table.then(..., RoundEnded, DeckRevealed, DeckFixed, DeckOpened, CardUpturned)


def test_no_ritual_follows_once_the_game_is_over() -> None:  # Rule 7; B7.0
    table = with_cards_above_the_upturned(a_table(50, 1), 3).dealt("As Kd", "7c 2d").when_played_out()
    table.then(..., RoundWon, ..., RoundEnded(dealer=0), GameEnded, ...).never(CardUpturned, DeckFixed)


def test_one_deck_is_always_open_in_reserve_before_it_is_needed() -> None:
    table = with_cards_above_the_upturned(a_table(50, 50), 2)
    assert (table.state.epoch, table.state.reserve) == (FIRST, SECOND)
    table.given(seat(2).deals()).all_hold().all_pass()
    assert (table.state.epoch, table.state.reserve) == (SECOND, THIRD)


def with_used_cards_next_but_one() -> Table:
    """Play three rounds of five players, which use 38 cards, and part of a fourth, so that used cards come next."""
    table = a_table(50, 50, 50, 50, 50)
    table.given(seat(5).deals(), *(seat(number).exchanges(1) for number in (1, 2, 3, 4, 5))).all_pass()
    table.given(seat(1).deals(), seat(2).exchanges(1), seat(3).exchanges(2)).all_hold().all_pass()
    table.given(seat(2).deals(), seat(3).exchanges(1)).all_hold().all_pass()
    assert table.state.deck.index(UPTURNED) == 1
    return table.given(seat(3).deals(), *(seat(number).exchanges(2) for number in (4, 5, 1)))


def test_from_five_players_on_a_used_card_can_come_round_again() -> None:  # Rule 7; B7.5
    table = with_used_cards_next_but_one()
    assert table.state.deck[:3] == (7, 17, 12)  # Seat 1's discard and hand in the first round.
    table.when(seat(2).exchanges(2)).then(..., CardsDealt(epoch=FIRST, cards=((7, 2),)))
    table.when(seat(3).exchanges(2)).then(..., CardsDealt(epoch=FIRST, cards=((17, 3),)), ...)


def test_a_card_that_comes_round_again_is_dealt_face_down_like_any_other() -> None:  # B7.5
    table = with_used_cards_next_but_one().given(seat(2).exchanges(2))
    exchanged, dealt, *_ = BANKRUPT.decide(table.state, seat(3).exchanges(2), table.decks).events
    face = table.decks.deck(FIRST).order[17]  # Everybody saw this card in the first round.
    table.happened(exchanged, dealt)
    assert [table.seen_by(viewer).cards[3][1] for viewer in (0, 1, 2, 3, 4, 5)] == ["??", "??", "??", face, "??", "??"]
    assert face not in repr((exchanged, dealt))
