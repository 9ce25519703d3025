"""Antes, the deal, who deals, and enough cards for every number of players: Rules 1, 5, 6 and 8."""

import pytest

from service.games.bankrupt.accounts import ante
from service.games.bankrupt.events import AntesPlaced, PlayerBankrupt, RoundEnded, UpturnedExposed
from service.games.common_events import CardsDealt, HandDealt
from service.games.table_state import clockwise
from service.ledger import chips, stack
from tests.games.bankrupt.actors import host, seat, service, stranger
from tests.games.bankrupt.stacked import FIRST
from tests.games.bankrupt.table import a_table, four_players


def test_a_round_is_the_dealers_deal_then_antes_then_two_cards_to_each_player() -> None:  # Rules 6, 8; B6.1, G.5
    (
        four_players()
        .when(seat(4).deals())
        .then(
            HandDealt(hand=1, dealer=4),
            AntesPlaced(
                transfers=tuple(chips(stack(number), ante(number), 9, rule="6") for number in (1, 2, 3, 4)),
            ),
            CardsDealt(epoch=FIRST, cards=((7, 1), (8, 2), (9, 3), (10, 4), (11, 1), (12, 2), (13, 3), (14, 4))),
        )
        .has(stacks=(41, 41, 41, 41), antes=(9, 9, 9, 9), centre=0)
    )


def test_cards_and_antes_go_round_from_the_dealers_left() -> None:  # Rule 8; B6.1, G.5
    table = four_players().happened(RoundEnded(dealer=2)).when(seat(2).deals())
    table.then_of(
        CardsDealt,
        CardsDealt(epoch=FIRST, cards=((7, 3), (8, 4), (9, 1), (10, 2), (11, 3), (12, 4), (13, 1), (14, 2))),
    )
    table.then_of(
        AntesPlaced,
        AntesPlaced(transfers=tuple(chips(stack(number), ante(number), 9, rule="6") for number in (3, 4, 1, 2))),
    )


def test_a_walk_begins_on_the_left_of_a_seat_and_ends_with_the_seat_if_the_seat_is_concerned() -> None:  # G.5
    assert clockwise((1, 2, 3, 4), 2) == (3, 4, 1, 2)
    assert clockwise((1, 3, 4), 2) == (3, 4, 1)


def test_a_player_with_fewer_than_nine_pieces_places_all_pieces() -> None:  # Rules 6, 18; B6.1
    table = a_table(50, 8, 9).when(seat(3).deals())
    table.then(
        HandDealt,
        AntesPlaced(
            last_legs=(2,),
            transfers=(
                chips(stack(1), ante(1), 9, rule="6"),
                chips(stack(2), ante(2), 8, rule="18"),
                chips(stack(3), ante(3), 9, rule="6"),
            ),
        ),
        CardsDealt,
    ).has(stacks=(41, 0, 0), antes=(9, 8, 9))


def test_a_player_who_is_out_gets_no_card_and_places_no_ante() -> None:  # Rules 6, 8, 20; G.5
    table = a_table(50, 1, 50, 50).happened(PlayerBankrupt(seat=2)).when(seat(4).deals())
    table.then(..., CardsDealt(epoch=FIRST, cards=((7, 1), (8, 3), (9, 4), (10, 1), (11, 3), (12, 4))))
    table.has(antes=(9, 0, 9, 9), stacks=(41, 1, 41, 41))


def test_the_deal_passes_to_the_left_after_a_round_that_was_won() -> None:  # Rule 5; B5.2
    table = four_players().dealt("As Kd", "7c 2d", "9c 3d", "Tc 4d").when_played_out()
    table.then(..., RoundEnded(dealer=1)).awaits(seat(1))


def test_the_deal_passes_to_the_left_after_a_dead_round_as_well() -> None:  # Rule 5; B5.2
    table = four_players().dealt("As Kd", "Ac Kh", "9c 3d", "Tc 4d").when_played_out()
    table.then(..., RoundEnded(dealer=1)).awaits(seat(1))


def test_the_deal_passes_to_the_left_after_an_uncontested_round_as_well() -> None:  # Rule 5; B5.2
    table = a_table(50, 50, 50, dealer=2).given(seat(2).deals()).when(seat(3).throws_in(), seat(1).throws_in())
    table.then(..., RoundEnded(dealer=3)).awaits(seat(3))


def test_the_deal_passes_over_a_player_who_is_out() -> None:  # Rules 5, 20; B5.2
    table = a_table(1, 50, 50).dealt("2c 3d", "As Kd", "9c 8d").when_played_out()
    table.then(..., PlayerBankrupt(seat=1), ..., RoundEnded(dealer=2)).awaits(seat(2))


def test_the_deal_passes_on_from_a_dealer_who_is_out() -> None:  # Rules 5, 20; B5.2
    table = a_table(50, 50, 1).dealt("9c 8d", "As Kd", "2c 3d").when_played_out()
    table.then(..., PlayerBankrupt(seat=3), ..., RoundEnded(dealer=1)).awaits(seat(1))


def test_only_the_dealer_deals() -> None:  # Rule 5; B8.1
    table = four_players().awaits(seat(4))
    for other in (seat(1), seat(2), seat(3), host, service, stranger):
        table.refuses(other.deals(), "dealer_must_deal", rule="5", ruling="B8.1")


def test_nobody_deals_while_a_round_is_under_way() -> None:  # Rule 8; G.4
    table = four_players().given(seat(4).deals())
    table.refuses(seat(4).deals(), "round_must_be_settled", rule="8", ruling="G.4")
    table.all_hold().refuses(seat(4).deals(), "round_must_be_settled", rule="8", ruling="G.4")


def test_between_rounds_nothing_moves_by_itself() -> None:  # G.4
    table = four_players().dealt("As Kd", "7c 2d", "9c 3d", "Tc 4d").when_played_out()
    table.then(..., RoundEnded(dealer=1)).has(antes=(0, 0, 0, 0)).awaits(seat(1))
    table.may(seat(1), seat(1).deals(), seat(1).resigns()).may(seat(2), seat(2).resigns())


@pytest.mark.parametrize("players", range(2, 18))
def test_a_round_has_cards_for_every_number_of_players(players: int) -> None:  # Rule 1; B1.1
    table = a_table(*(50,) * players)
    exposed = 0
    for command in (seat(players).deals(), *(seat(number).exchanges(1) for number in range(1, players + 1))):
        table.when(command)
        exposed += sum(isinstance(event, UpturnedExposed) for event in table.emitted)
    held = [position for cards in table.state.cards.values() for position in cards]
    used = {*held, *table.state.discards.values()}
    assert len(used) == 3 * players
    assert exposed == (3 * players >= 39)
    assert len(table.state.deck) == 52 - exposed - 3 * players


def test_seventeen_players_need_every_card_but_the_upturned_one() -> None:  # Rule 1; B1.1, B7.3
    table = a_table(*(50,) * 17).given(seat(17).deals()).given(*(seat(number).exchanges(2) for number in range(1, 17)))
    table.when(seat(17).exchanges(2)).then(..., CardsDealt(epoch=FIRST, cards=((51, 17),)), ...)
    assert table.state.deck == ()
