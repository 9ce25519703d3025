"""Entries: what a command adds to its stream, made of drafts and ready to be written."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from service.entropy import Entropy
from service.event_store import codec, leaf
from service.event_store.disclosure import FieldPlace
from service.secrets import commitments, encryption, openings
from service.secrets.openings import FieldOpening


class Head(Struct, frozen=True):
    """The last event of a stream: its *position* (0: there is none) and leaf *hash* (32 bytes)."""

    position: int
    hash: bytes


EMPTY: Final = Head(0, bytes(32))


class Secret(Struct, frozen=True):
    """The *value* of a sealed field, JSON: seats *to* read it at once, and the rest *until* says."""

    value: Any
    to: tuple[int, ...]
    until: leaf.Until


class UncommittedEvent(Struct, frozen=True):
    """An *event* to be appended.

    *cmd* (hex) stands on decisions alone. *secrets* are sealed fields: the leaf commits to them.
    *hidden* is kept in the sealed store and the leaf says nothing of it: the seed of a deck. *erases* is the place of
    a sealed value that is deleted with the event.
    """

    event: Struct
    by: str
    cmd: str = ""
    secrets: Mapping[str, Secret] = {}
    hidden: Mapping[str, bytes] = {}
    erases: FieldPlace | None = None


class Entry(Struct, frozen=True):
    """Events *recorded* right after *head* of a stream, as they will stand in the log once they are written.

    *sealed* are rows of the sealed store, *openings* those of the fields to which the events commit. *erases* are the
    places of sealed values that are deleted.
    """

    stream_id: bytes
    head: Head
    recorded: tuple[codec.RecordedEvent, ...]
    sealed: tuple[tuple[Any, ...], ...]
    openings: Mapping[FieldPlace, FieldOpening]
    erases: tuple[FieldPlace, ...] = ()


class EntryMaker:
    """Makes entries: encodes, hashes and seals."""

    def __init__(self, codec: codec.Codec, sealer: encryption.Sealer, entropy: Entropy) -> None:
        self._codec = codec
        self._sealer = sealer
        self._entropy = entropy

    def make(self, stream_id: bytes, head: Head, uncommitted_events: Sequence[UncommittedEvent]) -> Entry:
        """Return the entry of *uncommitted_events*, at least one, right after *head*."""
        stream = stream_name(stream_id)
        at = self._entropy.now()
        prev = head.hash
        recorded = []
        sealed: list[tuple[Any, ...]] = []
        kept: dict[FieldPlace, FieldOpening] = {}
        for position, uncommitted in enumerate(uncommitted_events, start=head.position + 1):
            opened = self._opened(stream, position, uncommitted)
            kept |= {(position, field): opening for field, (opening, _) in opened.items()}
            header = codec.Header(
                stream=stream,
                position=position,
                prev=prev.hex(),
                by=uncommitted.by,
                at=at,
                cmd=uncommitted.cmd,
                priv={field: commitment for field, (_, commitment) in opened.items()},
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
                )
            )
            plaintexts = {field: openings.padded_plaintext(opening) for field, (opening, _) in opened.items()}
            for field, plaintext in {**uncommitted.hidden, **plaintexts}.items():
                sealed.append(self.sealed(stream_id, position, field, plaintext))
        erases = tuple(uncommitted.erases for uncommitted in uncommitted_events if uncommitted.erases)
        return Entry(stream_id, head, tuple(recorded), tuple(sealed), kept, erases)

    def sealed(self, stream_id: bytes, position: int, field: str, plaintext: bytes) -> tuple[Any, ...]:
        """Return the row of the sealed store that keeps *plaintext* for this place."""
        nonce = self._entropy.nonce()
        ciphertext = self._sealer.seal(stream_name(stream_id), position, field, plaintext, nonce)
        return stream_id, position, field, self._sealer.key_id, nonce, ciphertext

    def _opened(
        self, stream: str, position: int, uncommitted: UncommittedEvent
    ) -> dict[str, tuple[FieldOpening, leaf.Commitment]]:
        if clash := uncommitted.secrets.keys() & uncommitted.hidden.keys():
            raise ValueError(f"a field is either committed to or hidden: {sorted(clash)}")
        opened = {}
        for field, secret in sorted(uncommitted.secrets.items()):  # as the leaf has them, and so whoever reads it later
            salt = self._entropy.secret()
            c = commitments.field_commitment(stream, position, field, salt, secret.value)
            commitment = leaf.Commitment(c=c, to=secret.to, until=secret.until)
            opened[field] = (FieldOpening(stream, position, field, salt.hex(), secret.value), commitment)
        return opened


def stream_name(stream_id: bytes) -> str:
    """Return the text that leaves have for the stream of a table's 16 bytes."""
    return f"table/tbl_{stream_id.hex()}"
