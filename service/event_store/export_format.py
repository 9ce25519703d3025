"""The first line of an export file says how the file was written; the last line, what the file has (DECISIONS 64)."""

import os
from pathlib import Path
from typing import Annotated, Final, Literal, TypeAlias

import msgspec
from msgspec import Meta, Struct

from service.event_store.entries import Head, stream_name

FORMAT: Final = "chiptrail/export/v1"
LEAVES, OPENINGS = "leaves", "openings"
_BLOCK: Final = 65_536

Lines: TypeAlias = Literal["leaves", "openings"]


class Begin(Struct, frozen=True, kw_only=True):
    """The first line: the *release* that wrote the file, its *viewer*, the form of its *lines*, and the *origin*.

    *lines* is "leaves" if each line is a leaf, byte for byte as it was hashed; "openings" if each line is an object
    that has a leaf and openings. *origin* is the name of the log that was exported; "": unknown.
    """

    format: Literal["chiptrail/export/v1"] = FORMAT
    release: str
    viewer: str
    lines: Lines
    origin: Annotated[str, Meta(max_length=255)] = ""


class StreamHead(Struct, frozen=True):
    """The last leaf of a *stream*: its *position* and its hash *leaf_hash* (hex)."""

    stream: str
    position: int
    leaf_hash: str


class BrokenStream(Struct, frozen=True):
    """A *stream* of which only the leaves before *position* could be written; *why* is the reason."""

    stream: str
    position: int
    why: str


class End(Struct, frozen=True, kw_only=True):
    """The last line: whether the file is complete, and what it contains.

    *leaves* is the number of written leaves, *streams* the number of streams, including broken streams. *heads* has the
    last written leaf of each stream. In an export, this leaf is the stream's head, unless the stream is in *broken*; a
    stream without a written leaf is not in *heads*. In a response with the events of one table, *heads* has the
    stream's head if no leaf was written and the stream is not in *broken*.
    """

    is_whole: bool
    streams: int
    leaves: int
    heads: tuple[StreamHead, ...]
    broken: tuple[BrokenStream, ...] = ()


class _BeginLine(Struct, frozen=True, forbid_unknown_fields=True):
    begin: Begin


class _EndLine(Struct, frozen=True, forbid_unknown_fields=True):
    end: End


def stream_head(stream_id: bytes, head: Head) -> StreamHead:
    """Return the *head* of a stream as the last line of a file has it."""
    return StreamHead(stream_name(stream_id), head.position, head.hash.hex())


def begin_line(begin: Begin) -> bytes:
    """Return the first line of a file, without its line feed."""
    return msgspec.json.encode(_BeginLine(begin))


def end_line(end: End) -> bytes:
    """Return the last line of a file, without its line feed."""
    return msgspec.json.encode(_EndLine(end))


def read_end(file: Path) -> End | None:
    """Return the decoded last line of *file*; None: it is not the last line of an export, or the file is cut short."""
    with file.open("rb") as opened:
        size = opened.seek(0, os.SEEK_END)
        length = _BLOCK
        while True:
            opened.seek(max(0, size - length))
            found = opened.read().rstrip(b"\n")
            if b"\n" in found or length >= size:
                return parse_end(found.rpartition(b"\n")[2])
            length *= 2


def parse_begin(line: bytes) -> Begin | None:
    """Return the decoded *line*, or None if *line* is not the first line of an export."""
    try:
        return msgspec.json.decode(line, type=_BeginLine).begin
    except (msgspec.DecodeError, RecursionError):
        return None


def parse_end(line: bytes) -> End | None:
    """Return the decoded *line*, or None if *line* is not the last line of an export."""
    try:
        return msgspec.json.decode(line, type=_EndLine).end
    except (msgspec.DecodeError, RecursionError):
        return None
