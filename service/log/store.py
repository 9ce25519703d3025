"""The log: streams of events, appended in one order, read back as they were hashed."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct
from sqlalchemy import Connection, Engine, Row
from sqlalchemy.exc import IntegrityError

from service.entropy import Entropy
from service.log import codec, faults, leaf, openings, sealing, statements
from service.log.database import reading
from service.log.openings import FieldOpening
from service.log.sql import insert_rows

ALL: Final = 2**31 - 1  # more than a stream can hold
_TAKEN_AT_ONCE: Final = 500  # events


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


class Draft(Struct, frozen=True):
    """An *event* to be appended.

    *cmd* (hex) stands on decisions alone. *secrets* are sealed fields: the leaf commits to them.
    *hidden* is kept in the sealed store and the leaf says nothing of it: the seed of a deck.
    """

    event: Struct
    by: str
    cmd: str = ""
    secrets: Mapping[str, Secret] = {}
    hidden: Mapping[str, bytes] = {}


class StalePosition(Exception):
    """Somebody else appended first: the stream stands at *actual*, not at *expected*."""

    def __init__(self, expected: int, actual: int) -> None:
        super().__init__(f"expected the stream at position {expected}, found it at {actual}")
        self.expected = expected
        self.actual = actual


class CommandRecorded(Exception):
    """The stream holds the command's id already: it was made before."""


class StreamIsImported(Exception):
    """The stream was written by another service: here it is only read."""


class StreamExists(Exception):
    """A stream can be created once: this one was there already."""


class NoSuchStream(Exception):
    """Nothing was ever appended under this id, nor was it created."""


class LogMustRunOn(Exception):
    """The stream is not the one that was read before: the log was changed, or a database restored."""


class NotSealed(LookupError):
    """Nothing is sealed there, or no more: it was erased, or its stream is another service's."""


def stream_name(stream_id: bytes) -> str:
    """Return the text that leaves have for the stream of a table's 16 bytes."""
    return f"table/tbl_{stream_id.hex()}"


