"""Snapshots: encrypted copies of tables at a position, so that a long stream need not be folded from its start."""

# DECISIONS 42 and 74

from collections.abc import Mapping
from hashlib import sha256
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any, Final

import msgspec
from msgspec import Raw, Struct
from sqlalchemy import Connection

from service.database.sql import Sql
from service.event_store import disclosure
from service.event_store.disclosure import FieldPlace, SealedField
from service.event_store.entries import Head, stream_name
from service.event_store.store import Log
from service.games import GAMES
from service.games.game import ClientSeeds
from service.secrets import encryption
from service.tables.fold import DueSince, TableAt, table_id
from service.tables.signing_state import SigningState

# A snapshot is computed from the log's leaves alone, and may be deleted at any time, like a cache entry. A process
# ignores a snapshot that is damaged, or belongs to another release or log.
SNAPSHOT_INTERVAL: Final = 250
"""When a command reaches or passes a multiple of this number of events, the process writes a snapshot of the table."""

_FOLDING: Final = ("canonical.py", "cards.py", "deck.py", "event_store", "games", "ledger", "secrets", "tables")
"""The files and packages of `service` on which the fold of a table depends."""
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
"""The hash of the code with which this process folds tables.

It is computed at start, because a new release may replace the files later.
"""

_NEWEST: Final = Sql(
    "SELECT position, head_hash, key_id, nonce, ciphertext FROM snapshots"
    " WHERE stream_id = :stream_id AND release = :release AND position <= :upto ORDER BY position DESC LIMIT 1"
)
_POSITIONS: Final = Sql("SELECT position FROM snapshots WHERE stream_id = :stream_id AND release = :release")
_PUT: Final = Sql(
    "INSERT INTO snapshots (stream_id, release, position, head_hash, key_id, nonce, ciphertext)"
    " VALUES (:stream_id, :release, :position, :head_hash, :key_id, :nonce, :ciphertext)"
    " ON CONFLICT (stream_id, release, position) DO UPDATE SET head_hash = excluded.head_hash,"
    " key_id = excluded.key_id, nonce = excluded.nonce, ciphertext = excluded.ciphertext"
)


class Unusable(Exception):
    """A snapshot was altered, or belongs to another log."""


class _Body(Struct, frozen=True, array_like=True):
    """The content of a snapshot. *decks* are the positions of the table's `deck_opened` events, in order."""

    game: str
    edition: int
    state: Raw
    decks: tuple[int, ...]
    hand_first: int
    sealed: tuple[SealedField, ...]
    erased: tuple[FieldPlace, ...]
    last_decision: DueSince
    due_before: DueSince
    clients: Mapping[str, ClientSeeds]
    signing: SigningState


def release() -> bytes:
    """Return 16 bytes that identify the code with which this process folds tables."""
    return _RELEASE


def written(table_at: TableAt) -> bytes:
    """Return *table_at* as bytes, or b"" if the epochs of its decks are not numbered 1, 2, 3 and so on."""
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
        clients=table_at.clients,
        signing=table_at.signing,
    )
    return _ENCODER.encode(body)


def read(stream_id: bytes, head: Head, data: bytes) -> TableAt:
    """Return the table at *head* from *data*, the bytes that `written` returned.

    Raises:
        LookupError, msgspec.DecodeError: *data* does not come from `written` of this release.
    """
    body = _BODY.decode(data)
    game = GAMES[body.game, body.edition]
    state = _STATES[body.game, body.edition].decode(body.state)
    table = table_id(stream_id)
    opened = {f"{table}/{number}": position for number, position in enumerate(body.decks, start=1)}
    return TableAt(
        stream_id,
        head,
        game,
        state,
        opened,
        body.hand_first,
        sealed=disclosure.state_of(body.sealed),
        erased=frozenset(body.erased),
        last_decision=body.last_decision,
        due_before=body.due_before,
        clients=body.clients,
        signing=body.signing,
    )


def put(connection: Connection, log: Log, table_at: TableAt) -> bool:
    """Store a snapshot of *table_at*, which replaces this release's earlier snapshot at the same position.

    If `written` returns b"", store nothing and return False; otherwise return True.
    """
    data, head = written(table_at), table_at.head
    if not data:
        return False
    encrypted = log.snapshot_sealer.seal(stream_name(table_at.stream_id), head.position, _field(head.hash), data)
    values = {
        "stream_id": table_at.stream_id,
        "release": release(),
        "position": head.position,
        "head_hash": head.hash,
        "key_id": encrypted.key_id,
        "nonce": encrypted.nonce,
        "ciphertext": encrypted.ciphertext,
    }
    _PUT.run(connection, values)
    return True


def positions(connection: Connection, stream_id: bytes) -> list[int]:
    """Return the positions of this release's snapshots of the table of *stream_id*."""
    rows = _POSITIONS.all(connection, {"stream_id": stream_id, "release": release()})
    return [position for (position,) in rows]


def newest(connection: Connection, log: Log, stream_id: bytes, upto: int) -> TableAt | None:
    """Return the table of the last snapshot up to the position *upto*, or None if this snapshot is missing or unusable.

    Raises:
        StreamCorrupted: as for `at`.
    """
    try:
        return at(connection, log, stream_id, upto)
    except Unusable:
        return None


def at(connection: Connection, log: Log, stream_id: bytes, upto: int) -> TableAt | None:
    """Return the table of this release's last snapshot up to the position *upto*.

    Return None if there is no such snapshot, or if it is encrypted under a service key that this process does not have.

    Raises:
        Unusable: the snapshot was altered, or the leaf at its position is not the leaf for which it was stored.
        StreamCorrupted: the hash chain is broken at the snapshot's position.
    """
    row = _NEWEST.run(connection, {"stream_id": stream_id, "release": release(), "upto": upto}).first()
    if row is None:
        return None
    head = Head(row.position, bytes(row.head_hash))
    encrypted = encryption.Sealed(bytes(row.key_id), bytes(row.nonce), bytes(row.ciphertext))
    try:
        data = log.snapshot_sealer.open(stream_name(stream_id), head.position, _field(head.hash), encrypted)
        table_at = read(stream_id, head, data)
    except encryption.WrongKey:
        return None
    except (encryption.Tampered, msgspec.DecodeError, LookupError) as error:
        raise Unusable(str(error)) from error
    found = log.reader.read(connection, stream_id, head.position - 1, limit=1)
    if not found or found[0].hash != head.hash:
        raise Unusable(f"The leaf at position {head.position} is not the leaf of the snapshot.")
    return table_at


def _field(head_hash: bytes) -> str:
    return f"snapshot/{release().hex()}/{head_hash.hex()}"


_ENCODER: Final = msgspec.msgpack.Encoder()
_BODY: Final = msgspec.msgpack.Decoder(_Body)
_STATES: Final[Mapping[tuple[str, int], msgspec.msgpack.Decoder[Any]]] = {
    edition: msgspec.msgpack.Decoder(game.state_type) for edition, game in GAMES.items()
}
