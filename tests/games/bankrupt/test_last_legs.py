"""Last legs: Rule 18."""

import pytest

from service.games.bankrupt.accounts import ante
from service.games.bankrupt.events import AntesPlaced, CentreCollected, Claim, PlayerBankrupt, RoundWon
from service.ledger import chips, stack
from tests.games.bankrupt.actors import seat
from tests.games.bankrupt.table import Table, a_table
from tests.games.expected import some


@pytest.mark.parametrize(
    ("pieces", "ante_placed", "declared"),
    [
        pytest.param(9, 9, (), id="nine are enough"),
        pytest.param(8, 8, (1,), id="eight are not"),
        pytest.param(1, 1, (1,), id="one is not"),
    ],
)
def test_a_player_with_less_than_the_full_ante_is_on_last_legs(
    pieces: int, ante_placed: int, declared: tuple[int, ...]
) -> None:  # Rule 18; B18.1
    table = a_table(pieces, 50).when(seat(2).deals()).then(..., some(AntesPlaced, last_legs=declared), ...)
    table.has(antes=(ante_placed, 9), stacks=(0, 41))
    assert table.seen_by(0).last_legs == declared


def test_a_player_with_only_earlier_antes_is_on_last_legs_with_an_ante_of_zero() -> None:  # Rule 18; B18.1
    table = a_table(9, 50).dead_round().when(seat(1).deals())
    table.then(
        ...,
        AntesPlaced(last_legs=(1,), dead_rounds=1, transfers=(chips(stack(2), ante(2), 9, rule="6"),)),
        ...,
    ).has(antes=(9, 18))


def test_last_legs_hold_for_one_round() -> None:  # Rule 18; B18.1
    table = a_table(8, 50).dealt("As Qd", "Ts 3c").when_played_out().has(stacks=(9, 49))
    table.when(seat(1).deals()).then(..., some(AntesPlaced, last_legs=()), ...)


def test_a_winner_on_last_legs_claims_from_any_player_no_more_than_the_winners_ante() -> None:  # Rule 18; B18.2
    table = a_table(4, 50, 50).dealt("As Qd", "3s 2c", "Th 3d").when_played_out()
    table.then(
        ...,
        some(
            RoundWon,
            winner=1,
            claims=(
                Claim(
                    seat=2, winning="As", losing="3s", difference=8, due=8, taken=4,
                    rule="15", ruling="B15.1", cap="B18.2", from_heaps=(4,),
                ),
                Claim(
                    seat=3, winning="As", losing="Th", difference=1, due=1, taken=1,
                    rule="15", ruling="B15.1", from_heaps=(1,),
                ),
            ),
        ),
        ...,
    ).has(stacks=(9, 46, 49))  # fmt: skip


def test_the_limit_holds_after_the_multiplier() -> None:  # Rules 17, 18; B18.2
    table = a_table(13, 50).dead_round().dealt("As Qd", "8h 2c").when_played_out()
    table.then(
        ...,
        some(
            RoundWon,
            multiplier=2,
            claims=(
                Claim(
                    seat=2, winning="As", losing="8h", difference=3, due=6, taken=4,
                    rule="15", ruling="B15.1", cap="B18.2", from_heaps=(4,),
                ),
            ),
        ),
        ...,
    ).has(stacks=(17, 46))  # fmt: skip


def test_the_limit_is_the_ante_of_this_round_and_not_the_earlier_heaps() -> None:  # Rule 18; B18.2
    table = a_table(11, 50).dead_round().dealt("As Qd", "5h 2c").has(antes=(11, 18)).when_played_out()
    table.then(..., some(RoundWon, transfers=(chips(ante(2), stack(1), 2, rule="15"),)), ...).has(stacks=(13, 48))


@pytest.mark.parametrize(("winner", "loser"), [(4, 50), (3, 50), (50, 3), (3, 3)])
def test_no_cap_is_named_if_both_players_have_the_amount_due(winner: int, loser: int) -> None:  # Rule 18; B17.1, B18.2
    table = a_table(winner, loser).dealt("As Qd", "8h 2c").when_played_out()
    (won,) = (event for event in table.emitted if isinstance(event, RoundWon))
    assert (won.claims[0].due, won.claims[0].taken, won.claims[0].cap) == (3, 3, "")


