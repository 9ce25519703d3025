"""Dead rounds, the multiplier, and the cap of claims: Rule 17."""

import pytest

from service.games.bankrupt import BANKRUPT
from service.games.bankrupt.accounts import CENTRE, ante
from service.games.bankrupt.events import (
    AntesPlaced,
    AntesReturned,
    CentreCollected,
    CentreDivided,
    Claim,
    PlayerBankrupt,
    RoundDead,
    RoundEnded,
    RoundWon,
)
from service.games.common_events import CardsBottomed, CardsShown
from service.ledger import chips, stack
from tests.games.bankrupt.actors import seat
from tests.games.bankrupt.table import DEAD_ROUNDS, Table, a_table, four_players
from tests.games.expected import some


def test_in_a_dead_round_no_one_wins_and_no_one_loses() -> None:  # Rules 9, 17
    (
        four_players()
        .dealt("As Qd", "Ah Qc", "8c 2d", "9c 3d")
        .when_played_out()
        .then(..., CardsShown, RoundDead(seats=(1, 2), dead_rounds=1), CardsBottomed, RoundEnded(dealer=1))
        .has(stacks=(41, 41, 41, 41), antes=(9, 9, 9, 9), centre=0)
    )


def test_the_next_round_has_another_ante_of_nine_beside_the_first() -> None:  # Rules 6, 17
    table = four_players().dead_round().when(seat(1).deals()).then(..., some(AntesPlaced, dead_rounds=1), ...)
    table.has(stacks=(32, 32, 32, 32), antes=(18, 18, 18, 18))
    assert table.state.heaps == dict.fromkeys((1, 2, 3, 4), (9, 9))


def test_pieces_upped_in_a_dead_round_accumulate() -> None:  # Rules 14, 17
    table = four_players().dealt("As Qd", "Ah Qc", "8c 2d", "9c 3d").all_hold()
    table.given(seat(1).offers(4), seat(2).accepts()).when_played_out().never(CentreCollected).has(centre=8)
    table.dealt("Ks Kd", "Kh Jc", "5c 6d", "4h 2s").all_hold().given(seat(2).offers(1), seat(3).accepts())
    table.given(seat(4).declines(), seat(1).accepts())
    table.when_played_out().then(..., some(CentreCollected, winner=1, chips=11), ...)


def test_after_one_dead_round_the_winner_claims_twice_from_two_antes() -> None:  # Rule 17; B17.1
    table = a_table(50, 50).dead_round().dealt("As Qd", "4h 2c").when_played_out()
    table.then(
        ...,
        RoundWon(
            winner=1,
            multiplier=2,
            claims=(
                Claim(
                    seat=2, winning="As", losing="4h", difference=7, due=14, taken=14,
                    rule="15", ruling="B15.1", from_heaps=(9, 5),
                ),
            ),
            centre="empty",
            transfers=(chips(ante(2), stack(1), 14, rule="15"),),
        ),
        AntesReturned(transfers=(chips(ante(2), stack(2), 4, rule="17"), chips(ante(1), stack(1), 18, rule="17"))),
        ...,
    ).has(stacks=(64, 36), antes=(0, 0))  # fmt: skip


def test_after_two_dead_rounds_the_winner_claims_three_times_from_three_antes() -> None:  # Rule 17; B17.1
    table = a_table(50, 50).dead_round().dead_round().has(antes=(18, 18)).dealt("As Qd", "8h 2c")
    table.has(antes=(27, 27)).when_played_out()
    table.then(..., some(RoundWon, winner=1, multiplier=3), ...).has(stacks=(59, 41), antes=(0, 0))


def test_an_uncapped_loser_can_lose_all_three_antes() -> None:  # Rules 16, 17; B17.1
    table = a_table(50, 50).dead_round().dead_round().dealt("6s 6c", "Ah Kc").when_played_out()
    table.has(stacks=(65, 35))  # The multiplier is three, and the debt five.
    table = a_table(50, 50).dead_round().dead_round().dealt("2h 2s", "Ah Kc").when_played_out()
    table.has(stacks=(77, 23))  # The multiplier is three, and the debt nine: the loser pays all three antes.


def test_no_loser_pays_more_than_the_loser_has_in_antes() -> None:  # Rules 15, 17; B17.1
    table = a_table(50, 12, 50).dead_round().has(stacks=(41, 3, 41)).dealt("As Qd", "3h 2s", "Th Jc").when_played_out()
    table.then(
        ...,
        some(
            RoundWon,
            winner=1,
            claims=(
                Claim(
                    seat=2, winning="As", losing="3h", difference=8, due=16, taken=12,
                    rule="15", ruling="B15.1", cap="B17.1", from_heaps=(3, 9),
                ),
                Claim(
                    seat=3, winning="As", losing="Jc", difference=1, due=2, taken=2,
                    rule="15", ruling="B15.1", from_heaps=(2,),
                ),
            ),
        ),
        ...,
        PlayerBankrupt(seat=2),
        ...,
    ).has(stacks=(64, 0, 48))  # fmt: skip


