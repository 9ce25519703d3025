"""Decides each step of a table's disputes again, and compares the result with the recorded event."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from service.audit.differences import NOTHING
from service.audit.disputes.table_history import Moment, TableHistory
from service.audit.findings import Finding
from service.disputes import dispute_commands, dispute_events, dispute_rules
from service.disputes.dispute_commands import DisputeCommand
from service.disputes.dispute_events import (
    DisputeDecision,
    DisputeEvent,
    DisputeOpened,
    DisputeReturned,
    DisputeValueErased,
    Evidence,
    VerdictChanged,
)
from service.disputes.dispute_facts import TableFacts
from service.disputes.dispute_rules import DecidedStep
from service.disputes.dispute_state import NO_DISPUTES, Dispute, Disputes, apply
from service.disputes.dispute_step import Asked
from service.event_store.codec import RecordedEvent
from service.event_store.leaf import Until
from service.games.game import HOST, PLAYER, SERVICE, Refusal
from service.play.dispute_desk import APPROVER, AUDITOR

POSITION_MUST_EXIST: Final = "disputed_position_must_exist"
VERDICT_MUST_BE_POSSIBLE: Final = "machine_verdict_must_be_possible"
_TEXT: Final = "a text"
"""Replaces each sealed text: the rules read no texts, so a step whose text was erased can be decided again."""
_NO_TYPES: Final = Until(never=(), open=())
_ROLES: Final[Mapping[type[DisputeDecision], str]] = {
    dispute_events.DisputeOpened: PLAYER,
    dispute_events.DisputeAnswered: PLAYER,
    dispute_events.AnswersRequested: AUDITOR,
    dispute_events.DisputeTaken: AUDITOR,
    dispute_events.DisputeReturned: AUDITOR,
    dispute_events.DisputeDecided: AUDITOR,
    dispute_events.CorrectionProposed: AUDITOR,
    dispute_events.CorrectionApproved: APPROVER,
    dispute_events.CorrectionRefused: APPROVER,
    dispute_events.DisputeWithdrawn: PLAYER,
    dispute_events.DisputeValueErased: SERVICE,
}


class _Judged(Struct, frozen=True):
    """A step of the dispute *number*, at *position* of its stream; the table was then at *table_position*."""

    position: int
    number: int
    table_position: int


class StepCheck:
    """Decides the steps of one stream of disputes again, in order; *place* names the stream in findings."""

    def __init__(self, place: str, history: TableHistory) -> None:
        self.state: Disputes = NO_DISPUTES
        self._place = place
        self._history = history
        self._sealed: set[tuple[int, str]] = set()
        self._last: _Judged | None = None

    def check(self, one: RecordedEvent) -> Iterator[Finding]:
        """Check the next event of the stream."""
        event = one.event
        assert isinstance(event, DisputeEvent)  # noqa: S101  # The codec of disputes knows no other events.
        if isinstance(event, DisputeDecision):
            yield from self.check_end()
            yield from self._decision(one, event)
        elif isinstance(event, VerdictChanged):
            yield from self._changed(one, event)
        self._sealed |= {(one.position, field) for field in one.priv}
        try:
            self.state = apply(self.state, one.position, one.at, event)
        except KeyError:
            yield self._finding(one.position, "dispute_must_be_open", "an earlier dispute_opened", f"{event.dispute}")
            self._last = None
            return
        yield from self._readers(one, self.state.disputes[event.dispute])

    def check_end(self) -> Iterator[Finding]:
        """Check the last recorded verdict of the service, once the last step and its consequence are read."""
        last, self._last = self._last, None
        if last and (dispute := self.state.disputes.get(last.number)):
            found = dispute.verdict.verdict
            ours = self._history.verdict(last.table_position, dispute.hand)
            # The two verdicts may differ if, since the step, a value was erased or damage was repaired.
            if found not in {ours, "failed"} and not (ours == "undecidable" and found in {"clean", "pending"}):
                where = f"hand {dispute.hand}"
                yield self._finding(last.position, VERDICT_MUST_BE_POSSIBLE, ours, found, where)

    def _decision(self, one: RecordedEvent, event: DisputeDecision) -> Iterator[Finding]:
        if not one.cmd:
            yield self._finding(one.position, "dispute_step_must_have_a_command", "a command id", NOTHING)
        facts = self._facts(one, event)
        if facts is None:
            expected, found = f"a position up to {self._history.last}", f"position {event.table_position}"
            yield self._finding(one.position, POSITION_MUST_EXIST, expected, found)
            return
        yield from self._role(one, event, facts)
        number = 0 if isinstance(event, DisputeOpened) else event.dispute
        asked = Asked(owner=event.owner, number=number, facts=facts, sealed=self._sealed.__contains__)
        try:
            decided = dispute_rules.decide(self.state, asked, _command(one, event))
        except Refusal as refusal:
            check = "dispute_step_must_be_allowed"
            yield self._finding(one.position, check, refusal.detail, one.type, refusal.code)
            return
        if not isinstance(event, DisputeValueErased):  # No `verdict_changed` event follows an erasure.
            self._last = _Judged(one.position, event.dispute, event.table_position)
        yield from self._differences(one, decided)

    def _facts(self, one: RecordedEvent, event: DisputeDecision) -> TableFacts | None:
        dispute = self.state.disputes.get(event.dispute)
        verdict = dispute.verdict.verdict if dispute else "clean"
        evidence = getattr(event, "evidence", None)
        hand = event.hand if isinstance(event, DisputeOpened) else dispute.hand if dispute else 0
        moment = Moment(position=event.table_position, hand=hand, at=one.at)
        try:
            return self._history.facts(moment, evidence.verdict if evidence else verdict)
        except IndexError:
            return None

    def _differences(self, one: RecordedEvent, decided: DecidedStep) -> Iterator[Finding]:
        check = "dispute_step_must_be_as_decided"
        for name in type(decided.event).__struct_fields__:
            ours, theirs = getattr(decided.event, name), getattr(one.event, name)
            if ours != theirs:
                yield self._finding(one.position, check, str(ours), str(theirs), name)
        ours, theirs = [decided.field] if decided.field else [], sorted(one.priv)
        if ours != theirs:
            yield self._finding(one.position, check, _listed(ours), _listed(theirs), "priv")

    def _role(self, one: RecordedEvent, event: DisputeDecision, facts: TableFacts) -> Iterator[Finding]:
        expected, owner = _ROLES[type(event)], event.owner
        if expected == PLAYER and owner == facts.host:
            expected = HOST
        elif not owner and isinstance(event, DisputeReturned):
            expected = SERVICE
        if one.by != expected or (expected == SERVICE) != (not owner):
            yield self._finding(one.position, "dispute_step_must_be_by_its_role", expected, f"{one.by} {owner}".strip())

    def _changed(self, one: RecordedEvent, event: VerdictChanged) -> Iterator[Finding]:
        """Check that the service recorded the event right after a step of the same dispute.

        The event must have the evidence that the table has, and another verdict than the dispute had before.
        """
        last, dispute = self._last, self.state.disputes.get(event.dispute)
        if one.by != SERVICE or one.cmd:
            found = f"{one.by} {one.cmd}".strip()
            yield self._finding(one.position, "dispute_step_must_be_by_its_role", SERVICE, found)
        if last is None or dispute is None or (last.number, last.position) != (event.dispute, one.position - 1):
            yield self._finding(one.position, "changed_verdict_must_follow_a_step", "a step right before", NOTHING)
            return
        moment = Moment(position=last.table_position, hand=dispute.hand, at=one.at)
        hand = self._history.facts(moment, event.evidence.verdict).hand
        if hand is None or hand.evidence != event.evidence or event.evidence.verdict == dispute.verdict.verdict:
            expected = f"{_shown(hand.evidence) if hand else NOTHING}, not as before"
            yield self._finding(one.position, "dispute_evidence_must_be_the_tables", expected, _shown(event.evidence))

    def _readers(self, one: RecordedEvent, dispute: Dispute) -> Iterator[Finding]:
        seats = tuple(party.seat for party in dispute.parties)
        for field, commitment in one.priv.items():
            if (commitment.to, commitment.until) != (seats, _NO_TYPES):
                found = f"seats {commitment.to}, until {commitment.until}"
                yield self._finding(one.position, "sealed_text_must_name_its_readers", f"seats {seats}", found, field)

    def _finding(self, position: int, check: str, expected: str, found: str, detail: str = "") -> Finding:
        return Finding(table=self._place, position=position, check=check, expected=expected, found=found, detail=detail)


def steps_findings(place: str, history: TableHistory, recorded: Sequence[RecordedEvent]) -> list[Finding]:
    """Return the findings about the steps *recorded*, a whole stream of disputes."""
    check = StepCheck(place, history)
    return [*(finding for one in recorded for finding in check.check(one)), *check.check_end()]


def _command(one: RecordedEvent, event: DisputeDecision) -> DisputeCommand:
    """Return the command that *event* records, with `_TEXT` for each sealed text."""
    text = _TEXT if dispute_rules.STATEMENT in one.priv else ""
    return _COMMANDS[type(event)](event, text)


_COMMANDS: Final[Mapping[type[DisputeDecision], Callable[[Any, str], DisputeCommand]]] = {
    dispute_events.DisputeOpened: lambda event, text: dispute_commands.OpenDispute(
        hand=event.hand, ground=event.ground, statement=text, follows=event.follows
    ),
    dispute_events.DisputeAnswered: lambda _event, _text: dispute_commands.AnswerDispute(statement=_TEXT),
    dispute_events.AnswersRequested: lambda event, _text: dispute_commands.RequestAnswers(
        question=_TEXT, asked=event.asked
    ),
    dispute_events.DisputeTaken: lambda _event, _text: dispute_commands.TakeDispute(),
    dispute_events.DisputeReturned: lambda _event, _text: dispute_commands.ReturnDispute(),
    dispute_events.DisputeDecided: lambda event, _text: dispute_commands.DecideDispute(
        outcome=event.outcome, rule=event.rule, reason=_TEXT, contradicts=event.contradicts
    ),
    dispute_events.CorrectionProposed: lambda event, _text: dispute_commands.ProposeCorrection(
        transfers=event.transfers
    ),
    dispute_events.CorrectionApproved: lambda event, _text: dispute_commands.ApproveCorrection(proposal=event.proposal),
    dispute_events.CorrectionRefused: lambda event, _text: dispute_commands.RefuseCorrection(proposal=event.proposal),
    dispute_events.DisputeWithdrawn: lambda _event, _text: dispute_commands.WithdrawDispute(),
    dispute_events.DisputeValueErased: lambda event, _text: dispute_commands.EraseDisputeValue(
        position=event.position, field=event.field, ground=event.ground
    ),
}


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) or NOTHING


def _shown(evidence: Evidence) -> str:
    head = f"head {evidence.position} {evidence.leaf_hash}"
    return f"events {evidence.first} to {evidence.last}, {head}, {evidence.verdict}"
