"""`/v1/tables/{table}/disputes/{dispute}/…`: a resource for each step; a POST takes the step (DECISIONS 108)."""

from typing import Annotated, Any, Final

from flask import Response
from msgspec import Meta, Struct, structs

from service.disputes import dispute_commands
from service.disputes.dispute_commands import DisputeCommand
from service.disputes.dispute_events import Adjustment
from service.games.game import PLAYER
from service.http.openapi.blueprint import Resource
from service.http.openapi.operation import IDEMPOTENCY_KEY, operation
from service.http.request.schemas import schema_of
from service.http.resources.disputes.dispute_requests import SCOPES, STEP_CODES, STEP_HEADERS, DisputeDone, execute
from service.play.dispute_desk import APPROVER, AUDITOR

dispute_steps = Resource(
    "dispute_steps", "The steps of a dispute: parties answer and withdraw, auditors decide, a second person approves."
)


class NewAdjustment(Adjustment, frozen=True, kw_only=True):
    """*amount* units that shall move from the owner *source* to the owner *target*.

    *corrects*: the position of the event for which the amount moves.
    """


class NewCorrection(Struct, frozen=True, kw_only=True):
    """A correction to propose."""

    transfers: Annotated[
        tuple[NewAdjustment, ...],
        Meta(min_length=1, max_length=100, description="The amounts, each from one player of the hand to another."),
    ]


_PATH: Final = "/v1/tables/<table>/disputes/<int(max=2147483647):dispute>"
_DOCUMENTED: Final[dict[str, Any]] = {
    "codes": STEP_CODES,
    "headers": STEP_HEADERS,
    "parameters": (IDEMPOTENCY_KEY,),
}
_EMPTY: Final[dict[str, Any]] = {"no members": {}}
_TRANSFER: Final = {
    "source": "own_5d0a3f1c9b8e4726a1d3c5e7f9081b2d",
    "target": "own_8c1e5a7f3b2d4960c8e1a3b5d7f90246",
    "amount": 5,
    "unit": "chips",
    "corrects": 12,
    "rule": "G.3",
}


@dispute_steps.post(f"{_PATH}/answer")
@dispute_steps.body(
    schema_of(dispute_commands.AnswerDispute),
    scopes=SCOPES[PLAYER],
    examples={"an answer": {"statement": "I called time after the whole minute."}},
)
@operation(dispute_steps, "answer_dispute", DisputeDone, **_DOCUMENTED)
def answer(command: DisputeCommand, table: str, dispute: int) -> Response:
    """Answer a dispute, as a player of the hand or as the host.

    A party answers once, and once more whenever the auditor asks the party a question. Only the players of the hand,
    the host and auditors can read the answer.
    """
    return execute(table, dispute, command, PLAYER)


@dispute_steps.post(f"{_PATH}/withdrawal")
@dispute_steps.body(schema_of(dispute_commands.WithdrawDispute), scopes=SCOPES[PLAYER], examples=_EMPTY)
@operation(dispute_steps, "withdraw_dispute", DisputeDone, **_DOCUMENTED)
def withdraw(command: DisputeCommand, table: str, dispute: int) -> Response:
    """Withdraw a dispute that the caller opened.

    A dispute can be withdrawn as long as it is not decided.
    """
    return execute(table, dispute, command, PLAYER)


@dispute_steps.post(f"{_PATH}/assignment")
@dispute_steps.body(schema_of(dispute_commands.TakeDispute), scopes=SCOPES[AUDITOR], examples=_EMPTY)
@operation(dispute_steps, "take_dispute", DisputeDone, **_DOCUMENTED)
def take(command: DisputeCommand, table: str, dispute: int) -> Response:
    """Take a dispute on, as an auditor who neither plays at the table nor hosts it.

    An auditor who played the hand can't take the dispute on either, even after leaving the table. Only the auditor who
    has taken a dispute on can decide it.
    """
    return execute(table, dispute, command, AUDITOR)