@pytest.mark.parametrize(
    ("winner", "loser", "taken", "cap"), [(5, 3, 3, "B17.1"), (3, 5, 3, "B18.2"), (3, 3, 3, "B18.2")]
)
def test_if_both_players_are_on_last_legs_the_lesser_ante_is_the_limit(
    winner: int, loser: int, taken: int, cap: str
) -> None:  # Rule 18; B17.1, B18.2
    table = a_table(winner, loser).dealt("As Qd", "3h 2c").when_played_out()
    (won,) = (event for event in table.emitted if isinstance(event, RoundWon))
    assert (won.claims[0].due, won.claims[0].taken, won.claims[0].cap) == (8, taken, cap)


def test_a_loser_on_last_legs_pays_all_of_the_ante() -> None:  # Rules 15, 18; B17.1
    table = a_table(50, 4).dealt("As Qd", "3h 2c").when_played_out()
    table.then(..., PlayerBankrupt(seat=2), ...)


def nine_then_six_then_nothing() -> Table:
    """Play the sheet's example until the third deal is due: seat 1 starts with fifteen pieces."""
    table = a_table(15, 60, 60, centre=10)
    table.has(stacks=(15, 60, 60)).dead_round().has(antes=(9, 9, 9), stacks=(6, 51, 51))
    return table.dead_round().has(antes=(15, 18, 18), stacks=(0, 42, 42))


def test_in_the_sheets_example_the_third_ante_is_zero() -> None:  # Rule 18; B18.1
    table = nine_then_six_then_nothing().when(seat(2).deals())
    table.then(..., some(AntesPlaced, last_legs=(1,), dead_rounds=2), ...).has(antes=(15, 27, 27), stacks=(0, 33, 33))
    assert table.state.heaps == {1: (9, 6, 0), 2: (9, 9, 9), 3: (9, 9, 9)}


def test_in_the_sheets_example_a_loser_pays_three_times_the_difference() -> None:  # Rules 17, 18; B17.1
    table = nine_then_six_then_nothing().dealt("8h 4h", "As Qd", "Ts 4s").when_played_out()
    (won,) = (event for event in table.emitted if isinstance(event, RoundWon))
    assert {claim.seat: (claim.due, claim.taken) for claim in won.claims} == {3: (3, 3), 1: (9, 9)}
    table.has(stacks=(6, 72, 57), centre=10)


def test_in_the_sheets_example_the_winner_gets_only_the_upped_pieces_and_the_own_six_pieces_back() -> (
    None
):  # Rule 18; B18.2, B12.8
    table = nine_then_six_then_nothing().dealt("As Qd", "8h 4h", "Ts 4s").when_played_out()
    table.then(
        ...,
        RoundWon(
            winner=1,
            multiplier=3,
            claims=(
                Claim(
                    seat=2, winning="As", losing="8h", difference=3, due=9, taken=0,
                    rule="15", ruling="B15.1", cap="B18.2",
                ),
                Claim(
                    seat=3, winning="As", losing="Ts", difference=1, due=3, taken=0,
                    rule="15", ruling="B15.1", cap="B18.2",
                ),
            ),
            centre="collected",
        ),
        some(CentreCollected, winner=1, chips=10, ruling="B12.8"),
        ...,
    ).has(stacks=(25, 60, 60), centre=0)  # fmt: skip
    table.given(seat(3).deals()).has(antes=(9, 9, 9), stacks=(16, 51, 51))  # The six pieces are back in the stack.


def test_a_player_on_last_legs_with_nothing_is_still_in_the_game() -> None:  # Rules 18, 20; B20.1
    table = nine_then_six_then_nothing().given(seat(2).deals(), seat(3).holds())
    table.awaits(seat(1)).may(seat(1), seat(1).holds(), seat(1).exchanges(1), seat(1).throws_in())


def test_a_winner_on_last_legs_collects_the_centre_without_an_offer_or_acceptance() -> None:  # Rule 18; B12.8
    table = a_table(5, 50, 50, centre=7).dealt("As Qd", "Ts 9c", "Th 3d").all_hold().given(seat(2).offers(4))
    table.when(seat(3).accepts()).then(
        ...,
        some(RoundWon, winner=1, centre="collected"),
        some(CentreCollected, winner=1, chips=15, ruling="B12.8"),
        ...,
    ).has(stacks=(22, 45, 45), centre=0)


def test_last_legs_declared_in_an_earlier_round_collect_nothing() -> None:  # Rule 18; B12.8
    table = a_table(5, 50, 50, centre=20).dealt("As Qd", "Ts 9c", "Th 3d").when_played_out()
    table.then(..., some(CentreCollected, winner=1, chips=20), ...).has(stacks=(27, 49, 49))
    table.given(seat(1).deals())
    assert table.state.last_legs == ()