class Log:
    """Appends and reads inside a transaction that its caller begins and ends."""

    def __init__(self, codec: codec.Codec, sealer: sealing.Sealer, entropy: Entropy) -> None:
        self._codec = codec
        self._sealer = sealer
        self._entropy = entropy

    def create(self, connection: Connection, stream_id: bytes, *, imported_at: str = "") -> Head:
        """Make an empty stream; with *imported_at* one that is taken in, and takes no commands.

        Raises:
            StreamExists: it is there; the transaction must end.
        """
        row = {"stream_id": stream_id, "head": 0, "head_hash": EMPTY.hash, "imported_at": imported_at or None}
        try:
            statements.CREATE.run(connection, row)
        except IntegrityError as error:
            if faults.classify(error) is faults.Fault.DUPLICATE_ROW:
                raise StreamExists(stream_name(stream_id)) from error
            raise
        return EMPTY

    def head(self, connection: Connection, stream_id: bytes) -> Head:
        """Return where the stream stands.

        Raises:
            NoSuchStream: it was never created.
        """
        row = statements.HEAD.run(connection, {"stream_id": stream_id}).first()
        if row is None:
            raise NoSuchStream(stream_name(stream_id))
        return Head(row.head, row.head_hash)

    def heads(self, engine: Engine, streams: Collection[bytes]) -> Mapping[bytes, int]:
        """Return at which position each of *streams* stands, those that there are."""
        with reading(engine) as connection:
            rows = connection.execute(statements.HEADS, {"streams": list(streams)})
            return {bytes(row.stream_id): row.head for row in rows}

    def imported_at(self, connection: Connection, stream_id: bytes) -> str:
        """Return when the stream was imported; "": it is written here, or there is none."""
        row = statements.IMPORTED.run(connection, {"stream_id": stream_id}).first()
        return (row.imported_at or "") if row else ""

    def take_in(self, connection: Connection, stream_id: bytes, recorded: Sequence[codec.Recorded]) -> None:
        """Add events as another service wrote them to a stream that was created as imported; they must run on."""
        for start in range(0, len(recorded), _TAKEN_AT_ONCE):
            page = recorded[start : start + _TAKEN_AT_ONCE]
            statements.GROW_IMPORTED.run(
                connection, {"stream_id": stream_id, "head": page[-1].position, "head_hash": page[-1].hash}
            )
            events = [(stream_id, one.position, one.leaf, bytes.fromhex(one.cmd) or None) for one in page]
            insert_rows(connection, "events", statements.EVENTS, events)

    def hide(self, connection: Connection, stream_id: bytes, position: int, field: str, plaintext: bytes) -> None:
        """Seal what an imported stream tells of itself later, so that it is found where our own streams have it."""
        row = self._sealed(stream_name(stream_id), position, field, plaintext)
        insert_rows(connection, "sealed", statements.SEALED, [(stream_id, *row)])

    def append(
        self, connection: Connection, stream_id: bytes, head: Head, drafts: Sequence[Draft]
    ) -> tuple[codec.Recorded, ...]:
        """Append *drafts*, at least one, right after *head*, with what is sealed in them.

        Raises:
            StalePosition: the stream has gone on.
            CommandRecorded: a decision among them was recorded before; the transaction must end.
            NoSuchStream: it was never created.
            StreamIsImported: it is only read here.
            LogMustRunOn: it is not the stream that *head* was read from.
        """
        recorded, sealed = self._recorded(stream_name(stream_id), head, drafts)
        new = {"head": recorded[-1].position, "head_hash": recorded[-1].hash}
        old = {"old_head": head.position, "old_head_hash": head.hash}
        if statements.ADVANCE.run(connection, {"stream_id": stream_id, **new, **old}).rowcount != 1:
            raise self._why_not(connection, stream_id, head)
        events = [(stream_id, one.position, one.leaf, bytes.fromhex(one.cmd) or None) for one in recorded]
        try:
            insert_rows(connection, "events", statements.EVENTS, events)
        except IntegrityError as error:
            if faults.classify(error) is faults.Fault.DUPLICATE_COMMAND:
                raise CommandRecorded(stream_name(stream_id)) from error
            raise
        if sealed:
            insert_rows(connection, "sealed", statements.SEALED, [(stream_id, *row) for row in sealed])
        return recorded

    def read(
        self, connection: Connection, stream_id: bytes, after: int = 0, limit: int = ALL, or_cmd: str = ""
    ) -> tuple[codec.Recorded, ...]:
        """Return the events at positions above *after*, in order, and before them the decision *or_cmd* (hex)."""
        values = {"stream_id": stream_id, "after": after, "limit": limit}
        if or_cmd:
            found = statements.READ_OR_COMMAND.run(connection, {**values, "cmd": bytes.fromhex(or_cmd)})
        else:
            found = statements.READ.run(connection, values)
        decode = self._codec.decode
        return tuple(decode(row.leaf) for row in found)

    def hidden(self, connection: Connection, stream_id: bytes, position: int, field: str) -> bytes:
        """Return what was sealed with the event at *position* under *field*, and is in no leaf.

        Raises:
            NotSealed: there is nothing, or no more.
        """
        values = {"stream_id": stream_id, "position": position, "field": field}
        row = statements.HIDDEN.run(connection, values).first()
        if row is None:
            raise NotSealed(f"{field} is not sealed at position {position} of {stream_name(stream_id)}")
        return self._opened(stream_id, position, field, row)

    def field(
        self, connection: Connection, stream_id: bytes, position: int, field: str, commitment: str
    ) -> FieldOpening:
        """Return the opening of the sealed *field* of the event at *position*, whose leaf commits to it so (hex).

        Raises:
            NotSealed: it was erased, or is another service's.
            OpeningMustMatch: it is not what the leaf commits to.
        """
        plaintext = self.hidden(connection, stream_id, position, field)
        return openings.checked(stream_name(stream_id), position, field, plaintext, commitment)

    def openings(
        self, connection: Connection, stream_id: bytes, recorded: Sequence[codec.Recorded]
    ) -> tuple[FieldOpening, ...]:
        """Return the openings of all sealed fields of *recorded*; fields that were erased have none.

        Who may have which of them is not decided here.

        Raises:
            OpeningMustMatch: one is not what its leaf commits to.
        """
        committed = {(one.position, field): seal.c for one in recorded for field, seal in one.priv.items()}
        if not committed:
            return ()
        positions = [position for position, _ in committed]
        values = {"stream_id": stream_id, "first": min(positions), "last": max(positions)}
        return tuple(
            self._opening(stream_id, row, committed[row.position, row.field])
            for row in statements.SEALED_FIELDS.run(connection, values)
            if (row.position, row.field) in committed
        )

    def _recorded(
        self, stream: str, head: Head, drafts: Sequence[Draft]
    ) -> tuple[tuple[codec.Recorded, ...], list[tuple[Any, ...]]]:
        at = self._entropy.now()
        prev = head.hash
        recorded = []
        sealed: list[tuple[Any, ...]] = []
        for position, draft in enumerate(drafts, start=head.position + 1):
            priv, plaintexts = self._kept(stream, position, draft)
            header = codec.Header(
                stream=stream, position=position, prev=prev.hex(), by=draft.by, at=at, cmd=draft.cmd, priv=priv
            )
            data = self._codec.encode(draft.event, header)
            name = self._codec.type_name(draft.event)
            prev = leaf.leaf_hash(data)
            recorded.append(
                codec.Recorded(position, data, prev, draft.event, name, draft.by, at, draft.cmd, header.prev, priv)
            )
            sealed += [self._sealed(stream, position, field, plaintext) for field, plaintext in plaintexts.items()]
        return tuple(recorded), sealed

    def _kept(self, stream: str, position: int, draft: Draft) -> tuple[dict[str, leaf.Commitment], dict[str, bytes]]:
        if clash := draft.secrets.keys() & draft.hidden.keys():
            raise ValueError(f"a field is either committed to or hidden: {sorted(clash)}")
        priv = {}
        plaintexts = dict(draft.hidden)
        for field, secret in sorted(draft.secrets.items()):  # as the leaf has them, and so whoever reads it later
            salt = self._entropy.secret()
            priv[field] = leaf.Commitment(
                c=leaf.field_commitment(stream, position, field, salt, secret.value),
                to=secret.to,
                until=secret.until,
            )
            plaintexts[field] = openings.as_sealed(FieldOpening(stream, position, field, salt.hex(), secret.value))
        return priv, plaintexts

    def _sealed(self, stream: str, position: int, field: str, plaintext: bytes) -> tuple[Any, ...]:
        nonce = self._entropy.nonce()
        ciphertext = self._sealer.seal(stream, position, field, plaintext, nonce)
        return position, field, self._sealer.key_id, nonce, ciphertext

    def _opened(self, stream_id: bytes, position: int, field: str, row: Row[Any]) -> bytes:
        kept = sealing.Sealed(row.key_id, row.nonce, row.ciphertext)
        return self._sealer.open(stream_name(stream_id), position, field, kept)

    def _opening(self, stream_id: bytes, row: Row[Any], commitment: str) -> FieldOpening:
        plaintext = self._opened(stream_id, row.position, row.field, row)
        return openings.checked(stream_name(stream_id), row.position, row.field, plaintext, commitment)

    def _why_not(self, connection: Connection, stream_id: bytes, head: Head) -> Exception:
        actual = self.head(connection, stream_id)
        if self.imported_at(connection, stream_id):
            return StreamIsImported(stream_name(stream_id))
        if actual.position > head.position:
            return StalePosition(head.position, actual.position)
        return LogMustRunOn(f"{stream_name(stream_id)} was read up to {head}, and is at {actual}")
