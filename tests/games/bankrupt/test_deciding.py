"""Hold, throw in or exchange: Rule 11."""

import pytest

from service.games.bankrupt.accounts import CENTRE, ante
from service.games.bankrupt.commands import ExchangeCard
from service.games.bankrupt.events import (
    AntesReturned,
    CardExchanged,
    CardsHeld,
    CentreCollected,
    HandThrownIn,
    RoundEnded,
    RoundWon,
    RoundWonUncontested,
    UppingCollected,
)
from service.games.bankrupt.state import Phase
from service.games.common_events import CardsBottomed, CardsDealt, CardsShown
from service.ledger import chips, stack
from tests.games.bankrupt.actors import host, seat, service, stranger
from tests.games.bankrupt.stacked import FIRST
from tests.games.bankrupt.table import Table, a_table, four_players
from tests.games.expected import some


def test_each_decides_once_from_the_dealers_left_and_the_dealer_last() -> None:  # Rule 11; B11.1, G.5
    table = four_players().happened(RoundEnded(dealer=2)).given(seat(2).deals())
    for number in (3, 4, 1, 2):
        held = CardsHeld(seat=number, all_have_decided=number == 2)
        table.awaits(seat(number)).when(seat(number).holds()).then(held)
    assert table.state.phase is Phase.UPPING


def test_once_the_last_has_exchanged_or_thrown_in_all_have_decided() -> None:  # Rule 11; B11.1
    table = a_table(50, 50, 50).given(seat(3).deals(), seat(1).holds(), seat(2).holds())
    table.when(seat(3).exchanges(1)).then(CardExchanged(seat=3, card=1, all_have_decided=True), CardsDealt)
    assert table.state.phase is Phase.UPPING
    table = a_table(50, 50, 50).given(seat(3).deals(), seat(1).holds(), seat(2).holds())
    table.when(seat(3).throws_in()).then(some(HandThrownIn, seat=3, all_have_decided=True))
    assert table.state.phase is Phase.UPPING


def test_a_player_may_hold_exchange_or_throw_in() -> None:  # Rule 11; B11.1
    table = four_players().given(seat(4).deals())
    table.may(seat(1), seat(1).holds(), seat(1).exchanges(1), seat(1).throws_in())


def test_a_player_who_exchanges_gets_the_top_card_in_place_of_the_named_card() -> None:  # Rule 11; B11.1, B11.6
    table = four_players().dealt("As Qd", "8h 2c", "9h 3c", "Th 4c").next_cards("Kd 5s")
    table.when(seat(1).exchanges(2)).then(CardExchanged(seat=1, card=2), CardsDealt(epoch=FIRST, cards=((15, 1),)))
    table.when(seat(2).exchanges(1)).then(CardExchanged(seat=2, card=1), CardsDealt(epoch=FIRST, cards=((16, 2),)))
    assert table.seen_by(1).cards[1] == ("As", "Kd")
    assert table.seen_by(2).cards[2] == ("5s", "2c")
    assert (table.seen_by(1).discards[1], table.seen_by(2).discards[2]) == ("Qd", "8h")


def test_the_position_of_an_exchanged_card_is_public_but_its_face_is_not() -> None:  # Rule 11; B11.6
    table = four_players().dealt("As Qd", "8h 2c", "9h 3c", "Th 4c").next_cards("Kd").when(seat(1).exchanges(2))
    table.then(CardExchanged(seat=1, card=2), CardsDealt(epoch=FIRST, cards=((15, 1),)))
    for viewer in (0, 2, 3, 4):
        assert table.seen_by(viewer).cards[1] == ("??", "??")
        assert table.seen_by(viewer).discards[1] == "??"


@pytest.mark.parametrize("card", [-1, 0, 3])
def test_there_is_no_third_card_to_exchange(card: int) -> None:  # Rule 11; B11.6
    table = four_players().given(seat(4).deals())
    table.refuses(ExchangeCard(by="seat:1", card=card), "card_must_be_first_or_second", rule="11", ruling="B11.6")


