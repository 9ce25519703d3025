"""Checkpoints as C2SP tlog-checkpoint defines them: signed statements of the size and the root of the tree."""

import re
from base64 import b64decode, b64encode
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec import Struct

from service.transparency import signed_note
from service.transparency.signed_note import Note, NoteMustBeGenuine, VerifierKey

_TEXT: Final = re.compile(r"(?P<origin>[^\n]+)\n(?P<size>0|[1-9][0-9]{0,18})\n(?P<root>[A-Za-z0-9+/]{43}=)\n")


class Checkpoint(Struct, frozen=True):
    """The tree of the log *origin* had *size* leaves and this *root* (32 bytes)."""

    origin: str
    size: int
    root: bytes

    @property
    def text(self) -> str:
        """The text that is signed: origin, size and root, a line each."""
        return f"{self.origin}\n{self.size}\n{b64encode(self.root).decode()}\n"


def signed(checkpoint: Checkpoint, key: Ed25519PrivateKey) -> Note:
    """Return the note with *checkpoint*, signed by the log's *key*; the signer's name is the origin."""
    return Note(checkpoint.text, (signed_note.sign(checkpoint.text, checkpoint.origin, key),))


def opened(data: bytes, key: VerifierKey) -> tuple[Checkpoint, Note]:
    """Return the checkpoint in the note *data*, which the log with *key* signed, and the note itself.

    Raises:
        NoteMustBeGenuine: *data* is no checkpoint of this log, or the log's signature is missing or wrong.
    """
    note = signed_note.parse(data)
    signed_note.must_be_signed(note, key)
    found = parsed(note)
    if found.origin != key.name:
        raise NoteMustBeGenuine(f"The checkpoint belongs to the log {found.origin}, not to {key.name}.")
    return found, note


def parsed(note: Note) -> Checkpoint:
    """Return the checkpoint in *note*; signatures are not verified.

    Raises:
        NoteMustBeGenuine: the note's text is no checkpoint.
    """
    found = _TEXT.fullmatch(note.text)
    if found is None:
        raise NoteMustBeGenuine("A checkpoint has three lines: origin, size and root.")
    root = b64decode(found["root"])
    if b64encode(root).decode() != found["root"]:
        raise NoteMustBeGenuine("The root of a checkpoint is 32 bytes in base64.")
    return Checkpoint(found["origin"], int(found["size"]), root)
