"""The end of the game: H-END.1, IH.11."""

import pytest

from service.games.common_events import DeckRevealed, DeckUnused, GameEnded
from service.games.insurance_hearts.events import CardPlayed, HandFinished, HandScored, TrickTaken
from tests.games.insurance_hearts.actors import EVERYBODY, host, seat, stranger
from tests.games.insurance_hearts.deals import LAST_CARD, moon_by_a, played_by_a
from tests.games.insurance_hearts.table import FIRST, SECOND, Table, a_table, at_slips


def after_a_moon(*totals: int, target: int = 100) -> Table:
    """Set the scores to *totals*, and play a hand in which seat 1 shoots the moon; keep the events of the last card."""
    table = a_table(hand=3, totals=totals, insurance=False, bidding=False, foot=False, target=target).dealt()
    while sum(map(len, table.seen_by(0).hands.values())) > 1:
        table.given(host.calls_time())
    return table.when(host.calls_time())


def test_the_game_ends_after_the_hand_in_which_a_total_reaches_100() -> None:  # standard rules; H-END.1, G.6
    table = after_a_moon(10, 74, 20, 30)
    table.then(
        CardPlayed,
        TrickTaken,
        HandScored,
        DeckRevealed(epoch=FIRST, server_seed=table.decks.server_seed(FIRST)),
        HandFinished(dealer=1),
        GameEnded(winners=(1,)),
        DeckUnused(epoch=SECOND, server_seed=table.decks.server_seed(SECOND)),
    )
    table.scores(10, 100, 46, 56).awaits()
    assert (table.state.status, table.state.winners, table.seen_by(0).phase) == ("finished", (1,), "over")


def test_more_than_100_points_also_end_the_game_but_99_do_not() -> None:  # standard rules; H-END.1
    after_a_moon(10, 75, 20, 30).then(..., GameEnded(winners=(1,)), DeckUnused)
    table = after_a_moon(10, 73, 20, 30).never(GameEnded, DeckUnused).scores(10, 99, 46, 56)
    table.awaits(seat(1)).may(seat(1), seat(1).deals())


def test_a_total_reached_by_a_seat_that_does_not_win_also_ends_the_game() -> None:  # standard rules; H-END.1
    after_a_moon(90, 0, 0, 74).then(..., GameEnded(winners=(2, 3)), DeckUnused)


@pytest.mark.parametrize(("target", "is_over"), [(26, True), (27, False), (1, True)])
def test_another_target_may_be_agreed_on(target: int, is_over: bool) -> None:  # H-END.1  # noqa: FBT001
    table = after_a_moon(0, 0, 0, 0, target=target)
    assert (table.state.status == "finished") is is_over


def test_the_lowest_total_wins_and_not_the_best_last_hand() -> None:  # standard rules; H-END.1
    after_a_moon(90, 90, 63, 80).then(..., GameEnded(winners=(3,)), DeckUnused)


@pytest.mark.parametrize(
    ("totals", "winners"),
    [((36, 74, 10, 10), (1, 3, 4)), ((90, 80, 10, 10), (3, 4)), ((100, 74, 74, 74), (1, 2, 3, 4))],
)
def test_players_level_at_the_lowest_win_jointly(
    totals: tuple[int, ...], winners: tuple[int, ...]
) -> None:  # standard rules; H-END.1
    after_a_moon(*totals).then(..., GameEnded(winners=winners), DeckUnused)


def test_points_insurance_and_bids_count_toward_the_target() -> None:  # Insurance, Bidding; H-END.1, IH.11
    for target, is_over in ((13, True), (14, False)):
        table = played_by_a(5, 2, 0, 1, bidding=True, target=target).given(LAST_CARD)
        assert (table.state.status == "finished") is is_over
    for target, is_over in ((28, True), (29, False)):
        table = moon_by_a(0, 0, 0, 0, target=target).played_out().scores(0, 26, 26, 26 + 2)
        assert (table.state.status == "finished") is is_over
    table = played_by_a(6, 6, 0, 1, bidding=True, target=12).given(LAST_CARD).scores(12, 12, 5, 1)
    assert table.state.winners == (4,)


def test_a_cancelled_hand_ends_no_game() -> None:  # Foot Rule; H-END.1, IH.3
    table = at_slips(target=1).when_slips_lie(feet=(1,)).never(GameEnded, HandScored).scores(0, 0, 0, 0)
    assert table.state.status == "playing"


def test_after_the_game_nothing_is_possible_any_more() -> None:  # standard rules; H-END.1, G.4
    table = after_a_moon(10, 74, 20, 30).awaits()
    for actor in (*EVERYBODY, host, stranger):
        table.may(actor)
    for command in (seat(1).deals(), seat(1).plays("2c"), seat(1).insures(0), host.calls_time()):
        table.refuses(command, "game_must_be_under_way", ruling="G.4")
    for command in (host.starts(), host.closes(), seat(1).leaves(), stranger.sits_down(3, pieces=0)):
        table.refuses(command, "game_must_not_have_started", ruling="G.4")
