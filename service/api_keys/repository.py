"""The repository of API keys, and their secrets (DECISIONS 9, 12 and 52)."""

import hmac
from collections.abc import Iterator
from hashlib import sha256
from typing import Any, Final, Literal

from msgspec import Struct
from sqlalchemy import Connection, Row, Select, func, insert, or_, select, text
from sqlalchemy.exc import IntegrityError

from service.api_keys import key_tables
from service.database import errors
from service.database.durability import durability_barrier
from service.secrets.keyring import ServiceKey

Scope = Literal["play", "host", "audit", "approve", "admin", "metrics"]
SCOPES: Final[tuple[Scope, ...]] = ("admin", "approve", "audit", "host", "metrics", "play")

OPERATOR: Final = "operator"  # The command line made or revoked the key.
SERVICE: Final = "service"  # The service made the key at its first start.

_PREFIX: Final = "ctk"
_PAGE: Final = 500  # keys


class Key(Struct, frozen=True, kw_only=True):
    """A stored API key, with the hash of its secret.

    *made_by* is an owner, `OPERATOR` or `SERVICE`; *revoked_by* is an owner or `OPERATOR`. *expires_at* is "" if the
    key does not expire. *revoked_at* and *revoked_by* are "" if the key is not revoked. *limits* are the tables
    (`tbl_…`) and disputes (`tbl_…/2`) to which a key for audits is limited; empty: no limit.
    """

    key_id: bytes
    owner: str
    scopes: tuple[Scope, ...]
    secret_hash: bytes
    label: str
    made_by: str
    made_at: str
    expires_at: str = ""
    limits: tuple[str, ...] = ()
    revoked_at: str = ""
    revoked_by: str = ""

    @property
    def may_have_ended(self) -> bool:
        """Whether the key is revoked or has an expiry time; a key with neither has not ended."""
        return bool(self.revoked_at or self.expires_at)

    def has_ended(self, now: str) -> bool:
        """Return whether the key was revoked, or has expired by *now*."""
        return bool(self.ended_at(now))

    def ended_at(self, now: str) -> str:
        """Return when the key was revoked or expired (the earlier of the two), or "" if it has not ended by *now*."""
        ends = (self.revoked_at, self.expires_at if self.expires_at <= now else "")
        return min((end for end in ends if end), default="")


def key_name(key_id: bytes) -> str:
    """Return the id of a key as responses show it."""
    return f"key_{key_id.hex()}"


def secret_of(service_key: ServiceKey, key_id: bytes) -> str:
    """Return the secret of a key: 64 hex digits, which nobody can compute without *service_key*."""
    return hmac.new(service_key.api_secret, key_id, sha256).hexdigest()


def token(service_key: ServiceKey, key_id: bytes) -> str:
    """Return the bearer token that the owner of the key sends: the key's id and secret."""
    return f"{_PREFIX}_{key_id.hex()}_{secret_of(service_key, key_id)}"


def parse(text: str) -> tuple[bytes, str] | None:
    """Return the key id and the secret in the token *text*, or None if *text* is not a token."""
    match text.split("_"):
        case [prefix, name, secret] if prefix == _PREFIX and len(name) == 32 and secret.isascii():  # noqa: PLR2004
            try:
                return bytes.fromhex(name), secret
            except ValueError:
                return None
        case _:
            return None


def hash_of(secret: str) -> bytes:
    """Return the hash that the database stores instead of *secret*."""
    return sha256(secret.encode()).digest()


def matches(key: Key, secret: str) -> bool:
    """Return whether *secret* is the secret of *key*. The comparison takes constant time, so its time leaks nothing."""
    return hmac.compare_digest(key.secret_hash, hash_of(secret))


def find(connection: Connection, key_id: bytes) -> Key | None:
    """Return the key with this id, or None if no key has this id."""
    row = connection.execute(_select_keys().where(key_tables.keys.c.key_id == key_id)).first()
    return _key(row) if row else None


def add(connection: Connection, key: Key) -> bool:
    """Store *key*; return False if a stored key has the same id."""
    row = {
        "key_id": key.key_id,
        "owner": key.owner,
        "scopes": " ".join(sorted(key.scopes)),
        "secret_hash": key.secret_hash,
        "label": key.label,
        "made_by": key.made_by,
        "made_at": key.made_at,
        "expires_at": key.expires_at or None,
        "limits": " ".join(sorted(key.limits)) or None,
    }
    return _insert(connection, key_tables.keys, row)


