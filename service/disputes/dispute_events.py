"""The events of a stream of disputes: one stream has all disputes of one table (log/v1)."""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Final, Literal

from msgspec import Meta, Struct

from service.event_store.codec import Codec
from service.games.common_commands import Ground, Owner
from service.games.common_events import Digest
from service.games.game import Seat, type_name

DisputeGround = Literal["payout", "rules", "deck", "secrecy", "time", "identity", "conduct"]
Outcome = Literal["no_fault", "explained", "fault", "unprovable"]
MachineVerdict = Literal["clean", "pending", "undecidable", "failed"]
Unit = Literal["chips", "points"]
MOST_UNITS: Final = 2**53 - 1
"""The largest amount, and the largest balance of an adjustment account: every reader of JSON reads it exactly."""

DisputeNumber = Annotated[int, Meta(ge=1, le=2**31 - 1, description="The number of the dispute at its table, from 1.")]
EventPosition = Annotated[int, Meta(ge=1, le=2**31 - 1, description="The position of an event of the table.")]
LastPosition = Annotated[
    int, Meta(ge=0, le=2**31 - 1, description="The position of the hand's last event; 0: the hand is not settled.")
]
HandNumber = Annotated[int, Meta(ge=1, le=2**31 - 1, description="The number of the hand at the table.")]
Citation = Annotated[
    str, Meta(max_length=32, description="The rule of the sheet or the ruling that the step cites.", examples=["G.3"])
]


