"""The claims of a round's winner, the centre, and the return of antes: Rules 14, 15 and 17."""

import pytest

from service.games.bankrupt.accounts import CENTRE, ante
from service.games.bankrupt.events import (
    AntesReturned,
    CentreCollected,
    Claim,
    RoundEnded,
    RoundWon,
    RoundWonUncontested,
)
from service.games.common_events import CardsBottomed
from service.ledger import chips, stack
from tests.games.bankrupt.actors import seat
from tests.games.bankrupt.stacked import FIRST
from tests.games.bankrupt.table import Table, a_table, four_players
from tests.games.expected import shows, some

HANDS = ("9h 3c", "As Qd", "Ad 7c", "8h 2c")


def won_by_seat_2(table: Table) -> Table:
    return table.dealt(*HANDS).all_hold()


def test_the_winner_takes_from_the_antes_in_order_from_the_winners_left_and_the_rest_goes_back() -> (
    None
):  # Rules 13, 15; B6.2, B15.1
    (
        won_by_seat_2(four_players())
        .when_played_out()
        .then(
            ...,
            shows({1: "9h 3c", 2: "As Qd", 3: "Ad 7c", 4: "8h 2c"}),
            RoundWon(
                winner=2,
                multiplier=1,
                claims=(
                    Claim(
                        seat=3,
                        winning="Qd",
                        losing="7c",
                        difference=3,
                        due=3,
                        taken=3,
                        rule="15",
                        ruling="B15.1",
                        from_heaps=(3,),
                    ),
                    Claim(
                        seat=4,
                        winning="As",
                        losing="8h",
                        difference=3,
                        due=3,
                        taken=3,
                        rule="15",
                        ruling="B15.1",
                        from_heaps=(3,),
                    ),
                    Claim(
                        seat=1,
                        winning="As",
                        losing="9h",
                        difference=2,
                        due=2,
                        taken=2,
                        rule="15",
                        ruling="B15.1",
                        from_heaps=(2,),
                    ),
                ),
                centre="empty",
                transfers=(
                    chips(ante(3), stack(2), 3, rule="15"),
                    chips(ante(4), stack(2), 3, rule="15"),
                    chips(ante(1), stack(2), 2, rule="15"),
                ),
            ),
            AntesReturned(
                transfers=(
                    chips(ante(1), stack(1), 7, rule="17"),
                    chips(ante(2), stack(2), 9, rule="17"),
                    chips(ante(3), stack(3), 6, rule="17"),
                    chips(ante(4), stack(4), 6, rule="17"),
                )
            ),
            CardsBottomed(epoch=FIRST, positions=(7, 11, 8, 12, 9, 13, 10, 14)),
            RoundEnded(dealer=1),
        )
        .has(stacks=(48, 58, 47, 47), antes=(0, 0, 0, 0), centre=0)
    )


def test_the_rest_of_all_antes_also_goes_back_after_an_uncontested_round() -> None:  # Rules 11, 17; B6.2, B11.4
    table = a_table(50, 50, 50).dead_round().given(seat(1).deals(), seat(2).holds(), seat(3).throws_in())
    table.when(seat(1).throws_in()).then(..., some(RoundWonUncontested, winner=2), AntesReturned, ...)
    table.has(stacks=(49, 50, 49), antes=(0, 0, 0), centre=2)


def test_between_rounds_only_stacks_and_the_centre_hold_chips() -> None:  # Rule 17; B6.2
    table = won_by_seat_2(a_table(50, 50, 50, 50, centre=3)).when_played_out()
    assert {account for account, pieces in table.state.balances.items() if pieces > 0} == {
        "stack:1", "stack:2", "stack:3", "stack:4", "centre",
    }  # fmt: skip


def test_the_winner_of_a_round_by_an_offer_collects_offered_and_accepted_pieces() -> None:  # Rule 14; B12.7
    (
        won_by_seat_2(four_players())
        .given(seat(1).passes(), seat(2).offers(5), seat(3).accepts(), seat(4).declines())
        .when(seat(3).passes())
        .then(
            ...,
            some(RoundWon, winner=2, centre="collected"),
            CentreCollected(winner=2, chips=10, ruling="B12.7", transfers=(chips(CENTRE, stack(2), 10, rule="14"),)),
            AntesReturned,
            ...,
        )
        .has(stacks=(48, 63, 42, 47), centre=0)
    )


