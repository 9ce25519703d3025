"""The lines of disputes.ndjson: the stream of the table's disputes, and the texts that the viewer may read."""

# DECISIONS 112

from sqlalchemy import Connection

from service.canonical import canonical
from service.disputes import dispute_readers, stored_disputes
from service.disputes.stored_disputes import StoredDisputes
from service.dossier import log_lines
from service.event_store.store import Log
from service.transparency import tree
from service.transparency.checkpoint import Checkpoint


def lines(  # noqa: PLR0913 -- the database, the disputes, and the viewer
    connection: Connection, log: Log, table_stream: bytes, head: Checkpoint, owner: str, *, is_auditor: bool
) -> bytes:
    """Return disputes.ndjson for a dossier of a table under the checkpoint *head*; empty: it covers no dispute.

    It has the leaves that *head* covers, from the first of the stream on. *owner* and *is_auditor* are the viewer's.

    Raises:
        StreamCorrupted: the stream of disputes is damaged.
        TreeDamaged: a tile is missing.
    """
    stored = stored_disputes.read_disputes(connection, log, table_stream)
    last = tree.last_covered(connection, stored.stream_id, head.size) if stored.recorded else 0
    if not last:
        return b""
    texts = _texts(connection, log, stored, owner, is_auditor=is_auditor)
    found = []
    for one in stored.recorded[:last]:
        line = log_lines.proved(connection, stored.stream_id, one, head)
        if line is None:  # The index is damaged; `verify` names the damage.
            break
        found.append(line | texts.get(one.position, {}))
    return b"".join(canonical(line) + b"\n" for line in found)


def _texts(
    connection: Connection, log: Log, stored: StoredDisputes, owner: str, *, is_auditor: bool
) -> dict[int, dict[str, object]]:
    """Return, by position, the opening of the text that the viewer may read; each step seals one text at most."""

    def may_read(position: int, field: str) -> bool:
        dispute = stored.state.disputes[stored.number_at(position)]
        return dispute_readers.may_read(dispute, field, owner, is_auditor=is_auditor)

    openings = stored_disputes.texts(connection, log, stored)
    return {
        one.position: {"opening": {"salt": one.salt, "value": one.value}}
        for one in openings
        if may_read(one.position, one.field)
    }
