"""Checkpoints in the database: publishes the checkpoint of the present tree, and returns the newest one."""

from typing import Final

from sqlalchemy import Connection, Engine, func, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import SQLAlchemyError

from service.clock import Clock
from service.database.engines import administering, reading
from service.database.write_lock import WriteLockNotAcquired
from service.transparency import tree
from service.transparency.log_signer import LogSigner, TreeMustContinue
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


def newest(connection: Connection, origin: str) -> str | None:
    """Return the newest checkpoint of *origin*, a signed note, or None if none was signed yet."""
    statement = select(checkpoints.c.note).where(checkpoints.c.origin == origin)
    return connection.execute(statement.order_by(checkpoints.c.size.desc()).limit(1)).scalar()


def origins(connection: Connection) -> tuple[str, ...]:
    """Return the origins of all stored checkpoints."""
    return tuple(connection.execute(select(checkpoints.c.origin).distinct().order_by(checkpoints.c.origin)).scalars())


def publish(engine: Engine, signer: LogSigner) -> str | None:
    """Sign the present tree and store its checkpoint; return the signed note, or None if there is no news.

    Raises:
        TreeMustContinue: the tree does not begin with the tree that was signed last, even if the tree itself is
            published: an older backup has an older checkpoint, too.
        AnotherWasSigned: another process signed a checkpoint in the meantime.
        HeadFileError: the file with the last checkpoint can't be read or written.
        TreeDamaged: a tile of the tree is missing.
    """
    origin = signer.key.origin
    last = signer.last()  # Before the head is read: a tree that was signed since then is no longer than this head.
    with reading(engine) as connection:
        head = tree.head(connection)
        if (head.size, head.root) == (last.size, last.root) and (
            not head.size or _is_published(connection, origin, head.size)
        ):
            return None
        if head.size < last.size:
            raise TreeMustContinue(
                f"The log has {head.size:,} leaves, and the last checkpoint covers {last.size:,}: the database is older"
                " than the checkpoint."
            )
        proof = tree.consistency_proof(connection, last.size, head.size)
    note = str(signer.sign(head, last, proof))
    with administering(engine) as connection:
        _store(connection, origin, head.size, note)
    return note


def _store(connection: Connection, origin: str, size: int, note: str) -> None:
    """Store *note*, unless another process has stored the checkpoint of this size in the meantime."""
    if not _is_published(connection, origin, size):  # On SQLite a trigger refuses a second one before ON CONFLICT does.
        insert = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
        row = insert(checkpoints).values(origin=origin, size=size, note=note)
        connection.execute(row.on_conflict_do_nothing(index_elements=["origin", "size"]))


def _is_published(connection: Connection, origin: str, size: int) -> bool:
    statement = select(checkpoints.c.size).where(checkpoints.c.origin == origin, checkpoints.c.size == size)
    return connection.execute(statement).first() is not None
