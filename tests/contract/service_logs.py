"""Helpers for tests of the service's own stream: the stream, its events, and its audit."""

from typing import Any, Final

from sqlalchemy import Engine, text

from service.api_keys import repository
from service.api_keys.repository import OPERATOR, Key, Scope
from service.audit.whole_log.whole_log_audit import verify_log
from service.audit.whole_log.whole_log_report import LogEvidence, LogReport
from service.database.engines import administering, reading
from service.database.metadata import SERVICE_STREAM
from service.entropy import Entropy
from service.event_store.codec import RecordedEvent
from service.event_store.store import Log
from service.secrets.encryption import Sealer
from service.secrets.receipts import public_key
from service.service_log import key_register
from service.service_log.service_events import SERVICE_CODEC
from service.service_log.service_log import LogIdentity, ServiceLog
from tests.audit.forging import DROPPINGS
from tests.event_store.streams import KEY

AT: Final = "2026-01-01T00:00:00.000Z"
HOST: Final = "own_host"
IDENTITY: Final = LogIdentity(
    origin="chiptrail/log_1", log_key="chiptrail/log_1+00000000+AQ==", receipt_key=public_key(KEY), release="1.0"
)


def service_log(identity: LogIdentity = IDENTITY) -> ServiceLog:
    """Return the service's own stream, as a process of the service has it."""
    return ServiceLog(Log(SERVICE_CODEC, Sealer(KEY), Entropy()), lambda: identity)


def a_key(number: int, *scopes: Scope, owner: str = HOST, expires_at: str = "") -> Key:
    return Key(
        key_id=number.to_bytes(16, "big"),
        owner=owner,
        scopes=scopes or ("play",),
        secret_hash=repository.hash_of(f"secret {number}"),
        label=f"of Ann, number {number}",
        made_by=OPERATOR,
        made_at=AT,
        expires_at=expires_at,
    )


def make_key(engine: Engine, key: Key, own: ServiceLog | None = None) -> bool:
    with administering(engine) as connection:
        return key_register.make_key(connection, own or service_log(), key)


def end_key(engine: Engine, key: Key, own: ServiceLog | None = None) -> None:
    with administering(engine) as connection:
        key_register.end_key(connection, own or service_log(), key.key_id, by=HOST, at=AT)


def recorded(engine: Engine) -> tuple[RecordedEvent, ...]:
    """Check the hash chain of the service's own stream, and return its events."""
    own = service_log().log
    with reading(engine) as connection:
        return own.reader.read(connection, SERVICE_STREAM, head=own.head(connection, SERVICE_STREAM))


def events(engine: Engine) -> list[Any]:
    return [one.event for one in recorded(engine)]


def types(engine: Engine) -> list[str]:
    return [one.type for one in recorded(engine)]


def verified(engine: Engine, receipt_key: str = IDENTITY.receipt_key) -> LogReport:
    return verify_log(engine, LogEvidence(receipt_key=receipt_key))


def found(engine: Engine) -> list[tuple[str, str, int]]:
    """Return the check, the stream and the position of each finding of the audit."""
    return [(one.check, one.table, one.position) for one in verified(engine).findings]


def as_owner(engine: Engine, *statements: str, **values: object) -> None:
    """Drop all triggers, and run *statements*, as the owner of the database can."""
    with administering(engine) as connection:
        for drop in connection.execute(text(DROPPINGS[engine.dialect.name])).scalars().all():
            connection.execute(text(drop))
        for statement in statements:
            connection.execute(text(statement), values)
