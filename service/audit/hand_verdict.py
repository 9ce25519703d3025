"""Shows the judgement of a hand: the verdicts on the hand and on each of its decisions (DECISIONS 87)."""

from typing import Annotated

from msgspec import Meta, Struct

from service.audit.differences import Difference
from service.audit.judging.adjudicate import HandJudgement
from service.audit.judging.decision import Judgement
from service.audit.verdicts import Verdict
from service.disputes.hand_disputes import HandDispute


class DecisionJudged(Struct, frozen=True, kw_only=True):
    """The verdict on one decision. The audit has decided the decision again from the values that are public now."""

    position: int
    type: str
    by: str
    verdict: Verdict
    is_signed: Annotated[bool, Meta(description="Whether the key of a player's seat has signed the decision.")]
    events: Annotated[int, Meta(description="How many events were recorded: the decision and its consequences.")]
    difference: Difference | None


class Adjudication(Struct, frozen=True, kw_only=True):
    """The verdict on a hand. The audit has decided every decision of the hand again.

    Only `failed` is an alarm. `pending` means: the hand is running, a deck is not retired yet, or a sealed value is not
    public yet.
    """

    table: str
    hand: int
    first: int
    last: Annotated[int, Meta(description="The position of the hand's last event; 0: the hand is not settled.")]
    verdict: Verdict
    difference: Annotated[Difference | None, Meta(description="The first difference, if the hand has failed.")]
    unsigned_seats: Annotated[
        tuple[int, ...], Meta(description="The seats that made decisions in the hand without signing these decisions.")
    ]
    decisions: tuple[DecisionJudged, ...]
    disputes: Annotated[
        tuple[HandDispute, ...], Meta(description="The disputes about the hand, in the order of their numbers.")
    ] = ()


def adjudication_of(table: str, judgement: HandJudgement, disputes: tuple[HandDispute, ...]) -> Adjudication:
    """Return the *judgement* of a hand of *table*, and its *disputes*, as the API and the command line show them."""
    return Adjudication(
        table=table,
        hand=judgement.hand,
        first=judgement.first,
        last=judgement.last,
        verdict=judgement.verdict,
        difference=judgement.difference,
        unsigned_seats=judgement.unsigned_seats,
        decisions=tuple(_decision(judged) for judged in judgement.decisions),
        disputes=disputes,
    )


def _decision(judged: Judgement) -> DecisionJudged:
    decision = judged.recorded[0]
    return DecisionJudged(
        position=judged.position,
        type=decision.type,
        by=decision.by,
        verdict=judged.verdict,
        is_signed=decision.sig is not None,
        events=len(judged.recorded),
        difference=judged.difference,
    )
