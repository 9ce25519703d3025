"""Resigning: Rule 19."""

from service.games.bankrupt.accounts import CENTRE, ante
from service.games.bankrupt.events import AntesPlaced, PlayerResigned, RoundEnded, RoundWon
from service.games.common_events import DeckRevealed, DeckUnused, GameEnded
from service.ledger import HOUSE, chips, stack
from tests.games.bankrupt.actors import host, seat, service, stranger
from tests.games.bankrupt.stacked import FIRST, SECOND
from tests.games.bankrupt.table import a_table, four_players
from tests.games.expected import some


def test_ten_or_more_pieces_are_divided_evenly_and_the_residue_goes_to_the_centre() -> None:  # Rule 19; B19.1
    (
        a_table(50, 50, 50, 50)
        .when(seat(2).resigns())
        .then(
            PlayerResigned(
                seat=2,
                share=16,
                residue=2,
                dealer=4,
                transfers=(
                    chips(stack(2), stack(3), 16, rule="19"),
                    chips(stack(2), stack(4), 16, rule="19"),
                    chips(stack(2), stack(1), 16, rule="19"),
                    chips(stack(2), CENTRE, 2, rule="19"),
                ),
            )
        )
        .has(stacks=(66, 0, 66, 66), centre=2)
    )


def test_ten_pieces_are_divided() -> None:  # Rule 19; B19.1
    table = a_table(50, 10, 50, 50, centre=4).when(seat(2).resigns())
    table.then(some(PlayerResigned, share=3, residue=1)).has(stacks=(53, 0, 53, 53), centre=5)


def test_an_even_division_leaves_no_residue() -> None:  # Rule 19; B19.1
    table = a_table(50, 12, 50, 50).when(seat(2).resigns())
    table.then(some(PlayerResigned, share=4, residue=0)).has(stacks=(54, 0, 54, 54), centre=0)


def test_more_players_than_pieces_leave_all_as_residue() -> None:  # Rule 19; B19.1
    table = a_table(*(50,) * 16, 10).when(seat(17).resigns())
    table.then(some(PlayerResigned, share=0, residue=10, transfers=(chips(stack(17), CENTRE, 10, rule="19"),)))


def test_nine_pieces_or_fewer_all_go_to_the_centre() -> None:  # Rule 19; B19.1
    for pieces in (9, 1):
        table = a_table(50, pieces, 50, 50, centre=4).when(seat(2).resigns())
        table.then(
            PlayerResigned(
                seat=2, share=0, residue=pieces, dealer=4, transfers=(chips(stack(2), CENTRE, pieces, rule="19"),)
            )
        ).has(stacks=(50, 0, 50, 50), centre=4 + pieces)


def test_in_a_dead_streak_every_ante_in_front_counts() -> None:  # Rules 17, 19; B19.1
    table = a_table(50, 12, 50).dead_round().has(stacks=(41, 3, 41), antes=(9, 9, 9))
    table.when(seat(2).resigns()).then(
        PlayerResigned(
            seat=2,
            share=6,
            residue=0,
            dealer=1,
            transfers=(
                chips(ante(2), stack(2), 9, rule="19"),
                chips(stack(2), stack(3), 6, rule="19"),
                chips(stack(2), stack(1), 6, rule="19"),
            ),
        )
    ).has(stacks=(47, 0, 47), antes=(9, 0, 9))


def test_the_earlier_antes_count_like_the_newest_ante() -> None:  # Rules 17, 19; B19.1
    table = a_table(50, 12, 50).dead_round().dead_round().has(stacks=(32, 0, 32), antes=(18, 12, 18))
    table.when(seat(2).resigns()).then(some(PlayerResigned, share=6, residue=0)).has(
        stacks=(38, 0, 38), antes=(18, 0, 18), centre=0
    )


def test_a_player_who_is_out_has_no_share() -> None:  # Rules 19, 20; B19.1
    table = a_table(30, 30, 30, 30).given(seat(2).resigns()).has(stacks=(40, 0, 40, 40))
    table.when(seat(1).resigns()).then(some(PlayerResigned, share=20, residue=0)).has(stacks=(0, 0, 60, 60), centre=0)


def test_nine_or_fewer_in_antes_alone_go_to_the_centre() -> None:  # Rules 17, 19; B19.1
    table = a_table(50, 9, 50).dead_round().when(seat(2).resigns())
    table.then(
        some(
            PlayerResigned,
            share=0,
            residue=9,
            transfers=(chips(ante(2), stack(2), 9, rule="19"), chips(stack(2), CENTRE, 9, rule="19")),
        )
    ).has(stacks=(41, 0, 41), antes=(9, 0, 9), centre=9)


