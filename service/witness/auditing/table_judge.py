"""Decides every decision of each table again, and keeps what failed; a failed hand does not stop the cosigning."""

from collections.abc import Mapping
from threading import Event, Thread
from typing import Any, Final, Protocol

import msgspec
import structlog

from service import deck
from service.audit import import_audit
from service.audit.judging.disclosures import Disclosures, disclosures_of
from service.audit.verdicts import Verdict
from service.canonical import NotCanonical
from service.clock import Clock
from service.database.metadata import SERVICE_STREAM
from service.deck import Shuffle
from service.event_store import disclosure
from service.event_store.codec import Codec, RecordedEvent
from service.event_store.disclosure import FieldPlace
from service.event_store.entries import is_of_table, stream_id_of, stream_name
from service.event_store.leaf import Malformed
from service.games.game import Decision
from service.secrets.openings import Committed, FieldOpening, OpeningMustMatch, check_opening
from service.service_log.service_events import SERVICE_CODEC
from service.witness.auditing import dispute_judge
from service.witness.auditing.audit_store import AuditStore, StoredFinding
from service.witness.auditing.log_source import SourceFailed
from service.witness.cosigner import Answer

_LOG: Final = structlog.get_logger("service.witness")
_EVERY_SECONDS: Final = 1.0
_DOUBT_SECONDS: Final = 60.0
_MOST_FINDINGS: Final = 1_000
_SERVICE_STREAM: Final = stream_name(SERVICE_STREAM)


class ReadsOpenings(Protocol):
    """Reads the openings of a table's sealed fields that everybody may read."""

    def openings(self, table: str) -> Mapping[FieldPlace, FieldOpening]:
        """Return the openings by position and field.

        Raises:
            SourceFailed: there is no answer, or it can't be read.
        """


