"""A dispute as lists show it, and the events of its steps as the caller may see them."""

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta, Raw, Struct, structs
from sqlalchemy import Connection

from service.audit.machine_verdict import machine_verdict
from service.disputes.dispute_events import DisputeGround, DisputeNumber, HandNumber, MachineVerdict
from service.disputes.dispute_readers import may_read
from service.disputes.dispute_state import Dispute, Status
from service.disputes.disputes_table import DisputeRow
from service.disputes.stored_disputes import StoredDisputes, openings_of
from service.event_store.codec import RecordedEvent
from service.event_store.quarantine import StreamCorrupted
from service.http.operations import expensive, request_cost
from service.http.request.context import Caller
from service.http.request.schemas import MOMENT
from service.http.request.services import services
from service.projections import hand_history
from service.tables.fold import table_id

_FAILED: MachineVerdict = "failed"

RecordedVerdict = Annotated[
    MachineVerdict,
    Meta(
        description="The service's verdict on the hand, as the last step with a verdict recorded it. The verdict is "
        "shown beside the auditor's outcome, and no outcome changes the verdict."
    ),
]
VerdictNow = Annotated[
    MachineVerdict, Meta(description="The service's verdict now: it has decided the hand again for this response.")
]


class TextOpening(Struct, frozen=True):
    """The opening of a sealed text: *value* and *salt* (hex), with which a reader checks the leaf's commitment."""

    stream: str
    position: Annotated[int, Meta(ge=1, le=2**31 - 1, description="The position of the event that sealed the text.")]
    field: Annotated[
        str,
        Meta(
            description="The name of the sealed field.",
            extra_json_schema={"enum": ["question", "reason", "statement"]},
        ),
    ]
    salt: Annotated[str, Meta(pattern="^[0-9a-f]{64}$", description="The salt that was hashed with the text.")]
    value: Annotated[str, Meta(description="The text.")]


class DisputeEventItem(Struct, frozen=True):
    """An event of a table's disputes: its leaf, byte for byte as it was hashed, and the texts that the caller may read.

    Only the players of the hand, the host and auditors may read statements and questions. Everybody who sees the
    table may read the reason of a decision. A text that was erased is left out.
    """

    leaf: Annotated[Raw, Meta(extra_json_schema={"$ref": "#/components/schemas/DisputeLeaf"})]
    hash: Annotated[str, Meta(description="SHA-256 of a zero byte and the leaf's bytes, in hex.")]
    fields: Annotated[
        tuple[TextOpening, ...], Meta(description="The sealed texts of this event that the caller may read.")
    ]


class DisputeItem(Struct, frozen=True, kw_only=True):
    """A dispute at one moment."""

    table: str
    dispute: DisputeNumber
    hand: HandNumber
    ground: Annotated[DisputeGround, Meta(description="What the complaint is about.")]
    status: Annotated[Status, Meta(description="The state of the dispute.")]
    outcome: Annotated[str, Meta(description="What the auditor has found; empty: the dispute is not decided.")]
    verdict: RecordedVerdict
    opened_by: Annotated[str, Meta(pattern="^own_[0-9a-f]{32}$", description="The owner who opened the dispute.")]
    opened_at: Annotated[
        str,
        Meta(
            pattern=f"^{MOMENT}[.][0-9]{{3}}Z$",
            description="When the dispute was opened, in UTC (RFC 3339).",
        ),
    ]
    auditor: Annotated[str, Meta(description="The owner who has taken the dispute on; empty: nobody has.")]
    is_closed: Annotated[bool, Meta(description="Whether the dispute is over; only erasures of texts can follow.")]


class ListedDispute(DisputeItem, frozen=True, kw_only=True):
    """A dispute in a list."""

    verdict_now: VerdictNow


class Judge:
    """Decides hands again for one response, and each hand only once."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._verdicts: dict[tuple[bytes, int], MachineVerdict] = {}

    def verdict(self, table_stream: bytes, hand: int) -> MachineVerdict:
        """Return the service's verdict on a hand now; the verdict on a hand that can't be read is `failed`.

        Raises:
            MustHaveTurn: as for `expensive.must_have_turn`.
        """
        place = table_stream, hand
        if place not in self._verdicts:
            expensive.must_have_turn(1)
            self._verdicts[place] = self._decided_again(table_stream, hand)
        return self._verdicts[place]

    def _decided_again(self, table_stream: bytes, hand: int) -> MachineVerdict:
        parts = services()
        try:
            table_at = parts.tables.current(self._connection, table_stream)
            item = hand_history.find(self._connection, table_at, hand) if table_at else None
            if table_at is None or item is None:
                return _FAILED
            request_cost.add((item.last - item.first + 1) // request_cost.JUDGED_EVENTS_PER_UNIT)
            return machine_verdict(parts.log, parts.tables, self._connection, table_at, hand)
        except (StreamCorrupted, LookupError):
            return _FAILED


def item_of(table_stream: bytes, dispute: Dispute) -> DisputeItem:
    """Return *dispute* of the table *table_stream* as a `DisputeItem`."""
    return DisputeItem(
        table=table_id(table_stream),
        dispute=dispute.number,
        hand=dispute.hand,
        ground=dispute.ground,
        status=dispute.status,
        outcome=dispute.outcome,
        verdict=dispute.verdict.verdict,
        opened_by=dispute.opened_by,
        opened_at=dispute.opened_at,
        auditor=dispute.auditor,
        is_closed=dispute.is_closed,
    )


def event_items(
    connection: Connection,
    stored: StoredDisputes,
    dispute: Dispute,
    recorded: Sequence[RecordedEvent],
    caller: Caller,
) -> tuple[DisputeEventItem, ...]:
    """Return the *recorded* events of *dispute*, with the texts that *caller* may read."""
    openings = openings_of(connection, services().desk.log, stored.stream_id, recorded)
    is_auditor = caller.reads_statements(stored.state.table, dispute.number)
    readable = [
        TextOpening(one.stream, one.position, one.field, one.salt, one.value)
        for one in openings
        if may_read(dispute, one.field, caller.owner, is_auditor=is_auditor)
    ]
    return tuple(
        DisputeEventItem(
            Raw(event.leaf), event.hash.hex(), tuple(one for one in readable if one.position == event.position)
        )
        for event in recorded
    )


def listed(row: DisputeRow, judge: Judge) -> ListedDispute:
    """Return the dispute in *row*, with the verdict of *judge*."""
    members = structs.asdict(row)
    stream_id = members.pop("stream_id")
    return ListedDispute(**members, table=table_id(stream_id), verdict_now=judge.verdict(stream_id, row.hand))