def test_a_loser_with_a_smaller_ante_pays_no_more_than_this_ante() -> None:  # Rules 15, 18; B17.1
    table = a_table(50, 3).dealt("As Qd", "3h 2s").when_played_out()
    table.then(..., some(RoundWon, transfers=(chips(ante(2), stack(1), 3, rule="15"),)), ...)


def test_a_player_who_forfeited_a_piece_earlier_pays_nothing_from_the_stack() -> None:  # Rules 11, 17; B17.1
    table = a_table(50, 50, 50).dealt("9s 7d", "9h 7c", "2c 3d").held_up_to(3).given(seat(3).throws_in()).all_pass()
    table.dealt("2h 2s", "5h 4d", "Ah Kc").has(stacks=(32, 32, 32), antes=(18, 18, 17)).when_played_out()
    (won,) = (event for event in table.emitted if isinstance(event, RoundWon))
    assert {claim.seat: (claim.due, claim.taken, claim.cap) for claim in won.claims} == {
        2: (6, 6, ""),
        3: (18, 17, "B17.1"),
    }
    table.has(stacks=(73, 44, 32), antes=(0, 0, 0), centre=1)


def test_after_a_win_the_next_round_has_one_ante_of_nine_again() -> None:  # Rule 17; B6.2
    table = a_table(50, 50).dead_round().dealt("As Qd", "8h 2c").when_played_out().has(stacks=(56, 44), antes=(0, 0))
    table.when(seat(2).deals()).then(..., some(AntesPlaced, dead_rounds=0), ...).has(antes=(9, 9))
    assert table.state.heaps == {1: (9,), 2: (9,)}


def three_dead_rounds(table: Table) -> Table:
    return table.dead_round().dead_round().dealt(*DEAD_ROUNDS[2])


def test_after_the_third_dead_round_the_centre_is_divided_and_the_antes_go_back() -> None:  # Rule 17; B17.2, B6.2
    (
        three_dead_rounds(a_table(50, 50, 50, 50, centre=20))
        .when_played_out()
        .then(
            ...,
            RoundDead(seats=(1, 2), dead_rounds=3),
            CentreDivided(
                seats=(3, 4, 1, 2),
                share=5,
                residue=0,
                transfers=tuple(chips(CENTRE, stack(number), 5, rule="17") for number in (3, 4, 1, 2)),
            ),
            AntesReturned(
                transfers=tuple(chips(ante(number), stack(number), 27, rule="17") for number in (3, 4, 1, 2))
            ),
            CardsBottomed,
            RoundEnded(dealer=3),
        )
        .has(stacks=(55, 55, 55, 55), antes=(0, 0, 0, 0), centre=0)
    )


def test_the_remainder_stays_in_the_centre() -> None:  # Rule 17; B17.2
    table = three_dead_rounds(a_table(50, 50, 50, 50, centre=23)).when_played_out()
    table.then(..., some(CentreDivided, share=5, residue=3), ...).has(stacks=(55, 55, 55, 55), centre=3)


def test_a_centre_too_small_to_be_divided_does_not_change() -> None:  # Rule 17; B17.2
    table = three_dead_rounds(a_table(50, 50, 50, 50, centre=3)).when_played_out()
    table.then(..., CentreDivided(seats=(3, 4, 1, 2), share=0, residue=3), AntesReturned, ...).has(centre=3)


def test_an_empty_centre_is_divided_into_nothing() -> None:  # Rule 17; B17.2
    table = three_dead_rounds(four_players()).when_played_out()
    table.then(..., CentreDivided(seats=(3, 4, 1, 2), share=0, residue=0), AntesReturned, ...)


def test_a_player_who_threw_in_has_a_share_as_well() -> None:  # Rule 17; B17.2
    table = three_dead_rounds(a_table(50, 50, 50, 50, centre=19)).given(seat(3).throws_in()).when_played_out()
    table.then(..., some(CentreDivided, seats=(3, 4, 1, 2), share=5, residue=0), ...).has(stacks=(55, 55, 54, 55))


def test_a_player_who_lost_the_last_piece_in_this_round_has_a_share_and_stays() -> None:  # Rule 17; B17.2, B20.1
    table = three_dead_rounds(a_table(50, 50, 1, 50, centre=20))
    table.given(seat(3).throws_in()).has(antes=(27, 27, 0, 27), centre=21)
    table.when_played_out().then(..., some(CentreDivided, share=5, residue=1), ...).never(PlayerBankrupt)
    table.has(stacks=(55, 55, 5, 55), centre=1)


