"""`/v1/tables/{table}/actions`: what the asker may do, and doing it."""

from typing import Annotated, Final, NamedTuple

from flask import Response
from msgspec import Meta, Struct

from service.games import GAMES
from service.games.commands import CallTime, CloseTable, DealHand, LeaveSeat, StartGame
from service.games.game import Command, type_name
from service.http import commands, deadlines, known, legal
from service.http.answers import told
from service.http.commands import Accepted, Done, Expand
from service.http.deadlines import SECONDS_LEFT
from service.http.identity import asker, asker_with, holder, must_still_be_valid
from service.http.legal import ActionList
from service.http.operations import IDEMPOTENCY_KEY, IF_MATCH, READS, WRITES, operation
from service.http.parts import here
from service.http.resources import Resource
from service.http.shapes import choice, shape
from service.http.visit import Asker
from service.http.waiting import MOST_SECONDS
from service.log.database import reading
from service.projections.situations import Situation

COMMON: Final[tuple[type[Command], ...]] = (DealHand, LeaveSeat, StartGame, CallTime, CloseTable)

actions = Resource("actions", "What the asker may do at a table, and doing it.")

ACTION: Final = choice(
    "Action",
    {
        type_name(command): shape(command, without=("by",))
        for command in (*COMMON, *(command for game in GAMES.values() for command in game.commands))
    },
)
"""Every action of every game, told apart by `type`."""

_EXAMPLES: Final = {name: {"type": name, **one.example} for name, one in ACTION.shapes.items()}
"""Each action, its numbers as their own examples have them, or the least that they may be."""


class Wait(Struct, frozen=True):
    """How long to wait for something to do."""

    wait: Annotated[
        int,
        Meta(ge=0, le=MOST_SECONDS, description="Seconds to wait until a decision of yours is due, or the game over."),
    ] = 0


class Try(Expand, frozen=True):
    """Whether to do it, and what to answer with."""

    dry_run: Annotated[bool, Meta(description="Only find out whether it would be accepted.")] = False


@actions.get("/v1/tables/<table>/actions")
@actions.query(Wait)
@operation(
    actions,
    "list_actions",
    ActionList,
    codes=(*READS, "place_must_be_free", "table_must_be_intact", "table_must_exist"),
    headers=("ETag", SECONDS_LEFT),
)
def list_actions(query: Wait, table: str) -> Response:
    """List what the asker may do now, each action ready to be posted.

    With `wait` the answer comes once a decision of the asker is due, or nothing is to be decided any more; at once
    to who is neither host nor player there.
    """
    who = asker()
    stream_id = known.stream_of(table)
    _, found = here().waiting.until(
        stream_id, query.wait, holder(who), lambda: _now(stream_id, who), lambda seen: _has_come(seen.situation, who)
    )
    return deadlines.with_seconds_left(told(found, who, position=found.position), found.due_at)


@actions.post("/v1/tables/<table>/actions")
@actions.body(ACTION, examples=_EXAMPLES)
@actions.query(Try)
@operation(
    actions,
    "do_action",
    Done,
    Accepted,
    codes=(
        *WRITES,
        "asker_must_be_a_player",
        "asker_must_be_the_host",
        "position_must_be_well_formed",
        "position_must_match",
        "refused_by_the_rules",
        "table_must_be_intact",
        "table_must_be_played_here",
        "table_must_exist",
    ),
    headers=("ETag", "Idempotent-Replayed"),
    parameters=(IDEMPOTENCY_KEY, IF_MATCH),
)
def do_action(command: Command, query: Try, table: str) -> Response:
    """Do something at a table: a decision of the asker's seat, or of its host.

    The answer has the receipt and the events that were made, as the asker may see them; with `expand` the table and
    the next actions as well, so that a move is one request. With `dry_run`
    nothing is recorded, and the Idempotency-Key stays free: the answer is `{"accepted": true}` or the refusal.
    """
    who = asker_with("host" if command.FOR_HOST else "play", may_have_ended=not query.dry_run)
    stream_id = known.stream_of(table)
    if query.dry_run:
        return commands.attempt(stream_id, command, who)
    return commands.do(stream_id, command, who, status=200, expand=query.expand)


class _Seen(NamedTuple):
    situation: Situation
    found: ActionList

    @property
    def position(self) -> int:
        return self.situation.position


def _now(stream_id: bytes, who: Asker) -> _Seen:
    must_still_be_valid(who)
    with reading(here().engine) as connection:
        situation = known.now(connection, stream_id, who)
        return _Seen(situation, legal.actions(connection, situation, who))


def _has_come(situation: Situation, who: Asker) -> bool:
    return situation.is_over or legal.is_due(situation, who) or not legal.roles(situation, who)