def test_a_dead_streak_goes_on_among_the_players_who_stay() -> None:  # Rules 17, 19; B19.1
    table = a_table(50, 50, 50).dead_round().given(seat(3).resigns()).when(seat(1).deals())
    table.then(..., some(AntesPlaced, dead_rounds=1), ...).has(antes=(18, 18, 0))
    table.when_played_out().then(..., some(RoundWon, multiplier=2), ...)


def test_a_player_may_resign_before_the_first_deal() -> None:  # Rule 19; B19.1
    table = four_players().may(seat(4), seat(4).deals(), seat(4).resigns())
    for number in (1, 2, 3):
        table.may(seat(number), seat(number).resigns())
    table.when(seat(4).resigns()).then(some(PlayerResigned, seat=4))


def test_a_player_may_resign_in_a_dead_streak() -> None:  # Rules 17, 19; B19.1
    table = a_table(50, 50, 50).dead_round().may(seat(1), seat(1).deals(), seat(1).resigns())
    for number in (2, 3):
        table.may(seat(number), seat(number).resigns())


def test_a_player_may_resign_after_a_round_until_the_dealer_deals_again() -> None:  # Rule 19; B19.1
    table = four_players().dealt("As Kd", "7c 2d", "9c 3d", "Tc 4d").all_hold().all_pass()
    table.when(seat(3).resigns()).then(some(PlayerResigned, seat=3))


def test_nobody_resigns_while_a_round_is_under_way() -> None:  # Rule 19; B19.1
    table = four_players().given(seat(4).deals())
    for number in (1, 2, 3, 4):
        table.refuses(seat(number).resigns(), "round_must_be_settled", rule="19", ruling="G.4")
    table.all_hold()
    for number in (1, 2, 3, 4):
        table.refuses(seat(number).resigns(), "round_must_be_settled", rule="19", ruling="G.4")


def test_if_the_next_dealer_resigns_the_deal_passes_on() -> None:  # Rule 19; B19.1
    table = a_table(50, 50, 50, dealer=2).when(seat(2).resigns()).then(some(PlayerResigned, dealer=3)).awaits(seat(3))
    table.refuses(seat(2).deals(), "dealer_must_deal", rule="5", ruling="B8.1")


def test_if_another_player_resigns_the_next_dealer_stays() -> None:  # Rule 19; B19.1
    a_table(50, 50, 50, dealer=2).when(seat(3).resigns()).then(some(PlayerResigned, dealer=2)).awaits(seat(2))


def test_a_player_who_resigned_takes_no_further_part() -> None:  # Rules 19, 20; B20.1
    table = four_players().given(seat(2).resigns())
    table.refuses(seat(2).resigns(), "player_must_be_in_the_game", rule="20", ruling="B20.1").may(seat(2))
    table.given(seat(4).deals(), seat(1).holds()).awaits(seat(3)).has(antes=(9, 0, 9, 9))


def test_only_players_of_the_game_resign() -> None:  # Rule 19; B20.1
    for other in (host, service, stranger, seat(5)):
        four_players().refuses(other.resigns(), "player_must_be_in_the_game", rule="20", ruling="B20.1")


def test_when_the_second_last_player_resigns_the_game_is_over() -> None:  # Rules 19, 20; B19.1, B20.2, G.7
    table = a_table(50, 50, centre=5).when(seat(2).resigns())
    table.then(
        PlayerResigned(seat=2, share=50, residue=0, dealer=1, transfers=(chips(stack(2), stack(1), 50, rule="19"),)),
        GameEnded(
            winners=(1,),
            transfers=(chips(CENTRE, stack(1), 5, rule="20"), chips(stack(1), HOUSE, 105, rule="G.7")),
        ),
        some(DeckRevealed, epoch=FIRST),
        some(DeckUnused, epoch=SECOND),
    ).never(RoundEnded)


def test_when_the_second_last_player_resigns_in_a_dead_streak_the_winner_has_the_antes_back() -> None:  # Rule 20; B20.2
    table = a_table(50, 9).dead_round().has(stacks=(41, 0), antes=(9, 9)).when(seat(2).resigns())
    table.then(
        some(PlayerResigned, share=0, residue=9),
        GameEnded(
            winners=(1,),
            transfers=(
                chips(ante(1), stack(1), 9, rule="20"),
                chips(CENTRE, stack(1), 9, rule="20"),
                chips(stack(1), HOUSE, 59, rule="G.7"),
            ),
        ),
        ...,
    ).has(stacks=(0, 0), antes=(0, 0), centre=0)
