"""The disputes about one hand, as every response about the hand shows them."""

from collections.abc import Callable
from typing import Annotated

from msgspec import Meta, Struct
from sqlalchemy import Connection

from service.disputes.dispute_events import DisputeNumber, MachineVerdict
from service.disputes.dispute_state import Status
from service.disputes.disputes_table import of_hand


class HandDispute(Struct, frozen=True, kw_only=True):
    """A dispute about a hand, with the service's verdict on the hand beside the auditor's outcome."""

    dispute: DisputeNumber
    status: Annotated[Status, Meta(description="The state of the dispute.")]
    outcome: Annotated[str, Meta(description="What the auditor has found; empty: the dispute is not decided.")]
    verdict: Annotated[
        MachineVerdict, Meta(description="The service's verdict on the hand at the last step with a verdict.")
    ]
    verdict_now: Annotated[
        MachineVerdict, Meta(description="The service's verdict now: it has decided the hand again for this response.")
    ]


def hand_disputes(
    connection: Connection, table_stream: bytes, hand: int, judge: Callable[[], MachineVerdict]
) -> tuple[HandDispute, ...]:
    """Return the disputes about a *hand*; *judge* decides the hand again, and is called only if there is a dispute."""
    rows = of_hand(connection, table_stream, hand)
    verdict_now = judge() if rows else "pending"
    return tuple(
        HandDispute(
            dispute=row.dispute,
            status=row.status,
            outcome=row.outcome,
            verdict=row.verdict,
            verdict_now=verdict_now,
        )
        for row in rows
    )
