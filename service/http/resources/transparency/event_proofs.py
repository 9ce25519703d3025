"""`…/events/{position}/proof`: the proofs that a signed checkpoint covers an event of a table, or of its disputes."""

# DECISIONS 140

from typing import Final

from flask import Response
from sqlalchemy import Connection

from service.database.engines import reading
from service.event_store.entries import disputes_stream
from service.http.openapi.blueprint import Resource
from service.http.openapi.operation import READS, File, operation
from service.http.problems.problem import RETRY, Problem
from service.http.request import visible_tables
from service.http.request.authentication import current_caller
from service.http.request.context import Caller
from service.http.request.services import services
from service.http.resources.disputes import parties
from service.http.responses.answers import TEXT, file_response
from service.transparency import leaf_proofs

proofs = Resource("proofs", "The proofs that events are in the log as a whole.")

_FILE: Final = File(
    TEXT,
    "A proof as C2SP tlog-proof defines it (c2sp.org/tlog-proof@v1): the index of the event's leaf in the log, the "
    "hashes of the proof, and the newest checkpoint. The hash of the leaf is the event's `hash`.",
)
_CODES: Final = (*READS, "position_must_exist", "proof_must_exist", "table_must_be_intact", "table_must_exist")


@proofs.get("/v1/tables/<table>/events/<int(max=2147483647):position>/proof")
@operation(proofs, "get_event_proof", codes=_CODES, file=_FILE)
def get_event_proof(table: str, position: int) -> Response:
    """Get the proof that an event is in the log as a whole.

    The proof is text that can be checked without the service: with the event's leaf and the key of the log. A new event
    has a proof as soon as a checkpoint covers it, usually after one or two seconds.
    """
    caller = current_caller()
    stream_id = visible_tables.stream_of(table)
    with reading(services().engine) as connection:
        table_at = visible_tables.intact_table(connection, stream_id, caller)
        visible_tables.must_have_event(table_at, position)
        return _proof(connection, stream_id, position, caller, imported_at=table_at.imported_at)


@proofs.get("/v1/tables/<table>/disputes/events/<int(max=2147483647):position>/proof")
@operation(proofs, "get_dispute_event_proof", codes=_CODES, file=_FILE)
def get_dispute_event_proof(table: str, position: int) -> Response:
    """Get the proof that an event of a table's disputes is in the log as a whole.

    All disputes of a table are in one stream. `position` is the position of the event in this stream; the leaf and the
    receipt of the event have the same position. Everybody who sees the dispute can get the proof.
    """
    caller = current_caller()
    stream_id = visible_tables.stream_of(table)
    with reading(services().engine) as connection:
        parties.must_see_event(connection, stream_id, position, caller)
        stream = disputes_stream(stream_id)
        imported_at = services().desk.log.imported_at(connection, stream)
        return _proof(connection, stream, position, caller, imported_at=imported_at)


def _proof(connection: Connection, stream_id: bytes, position: int, caller: Caller, *, imported_at: str) -> Response:
    """Return the proof of an event that exists; *imported_at* is when the event's stream was imported ("": never)."""
    if imported_at:
        raise Problem("proof_must_exist", "The event is in the log of the service that recorded this table.")
    keys = [witness.key for witness in services().witnesses]
    proof = leaf_proofs.of_event(connection, services().log_key.name, keys, stream_id, position)
    if proof is None:
        raise Problem("proof_must_exist", "No signed checkpoint covers the event yet.", headers=RETRY)
    return file_response(str(proof).encode(), TEXT, caller)
