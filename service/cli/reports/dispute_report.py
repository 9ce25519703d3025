"""Prints the list of disputes, or one dispute with its steps."""

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct
from rich.table import Table as Grid

from service.cli.support.output import escaped, stdout
from service.disputes.dispute_events import (
    Adjustment,
    CorrectionApproved,
    CorrectionProposed,
    DisputeDecided,
    DisputeDecision,
    MachineVerdict,
    Party,
)
from service.disputes.dispute_state import Dispute
from service.disputes.disputes_table import DisputeRow
from service.event_store.codec import RecordedEvent
from service.event_store.disclosure import FieldPlace
from service.tables.fold import table_id

_NOT_SHOWN: Final = "(sealed)"


class ShownStep(Struct, frozen=True, kw_only=True):
    """A step of a dispute; *transfers* has the amounts that a correction moves.

    *text* is the sealed text, or "(sealed)" if the text was erased or is not to be shown; "": the step seals no text.
    """

    position: int
    at: str
    by: str
    owner: str
    type: str
    text: str
    transfers: tuple[Adjustment, ...]


class ShownDispute(Struct, frozen=True, kw_only=True):
    """A dispute as the report shows it.

    *verdict* is the last recorded verdict of the service on the hand. *verdict_now* is the verdict that follows from
    deciding the hand again now.
    """

    table: str
    dispute: int
    hand: int
    ground: str
    status: str
    outcome: str
    rule: str
    contradicts: bool
    verdict: MachineVerdict
    verdict_now: MachineVerdict
    opened_by: str
    host: str
    parties: tuple[Party, ...]
    auditor: str
    approver: str
    steps: tuple[ShownStep, ...]


def shown(
    table: str,
    dispute: Dispute,
    recorded: Sequence[RecordedEvent],
    texts: Mapping[FieldPlace, str],
    verdict_now: MachineVerdict,
) -> ShownDispute:
    """Return *dispute* of *table* with its *recorded* events, and with the *texts* that may be shown."""
    return ShownDispute(
        table=table,
        dispute=dispute.number,
        hand=dispute.hand,
        ground=dispute.ground,
        status=dispute.status,
        outcome=dispute.outcome,
        rule=dispute.rule,
        contradicts=any(isinstance(one.event, DisputeDecided) and one.event.contradicts for one in recorded),
        verdict=dispute.verdict.verdict,
        verdict_now=verdict_now,
        opened_by=dispute.opened_by,
        host=dispute.host,
        parties=dispute.parties,
        auditor=dispute.auditor,
        approver=dispute.approver,
        steps=tuple(_step(one, texts) for one in recorded),
    )


def _step(recorded: RecordedEvent, texts: Mapping[FieldPlace, str]) -> ShownStep:
    event = recorded.event
    sealed = [texts.get((recorded.position, field), _NOT_SHOWN) for field in recorded.priv]
    return ShownStep(
        position=recorded.position,
        at=recorded.at,
        by=recorded.by,
        owner=event.owner if isinstance(event, DisputeDecision) else "",
        type=recorded.type,
        text="".join(sealed),
        transfers=event.transfers if isinstance(event, CorrectionProposed | CorrectionApproved) else (),
    )


def show_list(rows: Sequence[DisputeRow]) -> None:
    """Print the list of disputes."""
    if not rows:
        stdout.print("no disputes")
        return
    grid = Grid(
        "opened", "table", "dispute", "hand", "ground", "status", "outcome", "verdict", box=None, pad_edge=False
    )
    for row in rows:
        grid.add_row(
            row.opened_at,
            table_id(row.stream_id),
            str(row.dispute),
            str(row.hand),
            row.ground,
            row.status,
            row.outcome or "–",
            row.verdict,
        )
    stdout.print(grid)


def show(dispute: ShownDispute) -> None:
    """Print one dispute: what it is about, its outcome beside the verdict of the service, and its steps."""
    stdout.print(f"dispute {dispute.dispute} of {dispute.table}: hand {dispute.hand}, {dispute.ground}", soft_wrap=True)
    stdout.print(f"status   {dispute.status}{f', {dispute.outcome}' if dispute.outcome else ''}{_cited(dispute.rule)}")
    stdout.print(f"verdict  {dispute.verdict_now} now, {dispute.verdict} when it was last recorded")
    if dispute.verdict_now == "failed":
        stdout.print("         The hand fails: deciding it again does not give what the log records.")
    if dispute.contradicts:
        stdout.print("         The auditor has declared that the outcome contradicts the verdict.")
    seats = {party.player: f"seat {party.seat}" for party in dispute.parties}
    for step in dispute.steps:
        who = seats.get(step.owner, "") or step.owner
        actor = step.by if who == "" else f"{step.by} ({who})"
        stdout.print(f"{step.position:>3} {step.at} {actor}: {step.type}", soft_wrap=True)
        if step.text:
            stdout.print(f"      {escaped(step.text)}", soft_wrap=True)
        for one in step.transfers:
            given, received = seats.get(one.source, one.source), seats.get(one.target, one.target)
            of_event = f"for the event at {one.corrects}{_cited(one.rule)}"
            stdout.print(f"      {given} gives {one.amount} {one.unit} to {received} {of_event}", soft_wrap=True)


def _cited(rule: str) -> str:
    return f" ({escaped(rule)})" if rule else ""
