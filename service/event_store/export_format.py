"""The first and the last line of a file of leaves: who wrote it for whom, and whether it is whole."""

import os
from pathlib import Path
from typing import Final, Literal, TypeAlias

import msgspec
from msgspec import Struct

from service.event_store.entries import Head, stream_name

FORMAT: Final = "chiptrail/export/v1"
LEAVES, OPENINGS = "leaves", "openings"
_BLOCK: Final = 65_536

Lines: TypeAlias = Literal["leaves", "openings"]


class Begin(Struct, frozen=True, kw_only=True):
    """What the first line says: the *release* that wrote the file, its *viewer*, and the form of its *lines*.

    *lines*: "leaves", each byte for byte as it was hashed; "openings", each in an envelope with what it opens.
    """

    format: Literal["chiptrail/export/v1"] = FORMAT
    release: str
    viewer: str
    lines: Lines


class StreamHead(Struct, frozen=True):
    """The last leaf of a *stream*: at *position*, with the hash *leaf_hash* in hex."""

    stream: str
    position: int
    leaf_hash: str


class BrokenStream(Struct, frozen=True):
    """A *stream* whose leaves end before its head: the one at *position* is missing, and *why*."""

    stream: str
    position: int
    why: str


class End(Struct, frozen=True, kw_only=True):
    """What the last line says: whether the file is whole, and what it holds.

    *leaves* were written, of so many *streams*, broken ones included. *heads* has the last leaf that holds of each
    stream: its head, unless the stream is in *broken*. A broken stream without any leaf that holds has no head.
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
    """Return the *head* of a stream as a last line has it."""
    return StreamHead(stream_name(stream_id), head.position, head.hash.hex())


def begin_line(begin: Begin) -> bytes:
    """Return the first line of a file, without its line feed."""
    return msgspec.json.encode(_BeginLine(begin))


def end_line(end: End) -> bytes:
    """Return the last line of a file, without its line feed."""
    return msgspec.json.encode(_EndLine(end))


def read_end(file: Path) -> End | None:
    """Return what the last line of *file* says; None: it broke off, or is no file of leaves."""
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
    """Return what *line* says if it is the first line of a file; None: it is none."""
    try:
        return msgspec.json.decode(line, type=_BeginLine).begin
    except (msgspec.DecodeError, RecursionError):
        return None


def parse_end(line: bytes) -> End | None:
    """Return what *line* says if it is the last line of a file; None: it is none."""
    try:
        return msgspec.json.decode(line, type=_EndLine).end
    except (msgspec.DecodeError, RecursionError):
        return None
