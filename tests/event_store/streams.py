"""A log with two invented types of event, for tests of the event store."""

import os
from collections.abc import Sequence

from msgspec import Struct
from sqlalchemy import Connection, Engine

from service.database.engines import writing
from service.entropy import Entropy
from service.event_store.codec import Codec, RecordedEvent
from service.event_store.entries import EMPTY, Head, UncommittedEvent
from service.event_store.store import Log
from service.secrets.commitments import command_id
from service.secrets.encryption import Sealer
from service.secrets.keyring import ServiceKey, derive


class Asked(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    words: str


class Answered(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    words: str
    times: int = 1


KEY: ServiceKey = derive(f"svk_{7:032x}", bytes(range(32)))
CODEC = Codec({"asked": Asked, "answered": Answered})


def make_log(key: ServiceKey = KEY) -> Log:
    return Log(CODEC, Sealer(key), Entropy())


def cmd(name: str) -> str:
    return command_id(bytes(32), name)


def asked(name: str, answers: int = 0) -> list[UncommittedEvent]:
    """Return uncommitted events: a decision named *name*, and as many consequences as *answers*."""
    decision = UncommittedEvent(Asked(name), "seat:1", cmd(name))
    return [decision, *(UncommittedEvent(Answered(name, times), "service") for times in range(2, answers + 2))]


def new_stream(engine: Engine, log: Log) -> bytes:
    stream_id = os.urandom(16)
    with writing(engine) as connection:
        log.create(connection, stream_id)
    return stream_id


def append_events(
    connection: Connection, log: Log, stream_id: bytes, head: Head, uncommitted_events: Sequence[UncommittedEvent]
) -> tuple[RecordedEvent, ...]:
    entry = log.entry(stream_id, head, uncommitted_events)
    log.write(connection, entry, log.generation.number)
    return entry.recorded


def append(
    engine: Engine, log: Log, stream_id: bytes, head: Head, uncommitted_events: Sequence[UncommittedEvent]
) -> tuple[RecordedEvent, ...]:
    with writing(engine) as connection:
        return append_events(connection, log, stream_id, head, uncommitted_events)


def head_of(recorded: Sequence[RecordedEvent]) -> Head:
    return Head(recorded[-1].position, recorded[-1].hash) if recorded else EMPTY
