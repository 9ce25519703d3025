"""Proofs as C2SP tlog-proof defines them: a leaf's index, the proof of its inclusion, and a checkpoint of the tree."""

import re
from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from service.transparency.tiles import HASH_BYTES

_FORMAT: Final = "c2sp.org/tlog-proof@v1"
_INDEX: Final = re.compile("index (0|[1-9][0-9]{0,18})")
_OLD: Final = re.compile("old (0|[1-9][0-9]{0,18})")
_MOST_HASHES: Final = 64  # as many levels as a tree can have


class ProofMustBeWhole(ValueError):
    """A text is no proof as C2SP tlog-proof or tlog-witness defines it."""


class TlogProof(Struct, frozen=True):
    """The tree of the *checkpoint*, a signed note, has the leaf at *leaf_index*; *hashes* prove this."""

    leaf_index: int
    hashes: tuple[bytes, ...]
    checkpoint: str

    def __str__(self) -> str:
        """Return the proof as text, without the line for extra data."""
        hashes = "".join(f"{b64encode(one).decode()}\n" for one in self.hashes)
        return f"{_FORMAT}\nindex {self.leaf_index}\n{hashes}\n{self.checkpoint}"


class ConsistencyProof(Struct, frozen=True):
    """The tree of the *checkpoint*, a signed note, begins with an older tree of *old_size* leaves; *hashes* prove this.

    As text, it is the body that a log sends to a witness (C2SP tlog-witness).
    """

    old_size: int
    hashes: tuple[bytes, ...]
    checkpoint: str

    def __str__(self) -> str:
        """Return the proof as text."""
        hashes = "".join(f"{b64encode(one).decode()}\n" for one in self.hashes)
        return f"old {self.old_size}\n{hashes}\n{self.checkpoint}"


def parse(text: str) -> TlogProof:
    """Return the proof in *text*, without its lines for extra data; the checkpoint is not verified.

    Raises:
        ProofMustBeWhole: *text* is not such a proof.
    """
    head, _, note = text.partition("\n\n")
    first, *rest = [line for line in head.split("\n") if not line.startswith("extra ")]
    index = _INDEX.fullmatch(rest[0]) if rest else None
    if first != _FORMAT or index is None:
        raise ProofMustBeWhole(f"A proof has the line {_FORMAT}, an index, hashes, an empty line and a checkpoint.")
    return TlogProof(int(index[1]), _hashes(rest[1:]), note)


def parse_consistency(text: str) -> ConsistencyProof:
    """Return the proof of consistency in *text*; the checkpoint is not verified.

    Raises:
        ProofMustBeWhole: *text* is not such a proof.
    """
    head, _, note = text.partition("\n\n")
    first, *rest = head.split("\n")
    if (size := _OLD.fullmatch(first)) is None:
        raise ProofMustBeWhole("A proof of consistency has an old size, hashes, an empty line and a checkpoint.")
    return ConsistencyProof(int(size[1]), _hashes(rest), note)


def _hashes(lines: Iterable[str]) -> tuple[bytes, ...]:
    found = []
    for line in lines:
        try:
            found.append(b64decode(line, validate=True))
        except (NotBase64, ValueError):
            raise ProofMustBeWhole("A hash of a proof is base64.") from None
        if b64encode(found[-1]).decode() != line or len(found[-1]) != HASH_BYTES or len(found) > _MOST_HASHES:
            raise ProofMustBeWhole(f"A proof has at most {_MOST_HASHES} hashes of {HASH_BYTES} bytes.")
    return tuple(found)
