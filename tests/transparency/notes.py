"""Keys, signers and trees for the tests; `vector_key` returns the log key in api_spec/vectors.json."""

import json
from pathlib import Path
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from service import merkle
from service.entropy import Entropy
from service.transparency import log_signer, signed_note
from service.transparency.log_key import LogKey
from service.transparency.log_signer import LogSigner
from service.transparency.tree import TreeHead

VECTORS: Final[dict[str, Any]] = json.loads(
    (Path(__file__).parents[2] / "api_spec/vectors.json").read_text(encoding="utf-8")
)
SEED: Final = bytes.fromhex(VECTORS["keys"]["log_private_seed"])
ORIGIN: Final = VECTORS["keys"]["origin"]
LEAVES: Final = [merkle.leaf_hash(f"leaf {index}".encode()) for index in range(40)]


def vector_key() -> LogKey:
    """Return the log key of the vectors."""
    private_key = Ed25519PrivateKey.from_private_bytes(SEED)
    return LogKey(ORIGIN, private_key, signed_note.verifier_key(ORIGIN, private_key))


def new_signer(folder: Path, name: str = "log-key.txt") -> LogSigner:
    """Return a signer with its two files in *folder*."""
    return log_signer.load_or_make(folder / name, folder / f"{name}.head", Entropy())


def head_of(leaves: list[bytes]) -> TreeHead:
    """Return the head of the tree of *leaves*."""
    return TreeHead(len(leaves), merkle.root(leaves))


def consistency(leaves: list[bytes], old_size: int) -> list[bytes]:
    """Return the proof that the tree of *leaves* continues the tree of its first *old_size* leaves."""
    return [merkle.root(leaves[first:end]) for first, end in merkle.consistency_ranges(old_size, len(leaves))]
