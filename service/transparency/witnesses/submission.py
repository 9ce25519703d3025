"""The body of `add-checkpoint` as C2SP tlog-witness defines it: an old size, a consistency proof and a checkpoint."""

import re
from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from typing import Final

from msgspec import Struct

from service.transparency import checkpoint, signed_note
from service.transparency.checkpoint import Checkpoint
from service.transparency.signed_note import Note, NoteMustBeGenuine

MOST_BYTES: Final = 65_536
SIZE_TYPE: Final = "text/x.tlog.size"
"""The content type of an answer with status 409 whose body is the size of the witness's last cosigned checkpoint."""
_MOST_HASHES: Final = 63
_HASH_BYTES: Final = 32
_CHECKPOINT_LINES: Final = 3
_SIZE: Final = re.compile("0|[1-9][0-9]{0,18}")


class Submission(Struct, frozen=True):
    """A *checkpoint*, its *note*, and the *proof* that its tree begins with the witness's tree of *old_size* leaves.

    The text of the note may have further lines after the lines of the checkpoint.
    """

    old_size: int
    proof: tuple[bytes, ...]
    checkpoint: Checkpoint
    note: Note

    def __bytes__(self) -> bytes:
        """Return the body."""
        proof = "".join(f"{b64encode(one).decode()}\n" for one in self.proof)
        return f"old {self.old_size}\n{proof}\n{self.note}".encode()


def parse(body: bytes) -> Submission:
    """Return the submission in *body*; no signature and no proof is verified.

    Raises:
        NoteMustBeGenuine: *body* is malformed.
    """
    if len(body) > MOST_BYTES:
        raise NoteMustBeGenuine(f"A body has at most {MOST_BYTES:,} bytes.")
    head, separator, rest = body.partition(b"\n\n")
    if not separator:
        raise NoteMustBeGenuine("A body is an old size, a proof, an empty line and a checkpoint.")
    try:
        first, *lines = head.decode("ascii").split("\n")
    except UnicodeDecodeError:
        raise NoteMustBeGenuine("The old size and the proof are ASCII text.") from None
    word, _, size = first.partition(" ")
    if word != "old" or not _SIZE.fullmatch(size):
        raise NoteMustBeGenuine("The first line is `old` and a size: decimal, without leading zeros.")
    if len(lines) > _MOST_HASHES:
        raise NoteMustBeGenuine(f"A proof has at most {_MOST_HASHES} hashes.")
    note = signed_note.parse(rest)
    return Submission(int(size), tuple(_hash(line) for line in lines), _checkpoint(note), note)


def recorded_size(body: bytes) -> int:
    """Return the size in the *body* of an answer with the status 409.

    Raises:
        NoteMustBeGenuine: *body* is not a size and a line feed.
    """
    text = body.decode(errors="replace")
    if not text.endswith("\n") or not _SIZE.fullmatch(text[:-1]):
        raise NoteMustBeGenuine("The answer of the witness must be a size.")
    return int(text)


def _hash(line: str) -> bytes:
    try:
        data = b64decode(line, validate=True)
    except NotBase64:
        data = b""
    if len(data) != _HASH_BYTES or b64encode(data).decode() != line:
        raise NoteMustBeGenuine("Each line of a proof is a hash of 32 bytes in base64.")
    return data


def _checkpoint(note: Note) -> Checkpoint:
    lines = note.text[:-1].split("\n")
    if not all(lines):
        raise NoteMustBeGenuine("A checkpoint has no empty line.")
    heading = "".join(f"{line}\n" for line in lines[:_CHECKPOINT_LINES])
    return checkpoint.parsed(Note(heading, note.signatures))
