"""`/v1/log`: the keys, the newest checkpoint, the tiles and the entry bundles of the whole log (C2SP tlog-tiles)."""

from typing import Annotated

from flask import Response
from msgspec import Meta, Struct

from service.database.engines import reading
from service.http.openapi.blueprint import Resource
from service.http.openapi.operation import READS, File, operation
from service.http.operations import expensive, request_cost
from service.http.problems.problem import RETRY, Problem
from service.http.request.authentication import caller_with_scope, current_caller, must_not_be_limited
from service.http.request.services import services
from service.http.responses.answers import BYTES, TEXT, file_response, json_response, public_file_response
from service.transparency import entry_bundles, tiles, tree
from service.transparency.tiles import NoSuchTile
from service.transparency.witnesses import cosigned

log = Resource("log", "The log as a whole: one Merkle tree over the events of all tables, and its signed checkpoints.")


class LogKeys(Struct, frozen=True):
    """The public keys with which anybody can check checkpoints, proofs and receipts."""

    origin: Annotated[str, Meta(description="The name of the log: the first line of each checkpoint.")]
    log_key: Annotated[
        str,
        Meta(
            description="The public key that verifies checkpoints, as C2SP signed-note writes a key: "
            "<origin>+<hash>+<key>."
        ),
    ]
    receipt_key: Annotated[
        str, Meta(pattern="^[0-9a-f]{64}$", description="The public key that verifies receipts: an Ed25519 key in hex.")
    ]


@log.get("/v1/log/key")
@operation(log, "get_log_keys", LogKeys, codes=READS)
def get_log_keys() -> Response:
    """Get the origin of the log, and the public keys that verify its checkpoints and the receipts.

    Keep these keys: with them you can check everything else that the service says about the log.
    """
    key = services().log_key
    keys = LogKeys(origin=key.name, log_key=str(key), receipt_key=services().signer.public_key)
    return json_response(keys, current_caller())


class CheckpointQuery(Struct, frozen=True):
    """Selects a checkpoint."""

    cosignatures: Annotated[
        int,
        Meta(ge=0, le=100, description="The minimum number of witnesses that must have cosigned the checkpoint."),
    ] = 0


@log.get("/v1/log/checkpoint")
@log.query(CheckpointQuery)
@operation(
    log,
    "get_checkpoint",
    codes=(*READS, "checkpoint_must_exist"),
    file=File(
        TEXT,
        "The checkpoint (C2SP tlog-checkpoint): a signed note with the origin, the size and the root. The signature of "
        "the log comes first, then the cosignatures of the service's witnesses (C2SP tlog-cosignature).",
    ),
)
def get_checkpoint(query: CheckpointQuery) -> Response:
    """Get the newest checkpoint of the log.

    A checkpoint commits to the order and the content of the events of all tables. The service signs a checkpoint only
    if the log begins with all events that the last checkpoint covers. Witnesses cosign a checkpoint some moments later,
    so the newest checkpoint may have no cosignature yet; `cosignatures` selects the newest checkpoint with at least
    this many cosignatures.
    """
    current_caller()  # No key is needed, but an invalid key is refused.
    keys = [witness.key for witness in services().witnesses]
    with reading(services().engine) as connection:
        note = cosigned.newest(connection, services().log_key.name, keys, query.cosignatures)
    if note is None:
        raise Problem("checkpoint_must_exist", _which(query.cosignatures), headers=RETRY)
    return public_file_response(note.encode(), TEXT)


def _which(cosignatures: int) -> str:
    """Return which checkpoint is missing, if it must have *cosignatures*; "" if it need not have any."""
    number = f"{cosignatures} cosignature{'s' * (cosignatures != 1)}"
    return f"The log has no checkpoint with at least {number}." if cosignatures else ""


@log.get("/v1/log/tile/<int(max=63):level>/<path:tile>")
@operation(
    log,
    "get_tile",
    codes=(*READS, "tile_must_exist"),
    file=File(BYTES, "The tile (C2SP tlog-tiles): at most 256 hashes of 32 bytes, one after the other."),
)
def get_tile(level: int, tile: str) -> Response:
    """Get a tile of the log: up to 256 hashes of one level of the Merkle tree.

    From tiles anybody can compute the proof that an event is in the log, and the proof that a checkpoint continues an
    earlier checkpoint. A full tile changes only if the operator begins a new log after a loss.
    """
    current_caller()
    number, width = _parsed(tile)
    try:
        with reading(services().engine) as connection:
            hashes = tree.tile(connection, level, number, width)
    except NoSuchTile as error:
        raise Problem("tile_must_exist") from error
    return public_file_response(hashes, BYTES, is_final=width == tiles.WIDTH)


@log.get("/v1/log/tile/entries/<path:tile>")
@operation(
    log,
    "get_entries",
    codes=(*READS, "key_must_be_given", "scope_must_be_granted", "table_must_be_intact", "tile_must_exist"),
    file=File(
        BYTES, "The entry bundle (C2SP tlog-tiles): each leaf after its length, which has two bytes, high byte first."
    ),
)
def get_entries(tile: str) -> Response:
    """Get the leaves below a tile of level 0, from all streams, also from those of private tables (scope `audit`).

    The hash of each leaf is in the tile at the same place.
    """
    caller = caller_with_scope("audit")
    must_not_be_limited(caller)
    number, width = _parsed(tile)
    try:
        with (
            expensive.turn(is_expensive=expensive.is_long_list(width)),
            reading(services().engine) as connection,
        ):
            leaves = entry_bundles.bundle(connection, number, width)
    except NoSuchTile as error:
        raise Problem("tile_must_exist") from error
    request_cost.add(width // request_cost.EVENTS_PER_UNIT)
    return file_response(leaves, BYTES, caller)


def _parsed(tile: str) -> tuple[int, int]:
    """Return the number and the width of the tile with the path *tile*.

    Raises:
        Problem: no tile has this path.
    """
    try:
        return tiles.parse_number(tile)
    except NoSuchTile as error:
        raise Problem("tile_must_exist") from error
