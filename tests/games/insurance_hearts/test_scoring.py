"""The score of a hand: H-SCORE.1, IH.5, IH.6, IH.10, IH.11."""

import pytest
from msgspec.structs import astuple

from service.games.common_events import DeckRevealed
from service.games.insurance_hearts import INSURANCE_HEARTS
from service.games.insurance_hearts.events import CardPlayed, HandFinished, HandScored, SeatScore, TrickTaken
from service.ledger import POOL, points, score
from tests.games.expected import some
from tests.games.insurance_hearts.actors import host, seat
from tests.games.insurance_hearts.deals import (
    LAST_CARD,
    all_but_one_heart,
    all_but_the_last_card,
    all_hearts_without_the_queen,
    at_moons_auction,
    moon_by_a,
    played_by_a,
)
from tests.games.insurance_hearts.table import SEATS, Table, a_table, hearts
from tests.games.random_play import play


def gains(table: Table) -> tuple[int, ...]:
    """Return the points that the hand added to the score of each seat."""
    return tuple(table.score_of(number).score for number in SEATS)


def test_a_heart_counts_one_and_the_queen_of_spades_thirteen() -> None:  # standard rules; H-SCORE.1
    table = played_by_a(insurance=False, foot=False).when(LAST_CARD).scores(18, 3, 5, 0)
    assert table.scored() == HandScored(
        queen=1,
        scores=(
            SeatScore(seat=1, score=18, points=18, taken=table.score_of(1).taken),
            SeatScore(seat=2, score=3, points=3, taken=table.score_of(2).taken),
            SeatScore(seat=3, score=5, points=5, taken=table.score_of(3).taken),
            SeatScore(seat=4, score=0),
        ),
        transfers=(
            points(POOL, score(1), 18, rule="standard rules"),
            points(POOL, score(2), 3, rule="standard rules"),
            points(POOL, score(3), 5, rule="standard rules"),
        ),
    )
    taken = [set(table.score_of(number).taken) for number in SEATS]
    assert taken == [{"Qs", "Jh", "8h", "Qh", "4h", "2h"}, {"9h", "Kh", "5h"}, {"3h", "7h", "6h", "Ah", "Th"}, set()]


def test_the_first_example() -> None:  # Insurance, Bidding; IH.5, IH.10, IH.11
    table = played_by_a(5, 2, 0, 1, bidding=True).when(LAST_CARD).scores(13, 8, 5, 1)
    assert gains(table) == (13, 8, 5, 1)
    assert [(one.points, one.insurance, one.bid) for one in table.scored().scores] == [
        (18, 5, 0),
        (3, 2, 3),
        (5, 0, 0),
        (0, 1, 0),
    ]
    assert (table.scored().queen, table.scored().shooter) == (1, 0)


def test_every_reason_has_its_own_transfer_and_additions_come_first() -> None:  # IH.5, IH.10
    table = played_by_a(5, 2, 0, 1, bidding=True).when(LAST_CARD)
    assert sorted(table.scored().transfers, key=astuple) == sorted(
        [
            points(POOL, score(1), 18, rule="standard rules"),
            points(POOL, score(2), 3, rule="standard rules"),
            points(POOL, score(2), 2, rule="Insurance"),
            points(POOL, score(2), 3, rule="Bidding"),
            points(POOL, score(3), 5, rule="standard rules"),
            points(POOL, score(4), 1, rule="Insurance"),
            points(score(1), POOL, 5, rule="Insurance"),
        ],
        key=astuple,
    )
    of_the_first = [one for one in table.scored().transfers if score(1) in {one.source, one.target}]
    assert [one.source for one in of_the_first] == [POOL, score(1)]


def test_the_second_example() -> None:  # Insurance, Bidding; H-SCORE.1, IH.6, IH.10
    table = moon_by_a(4, 3, 6, 1)
    (last,) = table.listed(table.next_one)
    table.when(last.command).scores(0, 22, 22, 24)
    assert (table.scored().queen, table.scored().shooter) == (1, 1)
    assert (table.score_of(1).points, table.score_of(1).insurance, table.score_of(1).bid) == (26, 4, 0)
    assert [one.bid for one in table.scored().scores] == [0, 0, 0, 2]
    assert sorted(table.scored().transfers, key=astuple) == sorted(
        [
            *(points(POOL, score(number), 26, rule="standard rules") for number in (2, 3, 4)),
            points(POOL, score(4), 2, rule="Bidding"),
            *(points(score(number), POOL, 4, rule="Insurance") for number in (2, 3, 4)),
        ],
        key=astuple,
    )


def test_the_taker_of_all_26_points_gets_none_and_each_other_player_26() -> None:  # standard rules; H-SCORE.1
    table = hearts().dealt().when_played_out().scores(0, 26, 26, 26)
    assert (table.scored().shooter, table.scored().queen, gains(table)) == (1, 1, (0, 26, 26, 26))


def test_twenty_five_points_are_no_moon() -> None:  # H-SCORE.1, IH.5
    table = all_but_one_heart().when(seat(4).plays("As")).scores(25 - 4, 3, 2, 1 + 1)
    assert (table.scored().shooter, table.scored().queen) == (0, 1)


def test_all_hearts_without_the_queen_are_no_moon() -> None:  # H-SCORE.1, IH.5
    table = all_hearts_without_the_queen().when(seat(4).plays("Qs")).scores(13 + 4, 3, 2, 13 - 1)
    assert (table.scored().shooter, table.scored().queen) == (0, 4)


