"""A player waits until it is due, decides once, and lists the actions again if another player has decided first."""

from collections.abc import Sequence
from threading import Event as Flag
from typing import Any, cast

import pytest

from service.client.client_errors import Problem, ProblemBody
from service.client.endpoints import Api
from service.client.hand_answers import Event, EventPage, Leaf
from service.client.player import RepeatedlyRefused, play
from service.client.table_answers import Action, Actions, CommandResult, Move, SeedsOfTable, Table

TABLE = "tbl_" + "1" * 32
HOLD = Move({"type": "hold_cards"})
COMMIT = Move({"type": "commit_seed", "epoch": f"{TABLE}/1", "client_commit": "0" * 64})
REVEAL = Move({"type": "reveal_seed", "epoch": f"{TABLE}/1", "client_seed": "0" * 64})
OVER = Actions(9, "finished", (), ())


class Answers:
    """Replaces the API of one table, where the caller has seat 2; returns prepared responses."""

    def __init__(self, *actions: Actions, refusals: Sequence[int] = ()) -> None:
        self.done: list[tuple[Action, str]] = []
        self._actions = list(actions)
        self._refusals = list(refusals)
        self.recorded: list[dict[str, Any]] = []
        self.waits = False

    def events(self, _table: str, *, after: int, wait_seconds: int) -> EventPage:
        """Return a page with the first event of `recorded` after the position *after*."""
        assert wait_seconds == 0
        items = tuple(Event(Leaf(after + 1, "", "", "", pub), "") for pub in self.recorded[after : after + 1])
        return EventPage(items, len(self.recorded) > after + 1, after + 1, is_over=False)

    def actions(self, _table: str, *, wait_seconds: int) -> Actions:
        assert wait_seconds > 0
        return self._actions.pop(0) if len(self._actions) > 1 else self._actions[0]

    def table(self, table: str) -> Table:
        seeds = SeedsOfTable(waits=self.waits)
        return Table(table, "bankrupt", 1, "playing", 1, 2, {}, (), {}, {}, seeds=seeds)

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


def played(answers: Answers, stop: Flag | None = None, secret: bytes = b"") -> list[tuple[Action, str]]:
    play(cast("Api", cast("Any", answers)), TABLE, Holds(), stop or Flag(), seeds_secret=secret)
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
    stop = Flag()
    stop.set()
    assert played(Answers(at(6, "seat:2")), stop) == []


def asking(*moves: Move) -> Answers:
    """Return a server that asks for *moves* one after the other, then for a decision, and then ends the game."""
    return Answers(*(Actions(5, "playing", (), (move,)) for move in moves), at(6, "seat:2"), OVER)


def kinds(answers: Answers, secret: bytes = b"") -> list[str]:
    return [action["type"] for action, _ in played(answers, secret=secret)]


def test_a_player_shows_a_seed_after_its_commitment() -> None:
    assert kinds(asking(COMMIT, REVEAL)) == ["commit_seed", "reveal_seed", "hold_cards"]


def test_a_player_who_was_stopped_shows_the_seed_to_which_it_has_committed() -> None:
    first = asking(COMMIT)
    played(first, secret=b"mine")
    commitment, _ = first.done[0]
    again = asking(REVEAL)
    again.recorded = [{"epoch": f"{TABLE}/1"}, {**commitment}]
    assert kinds(again, b"mine") == ["reveal_seed", "hold_cards"]


def test_a_seed_that_is_asked_for_before_its_commitment_is_not_shown(caplog: pytest.LogCaptureFixture) -> None:
    early = asking(REVEAL, REVEAL)
    early.recorded = [{"client_commit": "0" * 64}]
    assert kinds(early) == ["hold_cards"]
    assert len(caplog.records) == 1
    assert "The seed is not shown" in caplog.text


def test_a_table_does_not_get_the_seeds_of_another_table() -> None:
    other = TABLE.replace("1", "2")
    moves = [Move({**move.action, "epoch": f"{other}/1"}) for move in (COMMIT, REVEAL)]
    assert kinds(asking(*moves)) == ["hold_cards"]


def test_a_bot_is_asked_for_no_move_while_only_a_seed_is_due() -> None:
    answers = Answers(*[Actions(5, "playing", ("seat:2",), (HOLD, REVEAL))] * 3, OVER)
    answers.waits = True
    assert played(answers) == []


def test_a_bot_plays_on_while_a_seed_is_withheld_and_gets_no_move_of_seeds() -> None:
    assert kinds(Answers(Actions(5, "playing", ("seat:2",), (REVEAL, HOLD)), OVER)) == ["hold_cards"]


def test_a_refused_commitment_is_given_again_after_the_actions_were_listed_again() -> None:
    answers = Answers(*[Actions(5, "playing", (), (COMMIT,))] * 3, OVER, refusals=[409] * 2)
    assert kinds(answers) == ["commit_seed"]
