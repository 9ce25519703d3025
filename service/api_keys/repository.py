"""API keys: made once, found by their id, ended and never forgotten."""

import hmac
from hashlib import sha256
from threading import Lock
from typing import Any, Final, Literal

from msgspec import Struct
from sqlalchemy import Connection, Engine, Row, Select, func, insert, or_, select, text
from sqlalchemy.exc import IntegrityError

from service.api_keys import key_tables
from service.clock import Clock
from service.database import errors
from service.database.cache_generation import Generation
from service.database.durability import durability_barrier
from service.database.engines import reading
from service.secrets.keyring import ServiceKey
from service.ttl_cache import TtlCache

Scope = Literal["play", "host", "audit", "admin", "metrics"]
SCOPES: Final[tuple[Scope, ...]] = ("admin", "audit", "host", "metrics", "play")

OPERATOR: Final = "operator"  # by the command line, with no key at all
SERVICE: Final = "service"  # by itself, at its first start

_PREFIX: Final = "ctk"
_MOST_KEPT: Final = 10_000
_LOOK_SECONDS: Final = 1.0
_ADMINS_SECONDS: Final = 10.0
"""A key that another process revokes is known here to have ended after this long at the latest."""


class Key(Struct, frozen=True, kw_only=True):
    """A key as it is kept: never its secret. *expires_at* and *revoked_at* are "" where it has no such end.

    *made_by* and *revoked_by* name an owner, `OPERATOR` or `SERVICE`.
    """

    key_id: bytes
    owner: str
    scopes: tuple[Scope, ...]
    secret_hash: bytes
    label: str
    made_by: str
    made_at: str
    expires_at: str = ""
    revoked_at: str = ""
    revoked_by: str = ""

    @property
    def may_have_ended(self) -> bool:
        """Whether it is at all worth asking."""
        return bool(self.revoked_at or self.expires_at)

    def has_ended(self, now: str) -> bool:
        """Tell whether it was revoked, or has expired by *now*."""
        return bool(self.ended_at(now))

    def ended_at(self, now: str) -> str:
        """Return when it was revoked, or expired by *now*, whichever came first; "": it has not ended."""
        ends = (self.revoked_at, self.expires_at if self.expires_at <= now else "")
        return min((end for end in ends if end), default="")


class KeyCache:
    """Keys as they were last read in this generation: kept while none is revoked, which is looked for now and then."""

    def __init__(self, engine: Engine, clock: Clock, generation: Generation) -> None:
        self._engine = engine
        self._clock = clock
        self._generation = generation
        self._number = generation.number
        self._kept: dict[bytes, Key] = {}
        self._revocations = 0
        self._looked = -_LOOK_SECONDS
        self._lock = Lock()
        self._admins = TtlCache(self._look_for_admins, _ADMINS_SECONDS, clock)

    def find(self, key_id: bytes) -> Key | None:
        """Return the key with this id; None: there is none."""
        self._look()
        kept = self._of_this_generation()  # what is kept after that ended, or a revocation, goes where nobody looks
        key = kept.get(key_id)
        if key is None:
            with reading(self._engine) as connection:
                key = find(connection, key_id)
            if key is not None and len(kept) < _MOST_KEPT:
                kept[key_id] = key
        return key

    def is_admin(self, owner: str) -> bool:
        """Tell whether *owner* has, or lately had, a key with the scope admin, or is the service or its operator."""
        return owner in self._admins.get()

    def _look_for_admins(self) -> frozenset[str]:
        with reading(self._engine) as connection:
            return frozenset({OPERATOR, SERVICE, *(key.owner for key in admin_keys(connection))})

    def forget(self) -> None:
        """Read every key afresh: one was revoked."""
        self._kept = {}

    def _look(self) -> None:
        with self._lock:
            now = self._clock.monotonic()
            if now - self._looked < _LOOK_SECONDS:
                return
            with reading(self._engine) as connection:
                revocations = connection.execute(
                    select(func.count()).select_from(key_tables.key_revocations)
                ).scalar_one()
            if revocations != self._revocations or len(self._kept) >= _MOST_KEPT:
                self._revocations, self._kept = revocations, {}
            self._looked = now

    def _of_this_generation(self) -> dict[bytes, Key]:
        """Return what is kept: another database may have lost keys, and revocations."""
        with self._lock:
            if self._number != self._generation.number:
                self._number, self._kept = self._generation.number, {}
            return self._kept


def key_name(key_id: bytes) -> str:
    """Return the name under which a key is shown."""
    return f"key_{key_id.hex()}"


def secret_of(service_key: ServiceKey, key_id: bytes) -> str:
    """Return the secret of a key: 64 hex digits that nobody without the service key can know."""
    return hmac.new(service_key.api_secret, key_id, sha256).hexdigest()


def token(service_key: ServiceKey, key_id: bytes) -> str:
    """Return a key as its owner sends it."""
    return f"{_PREFIX}_{key_id.hex()}_{secret_of(service_key, key_id)}"


def parse(text: str) -> tuple[bytes, str] | None:
    """Return id and secret of a key as it was sent; None: it is none."""
    match text.split("_"):
        case [prefix, name, secret] if prefix == _PREFIX and len(name) == 32 and secret.isascii():  # noqa: PLR2004
            try:
                return bytes.fromhex(name), secret
            except ValueError:
                return None
        case _:
            return None


