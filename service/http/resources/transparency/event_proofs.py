"""`/v1/tables/{table}/events/{position}/proof`: the proof that a signed checkpoint covers an event."""

from flask import Response

from service.database.engines import reading
from service.http.openapi.blueprint import Resource
from service.http.openapi.operation import READS, File, operation
from service.http.problems.problem import RETRY, Problem
from service.http.request import visible_tables
from service.http.request.authentication import current_caller
from service.http.request.services import services
from service.http.responses.answers import TEXT, file_response
from service.transparency import leaf_proofs

proofs = Resource("proofs", "The proofs that events are in the log as a whole.")


@proofs.get("/v1/tables/<table>/events/<int(max=2147483647):position>/proof")
@operation(
    proofs,
    "get_event_proof",
    codes=(*READS, "position_must_exist", "proof_must_exist", "table_must_be_intact", "table_must_exist"),
    file=File(
        TEXT,
        "A proof as C2SP tlog-proof defines it (c2sp.org/tlog-proof@v1): the index of the event's leaf in the log, the "
        "hashes of the proof, and the newest checkpoint. The hash of the leaf is the event's `hash`.",
    ),
)
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
        if table_at.imported_at:
            raise Problem("proof_must_exist", "The event is in the log of the service that recorded this table.")
        keys = [witness.key for witness in services().witnesses]
        proof = leaf_proofs.of_event(connection, services().log_key.name, keys, stream_id, position)
    if proof is None:
        raise Problem("proof_must_exist", "No signed checkpoint covers the event yet.", headers=RETRY)
    return file_response(str(proof).encode(), TEXT, caller)
