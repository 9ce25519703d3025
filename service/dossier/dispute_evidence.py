"""Checks disputes.ndjson: the log has each line, the rules allow each step, and no text has changed."""

# DECISIONS 110

from collections.abc import Mapping, Sequence
from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct

from service.audit.disputes.step_check import POSITION_MUST_EXIST, VERDICT_MUST_BE_POSSIBLE, StepCheck
from service.audit.disputes.table_history import TableHistory
from service.audit.findings import Finding
from service.audit.judging.audit_known import Fields
from service.disputes.dispute_events import DISPUTE_CODEC, DisputeEvent, DisputeOpened
from service.disputes.dispute_rules import REASON
from service.disputes.dispute_state import Disputes
from service.dossier import archive, log_evidence
from service.dossier.archive import DossierFlaw
from service.dossier.log_evidence import ProvedLine
from service.event_store import disclosure, leaf
from service.event_store.codec import RecordedEvent
from service.event_store.entries import disputes_stream, place_name, stream_name
from service.secrets.openings import FieldOpening, OpeningMustMatch, check_opening
from service.transparency.checkpoint import Checkpoint

_NOT_KNOWN: Final = {"pending", "undecidable"}
"""The verdicts that a viewer without some sealed values may get."""


class _Opening(Struct, frozen=True, forbid_unknown_fields=True):
    salt: Annotated[str, Meta(pattern="^[0-9a-f]{64}$", max_length=64)]  # upper case would be a second form
    value: str


class DisputeEvidence:
    """Decides the disputes of a table again, from the events in a dossier; *table_stream* is the id of its stream.

    *table* has the events of the table that the dossier has. *hand* is the hand that the dossier is about (0: the whole
    table). *fields* returns the sealed values that the dossier has. `recorded` has the checked events of the disputes.
    """

    def __init__(self, table_stream: bytes, table: Sequence[RecordedEvent], fields: Fields, hand: int) -> None:
        self.recorded: list[RecordedEvent] = []
        self._hand = hand
        self._stream = stream_name(disputes_stream(table_stream))
        self._name = place_name(table_stream)
        self._steps = StepCheck(place_name(disputes_stream(table_stream)), TableHistory(table_stream, table, fields))
        self._unopened: set[int] = set()

    @property
    def state(self) -> Disputes:
        """The disputes after the events in `recorded`."""
        return self._steps.state

    def check(self, files: Mapping[str, bytes], head: Checkpoint) -> None:
        """Check disputes.ndjson, if the dossier has this file.

        Raises:
            DossierFlaw: a line is wrong or surplus, or lacks the opening of a reason that was not erased.
        """
        for line, one in log_evidence.proved_leaves(files, archive.DISPUTES, self._stream, DISPUTE_CODEC, head):
            position = len(self.recorded) + 1
            before = self.recorded[-1].hash.hex() if self.recorded else leaf.NO_HASH
            if (one.position, one.prev) != (position, before):
                raise DossierFlaw(line.place, f"must be position {position}, after the leaf {before}")
            self._must_open(line, one)
            self.recorded.append(one)
            self._decide_again(one, line.place)
        for finding in self._steps.check_end():
            self._raise(finding, f"{archive.DISPUTES}, line {finding.position}")
        for position in sorted(self._unopened):
            if (position, REASON) not in self.state.erased:
                raise DossierFlaw(f"{archive.DISPUTES}, line {position}", "must have the reason that was sealed")

    def _must_open(self, line: ProvedLine, one: RecordedEvent) -> None:
        """Check the opening in *line* of the text that *one* sealed; remember each reason without an opening."""
        sealed = disclosure.committed(one)
        if len(sealed) > 1:
            raise DossierFlaw(line.place, "must seal one text at most")
        field, committed = next(iter(sealed.items()), ("", None))
        if not line.opening:
            self._unopened |= {one.position} if field == REASON else set()
            return
        if committed is None:
            raise DossierFlaw(line.place, "must have no opening: the leaf seals nothing")
        try:
            opening = msgspec.json.decode(line.opening, type=_Opening)
            check_opening(FieldOpening(self._stream, one.position, field, opening.salt, opening.value, ""), committed)
        except (msgspec.DecodeError, OpeningMustMatch) as error:
            raise DossierFlaw(line.place, f"must have the {field} that was sealed") from error

    def _decide_again(self, one: RecordedEvent, place: str) -> None:
        if isinstance(one.event, DisputeOpened) and one.event.table != self._name:
            raise DossierFlaw(place, f"must be about {self._name}")
        for finding in self._steps.check(one):
            self._raise(finding, place)

    def _raise(self, finding: Finding, place: str) -> None:
        """Raise *finding* as a flaw, unless its cause is that the dossier lacks data which it need not have.

        The dossier of a hand may end before a step about another hand, and any dossier may lack sealed values.
        """
        at = self.state.disputes.get(self._number(finding.position))
        is_after_dossier = finding.check == POSITION_MUST_EXIST and self._hand and at and at.hand != self._hand
        is_unknown = finding.check == VERDICT_MUST_BE_POSSIBLE and finding.expected in _NOT_KNOWN
        if not (is_after_dossier or is_unknown):
            raise DossierFlaw(place, f"{finding.check}: must be {finding.expected}, not {finding.found}")

    def _number(self, position: int) -> int:
        event = self.recorded[position - 1].event
        return event.dispute if isinstance(event, DisputeEvent) else 0
