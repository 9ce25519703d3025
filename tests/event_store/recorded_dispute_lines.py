"""The recorded lines of events of disputes; `python -m tests.event_store.recorded_lines` adds lines for new events."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Raw

from service.disputes.dispute_commands import ApproveCorrection, RefuseCorrection
from service.disputes.dispute_events import DISPUTE_CODEC, DISPUTE_EVENTS, DisputeEvent, VerdictChanged
from service.entropy import Entropy
from service.event_store import leaf
from service.event_store.codec import RecordedEvent
from service.event_store.entries import EMPTY, Head, Secret, UncommittedEvent, disputes_stream
from service.event_store.leaf import Until
from service.event_store.store import Log
from service.secrets.encryption import Sealer
from tests.disputes import rules
from tests.disputes.rules import ANN, ANSWER, APPROVER, AT, AUDITOR, BEN, ERASE, REQUEST, RETURN, SERVICE, WITHDRAW
from tests.event_store.lines import Line
from tests.event_store.streams import KEY, cmd

FILE: Final = Path(__file__).with_name("recorded_dispute_events.jsonl")
_BY: Final = {ANN: "player", BEN: "player", AUDITOR: "auditor", APPROVER: "approver", SERVICE: "service"}


def lines() -> list[Line]:
    """Return all recorded lines."""
    return [msgspec.json.decode(line, type=Line) for line in FILE.read_bytes().splitlines()] if FILE.exists() else []


def needed() -> set[tuple[str, int]]:
    """Return each type and version of event that needs a line."""
    return {(name, version) for name, kind in DISPUTE_EVENTS.items() for version in range(1, kind.VERSION + 1)}


def found() -> set[tuple[str, int]]:
    """Return each type and version of event that has a line."""
    return {(one.type, one.version) for one in (leaf.decode(line.data) for line in lines())}


def recorded() -> Iterator[RecordedEvent]:
    """Yield the events of a stream that has an event of each type."""
    log, head = Log(DISPUTE_CODEC, Sealer(KEY), Entropy()), EMPTY
    stream_id = disputes_stream((1).to_bytes(16))
    for event, fields in _steps():
        secret = Secret("See rule 3.", (1, 2), Until(never=(), open=()))
        is_step = not isinstance(event, VerdictChanged)
        by = _BY[getattr(event, "owner", SERVICE)]
        uncommitted = UncommittedEvent(
            event, by, cmd(f"{head.position}") if is_step else "", secrets=dict.fromkeys(fields, secret)
        )
        (one,) = log.entry(stream_id, head, [uncommitted], AT).recorded
        head = Head(one.position, one.hash)
        yield one


def _steps() -> Iterator[tuple[DisputeEvent, tuple[str, ...]]]:
    """Yield each event with the names of the fields that it seals."""
    table = rules.Table().judges("pending")
    yield table.do(ANN, rules.OPEN), ("statement",)
    yield table.do(AUDITOR, rules.TAKE), ()
    yield VerdictChanged(dispute=1, evidence=rules.EVIDENCE), ()
    yield table.do(AUDITOR, RETURN), ()
    yield table.do(AUDITOR, rules.TAKE), ()
    yield table.do(AUDITOR, REQUEST), ("question",)
    yield table.do(BEN, ANSWER), ("statement",)
    yield table.judges("clean").do(AUDITOR, rules.FAULT), ("reason",)
    yield table.do(AUDITOR, rules.correction(7)), ()
    yield table.do(APPROVER, RefuseCorrection(proposal=table.position)), ()
    yield table.do(AUDITOR, rules.correction()), ()
    yield table.do(APPROVER, ApproveCorrection(proposal=table.position)), ()
    yield table.do(ANN, rules.OPEN), ("statement",)
    yield table.do(ANN, WITHDRAW, 2), ()
    yield table.do(SERVICE, ERASE), ()


def add() -> set[tuple[str, int]]:
    """Add a line for each type and version that has none; return the types and versions that `recorded` lacks."""
    left = needed() - found()
    for one in recorded() if left else ():
        kind = (one.type, leaf.decode(one.leaf).version)
        if kind in left:
            left.remove(kind)
            with FILE.open("ab") as file:
                file.write(msgspec.json.encode(Line(hash=one.hash.hex(), leaf=Raw(one.leaf))) + b"\n")
    return left