def test_nobody_decides_before_or_after_their_turn() -> None:  # Rule 11; B11.1
    table = four_players().given(seat(4).deals(), seat(1).holds()).awaits(seat(2))
    for number in (1, 3, 4):
        for command in (seat(number).holds(), seat(number).exchanges(1), seat(number).throws_in()):
            table.refuses(command, "turn_must_be_yours", rule="11", ruling="B11.1")


def test_a_player_who_exchanged_can_neither_exchange_again_nor_throw_in() -> None:  # Rule 11; B11.5
    table = four_players().given(seat(4).deals(), seat(1).exchanges(1))
    for command in (seat(1).exchanges(2), seat(1).throws_in(), seat(1).holds()):
        table.refuses(command, "turn_must_be_yours", rule="11", ruling="B11.1")


def test_nobody_decides_on_cards_between_rounds_or_in_the_upping() -> None:  # Rule 11; B11.5, G.4
    table = four_players()
    for command in (seat(4).holds(), seat(4).exchanges(1), seat(4).throws_in()):
        table.refuses(command, "cards_must_be_being_decided_on", rule="11", ruling="G.4")
    table.given(seat(4).deals()).all_hold()
    for command in (seat(1).holds(), seat(1).exchanges(1), seat(1).throws_in()):
        table.refuses(command, "cards_must_be_being_decided_on", rule="11", ruling="G.4")


def test_only_players_of_the_game_decide() -> None:  # Rule 11; B20.1
    table = four_players().given(seat(4).deals())
    for other in (host, service, stranger, seat(5)):
        table.refuses(other.holds(), "player_must_be_in_the_game", rule="20", ruling="B20.1")


def test_a_player_who_throws_in_forfeits_one_ante_piece_to_the_centre() -> None:  # Rule 11; B11.2
    (
        four_players()
        .given(seat(4).deals())
        .when(seat(1).throws_in())
        .then(HandThrownIn(seat=1, from_heaps=(1,), transfers=(chips(ante(1), CENTRE, 1, rule="11"),)))
        .has(stacks=(41, 41, 41, 41), antes=(8, 9, 9, 9), centre=1)
    )


def test_a_player_who_throws_in_has_no_part_in_the_upping() -> None:  # Rules 11, 12; B11.2
    table = four_players().given(seat(4).deals(), seat(1).throws_in()).all_hold()
    table.awaits(seat(2)).given(seat(2).offers(1)).awaits(seat(3)).given(seat(3).accepts()).awaits(seat(4))
    table.refuses(seat(1).accepts(), "turn_must_be_yours", rule="12", ruling="B12.1")


def test_a_player_who_throws_in_answers_no_offer() -> None:  # Rules 11, 12; B11.2
    table = four_players().given(seat(4).deals(), seat(1).holds(), seat(2).throws_in()).all_hold()
    table.given(seat(1).offers(1)).awaits(seat(3)).may(seat(2)).given(seat(3).declines()).awaits(seat(4))
    table.refuses(seat(2).accepts(), "turn_must_be_yours", rule="12", ruling="B12.1")
    table.when(seat(4).accepts()).then_of(UppingCollected, some(UppingCollected, seats=(1, 4)))


def test_the_other_pieces_of_a_player_who_threw_in_cannot_be_won_and_go_back() -> None:  # Rule 11; B11.2, B6.2
    table = four_players().dealt("2c 3d", "As Kd", "9c 8d", "Tc 4d").given(seat(1).throws_in()).when_played_out()
    (won,) = (event for event in table.emitted if isinstance(event, RoundWon))
    assert [claim.seat for claim in won.claims] == [3, 4]
    table.has(antes=(0, 0, 0, 0), centre=1)
    assert table.state.balances["stack:1"] == 49


