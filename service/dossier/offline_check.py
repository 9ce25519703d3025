"""Checks a dossier with the package's own code, offline: all that verify.py checks, and then the rules."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from functools import partial
from hashlib import sha256
from typing import Any, TypeVar

from msgspec import Struct

from service.audit import import_audit
from service.audit.checks.decisions import HandVerdict
from service.audit.findings import Finding
from service.audit.verdicts import Verdict, worst
from service.dossier import archive, dossier_writer, log_evidence, stream_evidence, verify
from service.dossier.archive import DossierFlaw
from service.dossier.dispute_evidence import DisputeEvidence
from service.dossier.kept_files import KeptFile, KeptFiles
from service.dossier.log_evidence import LogEvidence
from service.dossier.opening_lines import Subject
from service.dossier.stream_evidence import Openings
from service.event_store.codec import Codec, RecordedEvent
from service.event_store.entries import stream_name
from service.games import EVENTS

T = TypeVar("T")


class Outcome(Enum):
    """The outcome of one step of the check."""

    OK = "ok"
    FAILED = "failed"
    NOT_CHECKED = "not checked"


class StepReport(Struct, frozen=True, kw_only=True):
    """The *outcome* of a *step*.

    *text* says what was found. If the step failed, *text* says what must hold at *place*. If the step was not checked,
    *text* is the reason.
    """

    step: str
    outcome: Outcome
    text: str
    place: str = ""


class DossierReport(Struct, frozen=True, kw_only=True):
    """The report on a dossier: its SHA-256, what it is about, its *steps*, and the verdicts of its *hands*.

    *verdict* is the verdict on the dossier's hand; for the dossier of a whole table, it is the worst verdict on its
    hands. If a step failed, *verdict* is FAILED.
    """

    sha256: str
    verdict: Verdict
    steps: tuple[StepReport, ...]
    subject: Subject | None = None
    hands: tuple[HandVerdict, ...] = ()


class _NotChecked(Exception):
    """A step needs the result of a step that failed."""


class _Check:
    """Checks one dossier step by step, and keeps the results that later steps need."""

    def __init__(self, data: bytes, kept: Iterable[KeptFile]) -> None:
        self.data = data
        self.kept = tuple(kept)
        self.steps: list[StepReport] = []
        self.hands: tuple[HandVerdict, ...] = ()
        self._files: Mapping[str, bytes] | None = None
        self._evidence: LogEvidence | None = None
        self._subject: Subject | None = None
        self._recorded: Sequence[RecordedEvent] | None = None
        self._openings: Openings | None = None
        self._leaves = 0
        self._rules: Sequence[Finding] = ()

    def run(self) -> DossierReport:
        """Run all steps."""
        for step, check in (
            ("file", self._file),
            ("signatures", self._signatures),
            ("inclusion", self._inclusion),
            ("leaves", self._read_leaves),
            ("kept", self._compare_kept),
            ("openings", self._check_openings),
            ("rules", self._decide_again),
            ("service", self._check_service),
            ("disputes", self._check_disputes),
            ("pages", self._compare_pages),
        ):
            self._run(step, check)
        has_failed = any(one.outcome is Outcome.FAILED for one in self.steps)
        is_whole = self._subject is None or not self._subject.hand
        hands = [one.verdict for one in self.hands if is_whole or self._is_subject(one)]
        return DossierReport(
            sha256=sha256(self.data).hexdigest(),
            verdict=Verdict.FAILED if has_failed else worst(hands),
            steps=tuple(self.steps),
            subject=self._subject,
            hands=self.hands,
        )

    def _run(self, step: str, check: Callable[[], str]) -> None:
        try:
            report = StepReport(step=step, outcome=Outcome.OK, text=check())
        except DossierFlaw as flaw:
            report = StepReport(step=step, outcome=Outcome.FAILED, place=flaw.place, text=flaw.why)
        except _NotChecked:
            text = "an earlier step failed"
            report = StepReport(step=step, outcome=Outcome.NOT_CHECKED, text=text)
        self.steps.append(report)

    def _file(self) -> str:
        self._files = archive.unpacked(self.data)
        if self._files[archive.PROGRAM] != archive.program():
            raise DossierFlaw(archive.PROGRAM, "must be the program of this release")
        return f"{len(self._files)} files, {len(self.data):,} bytes"

    def _signatures(self) -> str:
        self._evidence = found = log_evidence.check_signatures(_needed(self._files))
        return f"the log {found.head.origin} and {found.witnesses} witnesses signed {found.head.size:,} leaves"

    def _inclusion(self) -> str:
        self._leaves = log_evidence.check_inclusion(_needed(self._files), _needed(self._evidence).head)
        return f"the last of {self._leaves:,} leaves is in the tree"

    def _read_leaves(self) -> str:
        files = _needed(self._files)
        self._subject = subject = stream_evidence.read_subject(files, self._leaves)
        self._recorded = recorded = stream_evidence.read_leaves(files, subject.stream, Codec(EVENTS))
        return f"{len(recorded):,} leaves follow one another"

    def _compare_kept(self) -> str:
        files = KeptFiles(_needed(self._evidence))
        for one in self.kept:
            files.add(one)
        return files.compare(_needed(self._recorded), _needed(self._subject).stream)

    def _check_openings(self) -> str:
        subject, recorded = _needed(self._subject), _needed(self._recorded)
        self._openings = stream_evidence.check_openings(_needed(self._files), subject, recorded)
        return f"the viewer has all {len(self._openings)} sealed fields that the viewer may read"

    def _decide_again(self) -> str:
        recorded, subject = _needed(self._recorded), _needed(self._subject)
        audit = import_audit.audit(_stream_id(subject.stream), recorded, partial(_values, _needed(self._openings)))
        self.hands = audit.hands
        if audit.findings:
            first = min(audit.findings, key=lambda one: one.position)
            why = f"{first.check}: must be {first.expected}, not {first.found} ({first.detail})"
            raise DossierFlaw(f"position {first.position}", why)
        own = [one for one in audit.hands if self._is_subject(one)]
        if subject.hand and [(one.first, one.last or subject.last) for one in own] != [(subject.first, subject.last)]:
            raise DossierFlaw(f"{archive.OPENINGS}, line 1", f"first and last must be the ends of hand {subject.hand}")
        return f"{len(recorded):,} events follow by the rules, in {len(audit.hands)} hands"

    def _check_service(self) -> str:
        table = _needed(self._subject).stream.partition("/")[2]
        found = log_evidence.check_service(_needed(self._files), _needed(self._evidence), table)
        return f"{found} leaves of the service's own stream are in the tree"

    def _check_disputes(self) -> str:
        subject, recorded = _needed(self._subject), _needed(self._recorded)
        fields = partial(_values, _needed(self._openings))
        found = DisputeEvidence(_stream_id(subject.stream), recorded, fields, subject.hand)
        found.check(_needed(self._files), _needed(self._evidence).head)
        steps = f"{len(found.recorded)} events of {len(found.state.disputes)} disputes"
        return f"{steps} are in the tree, and each step is allowed"

    def _compare_pages(self) -> str:
        files = dict(_needed(self._files))
        _needed(self._openings)
        found = {name: files.pop(name) for name in (archive.README, archive.CASE)}
        dossier, flaw = dossier_writer.read_for_pages(files)
        has_failed = any(step.outcome is Outcome.FAILED for step in self.steps)
        # If all steps passed, verify.py must find no flaw either.
        if flaw is not None and not (dossier.events and has_failed):
            raise flaw
        for name, page in zip(found, (verify.readme(dossier), verify.case_page(dossier)), strict=True):
            if found[name] != page.encode():
                raise DossierFlaw(name, "must be the page that follows from the events")
        return "README.txt and case.html follow from the events"

    def _is_subject(self, hand: HandVerdict) -> bool:
        return self._subject is not None and hand.hand == self._subject.hand


def check(data: bytes, kept: Iterable[KeptFile] = ()) -> DossierReport:
    """Check the dossier *data*, and compare it with the files that its reader *kept*."""
    return _Check(data, kept).run()


def _needed(value: T | None) -> T:
    if value is None:
        raise _NotChecked
    return value


def _values(openings: Openings, recorded: RecordedEvent) -> Mapping[str, Any]:
    """Return the values that *recorded* sealed, by field; a value without an opening is left out."""
    places = [(recorded.position, field) for field in recorded.priv]
    return {place[1]: openings[place].value for place in places if place in openings}


def _stream_id(stream: str) -> bytes:
    """Return the id of the stream with the name *stream*.

    Raises:
        DossierFlaw: *stream* is not the stream of a table.
    """
    try:
        found = bytes.fromhex(stream.removeprefix(stream_name(b"")))
    except ValueError:
        found = b""
    if stream_name(found) != stream or len(found) != 16:  # noqa: PLR2004 -- a table's id has 16 bytes
        raise DossierFlaw(f"{archive.OPENINGS}, line 1", "must name the stream of a table")
    return found
