"""Files of leaves: read line by line, and gathered table by table."""

from collections.abc import Iterable, Iterator, Sequence

import msgspec
from msgspec import Raw, Struct

from service.audit.findings import Finding
from service.canonical import NotCanonical
from service.event_store import export_format, leaf
from service.event_store.codec import Codec, RecordedEvent
from service.event_store.export_format import End
from service.secrets.openings import FieldOpening


class CannotImport(Exception):
    """A table of a file, or what was left of it, was not imported: *why*, at which line, and what the audit found."""

    def __init__(self, why: str, *, line: int = 0, findings: Sequence[Finding] = ()) -> None:
        super().__init__(f"line {line}: {why}" if line else why)
        self.why = why
        self.line = line
        self.findings = tuple(findings)


class EventLine(Struct, frozen=True):
    """An event as a line of a file has it."""

    line: int
    stream: str
    recorded: RecordedEvent
    fields: tuple[FieldOpening, ...]


class TableLines(Struct):
    """The lines of one *stream* that follow each other, up to the first of them that has a *fault*.

    *stream* is "" where the fault is not of any one table's lines.
    """

    stream: str
    read: list[EventLine]
    fault: CannotImport | None = None


class _Line(Struct, frozen=True):
    """A line of an export through the API: a leaf in its envelope, and the sealed fields that it opens.

    What else is in it follows from the leaves.
    """

    leaf: Raw
    hash: str
    fields: tuple[FieldOpening, ...] = ()


class _Part(Struct):
    """What was read since the last first or last line: so many *leaves*, and the last that could be read by stream."""

    has_begun: bool = False
    leaves: int = 0
    heads: dict[str, EventLine] = {}


def tables(lines: Iterable[bytes], codec: Codec) -> Iterator[TableLines]:
    """Yield the tables of *lines*: leaves of log/v1, bare or as the events endpoint has them.

    A line that can't be read is a fault of the table before it: it may have been its next event. First and last
    lines of exports are held against what stands between them; a file may have neither.
    """
    part, current, number = _Part(), TableLines("", []), 0
    for number, line in enumerate(map(bytes.strip, lines), start=1):
        if not line:
            continue
        if _says_the_extent(line):
            yield from _gathered(current)
            yield from _ended(part, line, number)
            part, current = _Part(has_begun=export_format.parse_begin(line) is not None), TableLines("", [])
            continue
        part.leaves += 1
        try:
            one = _read(number, line, codec)
        except CannotImport as error:
            current.fault = current.fault or error
            continue
        part.heads[one.stream] = one
        if one.stream != current.stream:
            yield from _gathered(current)
            current = TableLines(one.stream, [])
        if current.fault is None:
            current.read.append(one)
    yield from _gathered(current)
    if part.has_begun:
        yield _fault("The file broke off: its last line is missing, so that more tables may be.", number)


def _says_the_extent(line: bytes) -> bool:
    return line.startswith((b'{"begin":', b'{"end":')) and bool(
        export_format.parse_begin(line) or export_format.parse_end(line)
    )


def _gathered(one: TableLines) -> Iterator[TableLines]:
    if one.read or one.fault:
        yield one


def _ended(part: _Part, line: bytes, number: int) -> Iterator[TableLines]:
    """Yield what is wrong with a *part* of a file that ends before the first or last line of an export."""
    end = export_format.parse_end(line)
    if end is None and part.has_begun:
        yield _fault("The export before this line broke off: its last line is missing.", number)
    if end is None:
        return
    if end.leaves != part.leaves or not _has_the_heads(part, end):
        yield _fault("The file does not hold what its last line says.", number)
    for broken in end.broken:
        why = f"{broken.stream.removeprefix('table/')} was damaged at position {broken.position} where it was exported"
        yield _fault(f"{why}: {broken.why}.", number)


def _has_the_heads(part: _Part, end: End) -> bool:
    read = {(name, one.recorded.position, one.recorded.hash.hex()) for name, one in part.heads.items()}
    return read == {(one.stream, one.position, one.leaf_hash) for one in end.heads}


def _fault(why: str, line: int) -> TableLines:
    return TableLines("", [], CannotImport(why, line=line))


def _read(number: int, line: bytes, codec: Codec) -> EventLine:
    try:
        return _one(number, line, codec)
    except (leaf.Malformed, NotCanonical) as error:
        raise CannotImport(str(error), line=number) from error


def _one(number: int, line: bytes, codec: Codec) -> EventLine:
    try:
        enveloped = msgspec.json.decode(line, type=_Line)
    except msgspec.ValidationError:
        data, wanted, fields = line, "", tuple[FieldOpening, ...]()
    except (msgspec.DecodeError, RecursionError) as error:
        raise CannotImport(f"This is no JSON: {error}", line=number) from error
    else:
        data, wanted, fields = bytes(enveloped.leaf), enveloped.hash, enveloped.fields
    codec.check_canonical(data)
    recorded = codec.decode(data)
    if wanted not in {"", recorded.hash.hex()}:
        raise CannotImport(f"The leaf's hash is {recorded.hash.hex()}, not {wanted}.", line=number)
    return EventLine(number, leaf.decode(data).stream, recorded, fields)
