"""Proofs as C2SP tlog-proof defines them: a leaf's index, the proof of its inclusion, and a checkpoint of the tree."""

from base64 import b64encode
from collections.abc import Sequence
from typing import Final

from msgspec import Struct
from sqlalchemy import Connection

from service.transparency import checkpoint, signed_note, tree
from service.transparency.signed_note import VerifierKey
from service.transparency.witnesses import cosigned

_FORMAT: Final = "c2sp.org/tlog-proof@v1"


class TlogProof(Struct, frozen=True):
    """The tree of the *checkpoint*, a signed note, has the leaf at *leaf_index*; *hashes* prove this."""

    leaf_index: int
    hashes: tuple[bytes, ...]
    checkpoint: str

    def __str__(self) -> str:
        """Return the proof as text, without the line for extra data."""
        hashes = "".join(f"{b64encode(one).decode()}\n" for one in self.hashes)
        return f"{_FORMAT}\nindex {self.leaf_index}\n{hashes}\n{self.checkpoint}"


def of_event(
    connection: Connection, origin: str, witnesses: Sequence[VerifierKey], stream_id: bytes, position: int
) -> TlogProof | None:
    """Return the proof of an event's leaf in the tree of the newest checkpoint of *origin*.

    The checkpoint has the cosignatures of the *witnesses* with these keys, as far as they have cosigned it.

    Return None if the leaf has no index yet, or if this checkpoint does not cover the leaf yet.

    Raises:
        TreeDamaged: a tile is missing.
    """
    leaf = tree.indexed(connection, stream_id, position)
    note = cosigned.newest(connection, origin, witnesses)
    if leaf is None or note is None:
        return None
    size = checkpoint.parsed(signed_note.parse(note.encode())).size
    if leaf.leaf_index >= size:
        return None
    return TlogProof(leaf.leaf_index, tuple(tree.inclusion_proof(connection, leaf.leaf_index, size)), note)
