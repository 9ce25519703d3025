"""Checks what ties a dossier to the log: the signatures of its checkpoint, and the proofs of its leaves."""

from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping
from typing import Final

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from msgspec import Raw, Struct

from service import merkle
from service.canonical import NotCanonical, canonical
from service.dossier import archive
from service.dossier.archive import DossierFlaw
from service.event_store import leaf
from service.event_store.codec import Codec, RecordedEvent
from service.service_log.service_events import (
    SERVICE_CODEC,
    LogOpened,
    ReleaseChanged,
    SigningKeyChanged,
    TableImported,
    ValueErasedAt,
)
from service.transparency import checkpoint, signed_note, tlog_proof
from service.transparency.checkpoint import Checkpoint
from service.transparency.signed_note import COSIGNATURE, ED25519, NoteMustBeGenuine, Signature, VerifierKey
from service.transparency.tlog_proof import ProofMustBeWhole

_SERVICE_STREAM: Final = "service/log"
_TIME_BYTES: Final = 8
_SIGNATURE_BYTES: Final = 64


class LogEvidence(Struct, frozen=True):
    """The log with *key* signed the checkpoint *head*; *witnesses* is the number of witnesses that cosigned it."""

    key: VerifierKey
    head: Checkpoint
    witnesses: int


class _ProvedLine(Struct, frozen=True, forbid_unknown_fields=True):
    """A line of service.ndjson or disputes.ndjson: the leaf at *index* of the log, and the *hashes* that prove this.

    The hashes are base64. *opening* opens the text that the leaf sealed.
    """

    hashes: tuple[str, ...]
    index: int
    leaf: Raw
    opening: Raw = Raw()


def lines_of(files: Mapping[str, bytes], name: str) -> list[bytes]:
    """Return the lines of a file; each line ends with one line feed.

    Raises:
        DossierFlaw: the last line has no line feed.
    """
    *lines, rest = files[name].split(b"\n")
    if rest:
        raise DossierFlaw(name, "the last line must end with a line feed")
    return lines


def check_signatures(files: Mapping[str, bytes]) -> LogEvidence:
    """Check that the checkpoint has a signature for each key in `vkeys`: first the log's key, then the witnesses' keys.

    Raises:
        DossierFlaw: a key or a signature is missing, wrong or surplus.
    """
    keys = []
    for number, line in enumerate(lines_of(files, archive.KEYS), start=1):
        try:
            keys.append(signed_note.parse_key(line.decode("ascii")))
        except (NoteMustBeGenuine, UnicodeDecodeError) as error:
            raise DossierFlaw(f"{archive.KEYS}, line {number}", f"must be a public key. {error}") from error
    try:
        note = signed_note.parse(files[archive.CHECKPOINT])
        head = checkpoint.parsed(note)
    except NoteMustBeGenuine as error:
        raise DossierFlaw(archive.CHECKPOINT, str(error)) from error
    algorithms = [key.algorithm for key in keys]
    if algorithms != [ED25519, *[COSIGNATURE] * (len(keys) - 1)] or len(set(map(str, keys))) != len(keys):
        raise DossierFlaw(archive.KEYS, "must have the key of the log, and then a key of each witness")
    if len(note.signatures) != len(keys) or str(note).encode() != files[archive.CHECKPOINT]:
        raise DossierFlaw(archive.CHECKPOINT, "must have a signature for each key in vkeys, and no other")
    for number, (key, signature) in enumerate(zip(keys, note.signatures, strict=True), start=1):
        _must_be_by(key, signature, note.text, f"{archive.CHECKPOINT}, signature {number}")
    if keys[0].name != head.origin:
        raise DossierFlaw(archive.CHECKPOINT, f"must be a checkpoint of the log {keys[0].name}")
    return LogEvidence(keys[0], head, len(keys) - 1)