def hash_of(secret: str) -> bytes:
    """Return what is kept of a secret."""
    return sha256(secret.encode()).digest()


def matches(key: Key, secret: str) -> bool:
    """Tell, in a time that tells nothing, whether *secret* is *key*'s."""
    return hmac.compare_digest(key.secret_hash, hash_of(secret))


def find(connection: Connection, key_id: bytes) -> Key | None:
    """Return the key with this id; None: there is none."""
    row = connection.execute(_all().where(key_tables.keys.c.key_id == key_id)).first()
    return _key(row) if row else None


def add(connection: Connection, key: Key) -> bool:
    """Keep *key*; False: there is one with its id already."""
    row = {
        "key_id": key.key_id,
        "owner": key.owner,
        "scopes": " ".join(sorted(key.scopes)),
        "secret_hash": key.secret_hash,
        "label": key.label,
        "made_by": key.made_by,
        "made_at": key.made_at,
        "expires_at": key.expires_at or None,
    }
    return _added(connection, key_tables.keys, row)


def revoke(connection: Connection, key_id: bytes, *, by: str, at: str) -> None:
    """End a key; one that is revoked already stays as it is, and that is made as safe as if it were new."""
    if not _added(connection, key_tables.key_revocations, {"key_id": key_id, "revoked_by": by, "revoked_at": at}):
        durability_barrier(connection)


def list_keys(connection: Connection, caller: str, *, of_everybody: bool, after: bytes, limit: int) -> list[Key]:
    """List keys by their ids: those that *caller* owns or made, or *of_everybody*."""
    statement = _all().where(key_tables.keys.c.key_id > after).order_by(key_tables.keys.c.key_id).limit(limit)
    if not of_everybody:
        statement = statement.where(or_(key_tables.keys.c.owner == caller, key_tables.keys.c.made_by == caller))
    return [_key(row) for row in connection.execute(statement)]


def keys_of(connection: Connection, owner: str) -> list[Key]:
    """List all keys of *owner*."""
    return [_key(row) for row in connection.execute(_all().where(key_tables.keys.c.owner == owner))]


def first_service_key(connection: Connection) -> Key | None:
    """Return the key that the service made by itself; None: it has made none yet."""
    row = connection.execute(
        _all().where(key_tables.keys.c.made_by == SERVICE).order_by(key_tables.keys.c.made_at)
    ).first()
    return _key(row) if row else None


def has_made(connection: Connection, maker: str, owner: str) -> bool:
    """Tell whether a key of *owner* was made by *maker*, itself an owner. Once it is so, it stays so."""
    made = select(key_tables.keys.c.key_id).where(key_tables.keys.c.owner == owner, key_tables.keys.c.made_by == maker)
    return connection.execute(made.limit(1)).first() is not None


def admin_keys(connection: Connection) -> list[Key]:
    """List all keys with the scope admin."""
    return [_key(row) for row in connection.execute(_all().where(key_tables.keys.c.scopes.contains("admin")))]


def has_reached_key_limit(connection: Connection, owner: str, most: int, *, now: str) -> bool:
    """Tell whether *owner* has made *most* keys or more that have not ended by *now*."""
    ended = key_tables.key_revocations
    keys = key_tables.keys.outerjoin(ended, ended.c.key_id == key_tables.keys.c.key_id)
    lasting = or_(key_tables.keys.c.expires_at.is_(None), key_tables.keys.c.expires_at > now)
    made = select(key_tables.keys.c.key_id).select_from(keys).where(key_tables.keys.c.made_by == owner)
    counted = made.where(ended.c.key_id.is_(None), lasting).limit(most).subquery()
    return int(connection.execute(select(func.count()).select_from(counted)).scalar_one()) >= most


def lock_until_commit(connection: Connection, what: str) -> None:
    """Let nobody else change *what* until this transaction ends; SQLite's writers take turns anyhow."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(hashtext(:what))"), {"what": f"chiptrail {what}"})


def _all() -> Select[Any]:
    ended = key_tables.key_revocations
    joined = key_tables.keys.outerjoin(ended, ended.c.key_id == key_tables.keys.c.key_id)
    return select(key_tables.keys, ended.c.revoked_at, ended.c.revoked_by).select_from(joined)


def _key(row: Row[Any]) -> Key:
    return Key(
        key_id=row.key_id,
        owner=row.owner,
        scopes=tuple(row.scopes.split()),
        secret_hash=row.secret_hash,
        label=row.label,
        made_by=row.made_by,
        made_at=row.made_at,
        expires_at=row.expires_at or "",
        revoked_at=row.revoked_at or "",
        revoked_by=row.revoked_by or "",
    )


def _added(connection: Connection, table: Any, row: dict[str, Any]) -> bool:  # noqa: ANN401 -- a Table
    try:
        with connection.begin_nested():
            connection.execute(insert(table).values(row))
    except IntegrityError as error:
        if errors.classify(error) is not errors.Fault.DUPLICATE_ROW:
            raise
        return False
    return True