def test_a_player_who_threw_in_shows_no_card_and_cannot_win() -> None:  # Rules 11, 13; B11.2, B11.5
    table = four_players().dealt("As Ad", "5c 3d", "9c 8d", "Tc 4d").given(seat(1).throws_in()).when_played_out()
    table.then_of(RoundWon, some(RoundWon, winner=4))
    (shown,) = (event for event in table.emitted if isinstance(event, CardsShown))
    assert {card.seat for card in shown.cards} == {2, 3, 4}


def test_the_forfeit_comes_from_the_newest_heap_that_holds_any() -> None:  # Rules 11, 17; B11.2
    table = a_table(15, 50, 50).dead_round().given(seat(1).deals())
    assert table.state.heaps[1] == (9, 6)
    table.given(seat(2).holds(), seat(3).throws_in())
    assert table.state.heaps == {1: (9, 6), 2: (9, 9), 3: (9, 8)}


def test_the_forfeit_comes_from_an_earlier_heap_if_this_rounds_ante_is_empty() -> None:  # Rules 11, 18; B11.2
    table = a_table(15, 50, 50).dead_round().dead_round().given(seat(2).deals(), seat(3).holds())
    assert table.state.heaps[1] == (9, 6, 0)
    forfeit = chips(ante(1), CENTRE, 1, rule="11")
    table.when(seat(1).throws_in()).then(HandThrownIn(seat=1, from_heaps=(0, 1), transfers=(forfeit,)))
    assert table.state.heaps[1] == (9, 5, 0)


def test_the_forfeit_skips_every_empty_heap() -> None:  # Rules 11, 18; B11.2
    table = a_table(9, 50, 50).dead_round().dead_round().given(seat(2).deals(), seat(3).holds())
    assert table.state.heaps[1] == (9, 0, 0)
    table.when(seat(1).throws_in()).then(some(HandThrownIn, from_heaps=(0, 0, 1)))
    assert table.state.heaps[1] == (8, 0, 0)


def test_a_player_without_any_ante_forfeits_nothing() -> None:  # Rule 11; B11.2
    table = a_table(0, 50, 50).given(seat(3).deals())
    # No play leads to this state, because a player without a piece is out.
    table.when(seat(1).throws_in()).then(HandThrownIn(seat=1)).has(centre=0)


def with_throw_ins_of_seat_1(rounds: int) -> Table:
    """Have seat 1 throw in its hand *rounds* rounds in a row; return the table at the seat's next decision."""
    table = four_players()
    for _ in range(rounds):
        table.given(seat(table.state.dealer).deals()).held_up_to(1).given(seat(1).throws_in()).when_played_out()
    return table.given(seat(table.state.dealer).deals()).held_up_to(1)


def test_nobody_throws_in_more_than_two_rounds_in_a_row() -> None:  # Rule 11; B11.3
    table = with_throw_ins_of_seat_1(2)
    table.refuses(seat(1).throws_in(), "throw_ins_in_a_row_must_be_within_the_limit", rule="11", ruling="B11.3").may(
        seat(1), seat(1).holds(), seat(1).exchanges(1)
    )


def test_two_rounds_in_a_row_may_be_thrown_in() -> None:  # Rule 11; B11.3
    with_throw_ins_of_seat_1(1).when(seat(1).throws_in()).then(some(HandThrownIn, seat=1, rounds_in_a_row=2))


def test_a_round_played_in_between_lets_a_player_throw_in_again() -> None:  # Rule 11; B11.3
    table = with_throw_ins_of_seat_1(2).given(seat(1).holds()).when_played_out()
    table.given(seat(table.state.dealer).deals()).held_up_to(1)
    table.when(seat(1).throws_in()).then(some(HandThrownIn, seat=1, rounds_in_a_row=1))


