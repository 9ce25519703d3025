"""Checkpoints in the database: signs and stores a checkpoint of the present tree; reads checkpoints (DECISIONS 98)."""

from typing import Final

from sqlalchemy import Connection, Engine, func, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import SQLAlchemyError

from service import merkle
from service.clock import Clock
from service.database.engines import administering, reading
from service.database.write_lock import WriteLockNotAcquired
from service.event_store.log_tables import streams
from service.transparency import checkpoint, first_difference, tree
from service.transparency.checkpoint import Checkpoint
from service.transparency.log_signer import LogSigner, TreeMustContinue
from service.transparency.signed_note import Note, NoteMustBeGenuine, VerifierKey
from service.transparency.tree_tables import checkpoints
from service.ttl_cache import TtlCache

_READ_SECONDS: Final = 1.0


class PublishedSize:
    """The size of the newest checkpoint of *origin*, which each process reads at most once a second."""

    def __init__(self, engine: Engine, origin: str, clock: Clock) -> None:
        self._engine = engine
        self._origin = origin
        self._cached = TtlCache(self._read, _READ_SECONDS, clock)

    def get(self) -> int | None:
        """Return the number of leaves; 0: no checkpoint was signed yet; None: the database does not answer."""
        return self._cached.get()

    def _read(self) -> int | None:
        statement = select(func.max(checkpoints.c.size)).where(checkpoints.c.origin == self._origin)
        try:
            with reading(self._engine) as connection:
                return connection.execute(statement).scalar() or 0
        except (SQLAlchemyError, WriteLockNotAcquired):
            return None


class OtherLogKey(Exception):
    """The log key is not the key of this database's log, and `chiptrail log restart` has not begun a new log."""


def newest(connection: Connection, origin: str) -> str | None:
    """Return the newest checkpoint of *origin*, a signed note, or None if none was signed yet."""
    statement = select(checkpoints.c.note).where(checkpoints.c.origin == origin)
    return connection.execute(statement.order_by(checkpoints.c.size.desc()).limit(1)).scalar()


def of_size(connection: Connection, origin: str, size: int) -> str | None:
    """Return the checkpoint of *origin* with *size* leaves, or None if none was signed."""
    statement = select(checkpoints.c.note).where(checkpoints.c.origin == origin, checkpoints.c.size == size)
    return connection.execute(statement.limit(1)).scalar()


def newest_size(connection: Connection, origin: str) -> int:
    """Return the size of the newest checkpoint of *origin*; 0: there is none."""
    statement = select(func.max(checkpoints.c.size)).where(checkpoints.c.origin == origin)
    return connection.execute(statement).scalar() or 0


def leaves_without_index(connection: Connection) -> int:
    """Return how many leaves have no index yet, without the leaves of imported tables, which get no index."""
    own = select(func.coalesce(func.sum(streams.c.head), 0)).where(streams.c.imported_at.is_(None))
    return max(0, int(connection.execute(own).scalar_one()) - tree.number_of_leaves(connection))


def origins(connection: Connection) -> tuple[str, ...]:
    """Return the origins of all stored checkpoints."""
    return tuple(connection.execute(select(checkpoints.c.origin).distinct().order_by(checkpoints.c.origin)).scalars())


def has_checkpoint(connection: Connection) -> bool:
    """Return whether the database has a checkpoint, of any origin."""
    return connection.execute(select(checkpoints.c.size).limit(1)).first() is not None


def is_known(connection: Connection, origin: str) -> bool:
    """Return whether the database has a checkpoint of *origin*, or has no checkpoint at all."""
    is_of_log = select(checkpoints.c.size).where(checkpoints.c.origin == origin).limit(1)
    return connection.execute(is_of_log).first() is not None or not has_checkpoint(connection)


def publish(engine: Engine, signer: LogSigner, *, begins: bool = False) -> str | None:
    """Sign the present tree and store its checkpoint; return the signed note.

    Return None if the tree is empty, or if its checkpoint is the last checkpoint and is stored already.

    *begins*: a new origin may begin, although the database has checkpoints of another origin.

    Raises:
        OtherLogKey: the database has checkpoints of other origins only, and *begins* is false.
        TreeMustContinue: the present tree does not begin with the tree that was signed last; or a newer checkpoint is
            stored, and the present tree does not begin with its tree. This happens also after an older backup is
            restored, although the database then has a checkpoint of the present tree.
        AnotherWasSigned: another process signed a checkpoint in the meantime.
        HeadFileError: the file with the last checkpoint can't be locked, read or written.
        TreeDamaged: the head or a tile of the tree is missing.
    """
    origin = signer.key.origin
    last = signer.last()  # Read before the head: another process may sign a larger tree between the two reads.
    with reading(engine) as connection:
        if not (begins or is_known(connection, origin)):
            raise OtherLogKey(f"The database has checkpoints, but none of the log key's origin {origin}.")
        head = tree.head(connection)
        proof = continuation(connection, signer.key.public, last)
        if (head.size, head.root) == (last.size, last.root) and (
            not head.size or _is_published(connection, origin, head.size)
        ):
            return None
    note = str(signer.sign(head, last, proof))
    with administering(engine) as connection:
        _store(connection, origin, head.size, note)
    return note


