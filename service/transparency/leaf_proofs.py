"""Makes the proof that a leaf is in the tree of a checkpoint, from the indexes and tiles in the database."""

from collections.abc import Sequence

from sqlalchemy import Connection

from service.transparency import checkpoint, signed_note, tree
from service.transparency.signed_note import VerifierKey
from service.transparency.tlog_proof import TlogProof
from service.transparency.witnesses import cosigned


def of_event(
    connection: Connection, origin: str, witnesses: Sequence[VerifierKey], stream_id: bytes, position: int
) -> TlogProof | None:
    """Return the proof of an event's leaf in the tree of the newest checkpoint of *origin*.

    *witnesses* are the keys of witnesses; the proof has their stored cosignatures of the checkpoint.

    Return None if there is no checkpoint yet, if the leaf has no index yet, or if the checkpoint does not cover the
    leaf.

    Raises:
        TreeDamaged: a tile is missing.
    """
    note = cosigned.newest(connection, origin, witnesses)
    return under(connection, note, stream_id, position) if note else None


def under(connection: Connection, note: str, stream_id: bytes, position: int) -> TlogProof | None:
    """Return the proof of an event's leaf in the tree of *note*, a checkpoint.

    Return None if the leaf has no index yet, or if the checkpoint does not cover the leaf.

    Raises:
        TreeDamaged: a tile is missing.
    """
    leaf = tree.indexed(connection, stream_id, position)
    size = checkpoint.parsed(signed_note.parse(note.encode())).size
    if leaf is None or leaf.leaf_index >= size:
        return None
    return TlogProof(leaf.leaf_index, tuple(tree.inclusion_proof(connection, leaf.leaf_index, size)), note)
