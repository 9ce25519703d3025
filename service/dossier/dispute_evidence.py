"""Checks disputes.ndjson: the log has the stream of the table's disputes, and each text is the one that was sealed."""

# DECISIONS 112

from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence

import msgspec
from msgspec import Raw, Struct

from service import merkle
from service.canonical import NotCanonical, canonical
from service.disputes.dispute_events import DISPUTE_CODEC, DisputeDecided, DisputeEvent, DisputeOpened, Evidence
from service.disputes.dispute_rules import REASON
from service.disputes.dispute_state import NO_DISPUTES, Disputes, apply
from service.dossier import archive
from service.dossier.archive import DossierFlaw
from service.dossier.log_evidence import lines_of
from service.event_store import disclosure, leaf
from service.event_store.codec import RecordedEvent
from service.event_store.entries import disputes_stream, place_name, stream_name
from service.secrets.openings import FieldOpening, OpeningMustMatch, check_opening
from service.transparency.checkpoint import Checkpoint


class _Opening(Struct, frozen=True, forbid_unknown_fields=True):
    salt: str
    value: str


class _Line(Struct, frozen=True, forbid_unknown_fields=True):
    """A *leaf*, and the *opening* of its text; the last line has the leaf's *index* in the tree, and its proof."""

    leaf: Raw
    opening: _Opening | None = None
    index: int | None = None
    hashes: tuple[str, ...] | None = None


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
        lines = lines_of(files, archive.DISPUTES) if archive.DISPUTES in files else []
        for number, data in enumerate(lines, start=1):
            place = f"{archive.DISPUTES}, line {number}"
            line = _line(data, place)
            self._add(line, place)
            if number == len(lines):
                _must_be_included(line, head, place)
            elif line.index is not None or line.hashes is not None:
                raise DossierFlaw(place, "only the last line must have a proof")
        for position in sorted(self._unopened):
            if (position, REASON) not in self.state.erased:
                raise DossierFlaw(f"{archive.DISPUTES}, line {position}", "must have the reason that was sealed")

    def _add(self, line: _Line, place: str) -> None:
        data = bytes(line.leaf)
        try:
            DISPUTE_CODEC.check_canonical(data)
            one = DISPUTE_CODEC.decode(data)
            stream = leaf.decode(data).stream
        except (leaf.Malformed, NotCanonical) as error:
            raise DossierFlaw(place, f"must have a leaf. {error}") from error
        position = len(self.recorded) + 1
        before = self.recorded[-1].hash.hex() if self.recorded else leaf.NO_HASH
        if (stream, one.position, one.prev) != (self._stream, position, before):
            raise DossierFlaw(place, f"must be position {position} of {self._stream}, after the leaf {before}")
        self._must_open(line, one, place)
        self._apply(one, place)
        self.recorded.append(one)

    def _must_open(self, line: _Line, one: RecordedEvent, place: str) -> None:
        """Check the opening of the text that *one* sealed; the reason of a decision needs an opening."""
        sealed = disclosure.committed(one)
        if len(sealed) > 1:
            raise DossierFlaw(place, "must seal one text at most")
        field, committed = next(iter(sealed.items()), ("", None))
        if line.opening is None:
            self._unopened |= {one.position} if field == REASON else set()
            return
        opening = FieldOpening(self._stream, one.position, field, line.opening.salt, line.opening.value, "")
        if committed is None:
            raise DossierFlaw(place, "must have no opening: the leaf seals nothing")
        try:
            check_opening(opening, committed)
        except OpeningMustMatch as error:
            raise DossierFlaw(place, f"must have the {field} that was sealed") from error

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


def _line(data: bytes, place: str) -> _Line:
    try:
        value = msgspec.json.decode(data)
        if canonical(value) == data:
            return msgspec.json.decode(data, type=_Line)
    except (msgspec.DecodeError, NotCanonical, RecursionError, UnicodeDecodeError) as error:
        raise DossierFlaw(place, f"must be a line of disputes. {error}") from error
    raise DossierFlaw(place, "must be canonical JSON")


def _must_be_included(line: _Line, head: Checkpoint, place: str) -> None:
    if line.index is None or line.hashes is None:
        raise DossierFlaw(place, "the last line must have the proof of its leaf")
    try:
        hashes = [b64decode(each, validate=True) for each in line.hashes]
    except ValueError as error:
        raise DossierFlaw(place, "the hashes must be base64") from error
    is_plain = [b64encode(each).decode() for each in hashes] == list(line.hashes)
    leaf_hash = merkle.leaf_hash(bytes(line.leaf))
    if not is_plain or not merkle.is_included(leaf_hash, line.index, head.size, hashes, head.root):
        raise DossierFlaw(place, "the proof must lead from the leaf to the root")