def test_an_acceptance_is_enough_to_collect_the_whole_centre() -> None:  # Rules 12, 14; B12.7
    table = won_by_seat_2(a_table(50, 50, 50, 50, centre=11))
    table.given(seat(1).offers(1), seat(2).accepts(), seat(3).accepts(), seat(4).declines())
    table.when_played_out().then(..., some(CentreCollected, winner=2, chips=14, ruling="B12.7"), ...).has(centre=0)


def test_a_winner_without_offer_or_acceptance_wins_the_claims_and_not_the_centre() -> None:  # Rules 12, 14; B12.7
    table = won_by_seat_2(a_table(50, 50, 50, 50, centre=11))
    table.given(seat(1).offers(1), seat(2).declines(), seat(3).accepts(), seat(4).declines())
    table.when_played_out().then(..., some(RoundWon, winner=2, centre="stays"), AntesReturned, ...)
    table.has(stacks=(47, 58, 46, 47), centre=13)


def test_an_uncollected_centre_stays_for_a_later_round() -> None:  # Rules 12, 14; B12.7
    table = won_by_seat_2(a_table(50, 50, 50, 50, centre=11)).all_pass().has(centre=11)
    table.dealt("Kh 4c", "Ks Kd", "5c 6d", "4h 2s").all_hold().given(seat(2).offers(1), seat(3).accepts())
    table.when_played_out().then(..., some(CentreCollected, winner=2, chips=13), ...)


def test_an_offer_in_an_earlier_round_does_not_count() -> None:  # Rules 12, 14; B12.7
    table = won_by_seat_2(a_table(50, 50, 50, 50, centre=11))
    table.given(seat(1).offers(1), seat(2).declines(), seat(3).declines(), seat(4).declines())
    table.dealt("Ks Kd", "Kh 4c", "5c 6d", "4h 2s").when_played_out()
    table.then(..., some(RoundWon, winner=1, centre="stays"), ...).has(centre=11)


def test_an_offer_that_all_declined_collects_a_centre_left_by_others() -> None:  # Rules 12, 14; B12.3, B12.7
    table = won_by_seat_2(a_table(50, 50, 50, 50, centre=11)).given(seat(1).passes(), seat(2).offers(4))
    table.when_played_out().then(..., some(CentreCollected, winner=2, chips=11), ...).has(stacks=(48, 69, 47, 47))


def test_a_loser_collects_nothing_for_having_offered() -> None:  # Rule 14; B12.7
    table = won_by_seat_2(four_players()).given(seat(1).offers(4), seat(2).declines(), seat(3).accepts())
    table.when_played_out().never(CentreCollected).has(centre=8)


def test_an_empty_centre_is_not_collected() -> None:  # Rule 14; B12.7
    table = won_by_seat_2(four_players()).given(seat(1).passes(), seat(2).offers(4)).when_played_out()
    table.then_of((RoundWon, CentreCollected), some(RoundWon, winner=2, centre="empty"))


def test_a_full_ante_and_an_empty_stack_are_not_last_legs_and_collect_no_centre() -> None:  # Rules 12, 18; B12.8
    table = a_table(50, 9, 50, centre=11).dealt("9h 3c", "As Qd", "8h 2c").when_played_out()
    table.then(..., some(RoundWon, winner=2, centre="stays"), ...).has(centre=11)


@pytest.mark.parametrize(
    ("dead_rounds", "due"),
    [
        pytest.param(0, 3, id="rule 15: ace less eight"),
        pytest.param(1, 6, id="rule 17: second round of a streak"),
        pytest.param(2, 9, id="rule 17: third round of a streak"),
    ],
)
def test_the_difference_is_taken_once_for_every_round_of_the_streak(
    dead_rounds: int, due: int
) -> None:  # Rule 17; B17.1
    table = a_table(50, 50, 50)
    for _ in range(dead_rounds):
        table.dead_round()
    table.dealt("As Qd", "8c 4h", "Tc 4s").when_played_out()
    (won,) = (event for event in table.emitted if isinstance(event, RoundWon))
    assert won.multiplier == dead_rounds + 1
    assert won.claims[0].due == won.claims[0].taken == due
