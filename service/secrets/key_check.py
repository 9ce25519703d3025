"""Binds a database to one service key, and refuses every other key."""

from sqlalchemy import (
    CheckConstraint,
    Column,
    Connection,
    Integer,
    LargeBinary,
    PrimaryKeyConstraint,
    Table,
    insert,
    select,
    update,
)
from sqlalchemy.exc import IntegrityError

from service.database import errors
from service.database.append_only import without_triggers
from service.database.metadata import SQLITE_OPTIONS, about, metadata
from service.secrets import receipts
from service.secrets.keyring import ServiceKey


class OtherServiceKey(Exception):
    """The database belongs to another service key. The given key could not open the database's sealed values."""


service_keys = Table(
    "service_keys",
    metadata,
    Column("slot", Integer, autoincrement=False, nullable=False),
    Column("key_id", LargeBinary(16), nullable=False),
    Column("fingerprint", LargeBinary(32), nullable=False),
    Column("public_key", LargeBinary(32), nullable=False),
    PrimaryKeyConstraint("slot"),
    CheckConstraint("slot = 1", name="there_is_one"),
    CheckConstraint("length(fingerprint) = 32", name="fingerprint_has_32_bytes"),
    CheckConstraint("length(public_key) = 32", name="public_key_has_32_bytes"),
    info=about(grants="SELECT, INSERT", touched_by_commands=False, is_spread=False),
    **SQLITE_OPTIONS,
)
"""One row that identifies the service key. The key itself is never in the database."""


def bound_to(connection: Connection) -> bytes | None:
    """Return the fingerprint of the key to which the database is bound; None: the database is bound to no key yet."""
    return connection.scalar(select(service_keys.c.fingerprint))


def check_service_key(connection: Connection, service_key: ServiceKey) -> None:
    """Check that the database belongs to *service_key*; bind a new database to *service_key*.

    Raises:
        OtherServiceKey: the database belongs to another key.
    """
    fingerprint = bytes.fromhex(service_key.fingerprint)
    if (found := bound_to(connection)) is None:
        _bind(connection, service_key)
        found = bound_to(connection)
    if found != fingerprint:
        raise OtherServiceKey(
            f"the service key has the fingerprint {fingerprint.hex()}, the database needs {(found or b'').hex()}"
        )


def rebind(connection: Connection, service_key: ServiceKey) -> None:
    """Bind the database to *service_key* instead of its present key; the database role must own `service_keys`."""
    with without_triggers(connection, service_keys.name):
        connection.execute(update(service_keys).values(_row(service_key)))


def _bind(connection: Connection, service_key: ServiceKey) -> None:
    try:
        with connection.begin_nested():
            connection.execute(insert(service_keys).values(slot=1, **_row(service_key)))
    except IntegrityError as error:  # Another process bound the database first, perhaps to another key.
        if errors.classify(error) is not errors.Fault.DUPLICATE_ROW:
            raise


def _row(service_key: ServiceKey) -> dict[str, bytes]:
    return {
        "key_id": bytes.fromhex(service_key.key_id.removeprefix("svk_")),
        "fingerprint": bytes.fromhex(service_key.fingerprint),
        "public_key": bytes.fromhex(receipts.public_key(service_key)),
    }
