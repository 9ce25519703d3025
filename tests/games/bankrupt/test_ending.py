"""Bankruptcy, the last player, the payout, and the revealed decks: Rule 20, G.6 and G.7."""

from service.games.bankrupt.accounts import CENTRE
from service.games.bankrupt.events import (
    AntesReturned,
    PlayerBankrupt,
    RoundEnded,
    RoundWon,
    RoundWonUncontested,
    UpturnedExposed,
)
from service.games.common_events import CardsBottomed, DeckRevealed, DeckUnused, GameEnded
from service.ledger import HOUSE, chips, stack
from tests.games.bankrupt.actors import host, seat
from tests.games.bankrupt.stacked import FIRST, SECOND
from tests.games.bankrupt.table import a_table, four_players
from tests.games.expected import some
from tests.games.table import balances


def test_a_player_without_pieces_is_bankrupt_and_out() -> None:  # Rule 20; B20.1
    table = a_table(50, 3, 50).dealt("As Kd", "8c 2d", "Tc 4d").when_played_out()
    table.then(..., RoundWon, AntesReturned, PlayerBankrupt(seat=2), CardsBottomed, RoundEnded(dealer=1))
    table.has(stacks=(54, 0, 49)).may(seat(2))


def test_a_bankrupt_player_makes_no_more_decisions() -> None:  # Rule 20; B20.1
    table = a_table(50, 3, 50).dealt("As Kd", "8c 2d", "Tc 4d").all_hold().all_pass()
    table.refuses(seat(2).resigns(), "player_must_be_in_the_game", rule="20", ruling="B20.1")
    table.given(seat(1).deals()).awaits(seat(3))
    table.refuses(seat(2).holds(), "player_must_be_in_the_game", rule="20", ruling="B20.1")


def test_a_player_with_one_piece_is_not_bankrupt() -> None:  # Rule 20; B20.1
    table = a_table(50, 4, 50).dealt("As Kd", "8c 2d", "Tc 4d").when_played_out()
    table.never(PlayerBankrupt).has(stacks=(54, 1, 49))


def test_a_player_with_antes_from_a_dead_round_is_not_bankrupt() -> None:  # Rules 17, 20; B20.1
    table = a_table(50, 9).dealt("As Kd", "Ah Kc").when_played_out()
    table.never(PlayerBankrupt).has(stacks=(41, 0), antes=(9, 9))


def test_a_player_who_threw_in_the_last_piece_is_bankrupt() -> None:  # Rules 11, 20; B20.1
    table = a_table(50, 1, 50).dealt("As Kd", "8c 2d", "Tc 4d").given(seat(1).holds(), seat(2).throws_in())
    table.when(seat(3).holds()).never(PlayerBankrupt)
    table.when(seat(1).passes()).then(..., RoundWon, AntesReturned, PlayerBankrupt(seat=2), ...).has(centre=1)


def test_a_player_who_threw_in_the_last_piece_is_also_bankrupt_after_an_uncontested_round() -> (
    None
):  # Rules 11, 20; B20.1
    table = a_table(50, 1, 50).given(seat(3).deals(), seat(1).throws_in()).when(seat(2).throws_in())
    table.then(..., AntesReturned, PlayerBankrupt(seat=2), CardsBottomed, RoundEnded(dealer=1))


def test_several_can_go_bankrupt_in_one_round_from_the_dealers_left() -> None:  # Rule 20; B20.1, G.5
    table = a_table(1, 50, 2, 1, dealer=2).dealt("8c 2d", "As Kd", "7c 3d", "6c 4d").when_played_out()
    table.then(
        ...,
        PlayerBankrupt(seat=3),
        PlayerBankrupt(seat=4),
        PlayerBankrupt(seat=1),
        RoundEnded(dealer=0),
        GameEnded,
        ...,
    )


def test_the_last_player_has_won_and_takes_the_centre() -> None:  # Rule 20; B20.2, G.4, G.7
    table = a_table(50, 3, centre=11).dealt("As Kd", "8c 2d").when_played_out()
    table.then(
        ...,
        some(RoundWon, winner=1, centre="stays"),
        AntesReturned,
        PlayerBankrupt(seat=2),
        RoundEnded(dealer=0),
        GameEnded(
            winners=(1,),
            transfers=(chips(CENTRE, stack(1), 11, rule="20"), chips(stack(1), HOUSE, 64, rule="G.7")),
        ),
        DeckRevealed(epoch=FIRST, server_seed=table.decks.server_seed(FIRST)),
        DeckUnused(epoch=SECOND, server_seed=table.decks.server_seed(SECOND)),
    )
    assert balances(table) == {}


def test_the_last_player_of_an_uncontested_round_has_won_and_takes_the_forfeit() -> None:  # Rules 11, 20; B20.2
    table = a_table(1, 50).given(seat(2).deals()).when(seat(1).throws_in())
    table.then(
        ...,
        some(RoundWonUncontested, winner=2, centre="stays"),
        AntesReturned,
        PlayerBankrupt(seat=1),
        RoundEnded(dealer=0),
        GameEnded(
            winners=(2,),
            transfers=(chips(CENTRE, stack(2), 1, rule="20"), chips(stack(2), HOUSE, 51, rule="G.7")),
        ),
        ...,
    )


def test_a_winner_without_a_centre_is_paid_out_all_the_same() -> None:  # Rule 20; B20.2, G.7
    table = a_table(50, 3).dealt("As Kd", "8c 2d").when_played_out()
    table.then(..., GameEnded(winners=(1,), transfers=(chips(stack(1), HOUSE, 53, rule="G.7"),)), ...)


def test_the_game_is_over_for_everybody() -> None:  # Rule 20; B20.2, G.4
    table = a_table(50, 3).dealt("As Kd", "8c 2d").when_played_out().awaits()
    assert (table.state.status, table.state.winners, table.state.hand_is_running) == ("finished", (1,), False)
    for actor in (seat(1), seat(2), host):
        table.may(actor)
    for command in (seat(1).deals(), seat(1).resigns(), seat(1).holds(), seat(1).offers(1), seat(1).accepts()):
        table.refuses(command, "game_must_be_under_way", ruling="G.4")
    table.refuses(host.calls_time(), "game_must_be_under_way", ruling="G.4")
    table.refuses(host.starts(), "game_must_not_have_started", ruling="G.4")


def test_all_decks_are_revealed_once_the_game_is_over() -> None:  # G.6
    table = a_table(50, 3).dealt("As Kd", "8c 2d").when_played_out()
    table.then_of((DeckRevealed, DeckUnused), some(DeckRevealed, epoch=FIRST), some(DeckUnused, epoch=SECOND))
    assert (table.state.epoch, table.state.reserve) == ("", "")


def test_a_deck_is_revealed_when_its_last_round_is_over_and_not_before() -> None:  # G.6
    table = a_table(*(50,) * 13, dealer=13).when(seat(13).deals()).never(DeckRevealed)
    for number in range(1, 14):  # The last exchange exposes the upturned card.
        table.when(seat(number).exchanges(1)).never(DeckRevealed)
    table.when_played_out().then_of((RoundEnded, DeckRevealed), RoundEnded, DeckRevealed)


def test_a_deck_that_is_dealt_from_again_is_not_revealed() -> None:  # G.6
    four_players().dealt("As Kd", "7c 2d", "9c 3d", "Tc 4d").when_played_out().never(DeckRevealed, UpturnedExposed)
