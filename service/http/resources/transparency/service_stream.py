"""`/v1/log/events`: the service's own stream, and the proofs that its events are in the log as a whole."""

from typing import Annotated

from flask import Response
from msgspec import Meta, Raw, Struct
from sqlalchemy import Connection

from service.database.engines import reading
from service.database.metadata import SERVICE_STREAM
from service.event_store.codec import RecordedEvent
from service.event_store.entries import EMPTY, Head
from service.event_store.quarantine import StreamCorrupted
from service.http.openapi.blueprint import Resource
from service.http.openapi.operation import READS, File, operation
from service.http.operations import expensive, request_cost
from service.http.problems.problem import RETRY, Problem
from service.http.request.authentication import caller_with_scope, must_not_be_limited
from service.http.request.services import services
from service.http.responses.answers import TEXT, file_response, json_response, linked
from service.transparency import leaf_proofs

service_stream = Resource("service_stream", "The service's own stream: its API keys, imports, erasures and releases.")

_CODES = (*READS, "key_must_be_given", "scope_must_be_granted")


class ServiceEventQuery(Struct, frozen=True):
    """Selects events by position."""

    after: Annotated[int, Meta(ge=0, le=2**31 - 1, description="Only events at later positions.")] = 0
    limit: Annotated[int, Meta(ge=1, le=1000, description="The maximum number of events on a page.")] = 100


class ServiceEventItem(Struct, frozen=True):
    """An event of the service's own stream: its leaf, byte for byte as it was hashed."""

    leaf: Annotated[Raw, Meta(extra_json_schema={"$ref": "#/components/schemas/ServiceLeaf"})]
    hash: Annotated[
        str, Meta(pattern="^[0-9a-f]{64}$", description="SHA-256 of a zero byte and the leaf's bytes, in hex.")
    ]


class ServiceEventList(Struct, frozen=True):
    """A page of the service's own stream, in order and without a gap."""

    items: tuple[ServiceEventItem, ...]
    has_more: bool
    next: Annotated[int, Meta(description="The `after` of the next page.")]
    position: Annotated[
        int, Meta(ge=0, le=2**31 - 1, description="The position of the stream's last event; 0: there is none yet.")
    ]


@service_stream.get("/v1/log/events")
@service_stream.query(ServiceEventQuery)
@operation(
    service_stream, "list_service_events", ServiceEventList, codes=(*_CODES, "table_must_be_intact"), headers=("Link",)
)
def list_service_events(query: ServiceEventQuery) -> Response:
    """List the events of the service's own stream after a position (scope `audit` or `admin`).

    The stream records which API keys were made and ended (never their labels), which tables were imported, which of
    their sealed values were erased, which tables an archive has, the rotations of the service key, the releases of the
    software, and for each new log its origin, its public keys and the streams that had become shorter.
    """
    caller = caller_with_scope("audit", "admin")
    must_not_be_limited(caller)
    with (
        expensive.turn(is_expensive=expensive.is_long_list(query.limit)),
        reading(services().engine) as connection,
    ):
        head = _head(connection)
        recorded = _sound_events(connection, query, head)
    request_cost.add(len(recorded) // request_cost.EVENTS_PER_UNIT)
    last = recorded[-1].position if recorded else query.after
    items = tuple(ServiceEventItem(Raw(one.leaf), one.hash.hex()) for one in recorded)
    answer = ServiceEventList(items, last < head.position, last, head.position)
    return linked(json_response(answer, caller), answer, query.limit)


@service_stream.get("/v1/log/events/<int(max=2147483647):position>/proof")
@operation(
    service_stream,
    "get_service_event_proof",
    codes=(*_CODES, "position_must_exist", "proof_must_exist"),
    file=File(TEXT, "A proof as C2SP tlog-proof defines it (c2sp.org/tlog-proof@v1), as for an event of a table."),
)
def get_service_event_proof(position: int) -> Response:
    """Get the proof that an event of the service's own stream is in the log as a whole.

    The request needs the scope `audit` or `admin`. A new event has a proof as soon as a checkpoint covers it.
    """
    caller = caller_with_scope("audit", "admin")
    must_not_be_limited(caller)
    with reading(services().engine) as connection:
        if not 0 < position <= _head(connection).position:
            raise Problem("position_must_exist", "The service's own stream has no event at this position.")
        keys = [witness.key for witness in services().witnesses]
        proof = leaf_proofs.of_event(connection, services().log_key.name, keys, SERVICE_STREAM, position)
    if proof is None:
        raise Problem("proof_must_exist", "No signed checkpoint covers the event yet.", headers=RETRY)
    return file_response(str(proof).encode(), TEXT, caller)


def _sound_events(connection: Connection, query: ServiceEventQuery, head: Head) -> tuple[RecordedEvent, ...]:
    """Return the events of a page; if one of them is damaged, only the events before it.

    Raises:
        StreamCorrupted: the first event of the page is damaged.
    """
    reader = services().service_log.log.reader
    try:
        return reader.read(connection, SERVICE_STREAM, query.after, query.limit, head=head)
    except StreamCorrupted as error:
        if not error.sound_events:
            raise
        return error.sound_events


def _head(connection: Connection) -> Head:
    service_log = services().service_log
    return service_log.log.head(connection, SERVICE_STREAM) if service_log.is_open(connection) else EMPTY
