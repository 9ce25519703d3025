"""`/v1/tables/{table}/dossier`, `…/hands/{hand}/dossier`: files that prove a table or a hand; and verify.py."""

# DECISIONS 104

from typing import Final

from flask import Response

from service.database.engines import reading
from service.dossier import archive, dossier_writer, extent
from service.dossier.dossier_writer import LogKeys, Logs, Viewer
from service.http.openapi.blueprint import Resource
from service.http.openapi.operation import READS, File, operation
from service.http.operations import expensive, request_cost
from service.http.problems.problem import RETRY, Problem
from service.http.request import visible_tables
from service.http.request.authentication import current_caller
from service.http.request.services import services
from service.http.responses.answers import BYTES, PYTHON, file_response, public_file_response
from service.projections.swap_guard import retry_after_swap

dossiers = Resource("dossiers", "Dossiers: files that prove a hand or a table with no network and no service.")

_FILE: Final = File(
    BYTES,
    "The dossier, a .zip file. The same viewer and the same checkpoint, with the same cosignatures, give the same "
    "bytes, whose SHA-256 is the dossier's digest. Check the file with `python3 verify.py dossier.zip` or `chiptrail "
    "verify --dossier dossier.zip`.",
)
_CODES: Final = (*READS, "dossier_must_be_small", "proof_must_exist", "table_must_be_intact", "table_must_exist")


@dossiers.get("/v1/tables/<table>/dossier")
@operation(dossiers, "get_table_dossier", codes=_CODES, file=_FILE)
def get_table_dossier(table: str) -> Response:
    """Get the dossier of a table: a file that proves all events of the table to the caller, offline.

    The dossier of a table has the same files as the dossier of a hand, for all hands.
    """
    return _dossier(table, 0)


@dossiers.get("/v1/tables/<table>/hands/<int(max=2147483647):hand>/dossier")
@operation(dossiers, "get_hand_dossier", codes=(*_CODES, "hand_must_exist"), file=_FILE)
def get_hand_dossier(table: str, hand: int) -> Response:
    """Get the dossier of a hand: a file that proves the hand to the caller, offline.

    The dossier has the table's events from the first event up to the last event that the hand needs, and the cards and
    sealed values that the caller may see. It has the newest checkpoint of the log, and the proof that the log has these
    events. `service.ndjson` has the events of the service's own stream that concern the table, or name a public key or
    a release of the service. `disputes.ndjson` has the events of the table's disputes, with the texts that the caller
    may read. A page for people, and the program that checks the dossier, are in the file too. As long as the hand is
    played, or a seed of its decks or one of its sealed fields may still become public, the hand needs all events of the
    table that the checkpoint covers.
    """
    if not hand:
        raise Problem("hand_must_exist")
    return _dossier(table, hand)


@dossiers.get("/v1/verify.py")
@operation(
    dossiers,
    "get_verifier",
    codes=READS,
    file=File(PYTHON, "The program verify.py. It needs Python 3.9 or newer, and nothing else."),
)
def get_verifier() -> Response:
    """Get verify.py, the program that checks dossiers.

    If you do not trust the service, get the program from the repository of Chiptrail, or read the program.
    """
    current_caller()  # No key is needed, but an invalid key is refused.
    return public_file_response(archive.program(), PYTHON)


@retry_after_swap
def _dossier(table: str, hand: int) -> Response:
    caller = current_caller()
    stream_id = visible_tables.stream_of(table)
    with expensive.turn(), reading(services().engine) as connection:
        table_at = visible_tables.current_table(connection, stream_id, caller)
        if table_at.imported_at:
            raise Problem("proof_must_exist", "The events are in the log of the service that recorded this table.")
        seat, unsealer = visible_tables.viewing_seat(table_at, caller), visible_tables.hidden(connection, table_at)
        keys = LogKeys(services().log_key, tuple(witness.key for witness in services().witnesses))
        viewer = Viewer(seat, unsealer, caller.owner, is_auditor=caller.reads_statements(table))
        logs = Logs(services().log, services().desk.log)
        try:
            data = dossier_writer.write(connection, logs, table_at, hand, viewer, keys)
        except dossier_writer.NoSuchHand as error:
            raise Problem("hand_must_exist") from error
        except extent.NotCovered as error:
            raise Problem("proof_must_exist", "No signed checkpoint covers the events yet.", headers=RETRY) from error
        except archive.DossierTooLarge as error:
            raise Problem("dossier_must_be_small") from error
    request_cost.add(len(data) // request_cost.DOSSIER_BYTES_PER_UNIT)
    response = file_response(data, BYTES, caller)
    response.headers["Content-Disposition"] = 'attachment; filename="dossier.zip"'
    return response
