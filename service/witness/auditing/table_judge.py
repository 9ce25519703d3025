"""Decides every recorded decision again, and stores what failed; the witness still cosigns a log with a failed hand."""

from threading import Event, Thread
from typing import Final

import msgspec
import structlog

from service import deck
from service.audit.verdicts import Verdict
from service.canonical import NotCanonical
from service.clock import Clock
from service.database.metadata import SERVICE_STREAM
from service.deck import Shuffle
from service.event_store.codec import Codec
from service.event_store.entries import stream_name
from service.event_store.leaf import Malformed
from service.games.game import Decision
from service.service_log.service_events import SERVICE_CODEC
from service.witness.auditing import dispute_judge
from service.witness.auditing.audit_store import AuditStore, StoredFinding
from service.witness.auditing.log_source import SourceFailed
from service.witness.auditing.table_judgement import ReadsOpenings, TableJudgement
from service.witness.cosigner import Answer

_LOG: Final = structlog.get_logger("service.witness")
_EVERY_SECONDS: Final = 1.0
_DOUBT_SECONDS: Final = 60.0
_MOST_FINDINGS: Final = 1_000
_MOST_KEPT: Final = 500
"""The maximum number of tables whose judgements stay in memory."""
_SERVICE_STREAM: Final = stream_name(SERVICE_STREAM)


class TableJudge:
    """Judges the tables in *store* as they grow, and when their decks or fields become public.

    The most recent judgements stay in memory, so that only the events after `TableJudgement.position` are judged again.
    A table whose judgement is not in memory, for example after a restart, is judged from its first event. The store
    says when a stream is due (`AuditStore.due`): disputes are due when they have a new step or, if they failed, when
    they have grown by a 32nd; the service's own stream is due when it has grown by a quarter.
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
        self._kept: dict[str, TableJudgement] = {}

    def start(self) -> None:
        """Start the thread that judges tables."""
        Thread(target=self._run, name="judge", daemon=True).start()

    def look(self) -> int:
        """Judge each stream that is due; return how many were judged, also if their findings wait for more entries."""
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
                self._kept.pop(stream, None)
                self._store.judge(stream, head, Verdict.FAILED.value, [self._finding(stream, 0, "audit_must_not_fail")])
            done += 1
        return done

    def _is_in_doubt(self, stream: str, head: int) -> bool:
        doubted, since = self._doubts.get(stream, (0, 0.0))
        return doubted == head and self._clock.monotonic() - since < _DOUBT_SECONDS

    def page(self) -> Answer:
        """Return as JSON the number of entries, the fork, the number of streams by verdict, and the failed checks.

        The failed checks have places and names, but no values, because tables may be private.
        """
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
        verdict, found = self._verdict(stream, head)
        if found and self._may_lack_consequences(stream, head):
            return
        self._doubts.pop(stream, None)
        if found:
            first = min(found, key=lambda one: one.position)
            _LOG.error("table_failed", stream=stream, position=first.position, check=first.kind, findings=len(found))
        self._store.judge(stream, head, verdict.value, found)

    def _may_lack_consequences(self, stream: str, head: int) -> bool:
        """Return whether the failure may be due to entries that are still to come: then the findings wait a minute.

        A checkpoint may cover only the first entries of a command. So the findings about a table wait if only its last
        command fails; the findings about disputes always wait. After a minute the witness must have the other entries.
        """
        now = self._clock.monotonic()
        if self._doubts.get(stream, (0, now))[0] == head or stream == _SERVICE_STREAM:
            return False  # The minute is over, or no event of the stream depends on later ones.
        if stream.startswith(dispute_judge.DISPUTES):  # The last entries of the table may be on their way.
            self._doubts[stream] = head, now
            return True
        leaves = self._without_last_command(self._store.leaves(stream, 0, head))
        if self._new_judgement(stream).judged(leaves)[1]:
            return False
        self._doubts[stream] = head, now
        return True

    def _without_last_command(self, leaves: list[bytes]) -> list[bytes]:
        for end in range(len(leaves) - 1, 0, -1):
            try:
                if isinstance(self._codec.decode(leaves[end]).event, Decision):
                    return leaves[:end]
            except Malformed:
                break
        return leaves

    def _verdict(self, stream: str, head: int) -> tuple[Verdict, list[StoredFinding]]:
        if stream == _SERVICE_STREAM:
            return self._verdict_of_service(head)
        if stream.startswith(dispute_judge.DISPUTES):
            return self._verdict_of_disputes(stream, head)
        kept = self._kept.pop(stream) if stream in self._kept else self._new_judgement(stream)
        self._kept[stream] = kept
        if len(self._kept) > _MOST_KEPT:
            del self._kept[next(iter(self._kept))]
        return kept.judged(self._store.leaves(stream, kept.position, head))

    def _verdict_of_service(self, head: int) -> tuple[Verdict, list[StoredFinding]]:
        """Check that each leaf of the service's own stream can be read; no rules of a game decide its events."""
        after = self._store.clean_up_to(_SERVICE_STREAM)
        for position, leaf in enumerate(self._store.leaves(_SERVICE_STREAM, after, head), start=after + 1):
            try:
                SERVICE_CODEC.decode(leaf)
                SERVICE_CODEC.check_canonical(leaf)
            except (Malformed, NotCanonical):
                return Verdict.FAILED, [self._finding(_SERVICE_STREAM, position, "leaf_must_be_readable")]
        return Verdict.CLEAN, []

    def _verdict_of_disputes(self, stream: str, head: int) -> tuple[Verdict, list[StoredFinding]]:
        """Decide the disputes of a table again; faults of the table itself are found when the table is judged."""
        found = dispute_judge.findings(stream, head, self._store, self._codec, self._source)
        stored = dict.fromkeys(self._finding(stream, each.position, each.check, each.detail) for each in found)
        return Verdict.FAILED if stored else Verdict.CLEAN, list(stored)

    def _new_judgement(self, stream: str) -> TableJudgement:
        return TableJudgement(stream, self._codec, self._source, self._shuffle, self._clock)

    def _finding(self, stream: str, position: int, check: str, detail: str = "") -> StoredFinding:
        return StoredFinding(stream, position, check, detail, self._clock.now())
