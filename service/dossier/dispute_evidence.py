"""Checks disputes.ndjson: the log has the stream of the table's disputes, and each text is the one that was sealed."""

# DECISIONS 112

from collections.abc import Mapping, Sequence
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from service.disputes.dispute_events import DISPUTE_CODEC, DisputeDecided, DisputeEvent, DisputeOpened, Evidence
from service.disputes.dispute_rules import REASON
from service.disputes.dispute_state import NO_DISPUTES, Disputes, apply
from service.dossier import archive, log_evidence
from service.dossier.archive import DossierFlaw
from service.dossier.log_evidence import ProvedLine
from service.event_store import disclosure, leaf
from service.event_store.codec import RecordedEvent
from service.event_store.entries import disputes_stream, place_name, stream_name
from service.secrets.openings import FieldOpening, OpeningMustMatch, check_opening
from service.transparency.checkpoint import Checkpoint


class _Opening(Struct, frozen=True, forbid_unknown_fields=True):
    salt: Annotated[str, Meta(pattern="^[0-9a-f]{64}$", max_length=64)]  # upper case would be a second form
    value: str


class DisputeEvidence:
    """Reads the disputes of the table *table_stream*, whose events in the dossier are *table*.

    *recorded* has the events, and *state* is the state after them.
    """

    def __init__(self, table_stream: bytes, table: Sequence[RecordedEvent]) -> None:
        self.recorded: list[RecordedEvent] = []
        self.state: Disputes = NO_DISPUTES
        self._table = table
        self._name = place_name(table_stream)
        self._stream = stream_name(disputes_stream(table_stream))
        self._unopened: set[int] = set()

    def check(self, files: Mapping[str, bytes], head: Checkpoint) -> None:
        """Check the file, if there is one.

        Raises:
            DossierFlaw: a line is wrong or surplus, or lacks a reason that was not erased.
        """
        for line, one in log_evidence.proved_leaves(files, archive.DISPUTES, self._stream, DISPUTE_CODEC, head):
            position = len(self.recorded) + 1
            before = self.recorded[-1].hash.hex() if self.recorded else leaf.NO_HASH
            if (one.position, one.prev) != (position, before):
                raise DossierFlaw(line.place, f"must be position {position}, after the leaf {before}")
            self._must_open(line, one)
            self._apply(one, line.place)
            self.recorded.append(one)
        for position in sorted(self._unopened):
            if (position, REASON) not in self.state.erased:
                raise DossierFlaw(f"{archive.DISPUTES}, line {position}", "must have the reason that was sealed")

    def _must_open(self, line: ProvedLine, one: RecordedEvent) -> None:
        """Check the opening of the text that *one* sealed; the reason of a decision needs an opening."""
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
            told = msgspec.json.decode(line.opening, type=_Opening)
            check_opening(FieldOpening(self._stream, one.position, field, told.salt, told.value, ""), committed)
        except (msgspec.DecodeError, OpeningMustMatch) as error:
            raise DossierFlaw(line.place, f"must have the {field} that was sealed") from error

    def _apply(self, one: RecordedEvent, place: str) -> None:
        """Apply the event *one*: it must be about this table, and its evidence about the leaves of the dossier."""
        event = one.event
        if isinstance(event, DisputeOpened) and event.table != self._name:
            raise DossierFlaw(place, f"must be about {self._name}")
        if isinstance(event, DisputeOpened | DisputeDecided):
            self._must_fit(event.evidence, place)
        if not isinstance(event, DisputeEvent):
            raise DossierFlaw(place, "must be an event of a dispute")
        try:
            self.state = apply(self.state, one.position, one.at, event)
        except KeyError as error:
            raise DossierFlaw(place, "must follow the event that opened the dispute") from error

    def _must_fit(self, evidence: Evidence, place: str) -> None:
        if evidence.position > len(self._table):
            return  # The dossier ends before that event.
        found = self._table[evidence.position - 1].hash.hex()
        if evidence.leaf_hash != found:
            raise DossierFlaw(place, f"must name the hash {found} of the table's event at {evidence.position}")