class Part(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A part of an event."""


class Party(Part, frozen=True, kw_only=True):
    """An owner who had a *seat* during the disputed hand."""

    seat: Seat
    player: Owner


class Evidence(Part, frozen=True, kw_only=True):
    """What a step says about the disputed hand: its events *first* to *last*, and the table's head at the step.

    *verdict* is the verdict of the service, which decided the hand again. An audit compares this verdict with the
    audit's own verdict at this head; the two may differ if a value was erased, or damage was repaired, since the step.
    """

    first: EventPosition
    last: LastPosition
    position: Annotated[int, Meta(ge=1, le=2**31 - 1, description="The position of the table's head.")]
    leaf_hash: Digest
    verdict: Annotated[
        MachineVerdict, Meta(description="The verdict of deciding the hand again at the time of the step.")
    ]


SomeEvidence = Annotated[
    Evidence, Meta(description="At this step: the hand's positions, the table's head, and the service's verdict.")
]


class Adjustment(Part, frozen=True, kw_only=True):
    """*amount* units move from the adjustment account of the owner *source* to the account of the owner *target*.

    *corrects* is the position of the table's event that the adjustment corrects, and *rule* is the rule or ruling that
    the adjustment cites. An adjustment account may be below zero: its owner then owes this amount.
    """

    source: Annotated[Owner, Meta(description="The owner who gives.")]
    target: Annotated[Owner, Meta(description="The owner who receives.")]
    amount: Annotated[int, Meta(ge=1, le=MOST_UNITS, description="A whole number of chips or points.")]
    unit: Unit
    corrects: EventPosition
    rule: Citation


Adjustments = Annotated[
    tuple[Adjustment, ...], Meta(description="The amounts, each from one player of the hand to another.")
]


class DisputeEvent(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """An event of a stream of disputes."""

    VERSION: ClassVar[int] = 1

    dispute: DisputeNumber


class DisputeDecision(DisputeEvent, frozen=True, kw_only=True):
    """A step that *owner* took when the table's last event was at *table_position*.

    The leaf's `by` names the role: player, host, auditor, approver, or service for the operator (*owner* is "" then).
    """

    owner: Annotated[str, Meta(description="The owner of the key that took the step; empty: the service.")] = ""
    table_position: EventPosition


class DisputeOpened(DisputeDecision, frozen=True, kw_only=True):
    """A player of the *hand*, or the table's *host*, disputes the hand. A statement may be sealed with the event.

    *follows*: the number of an earlier dispute whose correction this dispute is about, or 0.
    """

    table: Annotated[str, Meta(pattern="^tbl_[0-9a-f]{32}$")]
    hand: HandNumber
    ground: Annotated[DisputeGround, Meta(description="What the complaint is about.")]
    parties: Annotated[tuple[Party, ...], Meta(description="The players of the hand, with their seats in the hand.")]
    host: Owner
    evidence: SomeEvidence
    follows: Annotated[
        int,
        Meta(ge=0, le=2**31 - 1, description="The earlier dispute whose correction this dispute is about; 0: none."),
    ] = 0


class DisputeAnswered(DisputeDecision, frozen=True, kw_only=True):
    """A party answered; its statement is sealed with the event."""


class AnswersRequested(DisputeDecision, frozen=True, kw_only=True):
    """The auditor asks the owners in *asked* to answer, or to answer again; the question is sealed with the event."""

    asked: Annotated[tuple[Owner, ...], Meta(description="The owners who may answer once more.")]


class DisputeTaken(DisputeDecision, frozen=True, kw_only=True):
    """An auditor took the dispute on."""


class DisputeReturned(DisputeDecision, frozen=True, kw_only=True):
    """The auditor, or the service on its operator's command, returned the dispute: another auditor may take it on."""


class DisputeDecided(DisputeDecision, frozen=True, kw_only=True):
    """The auditor decided the dispute, by the rule or ruling in *rule*.

    The reason is a sealed value; everybody who may see the table may read it. *contradicts*: the auditor finds no
    fault although the verdict of the service is `failed`; the reason says why (D.5).
    """

    outcome: Annotated[Outcome, Meta(description="What the auditor has found.")]
    rule: Citation
    evidence: SomeEvidence
    contradicts: Annotated[
        bool,
        Meta(description="Whether the outcome is `no_fault` or `explained`, though the service's verdict is `failed`."),
    ] = False


class CorrectionProposed(DisputeDecision, frozen=True, kw_only=True):
    """The auditor proposed a correction; nothing moves before somebody else approves it."""

    transfers: Adjustments


class CorrectionApproved(DisputeDecision, frozen=True, kw_only=True):
    """A second person approved the correction that the event at *proposal* proposes, and its *transfers* took place."""

    proposal: Annotated[int, Meta(ge=1, le=2**31 - 1, description="The position of the proposal in this stream.")]
    transfers: Adjustments


class CorrectionRefused(DisputeDecision, frozen=True, kw_only=True):
    """A second person refused the correction that the event at *proposal* proposes."""

    proposal: Annotated[int, Meta(ge=1, le=2**31 - 1, description="The position of the proposal in this stream.")]


class DisputeWithdrawn(DisputeDecision, frozen=True, kw_only=True):
    """The owner who opened the dispute withdrew it."""


class DisputeValueErased(DisputeDecision, frozen=True, kw_only=True):
    """The service erased the value that the event at *position* of this stream sealed under *field*."""

    position: Annotated[int, Meta(ge=1, le=2**31 - 1, description="The position of the event that sealed the value.")]
    field: Annotated[str, Meta(pattern="^[a-z_]+$", max_length=64, description="The name of the sealed field.")]
    ground: Annotated[Ground, Meta(description="Why the value was erased.")]


class VerdictChanged(DisputeEvent, frozen=True, kw_only=True):
    """At the step before this event, the service's verdict on the hand differed from the last recorded verdict."""

    evidence: SomeEvidence


KINDS: Final = (
    DisputeOpened,
    DisputeAnswered,
    AnswersRequested,
    DisputeTaken,
    DisputeReturned,
    DisputeDecided,
    CorrectionProposed,
    CorrectionApproved,
    CorrectionRefused,
    DisputeWithdrawn,
    DisputeValueErased,
    VerdictChanged,
)
DISPUTE_EVENTS: Final[Mapping[str, type[DisputeEvent]]] = {type_name(cls): cls for cls in KINDS}
"""The class of each type of event in a stream of disputes."""
DISPUTE_CODEC: Final = Codec(DISPUTE_EVENTS)