def accept(engine: Engine, key: VerifierKey, data: bytes, *, begins: bool = False) -> Checkpoint:
    """Store the checkpoint in *data*, which a signer on another machine made with the log key; return the checkpoint.

    *begins*: a new origin may begin, although the database has checkpoints of another origin.

    Raises:
        NoteMustBeGenuine: *data* is no checkpoint that the owner of *key* signed.
        OtherLogKey: the database has checkpoints of other origins only, and *begins* is false.
        TreeMustContinue: the log does not begin with the leaves of the checkpoint, or the checkpoint covers no leaf.
        TreeDamaged: the head or a tile of the tree is missing.
    """
    found, note = checkpoint.opened(data, key)
    with reading(engine) as connection:
        if not (begins or is_known(connection, key.name)):
            raise OtherLogKey(f"The database has checkpoints, but none of the origin {key.name}.")
        size = tree.head(connection).size
        if not 0 < found.size <= size:
            raise TreeMustContinue(f"The checkpoint covers {found.size:,} leaves; the log has {size:,}.")
        if tree.root(connection, found.size) != found.root:
            raise TreeMustContinue(f"The first {found.size:,} of the {size:,} leaves of the log have another root.")
    of_log = [line for line in note.signatures if (line.name, line.key_hash) == (key.name, key.key_hash)]
    with administering(engine) as connection:
        _store(connection, key.name, found.size, str(Note(note.text, tuple(of_log))))
    return found


def _store(connection: Connection, origin: str, size: int, note: str) -> None:
    """Store *note*, unless a checkpoint of this origin and size is stored already."""
    if not _is_published(connection, origin, size):  # SQLite's trigger refuses a second row, despite ON CONFLICT.
        insert = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
        row = insert(checkpoints).values(origin=origin, size=size, note=note)
        connection.execute(row.on_conflict_do_nothing(index_elements=["origin", "size"]))


def continuation(connection: Connection, key: VerifierKey, last: Checkpoint) -> list[bytes]:
    """Return the proof that the present tree begins with the tree of *last*, the last checkpoint that *key* signed.

    The file with the last checkpoint may be an old copy. So if a newer checkpoint of *key* is stored, the tree must
    begin with the tree of this newer checkpoint, too.

    Raises:
        TreeMustContinue: the present tree does not begin with the tree of *last*; or a newer checkpoint is stored, and
            the present tree does not begin with its tree.
        TreeDamaged: the head or a tile of the tree is missing.
    """
    proof = _proof_since(connection, key, last, "the last checkpoint")
    if (newer := _newer(connection, key, last.size)) is not None:
        _proof_since(connection, key, newer, "a stored checkpoint, which is newer than the signer's last one,")
    return proof


def _newer(connection: Connection, key: VerifierKey, size: int) -> Checkpoint | None:
    """Return the newest stored checkpoint of *key*; None: it is not genuine, or has at most *size* leaves."""
    if newest_size(connection, key.name) <= size:
        return None
    try:
        found, _ = checkpoint.opened((newest(connection, key.name) or "").encode(), key)
    except NoteMustBeGenuine:
        return None  # `verify` names such a checkpoint.
    return found


def _proof_since(connection: Connection, key: VerifierKey, last: Checkpoint, what: str) -> list[bytes]:
    head = tree.head(connection)
    if head.size < last.size:
        where = first_difference.describe(connection, key, head.size)
        raise TreeMustContinue(
            f"The log has {head.size:,} leaves, but {what} covers {last.size:,}: the database is older"
            f" than the checkpoint, or was cut. {where}"
        )
    proof = tree.consistency_proof(connection, last.size, head.size)
    if not merkle.is_consistent(last.size, last.root, head.size, head.root, proof):
        where = first_difference.describe(connection, key, last.size)
        raise TreeMustContinue(
            f"The log with {head.size:,} leaves does not begin with the {last.size:,} leaves that {what}"
            f" covers: the log was changed. {where}"
        )
    return proof


def _is_published(connection: Connection, origin: str, size: int) -> bool:
    statement = select(checkpoints.c.size).where(checkpoints.c.origin == origin, checkpoints.c.size == size)
    return connection.execute(statement).first() is not None
