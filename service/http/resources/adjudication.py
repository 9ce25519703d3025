"""`/v1/tables/{table}/hands/{hand}/adjudication`: a hand decided again, event by event."""

from functools import partial
from typing import Annotated

from flask import Response
from msgspec import Meta, Struct
from sqlalchemy import Connection

from service.audit.checks.sealed_rows import stored_fields
from service.audit.differences import Difference
from service.audit.judging.adjudicate import HandJudgement, adjudicate_hand
from service.audit.judging.audit_known import Fields
from service.audit.judging.decision import Judgement
from service.audit.judging.stored_hand import adjudicate_stored_hand
from service.audit.verdicts import Verdict
from service.database.engines import reading
from service.event_store.quarantine import StreamCorrupted
from service.http.openapi.blueprint import Resource
from service.http.openapi.operation import READS, operation
from service.http.operations import expensive, weights
from service.http.request import visible_tables
from service.http.request.caller import caller
from service.http.request.services import here
from service.http.responses.answers import told
from service.http.responses.problems import Problem
from service.projections.swap_guard import retry_after_swap
from service.tables.fold import TableAt

adjudication = Resource("adjudication", "Hands decided again, event by event.")


class DecisionJudged(Struct, frozen=True, kw_only=True):
    """A decision, decided again from what is public now."""

    position: int
    type: str
    by: str
    verdict: Verdict
    events: Annotated[int, Meta(description="How many events were recorded with it, itself included.")]
    difference: Difference | None


class Adjudication(Struct, frozen=True, kw_only=True):
    """A hand, decided again: `failed` alone is an alarm, `pending` waits for its deck to be retired."""

    table: str
    hand: int
    first: int
    last: Annotated[int, Meta(description="0: the hand is not settled.")]
    verdict: Verdict
    difference: Annotated[Difference | None, Meta(description="The first that makes it fail.")]
    decisions: tuple[DecisionJudged, ...]


@adjudication.get("/v1/tables/<table>/hands/<int(max=2147483647):hand>/adjudication")
@operation(
    adjudication,
    "adjudicate_hand",
    Adjudication,
    codes=(*READS, "table_must_be_intact", "table_must_exist", "hand_must_exist"),
    headers=("ETag",),
)
@retry_after_swap
def adjudicate(table: str, hand: int) -> Response:
    """Decide a hand again, and compare what comes of it with what was recorded, event by event.

    The verdict is `pending` while a deck or a sealed value that the rules asked for is not public yet.
    """
    who = caller()
    stream_id = visible_tables.stream_of(table)
    with expensive.alone(), reading(here().engine) as connection:
        table_at = visible_tables.now(connection, stream_id, who)
        fields = partial(stored_fields, connection, here().log, stream_id)
        try:
            found = _found(connection, table_at, hand, fields)
        except LookupError as error:
            raise Problem("hand_must_exist") from error
    weights.add(sum(len(one.recorded) for one in found.decisions) // weights.JUDGED)
    if found.verdict is Verdict.FAILED:
        here().journal.alarm(found.hand, found.difference.position if found.difference else found.first)
    return told(view_of(table, found), who, position=table_at.position)


def view_of(table: str, found: HandJudgement) -> Adjudication:
    """Return what came of deciding a hand of *table* again, as it is shown."""
    return Adjudication(
        table=table,
        hand=found.hand,
        first=found.first,
        last=found.last,
        verdict=found.verdict,
        difference=found.difference,
        decisions=tuple(_judged(one) for one in found.decisions),
    )


def _found(connection: Connection, table_at: TableAt, hand: int, fields: Fields) -> HandJudgement:
    """Judge a hand; of a log that does not hold, only what fails by the rules is told.

    Raises:
        LookupError: there is no such hand.
        StreamCorrupted: what was altered may be no matter of the rules: when it was, or in whose name.
    """
    log = here().log
    try:
        return adjudicate_stored_hand(connection, log, here().tables, table_at, hand, fields)
    except StreamCorrupted:
        recorded = log.read_unchecked(connection, table_at.stream_id)
        found = adjudicate_hand(table_at.stream_id, recorded, hand, fields=fields)
        if found.verdict is not Verdict.FAILED:
            raise
        return found


def _judged(one: Judgement) -> DecisionJudged:
    decision = one.recorded[0]
    return DecisionJudged(
        position=one.position,
        type=decision.type,
        by=decision.by,
        verdict=one.verdict,
        events=len(one.recorded),
        difference=one.difference,
    )
