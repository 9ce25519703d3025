"""Decides a table's disputes again, from the log's entries and the table's openings, without the disputes' texts."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from service.audit.disputes.step_check import steps_findings
from service.audit.disputes.table_history import TableHistory
from service.audit.findings import Finding
from service.audit.judging.disclosures import disclosures_of
from service.canonical import NotCanonical
from service.disputes.dispute_events import DISPUTE_CODEC, DisputeOpened
from service.event_store import disclosure
from service.event_store.codec import Codec, RecordedEvent
from service.event_store.entries import disputes_stream, place_name, stream_id_of, stream_name
from service.event_store.leaf import Malformed
from service.witness.auditing.audit_store import AuditStore
from service.witness.auditing.table_judgement import ReadsOpenings, is_open

DISPUTES: Final = "dispute/"
"""The first characters of the name of a stream of disputes."""


def findings(stream: str, head: int, store: AuditStore, codec: Codec, source: ReadsOpenings) -> list[Finding]:
    """Return the findings about the stream of disputes *stream*, up to the position *head*.

    *codec* decodes the entries of the table.

    Raises:
        SourceFailed: the openings of the table can't be read.
    """
    place = stream.removeprefix(DISPUTES)
    recorded: list[RecordedEvent] = []
    try:
        stream_id = stream_id_of(stream)
        for data in store.leaves(stream, 0, head):
            DISPUTE_CODEC.check_canonical(data)
            recorded.append(DISPUTE_CODEC.decode(data))
    except (Malformed, NotCanonical, ValueError) as error:
        return [_finding(place, len(recorded) + 1, "leaf_must_be_readable", str(error))]
    first = recorded[0].event
    table = bytes.fromhex(first.table.removeprefix("tbl_")) if isinstance(first, DisputeOpened) else b""
    if disputes_stream(table) != stream_id:
        return [_finding(place, 1, "disputes_must_belong_to_a_table", place_name(table))]
    name = stream_name(table)
    of_table = _readable(store.leaves(name, 0, store.head(name).position), codec)
    values = _values(name, of_table, source)
    history = TableHistory(table, of_table, lambda one: values.get(one.position, {}))
    return [*_repeated(place, recorded), *steps_findings(place, history, recorded)]


def _readable(leaves: Sequence[bytes], codec: Codec) -> list[RecordedEvent]:
    """Return the events before the first leaf that can't be read; the judgement of the table reports that leaf."""
    recorded: list[RecordedEvent] = []
    for data in leaves:
        try:
            one = codec.decode(data)
        except Malformed:
            break
        recorded.append(one)
    return recorded


def _values(name: str, recorded: Sequence[RecordedEvent], source: ReadsOpenings) -> Mapping[int, dict[str, Any]]:
    """Return the sealed values of the table that everybody may read and that *source* opens, by position and field."""
    disclosures = disclosures_of(recorded)
    wanted = [place for place, end in disclosures.ends.items() if end == "open" and place not in disclosures.erased]
    openings = source.openings(name.removeprefix("table/"), 0, len(recorded)) if wanted else {}
    values: dict[int, dict[str, Any]] = {}
    for position, field in wanted:
        opening = openings.get((position, field))
        committed = disclosure.committed(recorded[position - 1])[field]
        if opening and opening.stream == name and is_open(opening, committed):
            values.setdefault(position, {})[field] = opening.value
    return values


def _repeated(place: str, recorded: Sequence[RecordedEvent]) -> Iterator[Finding]:
    seen: set[str] = set()
    for one in recorded:
        if one.cmd in seen:
            yield _finding(place, one.position, "command_must_be_recorded_once", one.cmd)
        seen |= {one.cmd} if one.cmd else set()


def _finding(place: str, position: int, check: str, found: str) -> Finding:
    return Finding(table=place, position=position, check=check, expected="", found=found)
