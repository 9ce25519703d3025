"""Entries: the events that a command appends to its stream, encoded and hashed, with their encrypted sealed values."""

import re
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, Final

from msgspec import Struct

from service.database.metadata import DISPUTES_PREFIX, SERVICE_STREAM
from service.entropy import Entropy
from service.event_store import codec, leaf
from service.event_store.disclosure import FieldPlace
from service.secrets import commitments, encryption, openings
from service.secrets.openings import FieldOpening


class Head(Struct, frozen=True):
    """The last event of a stream: its *position* (0: the stream is empty) and the *hash* of its leaf (32 bytes)."""

    position: int
    hash: bytes


EMPTY: Final = Head(0, bytes(32))
_TABLE: Final = "table/"
_DISPUTES: Final = "dispute/"
_NAME: Final = re.compile("[a-z]+/[a-z]+_([0-9a-f]{32})", re.ASCII)


class Secret(Struct, frozen=True):
    """The *value* (JSON) of a field to seal. The seats in *to* may read it at once, other seats as *until* says.

    *choice* is the hash that the signed action has instead of the value, and *blind* is the player's salt for this
    hash; both are in hex, and empty if the decision is not signed.
    """

    value: Any
    to: tuple[int, ...]
    until: leaf.Until
    blind: str = ""
    choice: str = ""


class UncommittedEvent(Struct, frozen=True):
    """An *event* to be appended.

    *cmd* (hex) is the command's id, on decisions only. *sig* is the player's signature of a decision. *secrets* are
    fields to seal; the member `priv` of the leaf has a commitment to each field. *hidden* are values to seal that
    `priv` does not mention: the seed of a deck. *erases* is the place of a sealed value to delete when this event is
    written.
    """

    event: Struct
    by: str
    cmd: str = ""
    sig: leaf.MoveSignature | None = None
    secrets: Mapping[str, Secret] = {}
    hidden: Mapping[str, bytes] = {}
    erases: FieldPlace | None = None


class Entry(Struct, frozen=True):
    """The events *recorded*, to be appended to a stream right after *head*.

    *sealed* has the new rows of the sealed store, *openings* the openings of the events' sealed fields, and *erases*
    the places of the sealed values to delete.
    """

    stream_id: bytes
    head: Head
    recorded: tuple[codec.RecordedEvent, ...]
    sealed: tuple[tuple[Any, ...], ...]
    openings: Mapping[FieldPlace, FieldOpening]
    erases: tuple[FieldPlace, ...] = ()


