"""Shows the judgement of a hand: its verdict, and the verdict on each of its decisions (DECISIONS 87)."""

from typing import Annotated

from msgspec import Meta, Struct

from service.audit.differences import Difference
from service.audit.judging.adjudicate import HandJudgement
from service.audit.judging.decision import Judgement
from service.audit.verdicts import Verdict


class DecisionJudged(Struct, frozen=True, kw_only=True):
    """A decision, decided again from what is public now."""

    position: int
    type: str
    by: str
    verdict: Verdict
    events: Annotated[int, Meta(description="The number of events recorded with the decision, itself included.")]
    difference: Difference | None


class Adjudication(Struct, frozen=True, kw_only=True):
    """A hand, decided again. Only `failed` is an alarm; `pending` means that its deck is not retired yet."""

    table: str
    hand: int
    first: int
    last: Annotated[int, Meta(description="The position of the last event; 0: the hand is not settled.")]
    verdict: Verdict
    difference: Annotated[Difference | None, Meta(description="The first difference that makes the hand fail.")]
    decisions: tuple[DecisionJudged, ...]


def adjudication_of(table: str, judgement: HandJudgement) -> Adjudication:
    """Return the *judgement* of a hand of *table* as the API and the command line show it."""
    return Adjudication(
        table=table,
        hand=judgement.hand,
        first=judgement.first,
        last=judgement.last,
        verdict=judgement.verdict,
        difference=judgement.difference,
        decisions=tuple(_decision(judged) for judged in judgement.decisions),
    )


def _decision(judged: Judgement) -> DecisionJudged:
    decision = judged.recorded[0]
    return DecisionJudged(
        position=judged.position,
        type=decision.type,
        by=decision.by,
        verdict=judged.verdict,
        events=len(judged.recorded),
        difference=judged.difference,
    )