@dispute_steps.post(f"{_PATH}/return")
@dispute_steps.body(schema_of(dispute_commands.ReturnDispute), scopes=SCOPES[AUDITOR], examples=_EMPTY)
@operation(dispute_steps, "return_dispute", DisputeDone, **_DOCUMENTED)
def return_(command: DisputeCommand, table: str, dispute: int) -> Response:
    """Return a dispute that the caller has taken on.

    Another auditor may then take the dispute on. A dispute can be returned before it is decided or, after the outcome
    `fault`, while no proposed correction waits for an approval or a refusal.
    """
    return execute(table, dispute, command, AUDITOR)


@dispute_steps.post(f"{_PATH}/question")
@dispute_steps.body(
    schema_of(dispute_commands.RequestAnswers),
    scopes=SCOPES[AUDITOR],
    examples={"a question to all parties": {"question": "When did your screen stop?"}},
)
@operation(dispute_steps, "request_answers", DisputeDone, **_DOCUMENTED)
def request_answers(command: DisputeCommand, table: str, dispute: int) -> Response:
    """Ask the parties a question; each party that is asked may then answer once more.

    Only the players of the hand, the host and auditors can read the question.
    """
    return execute(table, dispute, command, AUDITOR)


@dispute_steps.post(f"{_PATH}/decision")
@dispute_steps.body(
    schema_of(dispute_commands.DecideDispute),
    scopes=SCOPES[AUDITOR],
    examples={
        "an explanation": {"outcome": "explained", "rule": "G.3", "reason": "The time was up before the call came."},
        "a fault": {"outcome": "fault", "rule": "G.3", "reason": "The host called time during an outage."},
    },
)
@operation(dispute_steps, "decide_dispute", DisputeDone, **_DOCUMENTED)
def decide(command: DisputeCommand, table: str, dispute: int) -> Response:
    """Decide a dispute, as the auditor who has taken it on.

    A dispute can be decided once the hand is settled and the verdict on the hand no longer waits for a deck or a sealed
    value. Everybody who sees the table can read the reason. The service's own verdict on the hand is shown beside the
    outcome.
    """
    return execute(table, dispute, command, AUDITOR)


@dispute_steps.post(f"{_PATH}/correction")
@dispute_steps.body(
    schema_of(NewCorrection),
    scopes=SCOPES[AUDITOR],
    examples={"chips that one player owes another": {"transfers": [_TRANSFER]}},
)
@operation(dispute_steps, "propose_correction", DisputeDone, **_DOCUMENTED)
def propose(new: NewCorrection, table: str, dispute: int) -> Response:
    """Propose a correction after the outcome `fault`; nothing moves before a second person approves it.

    The amounts move between the adjustment accounts of the hand's players. The accounts of the table stay as they are.
    """
    transfers = tuple(Adjustment(**structs.asdict(one)) for one in new.transfers)
    return execute(table, dispute, dispute_commands.ProposeCorrection(transfers=transfers), AUDITOR)


@dispute_steps.post(f"{_PATH}/approval")
@dispute_steps.body(
    schema_of(dispute_commands.ApproveCorrection), scopes=SCOPES[APPROVER], examples={"of a proposal": {"proposal": 4}}
)
@operation(dispute_steps, "approve_correction", DisputeDone, **_DOCUMENTED)
def approve(command: DisputeCommand, table: str, dispute: int) -> Response:
    """Approve the proposed correction, as somebody who neither proposed it nor plays at the table nor hosts it.

    Nobody who played the hand can approve the correction, even after leaving the table. `proposal` is the position of
    the proposal that the caller has read; no other proposal is approved.
    """
    return execute(table, dispute, command, APPROVER)


@dispute_steps.post(f"{_PATH}/refusal")
@dispute_steps.body(
    schema_of(dispute_commands.RefuseCorrection), scopes=SCOPES[APPROVER], examples={"of a proposal": {"proposal": 4}}
)
@operation(dispute_steps, "refuse_correction", DisputeDone, **_DOCUMENTED)
def refuse(command: DisputeCommand, table: str, dispute: int) -> Response:
    """Refuse the proposed correction.

    The auditor may then propose another correction.
    """
    return execute(table, dispute, command, APPROVER)
