"""A player waits until its decision is due, decides once, and rereads the actions after another player's decision."""

from collections.abc import Sequence
from threading import Event
from typing import Any, cast

import pytest

from service.client.client_errors import Problem, ProblemBody
from service.client.endpoints import Api
from service.client.player import RepeatedlyRefused, play
from service.client.table_answers import Action, Actions, CommandResult, Move, Table

HOLD = Move({"type": "hold_cards"})


class Answers:
    """Replaces the API of one table, where the caller has seat 2; returns prepared responses."""

    def __init__(self, *actions: Actions, refusals: Sequence[int] = ()) -> None:
        self.done: list[tuple[Action, str]] = []
        self._actions = list(actions)
        self._refusals = list(refusals)

    def actions(self, _table: str, *, wait_seconds: int) -> Actions:
        assert wait_seconds > 0
        return self._actions.pop(0) if len(self._actions) > 1 else self._actions[0]

    def table(self, table: str) -> Table:
        return Table(table, "bankrupt", 1, "playing", 1, 2, {}, (), {}, {})

    def act(self, table: str, action: Action, *, idempotency_key: str = "") -> CommandResult:
        if self._refusals:
            raise Problem(self._refusals.pop(0), ProblemBody(code="player_must_be_due"))
        self.done.append((action, idempotency_key))
        return CommandResult(table, 1)


class Holds:
    def choose(self, moves: Sequence[Move], table: Table) -> Action:
        assert table.you == 2
        return moves[0].action


def at(position: int, *due: str, status: str = "playing") -> Actions:
    return Actions(position, status, due, (HOLD,))


def played(answers: Answers, stop: Event | None = None) -> list[tuple[Action, str]]:
    play(cast("Api", cast("Any", answers)), "tbl_1", Holds(), stop or Event())
    return answers.done


def test_a_player_acts_when_due_and_ends_with_the_table() -> None:
    answers = Answers(at(5, "seat:1"), at(6, "seat:2"), at(7, "seat:22"), at(8, "seat:2"), at(9, status="finished"))
    assert played(answers) == [(HOLD.action, "at 6"), (HOLD.action, "at 8")]


def test_a_closed_table_is_over() -> None:
    assert played(Answers(at(5, status="closed"))) == []


def test_after_a_lost_race_the_actions_are_listed_again() -> None:
    answers = Answers(at(6, "seat:2"), at(9, "seat:2"), at(10, status="finished"), refusals=[409])
    assert played(answers) == [(HOLD.action, "at 9")]


def test_of_decisions_due_together_each_is_made_once_in_any_order() -> None:
    all_four = ("seat:1", "seat:2", "seat:3", "seat:4")
    others = ("seat:3", "seat:4")
    answers = Answers(at(6, *all_four), at(9, *others), at(9, *others), at(11, "seat:2"), at(12, status="finished"))
    assert played(answers) == [(HOLD.action, "at 6"), (HOLD.action, "at 11")]


def test_repeated_refusals_end_play() -> None:
    with pytest.raises(RepeatedlyRefused, match="player_must_be_due"):
        played(Answers(at(6, "seat:2"), refusals=[409] * 100))


def test_any_other_refusal_ends_play_at_once() -> None:
    with pytest.raises(Problem, match="403"):
        played(Answers(at(6, "seat:2"), refusals=[403]))


def test_a_player_stops_when_asked_to() -> None:
    stop = Event()
    stop.set()
    assert played(Answers(at(6, "seat:2")), stop) == []
