"""Figures of what is pure: folding events, deciding them again, checking decks."""

from collections.abc import Iterator, Sequence
from typing import Final

from service.audit.adjudicate import adjudicate
from service.audit.chance import chance
from service.audit.known import AuditKnown
from service.audit.verdicts import Verdict, worst
from service.bench import streams
from service.bench.figures import Figure
from service.bench.processors import own_seconds
from service.bench.stopwatch import rate
from service.bench.streams import Stream
from service.games import EVENTS
from service.log.codec import Codec
from service.projections import situations

TABLES: Final = 4
MOVES: Final = 700  # at each table


def folding(seconds: float) -> Iterator[Figure]:
    """Measure how fast leaves in memory are read and folded into their tables' states."""
    played = _streams()
    codec = Codec(EVENTS)
    leaves = [(stream.stream_id, [one.leaf for one in stream.recorded]) for stream in played]

    def fold() -> int:
        for stream_id, stream in leaves:
            situations.fold(None, stream_id, map(codec.decode, stream))
        return sum(len(stream) for _, stream in leaves)

    measured = rate(fold, seconds, own_seconds)
    yield Figure("core.events_folded_per_second", measured.per_second, f"decoded and folded; {measured.spread}")


def judging(seconds: float) -> Iterator[Figure]:
    """Measure how fast hands are judged, their decks given, and how fast decks are checked."""
    played = _streams()

    def judge() -> int:
        for stream in played:
            _judge(stream)
        return sum(stream.hands for stream in played)

    measured = rate(judge, seconds / 2, own_seconds)
    events = sum(len(stream.recorded) for stream in played) / sum(stream.hands for stream in played)
    remark = f"four players, {events:.1f} events a hand, decks given; {measured.spread}"
    yield Figure("audit.hands_per_second", measured.per_second, remark)

    tables = [chance(stream.recorded) for stream in played]

    def check() -> int:
        for table in tables:
            _must_be_clean(worst(proof.verdict for proof in AuditKnown(table).proofs()))
        return sum(len(table.ended) for table in tables)

    measured = rate(check, seconds / 2, own_seconds)
    remark = f"commitment, order, salts and root from the seed; {measured.spread}"
    yield Figure("audit.decks_per_second", measured.per_second, remark)


def _streams() -> Sequence[Stream]:
    return [streams.played(number, MOVES) for number in range(1, TABLES + 1)]


def _judge(stream: Stream) -> None:
    judged = adjudicate(stream.stream_id, stream.recorded, shuffle=lambda epoch, _seed: stream.decks[epoch])
    _must_be_clean(judged.verdict)


def _must_be_clean(verdict: Verdict) -> None:
    if verdict not in {Verdict.CLEAN, Verdict.PENDING}:  # the deck in play is not revealed yet
        raise AssertionError(f"what was played is {verdict.value}")