def revoke(connection: Connection, key_id: bytes, *, by: str, at: str) -> bool:
    """Revoke a key; return False if the key is revoked already.

    If the key is revoked already, a durability barrier makes the COMMIT wait until the earlier revocation is durable.
    In the service only `key_register` calls `add` and `revoke`, because each change of the keys needs an event in the
    service's own stream.
    """
    is_new = _insert(connection, key_tables.key_revocations, {"key_id": key_id, "revoked_by": by, "revoked_at": at})
    if not is_new:
        durability_barrier(connection)
    return is_new


def list_keys(connection: Connection, caller: str, *, of_everybody: bool, after: bytes, limit: int) -> list[Key]:
    """List at most *limit* keys in the order of their ids, from the first id above *after* on.

    The list has the keys that *caller* owns or made. With *of_everybody*, the list has all keys.
    """
    statement = _select_keys().where(key_tables.keys.c.key_id > after).order_by(key_tables.keys.c.key_id).limit(limit)
    if not of_everybody:
        statement = statement.where(or_(key_tables.keys.c.owner == caller, key_tables.keys.c.made_by == caller))
    return [_key(row) for row in connection.execute(statement)]


def all_keys(connection: Connection) -> Iterator[Key]:
    """Yield all keys by id, page by page."""
    last = b""
    while page := list_keys(connection, "", of_everybody=True, after=last, limit=_PAGE):
        yield from page
        last = page[-1].key_id


def has_keys(connection: Connection) -> bool:
    """Return whether there is any key."""
    return connection.execute(select(key_tables.keys.c.key_id).limit(1)).first() is not None


def keys_of(connection: Connection, owner: str) -> list[Key]:
    """List all keys that *owner* owns."""
    return [_key(row) for row in connection.execute(_select_keys().where(key_tables.keys.c.owner == owner))]


def first_service_key(connection: Connection) -> Key | None:
    """Return the first key that the service made, or None if the service has made no key yet."""
    row = connection.execute(
        _select_keys().where(key_tables.keys.c.made_by == SERVICE).order_by(key_tables.keys.c.made_at)
    ).first()
    return _key(row) if row else None


def has_made(connection: Connection, maker: str, owner: str) -> bool:
    """Return whether *maker* has ever made a key for *owner*. The result never changes from True to False."""
    made = select(key_tables.keys.c.key_id).where(key_tables.keys.c.owner == owner, key_tables.keys.c.made_by == maker)
    return connection.execute(made.limit(1)).first() is not None


def admin_keys(connection: Connection) -> list[Key]:
    """List all keys with the scope admin, including keys that have ended."""
    return [_key(row) for row in connection.execute(_select_keys().where(key_tables.keys.c.scopes.contains("admin")))]


def has_reached_key_limit(connection: Connection, owner: str, most: int, *, now: str) -> bool:
    """Return whether *owner* has made at least *most* keys that have not ended by *now*."""
    ended = key_tables.key_revocations
    keys = key_tables.keys.outerjoin(ended, ended.c.key_id == key_tables.keys.c.key_id)
    lasting = or_(key_tables.keys.c.expires_at.is_(None), key_tables.keys.c.expires_at > now)
    made = select(key_tables.keys.c.key_id).select_from(keys).where(key_tables.keys.c.made_by == owner)
    counted = made.where(ended.c.key_id.is_(None), lasting).limit(most).subquery()
    return int(connection.execute(select(func.count()).select_from(counted)).scalar_one()) >= most


def lock_until_commit(connection: Connection, resource: str) -> None:
    """Lock *resource* until this transaction ends. On SQLite, do nothing: the write lock is enough."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(hashtext(:what))"), {"what": f"chiptrail {resource}"})


def _select_keys() -> Select[Any]:
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
        limits=tuple((row.limits or "").split()),
        revoked_at=row.revoked_at or "",
        revoked_by=row.revoked_by or "",
    )


def _insert(connection: Connection, table: Any, row: dict[str, Any]) -> bool:  # noqa: ANN401 -- *table* is a Table
    try:
        with connection.begin_nested():
            connection.execute(insert(table).values(row))
    except IntegrityError as error:
        if errors.classify(error) is not errors.Fault.DUPLICATE_ROW:
            raise
        return False
    return True