def test_a_player_who_lost_the_last_piece_is_bankrupt_if_the_share_is_nothing() -> None:  # Rules 17, 20; B17.2, B20.1
    table = three_dead_rounds(a_table(50, 50, 1, 50, centre=2)).given(seat(3).throws_in()).when_played_out()
    table.then(
        ..., some(CentreDivided, share=0, residue=3), AntesReturned, PlayerBankrupt(seat=3), CardsBottomed,
        RoundEnded(dealer=4),
    )  # fmt: skip


def test_a_player_who_loses_the_last_piece_in_an_earlier_dead_round_is_bankrupt() -> None:  # Rules 17, 20; B20.1
    table = (
        a_table(50, 50, 50, 1)
        .dealt("As Qd", "Ah Qc", "8c 2d", "9c 3d")
        .given(seat(1).holds(), seat(2).holds(), seat(3).holds(), seat(4).throws_in())
    )
    table.when_played_out().then(..., RoundDead, PlayerBankrupt(seat=4), ...).has(antes=(9, 9, 9, 0), centre=1)


def test_a_player_who_was_already_out_has_no_share() -> None:  # Rules 17, 20; B17.2
    table = a_table(50, 50, 50, 1, centre=9).dealt("As Kd", "Ks Qh", "8c 4h", "8d 4s").when_played_out()
    table.then(..., PlayerBankrupt(seat=4), ...)
    table.dead_round().dead_round().dealt("6s 5d", "6h 5c", "5h 4c").when_played_out()
    table.then(..., some(CentreDivided, seats=(1, 2, 3), share=3, residue=0), ...)


def test_after_the_third_dead_round_the_streak_is_over() -> None:  # Rule 17; B17.2
    table = three_dead_rounds(a_table(60, 60, 60, 60)).when_played_out()
    table.when(seat(3).deals()).then(..., some(AntesPlaced, dead_rounds=0), ...).has(antes=(9, 9, 9, 9))
    table.when_played_out().then(..., some(RoundWon, multiplier=1), ...)


def test_a_player_with_fewer_than_nine_pieces_places_all_pieces_in_the_fourth_round() -> None:  # Rules 17, 18; B6.1
    table = three_dead_rounds(a_table(50, 50, 4, 50)).when_played_out().has(stacks=(50, 50, 4, 50))
    table.when(seat(3).deals()).then(..., some(AntesPlaced, last_legs=(3,)), ...).has(antes=(9, 9, 4, 9))


def test_a_win_ends_the_streak() -> None:  # Rule 17; B17.1
    table = a_table(50, 50).dead_round().dealt("As Qd", "8h 2c").when_played_out()
    table.dealt("Ks Qs", "5h 4c").when_played_out().then(..., some(RoundWon, multiplier=1), ...)


@pytest.mark.parametrize("allowed", [1, 2, 3])
def test_the_agreed_number_of_dead_rounds_divides_the_centre(allowed: int) -> None:  # Rule 17; Option 2; B17.2, BO2.1
    table = a_table(50, 50, centre=8, max_dead_rounds=allowed)
    for _ in range(allowed - 1):
        table.dead_round().has(centre=8)
    table.dealt(*DEAD_ROUNDS[allowed - 1][:2]).when_played_out()
    table.then(..., some(RoundDead, dead_rounds=allowed), some(CentreDivided, share=4), ...).has(centre=0)
    assert table.state.dead_rounds == 0


def test_more_than_three_dead_rounds_may_be_agreed_on() -> None:  # Rule 17; Option 2; BO2.1
    table = a_table(50, 50, centre=8, max_dead_rounds=4).dead_round().dead_round().dead_round().has(centre=8)
    table.dealt("Ks Qd", "Kh Qc").when_played_out()
    table.then(..., some(RoundDead, dead_rounds=4), some(CentreDivided, share=4), ...).has(stacks=(54, 54))


def test_a_claim_is_taken_from_the_newest_heap_first() -> None:  # Rule 17; B17.1
    table = a_table(50, 14).dead_round().dealt("As Qd", "8h 4c")
    table.given(seat(2).holds())
    events = BANKRUPT.decide(table.state, seat(1).holds(), table.decks).events
    for event in events:
        table.happened(event)
        if isinstance(event, RoundWon):
            assert table.state.heaps == {1: (9, 9), 2: (8, 0)}  # Six pieces: five of the newer heap, one of the older.
    assert any(isinstance(event, RoundWon) for event in events)