@pytest.mark.parametrize("number", range(7))
def test_the_taker_of_the_queen_scores_less_by_the_takers_insurance(number: int) -> None:  # Insurance; IH.5
    played_by_a(number, 0, 0, 0).when(LAST_CARD).scores(18 - number, 3, 5, 0)


@pytest.mark.parametrize("number", range(7))
def test_each_other_player_scores_more_by_the_players_own_insurance(number: int) -> None:  # Insurance; IH.5
    played_by_a(0, number, 0, 6).when(LAST_CARD).scores(18, 3 + number, 5, 6)


@pytest.mark.parametrize("number", range(7))
def test_after_a_moon_the_shooters_insurance_is_taken_from_the_26_points_of_each_other_player(
    number: int,
) -> None:  # Insurance; IH.6
    table = a_table(hand=3, bidding=False).dealt().slips_lie(number, 1, 5, 6).played_out()
    table.scores(0, 26 - number, 26 - number, 26 - number)


def test_a_moon_without_insurance_scores_26() -> None:  # standard rules; H-SCORE.1, IH.6
    a_table(hand=3, bidding=False, insurance=False).dealt().slips_lie().played_out().scores(0, 26, 26, 26)


def test_a_player_who_shoots_the_moon_pays_for_a_bought_card() -> None:  # Bidding; IH.6, IH.10
    table = at_moons_auction(2, 1, 1, 1).given(
        seat(1).bids("Ac", 7, showing="2c"),
        seat(2).bids("Ad", 1, showing="2d"),
        seat(3).bids_nothing(showing="3h"),
        seat(4).bids_nothing(showing="2s"),
    )
    table.given(seat(4).chooses("2h"))
    all_but_the_last_card(table).when_played_out().scores(7, 24 + 1, 24, 24)


def test_nothing_is_added_for_a_card_that_was_left() -> None:  # Bidding; IH.10
    table = at_moons_auction(insurance=False).given(
        *(seat(number).bids_nothing(showing=f"3{suit}") for number, suit in enumerate("cdhs", start=1)),
    )
    table.given(seat(4).chooses("As"), seat(3).chooses("2h"), seat(2).chooses("Ad")).played_out()
    table.scores(0, 26, 26, 26)


def test_nothing_is_added_for_a_bid_that_was_outbid() -> None:  # Bidding; IH.9, IH.10
    table = at_moons_auction(insurance=False).given(
        seat(1).bids_nothing(showing="3c"),
        seat(2).bids_nothing(showing="3d"),
        seat(3).bids("2h", 8, showing="3h"),
        seat(4).bids("2h", 9, showing="3s"),
    )
    table.given(seat(3).chooses("As"), seat(2).chooses("Ad")).played_out().scores(0, 26, 26, 26 + 9)


def test_a_card_bought_for_nothing_adds_nothing() -> None:  # Bidding; IH.7, IH.10
    table = at_moons_auction(insurance=False).given(
        seat(1).bids("Ac", 0, showing="3c"),
        *(seat(number).bids_nothing(showing=f"3{suit}") for number, suit in ((2, "d"), (3, "h"), (4, "s"))),
    )
    table.given(seat(4).chooses("As"), seat(3).chooses("2h")).played_out().scores(0, 26, 26, 26)


def test_points_are_added_to_the_points_of_earlier_hands() -> None:  # standard rules; H-SCORE.1, IH.11
    table = a_table(hand=3, bidding=False, totals=(40, 30, 20, 10)).dealt().slips_lie(6).played_out()
    table.scores(40, 50, 40, 30)


def test_the_taker_of_the_queen_alone_scores_seven_with_the_highest_insurance() -> None:  # Insurance; IH.5, IH.11
    all_hearts_without_the_queen(0, 0, 0, 6).when(seat(4).plays("Qs")).scores(13, 0, 0, 13 - 6)


def test_no_score_of_a_hand_is_negative() -> None:  # Insurance; IH.11
    scored = [
        event
        for number in range(10)
        for step in play(INSURANCE_HEARTS, number)
        for event in step.events
        if isinstance(event, HandScored)
    ]
    assert any(one.insurance for event in scored for one in event.scores)
    assert min(one.score for event in scored for one in event.scores) >= 0


def test_the_issued_points_and_the_scores_balance() -> None:  # G.7, IH.11
    table = played_by_a(5, 2, 0, 1, bidding=True).given(LAST_CARD)
    assert sum(table.state.balances.values()) == 0
    assert table.state.balances[POOL] == -(13 + 8 + 5 + 1)


def test_a_hand_is_scored_after_its_thirteenth_trick_and_at_once() -> None:  # IH.1, G.4, G.6
    table = played_by_a(5, 2, 0, 1, bidding=True).when(LAST_CARD)
    table.then(
        CardPlayed(seat=4, card="6c"),
        TrickTaken(seat=1, cards=("4h", "2h", "3s", "6c")),
        HandScored,
        some(DeckRevealed),
        HandFinished(dealer=1),
    ).awaits(seat(1))


def test_nothing_is_scored_before_the_hand_is_over() -> None:  # Insurance; IH.1
    table = hearts().dealt()
    for _ in range(51):
        table.when(host.calls_time()).never(HandScored)
    table.when(host.calls_time()).then(CardPlayed, TrickTaken, HandScored, ...)
