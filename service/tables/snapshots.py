"""Snapshots: where a table stood, kept so that a long stream is folded from there and not from its beginning."""

from collections.abc import Mapping
from hashlib import sha256
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any, Final

import msgspec
from msgspec import Raw, Struct
from sqlalchemy import Connection

from service.database.sql import Sql
from service.event_store.disclosure import FieldPlace, SealedField
from service.event_store.entries import Head, stream_name
from service.event_store.store import Log
from service.games import GAMES
from service.secrets import encryption
from service.tables.fold import DueSince, TableAt, table_id

# They hold what follows from the public log alone, and are as disposable as a cache: one that is missing, of another
# release, damaged, or of another log than the one that is there, is passed over.
EVERY: Final = 250
"""How many events lie between two snapshots of a table, at least."""

_FOLDING: Final = ("canonical.py", "cards.py", "deck.py", "event_store", "games", "ledger", "secrets", "tables")
"""What it depends on how a table is folded."""
_RELEASE_BYTES: Final = 16


def _texts(place: Traversable) -> list[bytes]:
    if place.is_file():
        return [place.read_bytes()] if place.name.endswith(".py") else []
    return [text for inner in sorted(place.iterdir(), key=lambda one: one.name) for text in _texts(inner)]


def _fingerprint() -> bytes:
    digest = sha256()
    package = resources.files("service")
    for name in _FOLDING:
        for text in _texts(package / name):
            digest.update(sha256(text).digest())
    return digest.digest()[:_RELEASE_BYTES]


_RELEASE: Final = _fingerprint()
"""Taken with the code, while the process starts: later the files may be another release's, and the code still this one.
"""

_NEWEST: Final = Sql(
    "SELECT position, head_hash, key_id, nonce, ciphertext FROM snapshots"
    " WHERE stream_id = :stream_id AND release = :release AND position <= :upto ORDER BY position DESC LIMIT 1"
)
_PUT: Final = Sql(
    "INSERT INTO snapshots (stream_id, release, position, head_hash, key_id, nonce, ciphertext)"
    " VALUES (:stream_id, :release, :position, :head_hash, :key_id, :nonce, :ciphertext)"
    " ON CONFLICT (stream_id, release, position) DO UPDATE SET head_hash = excluded.head_hash,"
    " key_id = excluded.key_id, nonce = excluded.nonce, ciphertext = excluded.ciphertext"
)


class Unusable(Exception):
    """A snapshot was altered, or the log was."""


class _Body(Struct, frozen=True, array_like=True):
    """A table_at as it is written down. *decks* are the positions at which they were opened, one after the other."""

    game: str
    edition: int
    state: Raw
    decks: tuple[int, ...]
    hand_first: int
    sealed: tuple[SealedField, ...]
    erased: tuple[FieldPlace, ...]
    last_decision: DueSince
    due_before: DueSince


def release() -> bytes:
    """Return 16 bytes that are others wherever the code is another that folds tables: of this process's own code."""
    return _RELEASE


def written(table_at: TableAt) -> bytes:
    """Return a *table_at* as bytes; b"": its decks are not named as ours are, and it is better folded."""
    game = table_at.game
    table = table_id(table_at.stream_id)
    if list(table_at.opened) != [f"{table}/{number}" for number in range(1, len(table_at.opened) + 1)]:
        return b""
    state = Raw(_ENCODER.encode(table_at.state))
    decks, sealed = tuple(table_at.opened.values()), tuple(table_at.sealed.values())
    erased = tuple(sorted(table_at.erased))
    body = _Body(
        game=game.name,
        edition=game.edition,
        state=state,
        decks=decks,
        hand_first=table_at.hand_first,
        sealed=sealed,
        erased=erased,
        last_decision=table_at.last_decision,
        due_before=table_at.due_before,
    )
    return _ENCODER.encode(body)


def read(stream_id: bytes, head: Head, data: bytes) -> TableAt:
    """Return the table_at that was `written` as *data*, at a table that stood at *head*.

    Raises:
        LookupError, msgspec.DecodeError: it was not.
    """
    body = _BODY.decode(data)
    game = GAMES[body.game, body.edition]
    state = _STATES[body.game, body.edition].decode(body.state)
    table = table_id(stream_id)
    opened = {f"{table}/{number}": position for number, position in enumerate(body.decks, start=1)}
    sealed = {(kept.position, kept.field): kept for kept in body.sealed}
    return TableAt(
        stream_id,
        head,
        game,
        state,
        opened,
        body.hand_first,
        sealed=sealed,
        erased=frozenset(body.erased),
        last_decision=body.last_decision,
        due_before=body.due_before,
    )


def put(connection: Connection, log: Log, table_at: TableAt) -> None:
    """Keep a snapshot of *table_at*, in the place of one that is there."""
    data, head = written(table_at), table_at.head
    if not data:
        return
    kept = log.snapshot_sealer.seal(stream_name(table_at.stream_id), head.position, _field(head.hash), data)
    values = {
        "stream_id": table_at.stream_id,
        "release": release(),
        "position": head.position,
        "head_hash": head.hash,
        "key_id": kept.key_id,
        "nonce": kept.nonce,
        "ciphertext": kept.ciphertext,
    }
    _PUT.run(connection, values)


def newest(connection: Connection, log: Log, stream_id: bytes, upto: int) -> TableAt | None:
    """Return the last snapshot at a position of *upto* at most, as a table_at of a table here; None: none will do."""
    try:
        return at(connection, log, stream_id, upto)
    except Unusable:
        return None


def at(connection: Connection, log: Log, stream_id: bytes, upto: int) -> TableAt | None:
    """Return the last snapshot at a position of *upto* at most; None: there is none under the key of this service.

    The leaf that stands at its position must be the one that stood there when it was made.

    Raises:
        Unusable: it is not what was written, or not of the log that is there.
    """
    row = _NEWEST.run(connection, {"stream_id": stream_id, "release": release(), "upto": upto}).first()
    if row is None:
        return None
    head = Head(row.position, bytes(row.head_hash))
    kept = encryption.Sealed(bytes(row.key_id), bytes(row.nonce), bytes(row.ciphertext))
    try:
        data = log.snapshot_sealer.open(stream_name(stream_id), head.position, _field(head.hash), kept)
        table_at = read(stream_id, head, data)
    except encryption.WrongKey:
        return None
    except (encryption.Tampered, msgspec.DecodeError, LookupError) as error:
        raise Unusable(str(error)) from error
    there = log.reader.read(connection, stream_id, head.position - 1, limit=1)
    if not there or there[0].hash != head.hash:
        raise Unusable(f"The leaf at position {head.position} is another.")
    return table_at


def _field(head_hash: bytes) -> str:
    return f"snapshot/{release().hex()}/{head_hash.hex()}"


_ENCODER: Final = msgspec.msgpack.Encoder()
_BODY: Final = msgspec.msgpack.Decoder(_Body)
_STATES: Final[Mapping[tuple[str, int], msgspec.msgpack.Decoder[Any]]] = {
    edition: msgspec.msgpack.Decoder(type(game.new(""))) for edition, game in GAMES.items()
}
