"""The judgement of one table by a witness: decides the table's decisions again as they come (DECISIONS 101)."""

from collections.abc import Mapping
from typing import Any, Protocol

from service.audit.growing_audit import GrowingAudit
from service.audit.verdicts import Verdict
from service.canonical import NotCanonical
from service.clock import Clock
from service.deck import Shuffle
from service.event_store import disclosure
from service.event_store.codec import Codec, RecordedEvent
from service.event_store.disclosure import FieldPlace
from service.event_store.entries import is_of_table, stream_id_of
from service.event_store.leaf import Malformed
from service.secrets.openings import Committed, FieldOpening, OpeningMustMatch, check_opening
from service.witness.auditing.audit_store import StoredFinding


class ReadsOpenings(Protocol):
    """Reads the openings of a table's sealed fields that everybody may read."""

    def openings(self, table: str, after: int, head: int) -> Mapping[FieldPlace, FieldOpening]:
        """Return the openings in the events after the position *after*, up to *head* at least, by position and field.

        Raises:
            SourceFailed: there is no answer, or the answer can't be read.
        """


class TableJudgement:
    """Judges the table of *stream* again and again while it grows; only the leaves after `position` are needed."""

    def __init__(self, stream: str, codec: Codec, source: ReadsOpenings, shuffle: Shuffle, clock: Clock) -> None:
        self._stream = stream
        self._codec = codec
        self._source = source
        self._clock = clock
        stream_id = _stream_id(stream)
        self._audit = GrowingAudit(stream_id, shuffle) if stream_id else None
        self._read = 0
        self._commands: set[str] = set()
        self._repeated: list[StoredFinding] = []

    @property
    def position(self) -> int:
        """The position up to which the judgement is final."""
        return self._audit.position if self._audit else 0

    def judged(self, leaves: list[bytes]) -> tuple[Verdict, list[StoredFinding]]:
        """Return the verdict on the table, and the failed checks; *leaves* are the leaves after `position`.

        Raises:
            SourceFailed: the openings can't be read.
        """
        recorded: list[RecordedEvent] = []
        try:
            for leaf in leaves:
                recorded.append(self._codec.decode(leaf))
                self._codec.check_canonical(leaf)
        except (Malformed, NotCanonical):
            return Verdict.FAILED, [self._finding(self.position + len(recorded) + 1, "leaf_must_be_readable")]
        if self._audit is None:
            return Verdict.FAILED, [self._finding(1, "leaf_must_be_readable")]
        self._note_commands(recorded)
        self._audit.read(recorded)
        fields, missing = self._fields(recorded, self._audit)
        first = min((one.position for one in missing), default=0)
        audit = self._audit.audit(recorded, lambda one: fields.get(one.position, {}), missing_at=first)
        of_rules = [self._finding(each.position, each.check, each.detail) for each in audit.findings]
        found = [*self._repeated, *missing, *of_rules]
        return Verdict.FAILED if found else audit.verdict, list(dict.fromkeys(found))

    def _note_commands(self, recorded: list[RecordedEvent]) -> None:
        for one in recorded:
            if one.position > self._read:
                if one.cmd and one.cmd in self._commands:
                    self._repeated.append(self._finding(one.position, "command_must_be_recorded_once", "cmd"))
                self._commands.add(one.cmd)
                self._read = one.position

    def _fields(
        self, recorded: list[RecordedEvent], audit: GrowingAudit
    ) -> tuple[Mapping[int, dict[str, Any]], list[StoredFinding]]:
        """Return the values of *recorded* that everybody may read, and findings.

        The values are by position and field; there is a finding for each missing value.
        """
        disclosures = audit.disclosures
        wanted = [
            (one.position, field)
            for one in recorded
            for field in one.priv
            if disclosures.ends.get((one.position, field)) == "open" and (one.position, field) not in disclosures.erased
        ]
        after, missing = audit.position, list[StoredFinding]()
        openings = self._openings(after, after + len(recorded)) if wanted else {}
        values: dict[int, dict[str, Any]] = {}
        for position, field in wanted:
            opening = openings.get((position, field))
            committed = disclosure.committed(recorded[position - after - 1])[field]
            if opening and opening.stream == self._stream and is_open(opening, committed):
                values.setdefault(position, {})[field] = opening.value
            else:
                missing.append(self._finding(position, "open_field_must_be_told", field))
        return values, missing

    def _openings(self, after: int, head: int) -> Mapping[FieldPlace, FieldOpening]:
        return self._source.openings(self._stream.removeprefix("table/"), after, head)

    def _finding(self, position: int, check: str, detail: str = "") -> StoredFinding:
        return StoredFinding(self._stream, position, check, detail, self._clock.now())


def is_open(opening: FieldOpening, committed: Committed) -> bool:
    """Return whether *opening* matches the commitments *committed*."""
    try:
        check_opening(opening, committed)
    except OpeningMustMatch:
        return False
    return True


def _stream_id(stream: str) -> bytes:
    """Return the id (16 bytes) of the stream with the name *stream*; b"": *stream* names no stream of a table."""
    try:
        found = stream_id_of(stream)
    except ValueError:
        return b""
    return found if is_of_table(found) else b""
