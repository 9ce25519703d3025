"""The lines of disputes.ndjson: the stream of the table's disputes, and the texts that the viewer may read."""

# DECISIONS 110

from msgspec import Struct
from sqlalchemy import Connection

from service.canonical import canonical
from service.disputes import dispute_readers, stored_disputes
from service.disputes.dispute_events import DisputeDecision, DisputeValueErased
from service.disputes.stored_disputes import StoredDisputes
from service.dossier import log_lines
from service.dossier.extent import NotCovered
from service.event_store.store import Log
from service.transparency import tree
from service.transparency.checkpoint import Checkpoint


class CoveredDisputes(Struct, frozen=True):
    """The disputes of a table, and the *last* position of their stream that the checkpoint *head* covers; 0: none."""

    stored: StoredDisputes
    last: int
    head: Checkpoint

    def needs(self, hand: int) -> int:
        """Return the last position of the table that a covered step about the *hand* (0: any hand) names; 0: none."""
        numbers = {one.number for one in self.stored.state.disputes.values() if hand in {0, one.hand}}
        steps = (one.event for one in self.stored.recorded[: self.last])
        positions = (one.table_position for one in steps if isinstance(one, DisputeDecision) and one.dispute in numbers)
        return max(positions, default=0)


def covered(connection: Connection, log: Log, table_stream: bytes, head: Checkpoint, hand: int) -> CoveredDisputes:
    """Return the disputes of a table that the checkpoint *head* covers.

    Raises:
        NotCovered: a step about hand number *hand* is recorded, but not covered (this is not checked for 0, the dossier
            of a whole table). Or a covered step sealed a text that was erased, and the erasure is not covered.
        StreamCorrupted: the stream of disputes is damaged.
    """
    stored = stored_disputes.read_disputes(connection, log, table_stream)
    last = tree.last_covered(connection, stored.stream_id, head.size) if stored.recorded else 0
    disputes = stored.state.disputes
    for one in stored.recorded[last:]:
        is_erasure = isinstance(one.event, DisputeValueErased) and one.event.position <= last
        if is_erasure or disputes[stored.number_at(one.position)].hand == hand:
            raise NotCovered
    return CoveredDisputes(stored, last, head)


def lines(connection: Connection, log: Log, of: CoveredDisputes, owner: str, *, is_auditor: bool) -> bytes:
    """Return disputes.ndjson: the covered leaves, and the texts that *owner* may read; empty: no leaf is covered.

    Raises:
        TreeDamaged: as for `log_lines.proved`.
        StreamCorrupted: as for `log_lines.proved`; or a sealed text was altered, or can't be decrypted.
    """
    texts = _texts(connection, log, of.stored, owner, is_auditor=is_auditor) if of.last else {}
    found = []
    for one in of.stored.recorded[: of.last]:
        line = log_lines.proved(connection, of.stored.stream_id, one, of.head)
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
