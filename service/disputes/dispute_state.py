"""The state of a table's disputes, and its transitions."""

from collections.abc import Mapping
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from service.disputes.dispute_events import (
    Adjustment,
    AnswersRequested,
    CorrectionApproved,
    CorrectionProposed,
    CorrectionRefused,
    DisputeAnswered,
    DisputeDecided,
    DisputeDecision,
    DisputeEvent,
    DisputeGround,
    DisputeOpened,
    DisputeReturned,
    DisputeTaken,
    DisputeValueErased,
    DisputeWithdrawn,
    Evidence,
    Outcome,
    Party,
    VerdictChanged,
)

ADJUSTMENT: Final = "adjustment"
"""The kind of the accounts between which corrections move amounts."""
Status = Literal["open", "taken", "decided", "proposed", "corrected", "withdrawn"]


class Proposal(Struct, frozen=True, kw_only=True):
    """The correction that the event at *position* proposes; *by* is the owner who proposed it."""

    position: int
    by: str
    transfers: tuple[Adjustment, ...]


class Dispute(Struct, frozen=True, kw_only=True):
    """A dispute after some events.

    *answered* are the owners who answered and were not asked again. *auditor* is the owner who has taken the dispute
    on; "": nobody has. *proposal* is the last proposal, unless it was refused; *approver* is the owner who approved it.
    """

    number: int
    hand: int
    ground: DisputeGround
    status: Status
    opened_by: str
    opened_at: str
    position: int
    parties: tuple[Party, ...]
    host: str
    evidence: Evidence
    verdict: Evidence
    follows: int = 0
    answered: frozenset[str] = frozenset()
    auditor: str = ""
    outcome: Outcome | Literal[""] = ""
    rule: str = ""
    proposal: Proposal | None = None
    approver: str = ""

    @property
    def owners(self) -> tuple[str, ...]:
        """The owners who may answer: the players of the hand, and the host."""
        return tuple(dict.fromkeys((*(party.player for party in self.parties), self.host)))

    @property
    def is_closed(self) -> bool:
        """Whether only erasures can follow; a dispute with the outcome `fault` is not closed before an approval."""
        return self.status in {"corrected", "withdrawn"} or (self.status == "decided" and self.outcome != "fault")


class Account(Struct, frozen=True, order=True):
    """The adjustment account of an *owner* in one *unit*."""

    owner: str
    unit: str

    @property
    def name(self) -> str:
        """The account's name."""
        return f"{ADJUSTMENT}:{self.owner}"


class Disputes(Struct, frozen=True, kw_only=True):
    """All disputes of a *table*, by number.

    *balances* has the balance of each adjustment account. *corrected* has, for each position of the table that an
    adjustment corrects, the number of the last dispute that corrected it. *erased* are the erased values: position and
    field.
    """

    table: str = ""
    disputes: Mapping[int, Dispute] = {}
    balances: Mapping[Account, int] = {}
    corrected: Mapping[int, int] = {}
    erased: frozenset[tuple[int, str]] = frozenset()


NO_DISPUTES = Disputes()


def apply(state: Disputes, position: int, at: str, event: DisputeEvent) -> Disputes:
    """Return the state after *event*, which was recorded at *position* of the stream at the time *at*; check no rules.

    Raises:
        KeyError: no earlier event opened the dispute.
        TypeError: a stream of disputes has no events of this type.
    """
    if isinstance(event, DisputeOpened):
        opened = _opened(position, at, event)
        return replace(state, table=event.table, disputes={**state.disputes, event.dispute: opened})
    dispute = state.disputes[event.dispute]
    if isinstance(event, DisputeValueErased):
        return replace(state, erased=state.erased | {(event.position, event.field)})
    after = _after(dispute, position, event)
    state = replace(state, disputes={**state.disputes, event.dispute: after})
    return _corrected(state, event) if isinstance(event, CorrectionApproved) else state


def balances_after(state: Disputes, transfers: tuple[Adjustment, ...]) -> Mapping[Account, int]:
    """Return the balances of the adjustment accounts after *transfers*; their sum is 0 in each unit."""
    balances = dict(state.balances)
    for one in transfers:
        source, target = Account(one.source, one.unit), Account(one.target, one.unit)
        balances[source] = balances.get(source, 0) - one.amount
        balances[target] = balances.get(target, 0) + one.amount
    return balances


def _opened(position: int, at: str, event: DisputeOpened) -> Dispute:
    return Dispute(
        number=event.dispute,
        hand=event.hand,
        ground=event.ground,
        status="open",
        opened_by=event.owner,
        opened_at=at,
        position=position,
        parties=event.parties,
        host=event.host,
        evidence=event.evidence,
        verdict=event.evidence,
        follows=event.follows,
    )


def _after(dispute: Dispute, position: int, event: DisputeEvent) -> Dispute:
    match event:
        case DisputeAnswered():
            return replace(dispute, answered=dispute.answered | {event.owner})
        case AnswersRequested():
            return replace(dispute, answered=dispute.answered - set(event.asked))
        case DisputeTaken():
            return replace(dispute, status="decided" if dispute.outcome else "taken", auditor=event.owner)
        case DisputeReturned():
            return replace(dispute, status="decided" if dispute.outcome else "open", auditor="")
        case DisputeDecided():
            decided = replace(dispute, status="decided", outcome=event.outcome, rule=event.rule)
            return replace(decided, verdict=event.evidence)
        case DisputeWithdrawn():
            return replace(dispute, status="withdrawn")
        case VerdictChanged():
            return replace(dispute, verdict=event.evidence)
        case DisputeDecision():
            return _after_correction(dispute, position, event)
        case _:
            raise TypeError(f"{type(event).__name__} is no event of a dispute.")


def _after_correction(dispute: Dispute, position: int, event: DisputeDecision) -> Dispute:
    match event:
        case CorrectionProposed():
            proposal = Proposal(position=position, by=event.owner, transfers=event.transfers)
            return replace(dispute, status="proposed", proposal=proposal)
        case CorrectionApproved():
            return replace(dispute, status="corrected", approver=event.owner)
        case CorrectionRefused():
            return replace(dispute, status="decided", proposal=None)
        case _:
            raise TypeError(f"{type(event).__name__} is no event of a dispute.")


def _corrected(state: Disputes, event: CorrectionApproved) -> Disputes:
    corrected = {**state.corrected, **dict.fromkeys((one.corrects for one in event.transfers), event.dispute)}
    return replace(state, balances=balances_after(state, event.transfers), corrected=corrected)
