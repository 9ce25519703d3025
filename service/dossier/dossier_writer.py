"""Writes a dossier: a file that proves a hand or a table to one viewer, without a network (DECISIONS 104)."""

from collections.abc import Iterator, Sequence

from msgspec import Struct
from sqlalchemy import Connection

from service.dossier import archive, dispute_lines, extent, opening_lines, service_lines, verify
from service.dossier.extent import NotCovered
from service.dossier.opening_lines import Subject
from service.event_store.codec import RecordedEvent
from service.event_store.entries import stream_name
from service.event_store.store import Log
from service.projections import hand_history
from service.tables.fold import TableAt
from service.tables.sealed_store import Unsealer
from service.transparency import checkpoint, leaf_proofs, signed_note, tree
from service.transparency.signed_note import VerifierKey
from service.transparency.tlog_proof import TlogProof
from service.transparency.witnesses import cosigned


class NoSuchHand(Exception):
    """The table has no hand with this number."""


class Viewer(Struct, frozen=True):
    """The viewer in *seat* (0: everybody), and the *unsealer* with the values of the table.

    *owner* ("": everybody) and *is_auditor* decide which texts of disputes the viewer may read.
    """

    seat: int
    unsealer: Unsealer
    owner: str = ""
    is_auditor: bool = False


class Logs(Struct, frozen=True):
    """The log, with the codec for the events of *tables*, and with the codec for the events of *disputes*."""

    tables: Log
    disputes: Log


class LogKeys(Struct, frozen=True):
    """The key of the *log*, and the keys of the *witnesses*: the dossier has their cosignatures, if there are any."""

    log: VerifierKey
    witnesses: tuple[VerifierKey, ...]


def write(  # noqa: PLR0913 -- the database, what the dossier is about, and the key of the log
    connection: Connection, logs: Logs, table_at: TableAt, hand: int, viewer: Viewer, keys: LogKeys
) -> bytes:
    """Return the dossier of a *hand* (0: of the whole table) for *viewer*, under the newest checkpoint of the log.

    The same viewer and the same checkpoint, with the same cosignatures, give the same bytes.

    Raises:
        NoSuchHand: the table has no such hand.
        NotCovered: no checkpoint covers all leaves that the dossier needs, or the table was imported and is in another
            log.
        DossierTooLarge: the file would be too large.
        DossierFlaw: verify.py can't read the events.
        NoteMustBeGenuine: the checkpoint in the database was altered.
        StreamCorrupted: the stream of the table, of its disputes, or of the service is damaged, or has an event that is
            not in the tree.
        TreeDamaged: a tile of the tree is missing; or a tile or an index was altered.
    """
    item = hand_history.find(connection, table_at, hand) if hand else None
    if hand and item is None:
        raise NoSuchHand
    note = cosigned.newest(connection, keys.log.name, keys.witnesses)
    if note is None or table_at.imported_at:
        raise NotCovered
    head, _ = checkpoint.opened(note.encode(), keys.log)
    last = tree.last_covered(connection, table_at.stream_id, head.size)
    disputes = dispute_lines.covered(connection, logs.disputes, table_at.stream_id, head, hand)
    stream = logs.tables.reader.read(connection, table_at.stream_id, limit=table_at.position, head=table_at.head)
    needed = disputes.needs(hand)
    found = extent.of_hand(stream, item, last, needed) if item else extent.of_table(stream, last, needed)
    recorded = stream[: found.end]
    proof = _proof(connection, note, table_at.stream_id, recorded)
    subject = Subject(
        stream=stream_name(table_at.stream_id), hand=hand, viewer=viewer.seat, first=found.first, last=found.last
    )
    return _packed(
        {
            archive.EVENTS: b"".join(one.leaf + b"\n" for one in recorded),
            archive.OPENINGS: opening_lines.lines(subject, recorded, viewer.unsealer),
            archive.SERVICE: service_lines.lines(connection, table_at.stream_id, head),
            archive.DISPUTES: dispute_lines.lines(
                connection, logs.disputes, disputes, viewer.owner, is_auditor=viewer.is_auditor
            ),
            archive.CHECKPOINT: note.encode(),
            archive.PROOF: str(proof).encode(),
            archive.KEYS: "".join(f"{key}\n" for key in _signers(note, keys)).encode(),
            archive.PROGRAM: archive.program(),
        }
    )


def _proof(connection: Connection, note: str, stream_id: bytes, recorded: Sequence[RecordedEvent]) -> TlogProof:
    """Return the proof that the tree of the checkpoint *note* has the last leaf of *recorded*, and so all its leaves.

    Raises:
        NotCovered: the checkpoint does not cover the last leaf.
        StreamCorrupted: as for `leaf_proofs.must_be_in_tree`.
        TreeDamaged: as for `leaf_proofs.under`.
    """
    proof = leaf_proofs.under(connection, note, stream_id, recorded[-1].position)
    if proof is None:
        raise NotCovered
    leaf_proofs.must_be_in_tree(connection, stream_id, recorded)
    return proof


def _signers(note: str, keys: LogKeys) -> Iterator[VerifierKey]:
    """Yield those of *keys* whose signatures *note* has, in the order of the signatures."""
    by_name = {(key.name, key.key_hash): key for key in (keys.log, *keys.witnesses)}
    for signature in signed_note.parse(note.encode()).signatures:
        if key := by_name.get((signature.name, signature.key_hash)):
            yield key


def _packed(files: dict[str, bytes]) -> bytes:
    """Return the dossier with *files*, and with the pages for people that verify.py makes from them."""
    if sum(map(len, files.values())) > archive.MOST_BYTES:
        raise archive.DossierTooLarge
    for name in archive.OPTIONAL:  # Such a file is empty if the checkpoint covers no line of it.
        if not files[name]:
            del files[name]
    readme, case = pages(files)
    return archive.packed({**files, archive.README: readme, archive.CASE: case})


def pages(files: dict[str, bytes]) -> tuple[bytes, bytes]:
    """Return README.txt and case.html for the other *files* of a dossier; a damaged table gets incomplete pages.

    Raises:
        DossierFlaw: verify.py can't read the events.
    """
    dossier, flaw = read_for_pages(files)
    if flaw is not None and not dossier.events:
        raise flaw
    return verify.readme(dossier).encode(), verify.case_page(dossier).encode()


def read_for_pages(files: dict[str, bytes]) -> tuple[verify.Dossier, archive.DossierFlaw | None]:
    """Read *files* as verify.py does before it makes the pages; return also the first flaw that verify.py finds."""
    dossier = verify.Dossier(files)
    for check in verify.BEFORE_PAGES:
        found = verify.run("", check, dossier)
        if found.verdict != "ok":
            return dossier, archive.DossierFlaw(found.place, found.text)
    return dossier, None
