"""Puts into words the verdict from deciding a hand again, and the disputes about the hand."""

from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import Struct

from service.client.dispute_answers import Dispute
from service.client.hand_answers import Adjudication, Difference
from service.web.case.case_facts import Answers
from service.web.case.case_payouts import cited
from service.web.drawing.disputes import dispute_words
from service.web.drawing.rule_links import Citation
from service.wording import phrases

_TITLES: Final[Mapping[str, str]] = {
    "clean": "Clean: each event is as the rules demand.",
    "pending": "Pending: not everything can be decided again yet.",
    "undecidable": "Undecidable: a value that the rules need is not here.",
    "failed": "Failed: an event is not as the rules demand.",
}
_REASONS: Final[Mapping[str, str]] = {
    "clean": "From the cards, the seeds and the choices that are public now, each decision has exactly the "
    "consequences that the log records.",
    "pending": "The hand is still being played, or its deck is still in play, or a sealed choice is not open yet. "
    "What could be decided again is as the log records it.",
    "undecidable": "This value was erased, or an import did not contain it. Nobody can decide the decisions that need "
    "the value again. What could be decided again is as the log records it.",
    "failed": "This is an alarm: the log was altered, or the service made a mistake. No outcome of a dispute changes "
    "this verdict.",
}
_NONE: Final = "There is no verdict now."
_GOOD: Final = "clean"
_BAD: Final = "failed"


class VerdictShown(Struct, frozen=True):
    """The verdict in words; *tone* is "good", "bad" or "open"."""

    title: str
    tone: str
    said: tuple[str, ...]
    difference: Difference | None


class DisputeShown(Struct, frozen=True):
    """A dispute in words; *texts* are the texts that the viewer may read, each with its author.

    *opener* says who complained; "": the API did not show the dispute, or did not say who opened it.
    """

    number: int
    status: str
    outcome: str
    rule: Citation | None
    ground: str
    opener: str
    texts: tuple[tuple[str, str], ...]
    corrections: tuple[str, ...]
    beside: str
    is_contradicted: bool


def verdict(answers: Answers) -> VerdictShown:
    """Return the verdict of deciding the hand again."""
    judged = answers.adjudication
    if isinstance(judged, str):
        return VerdictShown(_NONE, "open", (f"The service did not decide the hand again: {judged}",), None)
    return VerdictShown(
        _TITLES.get(judged.verdict, judged.verdict),
        "good" if judged.verdict == _GOOD else "bad" if judged.verdict == _BAD else "open",
        tuple(_said(judged)),
        judged.difference,
    )


def _said(judged: Adjudication) -> Iterator[str]:
    decisions, events = len(judged.decisions), sum(one.events for one in judged.decisions)
    yield (
        f"The service has just decided the {decisions} decisions of this hand again by the rules, and compared the "
        f"{events} events that follow from them with the log."
    )
    if judged.verdict in _REASONS:
        yield _REASONS[judged.verdict]


def disputes(answers: Answers) -> tuple[DisputeShown, ...]:
    """Return the disputes about the hand."""
    return tuple(
        _dispute(answers, one.dispute, one.status, one.outcome, one.verdict, one.verdict_now)
        for one in answers.hand.disputes
    )


def _dispute(  # noqa: PLR0913 -- the members of a dispute about a hand
    answers: Answers, number: int, status: str, outcome: str, then: str, now: str
) -> DisputeShown:
    shown = answers.disputes.get(number)
    return DisputeShown(
        number=number,
        status=dispute_words.status({"status": status, "outcome": outcome}),
        outcome=dispute_words.OUTCOMES.get(outcome, outcome),
        rule=cited(answers.hand, answers.game, shown.rule) if shown and shown.rule else None,
        ground=dispute_words.GROUNDS.get(shown.ground, shown.ground) if shown else "",
        opener=_opener(shown) if shown else "",
        texts=tuple(_texts(shown)) if shown else (),
        corrections=tuple(_corrections(answers, shown)) if shown else (),
        beside=f"The verdict of deciding again is {now}"
        + (f"; when the dispute was decided it was {then}." if outcome else "."),
        is_contradicted=now == _BAD,
    )


def _opener(dispute: Dispute) -> str:
    seats = [one.seat for one in dispute.parties if one.player == dispute.opened_by]
    if seats:
        return f"{phrases.first_seats(seats)} complained."
    return "The host complained." if dispute.opened_by and dispute.opened_by == dispute.host else ""


def _texts(dispute: Dispute) -> Iterator[tuple[str, str]]:
    for step in dispute.steps:
        who = "The auditor" if step.leaf.by == "auditor" else "The host" if step.leaf.by == "host" else "A player"
        for text in step.fields:
            yield who, text.value


def _corrections(answers: Answers, dispute: Dispute) -> Iterator[str]:
    seats = {one.player: one.seat for one in answers.table.seats if one.player}

    def who(owner: str) -> str:
        return phrases.first_seat(seats[owner]) if owner in seats else owner

    for one in dispute.transfers:
        yield f"{who(one.source)} owes {who(one.target).lower()} {phrases.amount(one.amount, one.unit)}."