class EntryMaker:
    """Makes entries: encodes and hashes events, and encrypts their sealed values."""

    def __init__(self, codec: codec.Codec, sealer: encryption.Sealer, entropy: Entropy) -> None:
        self._codec = codec
        self._sealer = sealer
        self._entropy = entropy

    def make(self, stream_id: bytes, head: Head, uncommitted_events: Sequence[UncommittedEvent], at: str = "") -> Entry:
        """Return the entry that appends *uncommitted_events* (at least one) right after *head*, at the time *at*.

        If *at* is "", the time is the present.
        """
        stream = stream_name(stream_id)
        at = at or self._entropy.now()
        prev = head.hash
        recorded = []
        sealed: list[tuple[Any, ...]] = []
        all_openings: dict[FieldPlace, FieldOpening] = {}
        for position, uncommitted in enumerate(uncommitted_events, start=head.position + 1):
            committed = self._committed(stream, position, uncommitted)
            all_openings |= {(position, field): opening for field, (opening, _) in committed.items()}
            header = codec.Header(
                stream=stream,
                position=position,
                prev=prev.hex(),
                by=uncommitted.by,
                at=at,
                cmd=uncommitted.cmd,
                priv={field: commitment for field, (_, commitment) in committed.items()},
                sig=uncommitted.sig,
            )
            data = self._codec.encode(uncommitted.event, header)
            name = self._codec.type_name(uncommitted.event)
            prev = leaf.leaf_hash(data)
            recorded.append(
                codec.RecordedEvent(
                    position,
                    data,
                    prev,
                    uncommitted.event,
                    name,
                    uncommitted.by,
                    at,
                    uncommitted.cmd,
                    header.prev,
                    header.priv,
                    header.sig,
                )
            )
            plaintexts = {field: openings.padded_plaintext(opening) for field, (opening, _) in committed.items()}
            for field, plaintext in {**uncommitted.hidden, **plaintexts}.items():
                sealed.append(self.sealed_row(stream_id, position, field, plaintext))
        erases = tuple(uncommitted.erases for uncommitted in uncommitted_events if uncommitted.erases)
        return Entry(stream_id, head, tuple(recorded), tuple(sealed), all_openings, erases)

    def sealed_row(self, stream_id: bytes, position: int, field: str, plaintext: bytes) -> tuple[Any, ...]:
        """Return the row of the sealed store for *plaintext*; its ciphertext is bound to stream, position and field."""
        nonce = self._entropy.nonce()
        ciphertext = self._sealer.seal(stream_name(stream_id), position, field, plaintext, nonce)
        return stream_id, position, field, self._sealer.key_id, nonce, ciphertext

    def _committed(
        self, stream: str, position: int, uncommitted: UncommittedEvent
    ) -> dict[str, tuple[FieldOpening, leaf.Commitment]]:
        """Return an opening and a commitment for each secret of *uncommitted*."""
        if clash := uncommitted.secrets.keys() & uncommitted.hidden.keys():
            raise ValueError(f"a field is either committed to or hidden: {sorted(clash)}")
        committed = {}
        for field, secret in sorted(uncommitted.secrets.items()):  # The leaf has the fields in this order.
            salt = self._entropy.secret()
            c = commitments.field_commitment(stream, position, field, salt, secret.value)
            commitment = leaf.Commitment(c=c, to=secret.to, until=secret.until, choice=secret.choice)
            opening = FieldOpening(stream, position, field, salt.hex(), secret.value, secret.blind)
            committed[field] = (opening, commitment)
        return committed


def stream_name(stream_id: bytes) -> str:
    """Return the name, as leaves have it, of the stream with the id *stream_id* (16 bytes)."""
    if stream_id == SERVICE_STREAM:
        return "service/log"
    return f"{_DISPUTES}dsp_{stream_id.hex()}" if is_of_disputes(stream_id) else f"{_TABLE}tbl_{stream_id.hex()}"


def place_name(stream_id: bytes) -> str:
    """Return a stream's name as findings and messages have it: the id of a table or its disputes, or `service/log`."""
    return stream_name(stream_id).removeprefix(_TABLE).removeprefix(_DISPUTES)


def stream_id_of(name: str) -> bytes:
    """Return the id of the stream with this *name*, the inverse of `stream_name`.

    Raises:
        ValueError: no stream has such a name.
    """
    if name == stream_name(SERVICE_STREAM):
        return SERVICE_STREAM
    match = _NAME.fullmatch(name)
    if not match or stream_name(bytes.fromhex(match[1])) != name:
        raise ValueError(f"{name!r} is no stream")
    return bytes.fromhex(match[1])


def is_of_disputes(stream_id: bytes) -> bool:
    """Return whether the stream records the disputes of a table."""
    return stream_id.startswith(DISPUTES_PREFIX)


def is_of_table(stream_id: bytes) -> bool:
    """Return whether the stream records a table: it is not the service's own stream, and records no disputes."""
    return stream_id != SERVICE_STREAM and not is_of_disputes(stream_id)


def disputes_stream(table_stream: bytes) -> bytes:
    """Return the id of the stream that records the disputes of a table (log/v1)."""
    digest = sha256(f"chiptrail/disputes/v1\n{stream_name(table_stream)}\n".encode()).digest()
    return DISPUTES_PREFIX + digest[: len(table_stream) - len(DISPUTES_PREFIX)]
