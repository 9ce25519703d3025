"""A whole dispute as the caller may see it: its parties, evidence, steps, correction and verdicts."""

from typing import Annotated

from msgspec import Meta, Struct
from sqlalchemy import Connection

from service.disputes.dispute_events import Adjustment, DisputeNumber, EventPosition, Evidence, Party
from service.disputes.dispute_state import Dispute
from service.disputes.stored_disputes import StoredDisputes
from service.event_store.entries import stream_name
from service.http.request.context import Caller
from service.http.resources.disputes.dispute_items import (
    DisputeEventItem,
    Judge,
    ListedDispute,
    event_items,
    item_of,
)


class ProposedCorrection(Struct, frozen=True, kw_only=True):
    """The correction that an auditor proposed."""

    position: Annotated[
        int,
        Meta(ge=1, le=2**31 - 1, description="The position of the proposal, which an approval or refusal names."),
    ]
    by: Annotated[str, Meta(pattern="^own_[0-9a-f]{32}$", description="The auditor who proposed the correction.")]
    transfers: Annotated[tuple[Adjustment, ...], Meta(description="The amounts that would move, or have moved.")]


class CorrectedBefore(Struct, frozen=True, kw_only=True):
    """An event of the hand that another dispute has corrected."""

    position: EventPosition
    dispute: DisputeNumber


class DisputeView(ListedDispute, frozen=True, kw_only=True):
    """A dispute, as the caller may see it."""

    follows: Annotated[
        int,
        Meta(ge=0, le=2**31 - 1, description="The earlier dispute whose correction this dispute is about; 0: none."),
    ]
    parties: Annotated[
        tuple[Party, ...], Meta(description="The players of the hand, with their seats during the hand.")
    ]
    host: str
    evidence: Annotated[Evidence, Meta(description="What the opening step recorded about the hand.")]
    answered: Annotated[tuple[str, ...], Meta(description="The owners who have answered and were not asked again.")]
    rule: Annotated[str, Meta(description="The rule or ruling that the decision cites; empty: none.")]
    proposal: Annotated[
        ProposedCorrection | None, Meta(description="The last proposal that was not refused; null: there is none.")
    ]
    corrected_before: Annotated[
        tuple[CorrectedBefore, ...], Meta(description="The events of the hand that other disputes have corrected.")
    ]
    transfers: Annotated[
        tuple[Adjustment, ...],
        Meta(description="The amounts that the approved correction has moved; empty: no correction was approved."),
    ]
    approver: Annotated[str, Meta(description="The owner who approved the correction; empty: nobody has.")]
    stream: Annotated[str, Meta(description="The name of the stream of the table's disputes: dispute/dsp_<hex>.")]
    steps: Annotated[tuple[DisputeEventItem, ...], Meta(description="The events of the dispute, in order.")]


def view(
    connection: Connection, table_stream: bytes, stored: StoredDisputes, dispute: Dispute, caller: Caller
) -> DisputeView:
    """Return *dispute* as *caller* may see it."""
    item = item_of(table_stream, dispute)
    proposal = dispute.proposal
    last = dispute.verdict.last or dispute.verdict.position
    return DisputeView(
        **{name: getattr(item, name) for name in item.__struct_fields__},
        verdict_now=Judge(connection).verdict(table_stream, dispute.hand),
        follows=dispute.follows,
        parties=dispute.parties,
        host=dispute.host,
        evidence=dispute.evidence,
        answered=tuple(sorted(dispute.answered)),
        rule=dispute.rule,
        proposal=ProposedCorrection(position=proposal.position, by=proposal.by, transfers=proposal.transfers)
        if proposal
        else None,
        corrected_before=tuple(
            CorrectedBefore(position=position, dispute=number)
            for position, number in sorted(stored.state.corrected.items())
            if number != dispute.number and dispute.evidence.first <= position <= last
        ),
        transfers=proposal.transfers if proposal and dispute.status == "corrected" else (),
        approver=dispute.approver,
        stream=stream_name(stored.stream_id),
        steps=event_items(connection, stored, dispute, stored.of(dispute.number), caller),
    )
