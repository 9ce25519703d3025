"""The sums on the page of a hand are the nets of the ledger, in every hand of random games."""

from collections import Counter

import pytest

from service.games import GAMES
from service.games.definition import Game
from service.web.case import case_story
from service.web.case.hand_case import case
from tests.web.cases import hands, unit_is_points

every_game = pytest.mark.parametrize("game", [pytest.param(game, id=game.name) for game in GAMES.values()])
SEEDS = 20


@every_game
def test_the_payouts_and_the_causes_add_up_to_what_each_seat_won_or_lost(game: Game) -> None:
    seen = 0
    for shown in (one for seed in range(SEEDS) for one in hands(game, seed)):
        found = case(shown, 0)
        nets = {one.seat: one.net for one in shown.hand.seats}
        added = Counter[int]()
        for group in found.groups:
            added.update(group.added)
        assert {seat: added[seat] for seat in nets} == nets
        assert {one.seat: one.changed + one.cashed for one in found.outcome.seats} == nets
        seen += 1
    assert seen > SEEDS


@every_game
def test_each_seat_reads_the_causes_of_all_that_it_won_or_lost(game: Game) -> None:
    for shown in hands(game, 0):
        for seat in shown.hand.seats:
            outcome = case(shown, seat.seat).outcome
            changed = next(one.changed for one in outcome.seats if one.seat == seat.seat)
            assert outcome.seat == seat.seat
            assert sum(cause.amount for cause in outcome.causes) == changed
            assert all(cause.amount == sum(added for added, _ in cause.lines) for cause in outcome.causes)
            assert outcome.headline.startswith((f"Seat {seat.seat} ", f"Hand {shown.hand.hand} was cancelled: "))
            assert bool(outcome.causes) != bool(outcome.without_cause)


@every_game
def test_without_a_choice_the_hand_is_read_from_the_seat_that_lost_most(game: Game) -> None:
    for shown in hands(game, 1):
        outcome = case(shown, 0).outcome
        lost = {one.seat: one.changed if unit_is_points(shown) else -one.changed for one in outcome.seats}
        if max(lost.values()) > 0:
            assert lost[outcome.seat] == max(lost.values())
        else:
            assert outcome.headline.startswith(("Nobody lost any ", f"Hand {shown.hand.hand} was cancelled: "))


@every_game
def test_the_story_has_each_event_once_in_order(game: Game) -> None:
    for shown in hands(game, 2):
        story = case_story.story(shown)
        told: list[int] = []
        for part in story.parts:
            told += [at for step in part.steps for at in range(step.position, step.position + step.more + 1)]
            for row in part.rows:
                told += [play.position for play in row.plays]
                told += [row.position] if row.taken_by else []
        assert sorted(told) == [event.leaf.position for event in shown.events]
