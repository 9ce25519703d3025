"""A line of service.ndjson or of disputes.ndjson: a leaf, and the proof that the log has the leaf."""

from base64 import b64encode

import msgspec
from sqlalchemy import Connection

from service.event_store.codec import RecordedEvent
from service.event_store.hash_chain import LEAF_NOT_IN_TREE
from service.event_store.quarantine import StreamCorrupted
from service.transparency import tree
from service.transparency.checkpoint import Checkpoint


def proved(connection: Connection, stream_id: bytes, one: RecordedEvent, head: Checkpoint) -> dict[str, object] | None:
    """Return the line of *one*, which the checkpoint *head* covers, or None if the leaf has no index in the log.

    Raises:
        StreamCorrupted: the tree has another leaf at this position.
        TreeDamaged: a tile is missing; or a tile or the leaf's index was altered, so there is no such proof.
    """
    indexed = tree.indexed(connection, stream_id, one.position)
    if indexed is None:
        return None
    if indexed.leaf_hash != one.hash:
        raise StreamCorrupted(stream_id, one.position, LEAF_NOT_IN_TREE)
    hashes = tree.checked_proof(connection, indexed, head.size, head.root)
    proof = [b64encode(each).decode() for each in hashes]
    return {"hashes": proof, "index": indexed.leaf_index, "leaf": msgspec.json.decode(one.leaf)}