def test_dead_rounds_count_as_rounds() -> None:  # Rules 11, 17; B11.3
    table = a_table(50, 50, 50)
    for hands in (("2c 3d", "As Kd", "Ah Kc"), ("2d 3c", "Ad Ks", "Ac Kh")):
        table.dealt(*hands).held_up_to(1).given(seat(1).throws_in()).when_played_out()
    assert table.state.dead_rounds == 2
    table.given(seat(2).deals()).held_up_to(1)
    table.refuses(seat(1).throws_in(), "throw_ins_in_a_row_must_be_within_the_limit", rule="11", ruling="B11.3")


def test_a_player_who_won_uncontested_did_not_throw_in() -> None:  # Rule 11; B11.3, B11.4
    table = a_table(50, 50)
    for _ in range(3):  # In each round the dealer's opponent throws in, and then deals the next round.
        table.given(seat(table.state.dealer).deals(), seat(3 - table.state.dealer).throws_in())
    assert table.state.throw_ins_in_a_row == {1: 1}


def test_the_last_player_left_wins_uncontested_without_a_decision() -> None:  # Rule 11; B11.4, G.4
    (
        four_players()
        .dealt("As Kd", "7c 2d", "9c 3d", "Tc 4d")
        .given(seat(1).throws_in(), seat(2).throws_in())
        .when(seat(3).throws_in())
        .then(
            some(HandThrownIn, seat=3),
            RoundWonUncontested(winner=4, centre="stays"),
            AntesReturned(
                transfers=(
                    chips(ante(1), stack(1), 8, rule="17"),
                    chips(ante(2), stack(2), 8, rule="17"),
                    chips(ante(3), stack(3), 8, rule="17"),
                    chips(ante(4), stack(4), 9, rule="17"),
                )
            ),
            CardsBottomed(epoch=FIRST, positions=(7, 11, 8, 12, 9, 13, 10, 14)),
            RoundEnded(dealer=1),
        )
        .has(stacks=(49, 49, 49, 50), antes=(0, 0, 0, 0), centre=3)
    )


def test_the_player_who_held_first_wins_uncontested_when_all_others_throw_in() -> None:  # Rule 11; B11.4
    table = a_table(50, 50, 50).given(seat(3).deals(), seat(1).holds(), seat(2).throws_in())
    table.when(seat(3).throws_in()).then(..., RoundWonUncontested(winner=1, centre="stays"), ...)


def test_a_round_won_uncontested_has_no_upping_and_shows_no_card() -> None:  # Rules 11, 13; B11.4
    table = a_table(50, 50).given(seat(2).deals()).when(seat(1).throws_in()).never(CardsShown, CentreCollected)
    table.awaits(seat(1))
    assert table.state.shown == {}
    assert table.seen_by(0).cards == {1: ("??", "??"), 2: ("??", "??")}


def test_the_winner_of_an_uncontested_round_leaves_the_centre_even_if_an_offer_had_been_possible() -> (
    None
):  # Rule 12; B11.4
    table = a_table(50, 50, centre=20).given(seat(2).deals()).when(seat(1).throws_in())
    table.has(centre=21, stacks=(49, 50)).never(CentreCollected)


def test_a_winner_on_last_legs_collects_the_centre_uncontested() -> None:  # Rules 11, 18; B11.4, B12.8
    table = a_table(50, 5, centre=20).given(seat(2).deals()).when(seat(1).throws_in())
    table.then(
        some(HandThrownIn, seat=1),
        RoundWonUncontested(winner=2, centre="collected"),
        CentreCollected(winner=2, chips=21, ruling="B12.8", transfers=(chips(CENTRE, stack(2), 21, rule="18"),)),
        ...,
    ).has(stacks=(49, 26), centre=0)


def test_a_round_won_uncontested_ends_a_dead_streak() -> None:  # Rules 11, 17; B11.4
    table = a_table(50, 50).dead_round().given(seat(1).deals()).when(seat(2).throws_in())
    table.then(..., RoundWonUncontested(winner=1, centre="stays"), AntesReturned, ...)
    table.has(stacks=(50, 49), antes=(0, 0), centre=1)
    assert table.state.dead_rounds == 0