class TableJudge:
    """Judges the tables in *store*: first when they are there, and again once their decks or fields are told.

    Disputes are judged whenever they have a new step.
    """

    def __init__(
        self, source: ReadsOpenings, store: AuditStore, codec: Codec, clock: Clock, shuffle: Shuffle = deck.shuffle
    ) -> None:
        self._source = source
        self._store = store
        self._codec = codec
        self._clock = clock
        self._shuffle = shuffle
        self._doubts: dict[str, tuple[int, float]] = {}

    def start(self) -> None:
        """Start the thread that judges tables."""
        Thread(target=self._run, name="judge", daemon=True).start()

    def look(self) -> int:
        """Judge each table that is due; return how many were judged."""
        done = 0
        for stream, head in self._store.due():
            if self._is_in_doubt(stream, head):
                continue
            try:
                self._judge(stream, head)
            except SourceFailed as error:
                _LOG.warning("table_not_judged", stream=stream, cause=str(error))
                continue
            except Exception as error:  # noqa: BLE001  # Forged events may cause any error; the other tables go on.
                _LOG.error("table_not_judged", stream=stream, error=type(error).__name__)
                self._store.judge(stream, head, Verdict.FAILED.value, [self._finding(stream, 0, "audit_must_not_fail")])
            done += 1
        return done

    def _is_in_doubt(self, stream: str, head: int) -> bool:
        doubted, since = self._doubts.get(stream, (0, 0.0))
        return doubted == head and self._clock.monotonic() - since < _DOUBT_SECONDS

    def page(self) -> Answer:
        """Return what failed, as JSON: places and names of checks. It has no values, because tables may be private."""
        found = self._store.findings(_MOST_FINDINGS)
        listed = {
            "entries": self._store.tree().size,
            "fork": self._store.fork(),
            "streams": {verdict or "waiting": count for verdict, count in self._store.verdicts().items()},
            "findings": [
                {
                    "stream": one.stream,
                    "position": one.position,
                    "check": one.kind,
                    "detail": one.detail,
                    "found_at": one.found_at,
                }
                for one in found
            ],
        }
        return Answer(200, msgspec.json.encode(listed) + b"\n", "application/json")

    def _run(self) -> None:
        while True:
            try:
                self.look()
            except Exception as error:  # noqa: BLE001  # The disk may have room again at the next look.
                _LOG.error("tables_not_judged", error=type(error).__name__)
            Event().wait(_EVERY_SECONDS)

    def _judge(self, stream: str, head: int) -> None:
        leaves = self._store.leaves(stream, head)
        verdict, found = self._verdict(stream, leaves)
        if found and self._may_lack_consequences(stream, leaves):
            return
        self._doubts.pop(stream, None)
        if found:
            first = min(found, key=lambda one: one.position)
            _LOG.error("table_failed", stream=stream, position=first.position, check=first.kind, findings=len(found))
        self._store.judge(stream, head, verdict.value, found)

    def _may_lack_consequences(self, stream: str, leaves: list[bytes]) -> bool:
        """Return whether only the last command of a stream fails, and its last events may still be on their way.

        The entries of one command may be on both sides of a checkpoint. A minute later they must be there.
        """
        now = self._clock.monotonic()
        if self._doubts.get(stream, (0, now))[0] == len(leaves):
            return False  # It was in doubt, and is not any more.
        is_of_disputes = stream.startswith(dispute_judge.DISPUTES)  # The table's last entries may be missing.
        if not is_of_disputes and self._verdict(stream, self._without_last_command(leaves))[1]:
            return False
        self._doubts[stream] = len(leaves), now
        return True

    def _without_last_command(self, leaves: list[bytes]) -> list[bytes]:
        for end in range(len(leaves) - 1, 0, -1):
            try:
                if isinstance(self._codec.decode(leaves[end]).event, Decision):
                    return leaves[:end]
            except Malformed:
                break
        return leaves

    def _verdict(self, stream: str, leaves: list[bytes]) -> tuple[Verdict, list[StoredFinding]]:
        if stream == _SERVICE_STREAM:
            return self._verdict_of_service(leaves)
        if stream.startswith(dispute_judge.DISPUTES):
            return self._verdict_of_disputes(stream, leaves)
        recorded: list[RecordedEvent] = []
        try:
            stream_id = _stream_id(stream)
            for leaf in leaves:
                recorded.append(self._codec.decode(leaf))
                self._codec.check_canonical(leaf)
        except (Malformed, NotCanonical, ValueError):
            return Verdict.FAILED, [self._finding(stream, len(recorded) + 1, "leaf_must_be_readable")]
        found: dict[StoredFinding, None] = {}
        commands: set[str] = set()
        for one in recorded:
            if one.cmd and one.cmd in commands:
                found[self._finding(stream, one.position, "command_must_be_recorded_once", "cmd")] = None
            commands.add(one.cmd)
        fields = self._fields(stream, recorded, disclosures_of(recorded), found)
        audit = import_audit.audit(stream_id, recorded, lambda one: fields.get(one.position, {}), self._shuffle)
        for each in audit.findings:
            found[self._finding(stream, each.position, each.check, each.detail)] = None
        return Verdict.FAILED if found else audit.verdict, list(found)

    def _verdict_of_service(self, leaves: list[bytes]) -> tuple[Verdict, list[StoredFinding]]:
        """Check that each leaf of the service's own stream can be read; no rules of a game decide its events."""
        for position, leaf in enumerate(leaves, start=1):
            try:
                SERVICE_CODEC.decode(leaf)
                SERVICE_CODEC.check_canonical(leaf)
            except (Malformed, NotCanonical):
                return Verdict.FAILED, [self._finding(_SERVICE_STREAM, position, "leaf_must_be_readable")]
        return Verdict.CLEAN, []

    def _verdict_of_disputes(self, stream: str, leaves: list[bytes]) -> tuple[Verdict, list[StoredFinding]]:
        """Decide the disputes of a table again; what is wrong with the table itself is found with the table."""

        def values_of(table: str, recorded: list[RecordedEvent]) -> Mapping[int, dict[str, Any]]:
            return self._fields(table, recorded, disclosures_of(recorded), {})

        found = dispute_judge.findings(stream, leaves, self._whole, self._codec, values_of)
        stored = dict.fromkeys(self._finding(stream, each.position, each.check, each.detail) for each in found)
        return Verdict.FAILED if stored else Verdict.CLEAN, list(stored)

    def _whole(self, stream: str) -> list[bytes]:
        return self._store.leaves(stream, self._store.head(stream).position)

    def _fields(
        self, stream: str, recorded: list[RecordedEvent], told: Disclosures, found: dict[StoredFinding, None]
    ) -> Mapping[int, dict[str, Any]]:
        """Return the sealed values that everybody may read, by position and field; add what is missing to *found*."""
        wanted = [place for place, end in told.ends.items() if end == "open" and place not in told.erased]
        values: dict[int, dict[str, Any]] = {}
        openings = self._source.openings(stream.removeprefix("table/")) if wanted else {}
        for position, field in wanted:
            opening = openings.get((position, field))
            committed = disclosure.committed(recorded[position - 1])[field]
            if opening and opening.stream == stream and _is_open(opening, committed):
                values.setdefault(position, {})[field] = opening.value
            else:
                found[self._finding(stream, position, "open_field_must_be_told", field)] = None
        return values

    def _finding(self, stream: str, position: int, check: str, detail: str = "") -> StoredFinding:
        return StoredFinding(stream, position, check, detail, self._clock.now())


def _is_open(opening: FieldOpening, committed: Committed) -> bool:
    try:
        check_opening(opening, committed)
    except OpeningMustMatch:
        return False
    return True


def _stream_id(stream: str) -> bytes:
    """Return the id of the table that has this *stream*.

    Raises:
        ValueError: no table has such a stream.
    """
    found = stream_id_of(stream)
    if not is_of_table(found):
        raise ValueError(stream)
    return found
