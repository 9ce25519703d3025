"""The commands of disputes: what a player, the host, an auditor, an approver or the service asks for."""

from typing import Annotated, TypeAlias

from msgspec import Meta, Struct

from service.disputes.dispute_events import Adjustment, Citation, DisputeGround, HandNumber, Outcome
from service.games.common_commands import Ground, Owner

Statement = Annotated[
    str,
    Meta(
        max_length=2_000,
        description="At most 2,000 characters. It is sealed: only the players of the hand, the host and auditors can "
        "read it, and it can be erased.",
        examples=["I had called before my time was up."],
    ),
]
Reason = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=2_000,
        description="The reason, at most 2,000 characters. All who may see the table can read it; it can be erased.",
        examples=["The host called time while the service was down; the ruling excludes that time."],
    ),
]
Answer = Annotated[str, Meta(min_length=1, max_length=2_000, description="At most 2,000 characters, sealed.")]


class DisputeCommand(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A command about disputes."""


class OpenDispute(DisputeCommand, frozen=True, kw_only=True):
    """Dispute a hand."""

    hand: HandNumber
    ground: Annotated[DisputeGround, Meta(description="What the complaint is about.")]
    statement: Statement = ""
    follows: Annotated[
        int,
        Meta(ge=0, le=2**31 - 1, description="An earlier dispute whose correction this dispute is about; 0: none."),
    ] = 0


class AnswerDispute(DisputeCommand, frozen=True, kw_only=True):
    """Answer as a player of the hand or as the host."""

    statement: Answer


class RequestAnswers(DisputeCommand, frozen=True, kw_only=True):
    """Ask parties to answer, or to answer again."""

    question: Answer
    asked: Annotated[tuple[Owner, ...], Meta(max_length=53, description="Who shall answer; empty: all parties.")] = ()


class TakeDispute(DisputeCommand, frozen=True, kw_only=True):
    """Take the dispute on, to decide it."""


class ReturnDispute(DisputeCommand, frozen=True, kw_only=True):
    """Return the dispute, so that another auditor may take it on."""


class DecideDispute(DisputeCommand, frozen=True, kw_only=True):
    """Decide the dispute."""

    outcome: Annotated[Outcome, Meta(description="What you find.", examples=["explained"])]
    rule: Citation = ""
    reason: Reason
    contradicts: Annotated[
        bool,
        Meta(description="True if you find no fault although the verdict of the service is `failed`, otherwise false."),
    ] = False


class ProposeCorrection(DisputeCommand, frozen=True, kw_only=True):
    """Propose a correction, which somebody else must approve."""

    transfers: Annotated[
        tuple[Adjustment, ...],
        Meta(min_length=1, max_length=100, description="The amounts, each from one player of the hand to another."),
    ]


class ApproveCorrection(DisputeCommand, frozen=True, kw_only=True):
    """Approve the correction that the event at *proposal* proposes."""

    proposal: Annotated[int, Meta(ge=1, le=2**31 - 1, description="The position of the proposal in the disputes.")]


class RefuseCorrection(DisputeCommand, frozen=True, kw_only=True):
    """Refuse the correction that the event at *proposal* proposes."""

    proposal: Annotated[int, Meta(ge=1, le=2**31 - 1, description="The position of the proposal in the disputes.")]


class WithdrawDispute(DisputeCommand, frozen=True, kw_only=True):
    """Withdraw the dispute, which the caller opened."""


class EraseDisputeValue(DisputeCommand, frozen=True, kw_only=True):
    """Erase a sealed value of the stream; only the service may give this command."""

    position: Annotated[int, Meta(ge=1, le=2**31 - 1)]
    field: Annotated[str, Meta(pattern="^[a-z_]+$", max_length=64)]
    ground: Ground


AnyCommand: TypeAlias = (
    OpenDispute
    | AnswerDispute
    | RequestAnswers
    | TakeDispute
    | ReturnDispute
    | DecideDispute
    | ProposeCorrection
    | ApproveCorrection
    | RefuseCorrection
    | WithdrawDispute
    | EraseDisputeValue
)
