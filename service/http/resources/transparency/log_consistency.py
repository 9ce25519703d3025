"""`/v1/log/consistency/{old}/{new}`: the proof that a larger tree of the log begins with a smaller tree."""

# DECISIONS 104

from typing import Final

from flask import Response

from service.database.engines import reading
from service.http.openapi.blueprint import Resource
from service.http.openapi.operation import READS, File, operation
from service.http.problems.problem import Problem
from service.http.request.authentication import current_caller
from service.http.request.services import services
from service.http.responses.answers import TEXT, public_file_response
from service.transparency import checkpoint, published, signed_note, tree
from service.transparency.tlog_proof import ConsistencyProof

consistency = Resource("consistency", "The proofs that the log continues the checkpoints that somebody kept.")

_SIZE: Final = "int(max=9007199254740991)"


@consistency.get(f"/v1/log/consistency/<{_SIZE}:old>/<{_SIZE}:new>")
@operation(
    consistency,
    "get_consistency_proof",
    codes=(*READS, "checkpoint_must_exist"),
    file=File(
        TEXT,
        "The proof, in the form in which a log sends it to a witness (C2SP tlog-witness): a line with the word `old` "
        "and the smaller size, the hashes of the proof (RFC 6962) in base64, an empty line, and the checkpoint of the "
        "larger size.",
    ),
)
def get_consistency_proof(old: int, new: int) -> Response:
    """Get the proof that the log's tree of `new` leaves begins with its tree of `old` leaves.

    `new` is the size of a checkpoint of the log. With this proof, `verify.py` compares a dossier with a checkpoint of
    another size that you kept.
    """
    current_caller()  # No key is needed, but an invalid key is refused.
    with reading(services().engine) as connection:
        note = published.of_size(connection, services().log_key.name, new)
        if note is None or old > new:
            raise Problem("checkpoint_must_exist", f"The log has no checkpoint of {new} leaves after {old} leaves.")
        root = checkpoint.parsed(signed_note.parse(note.encode())).root
        proof = ConsistencyProof(old, tuple(tree.checked_consistency(connection, old, new, root)), note)
    return public_file_response(str(proof).encode(), TEXT)