def check_inclusion(files: Mapping[str, bytes], head: Checkpoint) -> int:
    """Check that the tree of *head* has the last leaf of the dossier; return the number of leaves.

    Raises:
        DossierFlaw: there is no leaf, or the proof is malformed, does not lead from the leaf to the root, or ends with
            another checkpoint.
    """
    leaves = lines_of(files, archive.EVENTS)
    if not leaves:
        raise DossierFlaw(archive.EVENTS, "must have a leaf")
    try:
        proof = tlog_proof.parse(files[archive.PROOF].decode())
    except (ProofMustBeWhole, UnicodeDecodeError) as error:
        raise DossierFlaw(archive.PROOF, str(error)) from error
    if str(proof).encode() != files[archive.PROOF] or proof.checkpoint.encode() != files[archive.CHECKPOINT]:
        raise DossierFlaw(archive.PROOF, "must have an index, hashes, and the checkpoint of the dossier, and no more")
    last = merkle.leaf_hash(leaves[-1])
    if not merkle.is_included(last, proof.leaf_index, head.size, proof.hashes, head.root):
        raise DossierFlaw(f"position {len(leaves)}", "the proof must lead from the last leaf to the root")
    return len(leaves)


class ProvedLine(Struct, frozen=True):
    """A line at *place*, and the *opening* (JSON) of the text that its leaf sealed; empty: the line has none."""

    place: str
    opening: bytes


def proved_leaves(
    files: Mapping[str, bytes], name: str, stream: str, codec: Codec, head: Checkpoint
) -> Iterator[tuple[ProvedLine, RecordedEvent]]:
    """Yield the line and the event of each leaf in the file *name*; yield nothing if the dossier lacks this file.

    Each leaf must belong to *stream*, and the tree of *head* must have it.

    Raises:
        DossierFlaw: a line is malformed or out of order, or its proof does not lead from its leaf to the root.
    """
    before = 0
    for number, data in enumerate(lines_of(files, name) if name in files else [], start=1):
        place = f"{name}, line {number}"
        try:
            line = msgspec.json.decode(data, type=_ProvedLine)
            one = leaf.decode(bytes(line.leaf))
            codec.check_canonical(bytes(line.leaf))
            recorded = codec.decode(bytes(line.leaf))
            is_same = canonical(msgspec.json.decode(data)) == data
            hashes = [b64decode(each, validate=True) for each in line.hashes]
        except (leaf.Malformed, msgspec.DecodeError, NotCanonical, ValueError, RecursionError) as error:
            raise DossierFlaw(place, f"must be a leaf and its proof. {error}") from error
        is_next = one.stream == stream and one.position > before
        if not is_same or not is_next or [b64encode(each).decode() for each in hashes] != list(line.hashes):
            raise DossierFlaw(place, f"must be the next leaf of {stream}, in canonical JSON")
        if not merkle.is_included(recorded.hash, line.index, head.size, hashes, head.root):
            raise DossierFlaw(place, "the proof must lead from the leaf to the root")
        yield ProvedLine(place, bytes(line.opening)), recorded
        before = one.position


def check_service(files: Mapping[str, bytes], evidence: LogEvidence, table: str) -> int:
    """Check that the tree has each leaf in service.ndjson; return the number of these leaves.

    Each leaf must be about *table*, or name the log and its keys, a new key for receipts, or a release.

    Raises:
        DossierFlaw: as for `proved_leaves`, or a leaf is about something else.
    """
    found = 0
    for line, recorded in proved_leaves(files, archive.SERVICE, _SERVICE_STREAM, SERVICE_CODEC, evidence.head):
        if line.opening or not _concerns(recorded.event, evidence, table):
            raise DossierFlaw(line.place, "must name the log and its keys, or its release, or be about the table")
        found += 1
    return found


def _concerns(event: Struct, evidence: LogEvidence, table: str) -> bool:
    match event:
        case LogOpened():
            return (event.origin, event.log_key) == (evidence.head.origin, str(evidence.key))
        case TableImported() | ValueErasedAt():
            return event.table == table
        case _:
            return isinstance(event, ReleaseChanged | SigningKeyChanged)


def _must_be_by(key: VerifierKey, signature: Signature, text: str, place: str) -> None:
    message, data = text.encode(), signature.signature
    if key.algorithm == COSIGNATURE and len(data) == _TIME_BYTES + _SIGNATURE_BYTES:
        time, data = int.from_bytes(data[:_TIME_BYTES], "big"), data[_TIME_BYTES:]
        message = f"cosignature/v1\ntime {time}\n".encode() + message
    if (signature.name, signature.key_hash) != (key.name, key.key_hash):
        raise DossierFlaw(place, f"must be a signature by {key.name}, with the key in vkeys")
    try:
        Ed25519PublicKey.from_public_bytes(key.public_key).verify(data, message)
    except (InvalidSignature, ValueError) as error:
        raise DossierFlaw(place, f"must be a right signature by {key.name}") from error
