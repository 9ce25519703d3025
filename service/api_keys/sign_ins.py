"""The sign-ins of browsers: for some hours, the token in a cookie stands for an API key (DECISIONS 111)."""

import hmac
from hashlib import sha256
from typing import Final

from sqlalchemy import (
    CheckConstraint,
    Column,
    Connection,
    ForeignKeyConstraint,
    Index,
    LargeBinary,
    PrimaryKeyConstraint,
    Table,
    Text,
    delete,
    insert,
    select,
)

from service.database.metadata import SQLITE_OPTIONS, about, metadata
from service.secrets.derivation import Derivation

SIGNED_IN_KEY: Final = "chiptrail.signed_in_key"
"""The member of a WSGI environment that names the key (16 bytes) for which a browser is signed in.

No client can set this member, because the name of a member that comes from a header begins with `HTTP_`.
"""

MOST_OF_A_KEY: Final = 50
"""The maximum number of sign-ins for one key at the same time."""

sign_ins = Table(
    "sign_ins",
    metadata,
    Column("token_hash", LargeBinary(32), nullable=False),
    Column("key_id", LargeBinary(16), nullable=False),
    Column("expires_at", Text, nullable=False),
    Column("mark", LargeBinary(32), nullable=False),
    PrimaryKeyConstraint("token_hash"),
    ForeignKeyConstraint(["key_id"], ["keys.key_id"]),
    CheckConstraint("length(token_hash) = 32", name="token_hash_has_32_bytes"),
    CheckConstraint("length(mark) = 32", name="mark_has_32_bytes"),
    Index(None, "expires_at"),
    info=about(grants="SELECT, INSERT, DELETE", touched_by_commands=False, is_spread=False),
    **SQLITE_OPTIONS,
)
"""One row for each sign-in. *token_hash* is the SHA-256 of the token, so a copy of the database has no token.

*mark* is a MAC under a secret of the service key, so nobody can sign in by writing a row into the database.
"""


def begin(connection: Connection, derivation: Derivation, token: str, key_id: bytes, lifetime: tuple[str, str]) -> None:
    """Let *token* stand for the key with this id.

    *lifetime* is the present time and the time at which the sign-in expires. Remove all expired sign-ins, and the key's
    oldest sign-ins if the key would otherwise have more than `MOST_OF_A_KEY`. So nobody can fill the database by
    signing in again and again.
    """
    now, expires_at = lifetime
    connection.execute(delete(sign_ins).where(sign_ins.c.expires_at <= now))
    of_key = select(sign_ins.c.token_hash).where(sign_ins.c.key_id == key_id)
    newest_first = of_key.order_by(sign_ins.c.expires_at.desc(), sign_ins.c.token_hash)
    oldest = connection.execute(newest_first.offset(MOST_OF_A_KEY - 1)).scalars().all()
    connection.execute(delete(sign_ins).where(sign_ins.c.token_hash.in_(oldest)))
    mark = derivation.sign_in_mark(token, key_id, expires_at)
    row = {"token_hash": _hash(token), "key_id": key_id, "expires_at": expires_at, "mark": mark}
    connection.execute(insert(sign_ins).values(row))


def key_of(connection: Connection, derivation: Derivation, token: str, now: str) -> bytes | None:
    """Return the id of the key for which *token* stands.

    Return None if *token* has no sign-in, if the sign-in has expired, or if the row of the sign-in was altered.
    """
    wanted = sign_ins.c.token_hash == _hash(token), sign_ins.c.expires_at > now
    row = connection.execute(select(sign_ins).where(*wanted)).one_or_none()
    if row is None:
        return None
    key_id = bytes(row.key_id)
    is_ours = hmac.compare_digest(bytes(row.mark), derivation.sign_in_mark(token, key_id, row.expires_at))
    return key_id if is_ours else None


def end(connection: Connection, token: str) -> None:
    """End the sign-in of *token*, if there is one."""
    connection.execute(delete(sign_ins).where(sign_ins.c.token_hash == _hash(token)))


def _hash(token: str) -> bytes:
    return sha256(token.encode()).digest()
