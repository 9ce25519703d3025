"""Makes the proof that a leaf is in the tree of a checkpoint, from the indexes and tiles in the database."""

from collections.abc import Sequence

from sqlalchemy import Connection

from service.event_store.codec import RecordedEvent
from service.event_store.hash_chain import LEAF_NOT_IN_TREE
from service.event_store.quarantine import StreamCorrupted
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
        TreeDamaged: as for `under`.
    """
    note = cosigned.newest(connection, origin, witnesses)
    return under(connection, note, stream_id, position) if note else None


def under(connection: Connection, note: str, stream_id: bytes, position: int) -> TlogProof | None:
    """Return the proof of an event's leaf in the tree of *note*, a checkpoint.

    Return None if the leaf has no index yet, or if the checkpoint does not cover the leaf.

    Raises:
        TreeDamaged: a tile is missing; or a tile or the leaf's index was altered, so there is no such proof.
    """
    leaf = tree.indexed(connection, stream_id, position)
    head = checkpoint.parsed(signed_note.parse(note.encode()))
    if leaf is None or leaf.leaf_index >= head.size:
        return None
    return TlogProof(leaf.leaf_index, tuple(tree.checked_proof(connection, leaf, head.size, head.root)), note)


def must_be_in_tree(connection: Connection, stream_id: bytes, recorded: Sequence[RecordedEvent]) -> None:
    """Check that the tree has the leaves of *recorded*, events of the stream that a checkpoint covers.

    Each leaf names the hash of the leaf before it, so an earlier leaf can only differ if the last leaf differs, too.

    Raises:
        StreamCorrupted: at the position of an event, the tree has another leaf or none; the error has the first such
            position.
    """
    if not _is_in_tree(connection, stream_id, recorded[-1]):
        first = next(one for one in recorded if not _is_in_tree(connection, stream_id, one))
        raise StreamCorrupted(stream_id, first.position, LEAF_NOT_IN_TREE)


def _is_in_tree(connection: Connection, stream_id: bytes, one: RecordedEvent) -> bool:
    leaf = tree.indexed(connection, stream_id, one.position)
    return leaf is not None and leaf.leaf_hash == one.hash
