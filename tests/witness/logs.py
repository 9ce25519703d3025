"""Logs in memory, which witnesses of the tests see, and the clock of these witnesses."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from service import merkle
from service.entropy import Entropy
from service.transparency import checkpoint, signed_note
from service.transparency.checkpoint import Checkpoint
from service.transparency.signed_note import Note, VerifierKey
from service.transparency.witnesses.submission import Submission
from service.witness import cosigner, witness_file
from service.witness.cosigner import Cosigner, Look
from service.witness.witness_file import WitnessFile

NAME: Final = "witness.example/test"
AT: Final = "2026-01-01T00:00:00.000Z"


class Stopped(Entropy):
    """Time stands still."""

    def now(self) -> str:
        return AT


class SomeLog:
    """A log with leaves that are numbers; a tree of another *kind* has other leaves."""

    def __init__(self, origin: str = "log.example/one", seed: int = 1) -> None:
        self.origin = origin
        self.private_key = Ed25519PrivateKey.from_private_bytes(bytes([seed]) * 32)

    @property
    def key(self) -> VerifierKey:
        return signed_note.verifier_key(self.origin, self.private_key)

    def leaves(self, size: int, kind: str = "") -> list[bytes]:
        return [merkle.leaf_hash(f"{kind}{index}".encode()) for index in range(size)]

    def note(self, size: int, kind: str = "") -> Note:
        root = merkle.root(self.leaves(size, kind))
        return checkpoint.signed(Checkpoint(self.origin, size, root), self.private_key)

    def proof(self, old: int, size: int, kind: str = "") -> tuple[bytes, ...]:
        leaves = self.leaves(size, kind)
        return tuple(merkle.root(leaves[first:end]) for first, end in merkle.consistency_ranges(old, size))

    def submission(self, old: int, size: int, kind: str = "") -> bytes:
        """Return the body that submits the tree with *size* leaves after the tree with *old* leaves."""
        note = self.note(size, kind)
        proof = self.proof(old, size, kind) if old <= size else ()
        return bytes(Submission(old, proof, checkpoint.parsed(note), note))


def new_file(folder: Path, name: str = NAME) -> Path:
    """Make the file of a new witness; return its path."""
    path = folder / f"{name.replace('/', '-')}.json"
    witness_file.make(path, name, Entropy())
    return path


def new_cosigner(path: Path, logs: Sequence[SomeLog], look: Look = cosigner.look_at_nothing) -> Cosigner:
    """Return a witness with the file at *path* that knows *logs*."""
    return Cosigner(WitnessFile(path), cosigner.logs_of([str(one.key) for one in logs]), Stopped(), look)
