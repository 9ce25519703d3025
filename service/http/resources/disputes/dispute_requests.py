"""Carries out a step of a dispute, and makes the response from the recorded events."""

from collections.abc import Mapping
from typing import Annotated, Any, Final

from flask import Response
from msgspec import Meta, Struct

from service.api_keys.repository import Scope
from service.database.engines import reading
from service.disputes import stored_disputes
from service.disputes.dispute_commands import DisputeCommand, OpenDispute
from service.event_store.entries import disputes_stream, stream_name
from service.games.game import PLAYER
from service.http.openapi.operation import WRITES
from service.http.operations import expensive
from service.http.problems.problem import Problem
from service.http.request import parsing, visible_tables
from service.http.request.authentication import caller_with_scope, invalid_key
from service.http.request.context import Caller
from service.http.request.services import services
from service.http.resources.disputes import parties
from service.http.resources.disputes.dispute_items import DisputeEventItem, DisputeItem, event_items, item_of
from service.http.responses.answers import LOG_CHECKPOINT, json_response, with_log_checkpoint
from service.play.dispute_desk import APPROVER, AUDITOR, DisputeOrder, DisputeResult
from service.projections.swap_guard import retry_after_swap
from service.secrets.receipts import Receipt

SCOPES: Final[Mapping[str, tuple[Scope, ...]]] = {
    PLAYER: ("play", "host"),
    AUDITOR: ("audit",),
    APPROVER: ("approve",),
}
"""For each role: the scopes of which a caller's key needs at least one."""
STEP_CODES: Final = (
    *WRITES,
    "dispute_must_exist",
    "refused_by_the_rules",
    "table_must_be_intact",
    "table_must_be_played_here",
    "table_must_exist",
)
"""The problems of every step."""
CREATED: Final = 201
STEP_HEADERS: Final = ("Idempotent-Replayed", LOG_CHECKPOINT)


class DisputeDone(Struct, frozen=True, kw_only=True):
    """The step is recorded. The response has the receipt, and the events with the texts that the caller may read."""

    dispute: Annotated[
        DisputeItem, Meta(description="The dispute right after this step, also in the response to a repeat.")
    ]
    position: Annotated[
        int, Meta(ge=1, le=2**31 - 1, description="The position of the last event in the stream of the disputes.")
    ]
    receipt: Receipt
    events: Annotated[
        tuple[DisputeEventItem, ...],
        Meta(
            description="The events of the step. If the service's verdict on the hand has changed, and the step itself "
            "records no verdict, a second event records the new verdict."
        ),
    ]


def execute(table: str, number: int, command: DisputeCommand, role: str, *, status: int = 200) -> Response:
    """Record the caller's *command* in *role*, about dispute *number* (0: a new dispute), and return the response."""
    caller = caller_with_scope(*SCOPES[role], may_have_ended=True)
    stream_id = visible_tables.stream_of(table)
    key = parsing.idempotency_key()
    _must_be_valid_or_repeat(stream_id, caller, key)
    _must_see(stream_id, number, command, caller)
    if not caller.judges(table, number):
        detail = "Your key is limited to other tables or disputes."
        raise Problem("scope_must_be_granted", detail, scope=SCOPES[role][0])
    order = DisputeOrder(table_stream=stream_id, owner=caller.owner, role=role, key=key, command=command, number=number)
    with expensive.turn():  # Every step decides the hand again.
        result = services().desk.do(order)
    done = _done(stream_id, result, caller)
    response = with_log_checkpoint(json_response(done, caller, status=status))
    if status == CREATED:
        response.headers["Location"] = f"/v1/tables/{done.dispute.table}/disputes/{done.dispute.dispute}"
    if result.replayed:
        response.headers["Idempotent-Replayed"] = "true"
    return response


@retry_after_swap
def _must_see(stream_id: bytes, number: int, command: DisputeCommand, caller: Caller) -> None:
    with reading(services().engine) as connection:
        if isinstance(command, OpenDispute):
            parties.must_see_hand(connection, stream_id, command.hand, caller)
        else:
            parties.must_see(connection, stream_id, number, caller)


def _must_be_valid_or_repeat(stream_id: bytes, caller: Caller, key: str) -> None:
    """Check that the caller's API key has not ended, or that the request repeats a step.

    A request repeats a step if the caller recorded a step under the Idempotency-Key *key* before the API key ended.

    Raises:
        Problem: the API key has ended, and no step was recorded under *key* before the API key ended.
    """
    if not caller.has_ended:
        return
    of_disputes = disputes_stream(stream_id)
    cmd = services().derivation.command_id(caller.owner, stream_name(of_disputes), key)
    with reading(services().engine) as connection:
        earlier: Any = services().desk.log.reader.decision(connection, of_disputes, cmd)
    if earlier is None or earlier.at > caller.ended_at:
        raise invalid_key()


def _done(stream_id: bytes, result: DisputeResult, caller: Caller) -> DisputeDone:
    last = result.receipt.position
    then = stored_disputes.fold(result.stored.recorded[:last])
    dispute = then.disputes[result.dispute.number]
    with reading(services().engine) as connection:
        events = event_items(connection, result.stored, dispute, result.recorded, caller)
    return DisputeDone(dispute=item_of(stream_id, dispute), position=last, receipt=result.receipt, events=events)
