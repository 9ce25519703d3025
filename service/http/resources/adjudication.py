"""`/v1/tables/{table}/hands/{hand}/adjudication`: decides the decisions of a hand again, and compares the events."""

from functools import partial

from flask import Response
from sqlalchemy import Connection

from service.audit.checks.sealed_rows import stored_fields
from service.audit.hand_verdict import Adjudication, adjudication_of
from service.audit.judging.adjudicate import HandJudgement, adjudicate_hand
from service.audit.judging.audit_known import Fields
from service.audit.judging.stored_hand import adjudicate_stored_hand
from service.audit.verdicts import Verdict
from service.database.engines import reading
from service.disputes.dispute_events import MachineVerdict
from service.disputes.hand_disputes import hand_disputes
from service.event_store.quarantine import StreamCorrupted
from service.http.openapi.blueprint import Resource
from service.http.openapi.operation import READS, operation
from service.http.operations import expensive, request_cost
from service.http.problems.problem import Problem
from service.http.request import visible_tables
from service.http.request.authentication import current_caller
from service.http.request.services import services
from service.http.responses.answers import json_response
from service.projections.swap_guard import retry_after_swap
from service.tables.fold import TableAt

adjudication = Resource(
    "adjudication", "Adjudication: the service decides a hand's decisions again, and compares the resulting events."
)


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
    """Decide every decision of a hand again, and compare the resulting events with the recorded events.

    The verdict is at best `pending` while the hand is running, and while a deck of the hand or a sealed value that the
    rules need is not public yet. The response names the disputes about the hand, with their outcomes. A response with
    disputes has no ETag.
    """
    caller = current_caller()
    stream_id = visible_tables.stream_of(table)
    with expensive.turn(), reading(services().engine) as connection:
        table_at = visible_tables.current_table(connection, stream_id, caller)
        fields = partial(stored_fields, connection, services().log, stream_id)
        try:
            judgement = _judge(connection, table_at, hand, fields)
        except LookupError as error:
            raise Problem("hand_must_exist") from error
        verdict: MachineVerdict = judgement.verdict.value
        disputes = hand_disputes(connection, stream_id, hand, lambda: verdict)
    request_cost.add(
        sum(len(decision.recorded) for decision in judgement.decisions) // request_cost.JUDGED_EVENTS_PER_UNIT
    )
    if judgement.verdict is Verdict.FAILED:
        position = judgement.difference.position if judgement.difference else judgement.first
        services().access_log.alarm(judgement.hand, position)
    # A dispute changes the response without a new position, so a response with disputes has no ETag.
    tag = None if disputes else table_at.position
    return json_response(adjudication_of(table, judgement, disputes), caller, position=tag)


def _judge(connection: Connection, table_at: TableAt, hand: int, fields: Fields) -> HandJudgement:
    """Judge a hand. If the table's hash chain is broken, return the judgement only if the verdict is `failed`.

    Raises:
        LookupError: the table has no such hand, or an event before the hand can't be folded.
        StreamCorrupted: the hash chain is broken, but the rules find no failure in the hand, for example because only
            the time of an event was altered; or a leaf can't be decoded.
    """
    log = services().log
    try:
        return adjudicate_stored_hand(connection, log, services().tables, table_at, hand, fields)
    except StreamCorrupted:
        recorded = log.reader.read_unchecked(connection, table_at.stream_id)
        judgement = adjudicate_hand(table_at.stream_id, recorded, hand, fields=fields)
        if judgement.verdict is not Verdict.FAILED:
            raise
        return judgement
