"""Reads exported files line by line, and groups successive lines of one stream."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import msgspec
from msgspec import Raw, Struct

from service.audit.findings import Finding
from service.canonical import NotCanonical
from service.disputes.dispute_events import DISPUTE_CODEC
from service.event_store import export_format, leaf
from service.event_store.codec import Codec, RecordedEvent
from service.event_store.export_format import End
from service.secrets.openings import FieldOpening

DISPUTES: Final = "dispute/"
"""The first characters of the name of a stream of disputes."""
_OF_DISPUTES: Final = f'"stream":"{DISPUTES}'.encode()


class CannotImport(Exception):
    """A table of a file, or the disputes of a table, were not imported, or only in part; or the file has another fault.

    *why*: the reason. *line*: the number of the faulty line; 0: the fault concerns no single line. *findings*: the
    findings of the audit that failed; empty: no audit failed.
    """

    def __init__(self, why: str, *, line: int = 0, findings: Sequence[Finding] = ()) -> None:
        super().__init__(f"line {line}: {why}" if line else why)
        self.why = why
        self.line = line
        self.findings = tuple(findings)


class EventLine(Struct, frozen=True):
    """The event in the line numbered *line* of a file, and the openings of sealed fields in that line."""

    line: int
    stream: str
    recorded: RecordedEvent
    fields: tuple[FieldOpening, ...]


class TableLines(Struct):
    """Consecutive lines of one *stream*, up to the first faulty line.

    *fault* is the error in that line; None: no line is faulty. *stream* is "" if the fault concerns no single stream.
    *origin* is the log that the first line of the export names; "": that line is missing, or names no log.
    """

    stream: str
    lines: list[EventLine]
    fault: CannotImport | None = None
    origin: str = ""


class _Line(Struct, frozen=True):
    """A line with an envelope, as the events endpoint and `chiptrail export --openings` write it.

    *hash* is compared with the hash of *leaf*. *fields* are openings of sealed fields. The envelope's member
    `openings`, which has faces of cards, is ignored.
    """

    leaf: Raw
    hash: str
    fields: tuple[FieldOpening, ...] = ()


class _Section(Struct):
    """Consecutive leaves of a file. The first and last lines of exports divide the file into sections.

    *leaves*: the number of leaves. *heads*: the last readable line of each stream. *has_begun*: the first line of an
    export came right before the section, and named the log *origin*.
    """

    has_begun: bool = False
    origin: str = ""
    leaves: int = 0
    heads: dict[str, EventLine] = {}


def tables(lines: Iterable[bytes], codec: Codec) -> Iterator[TableLines]:
    """Yield the tables and disputes of *lines*: leaves of log/v1, bare or in the envelopes of the events endpoint.

    An unreadable line is a fault of the table in the line before, because the unreadable line may have had the next
    event of this table. The last line of an export is compared with the lines before it. A file may lack the first line
    of an export; a file with the first line must also have the last line.
    """
    section, current, number = _Section(), TableLines("", []), 0
    for number, line in enumerate(map(bytes.strip, lines), start=1):
        if not line:
            continue
        if _is_first_or_last_line(line):
            yield from _unless_empty(current)
            yield from _check_end(section, line, number)
            begin = export_format.parse_begin(line)
            section = _Section(has_begun=begin is not None, origin=begin.origin if begin else "")
            current = TableLines("", [])
            continue
        section.leaves += 1
        try:
            one = _read(number, line, codec)
        except CannotImport as error:
            current.fault = current.fault or error
            continue
        section.heads[one.stream] = one
        if one.stream != current.stream:
            yield from _unless_empty(current)
            current = TableLines(one.stream, [], origin=section.origin)
        if current.fault is None:
            current.lines.append(one)
    yield from _unless_empty(current)
    if section.has_begun:
        yield _fault("The file is incomplete: its last line is missing, and perhaps more tables.", number)


def _is_first_or_last_line(line: bytes) -> bool:
    return line.startswith((b'{"begin":', b'{"end":')) and bool(
        export_format.parse_begin(line) or export_format.parse_end(line)
    )


def _unless_empty(one: TableLines) -> Iterator[TableLines]:
    if one.lines or one.fault:
        yield one


def _check_end(section: _Section, line: bytes, number: int) -> Iterator[TableLines]:
    """Yield the faults of *section*, which ends with *line*, the first or last line of an export."""
    end = export_format.parse_end(line)
    if end is None and section.has_begun:
        yield _fault("The export before this line is incomplete: its last line is missing.", number)
    if end is None:
        return
    if end.leaves != section.leaves or not _heads_match(section, end):
        yield _fault("The file has other leaves than its last line names.", number)
    for broken in end.broken:
        place = broken.stream.removeprefix("table/").removeprefix(DISPUTES)
        why = f"{place} was damaged at position {broken.position} when it was exported"
        yield _fault(f"{why}: {broken.why}.", number)


def _heads_match(section: _Section, end: End) -> bool:
    read = {(name, one.recorded.position, one.recorded.hash.hex()) for name, one in section.heads.items()}
    return read == {(one.stream, one.position, one.leaf_hash) for one in end.heads}


def _fault(why: str, line: int) -> TableLines:
    return TableLines("", [], CannotImport(why, line=line))


def _read(number: int, line: bytes, codec: Codec) -> EventLine:
    try:
        return _decode(number, line, codec)
    except (leaf.Malformed, NotCanonical) as error:
        raise CannotImport(str(error), line=number) from error


def _decode(number: int, line: bytes, codec: Codec) -> EventLine:
    try:
        enveloped = msgspec.json.decode(line, type=_Line)
    except msgspec.ValidationError:
        data, wanted, fields = line, "", tuple[FieldOpening, ...]()
    except (msgspec.DecodeError, RecursionError) as error:
        raise CannotImport(f"This is not JSON: {error}", line=number) from error
    else:
        data, wanted, fields = bytes(enveloped.leaf), enveloped.hash, enveloped.fields
    codec = DISPUTE_CODEC if _OF_DISPUTES in data else codec
    codec.check_canonical(data)
    recorded = codec.decode(data)
    if wanted not in {"", recorded.hash.hex()}:
        raise CannotImport(f"The leaf's hash is {recorded.hash.hex()}, not {wanted}.", line=number)
    return EventLine(number, leaf.decode(data).stream, recorded, fields)
