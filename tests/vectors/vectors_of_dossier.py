"""Makes the vectors of dossier.zip: its files, files that a reader may have kept, and changes of a line."""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final, NamedTuple

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from service import merkle
from service.canonical import canonical
from service.dossier import archive
from service.transparency import checkpoint, signed_note
from service.transparency.checkpoint import Checkpoint
from service.transparency.tlog_proof import TlogProof
from tests.vectors.recorded_world import BLINDS, LOG_SEED, ORIGIN, World

FILE: Final = "dossier.zip"
FROZEN: Final = (
    archive.EVENTS,
    archive.OPENINGS,
    archive.SERVICE,
    archive.CHECKPOINT,
    archive.PROOF,
    archive.KEYS,
)
"""The files whose bytes never change; the others are the program verify.py, and the pages that it makes."""


class Change(NamedTuple):
    """A change of a *line* of a *file*: *old* becomes *new*, or the line is dropped or doubled.

    A reader must refuse the changed dossier in the *step*, and may name the *place*.
    """

    what: str
    file: str
    line: int
    old: str
    new: str
    step: str
    place: str = ""


DROP, DOUBLE = "drop", "double"
_CHANGES: Final = (
    Change("another bet", archive.EVENTS, 13, '"chips":10', '"chips":11', "leaves", "position 14"),
    Change("another time", archive.EVENTS, 20, "2026-01-01", "2026-01-02", "leaves", "position 21"),
    Change("another author", archive.EVENTS, 8, '"by":"seat:2"', '"by":"seat:1"', "leaves", "position 9"),
    Change("a space", archive.EVENTS, 5, '"v":1,', '"v": 1,', "leaves", "position 5"),
    Change("a leaf left out", archive.EVENTS, 9, DROP, "", "leaves"),
    Change("a leaf twice", archive.EVENTS, 9, DOUBLE, "", "leaves", "position 10"),
    Change("the last leaf left out", archive.EVENTS, 27, DROP, "", "inclusion"),
    Change("another last leaf", archive.EVENTS, 27, '"deck_unused"', '"deck_revealed"', "inclusion"),
    Change("the proof of another index", archive.PROOF, 2, "index 58", "index 57", "inclusion"),
    Change("a hash of the proof left out", archive.PROOF, 3, DROP, "", "inclusion"),
    Change("another size", archive.CHECKPOINT, 2, "59", "60", "signatures"),
    Change("a witness's key left out", archive.KEYS, 2, DROP, "", "signatures"),
    Change("another format", archive.OPENINGS, 1, "dossier/v1", "dossier/v2", "leaves"),
    Change("another release", archive.SERVICE, 1, "0.0.0-test", "0.0.1-test", "service", "service.ndjson, line 1"),
    Change("another index", archive.SERVICE, 1, '"index":0', '"index":1', "service", "service.ndjson, line 1"),
    Change("a leaf of the service twice", archive.SERVICE, 1, DOUBLE, "", "service", "service.ndjson, line 2"),
)


_BET, _SALE = '"chips":10,"seat":2,"transfers"', '"chips":9,"seat":2,"transfers"'
_FORGED: Final = (
    Change("another bet of a seat that signs", archive.EVENTS, 13, _BET, _SALE, "moves", "position 13"),
    Change("another player before the key was registered", archive.EVENTS, 4, '0009"', '000a"', "moves", "position 5"),
    Change(
        "another seed of a seat that does not sign", archive.EVENTS, 10, '":"1111', '":"2111', "moves", "position 13"
    ),
    Change("another level", archive.EVENTS, 16, "joint", "operator", "decks", "position 16"),
    Change("another face", archive.EVENTS, 19, '"face":"3h"', '"face":"3s"', "decks", "position 19"),
    Change("a card that is not the top card", archive.EVENTS, 20, "[1,2]", "[2,2]", "decks", "position 20"),
    Change("another seed of the service", archive.EVENTS, 26, '_seed":"4', '_seed":"5', "decks", "position 26"),
    Change(
        "more chips than a seat has",
        archive.EVENTS,
        22,
        '"stack:1","stack:2",10',
        '"stack:1","stack:2",11',
        "transfers",
        "position 22",
    ),
)
"""Changes by somebody who has the log key and makes all hashes and signatures again; see `rechained`."""


def dossier(world: World) -> Mapping[str, Any]:
    """Return keys and files to check dossier.zip with, and changes that a reader must refuse."""
    files = archive.unpacked(world.hand.dossier)
    return {
        "file": FILE,
        "sha256_of_files": {name: sha256(files[name]).hexdigest() for name in FROZEN},
        "log_vkey": world.keys["log_key"],
        "receipt_key": world.keys["receipt_key"],
        "kept": {
            "receipt": world.hand.receipt,
            "earlier_checkpoint": world.hand.old_checkpoint,
            "consistency": world.hand.consistency,
            "proof_of_position_3": world.hand.proof,
        },
        "changes": [one._asdict() for one in (*_CHANGES, *_of_signatures(files, world))],
        "changes_with_the_log_key": [one._asdict() for one in _FORGED],
    }


_CARD, _SEALED = "openings.ndjson, line 2", "openings.ndjson, line 15"
_BLIND: Final = f'"blind":"{BLINDS["insurance"]}",'
_OPENINGS: Final = (
    Change("another face", archive.OPENINGS, 2, '"2c"', '"3c"', "openings", _CARD),
    Change("another position", archive.OPENINGS, 2, '"pos":0', '"pos":1', "openings", _CARD),
    Change("another salt", archive.OPENINGS, 2, '"salt":"6', '"salt":"7', "openings", _CARD),
    Change("another hash of the proof", archive.OPENINGS, 2, '"proof":["d', '"proof":["e', "openings", _CARD),
    Change("readable from a later event on", archive.OPENINGS, 2, '"from":19', '"from":20', "openings", _CARD),
    Change("a card left out", archive.OPENINGS, 2, DROP, "", "openings", _CARD),
    Change("a card twice", archive.OPENINGS, 2, DOUBLE, "", "openings", "openings.ndjson, line 3"),
    Change("another value", archive.OPENINGS, 15, '"value":4', '"value":5', "openings", _SEALED),
    Change("another blind", archive.OPENINGS, 15, '"blind":"5', '"blind":"6', "openings", _SEALED),
    Change("no blind", archive.OPENINGS, 15, _BLIND, "", "openings", _SEALED),
    Change("the last opening left out", archive.OPENINGS, 15, DROP, "", "openings"),
)


def openings(world: World) -> Mapping[str, Any]:
    """Return the openings for seat 1 of the table in `signed_moves`, and changes that a reader must refuse."""
    files = archive.unpacked(world.hearts_dossier)
    lines = files[archive.OPENINGS].decode().splitlines()
    return {"lines": lines, "changes": [one._asdict() for one in _OPENINGS]}


def _of_signatures(files: Mapping[str, bytes], world: World) -> list[Change]:
    """Return changes that replace a line of the checkpoint by the same line of an earlier checkpoint."""
    old, new = world.hand.old_checkpoint.splitlines(), files[archive.CHECKPOINT].decode().splitlines()
    names = {5: "the signature of an earlier checkpoint", 6: "the cosignature of an earlier checkpoint"}
    return [
        Change(what, archive.CHECKPOINT, line, new[line - 1], old[line - 1], "signatures")
        for line, what in names.items()
    ]


def changed(files: Mapping[str, bytes], change: Change) -> dict[str, bytes]:
    """Return the *files* of a dossier after a *change*."""
    lines = files[change.file].decode().split("\n")
    at = change.line - 1
    if change.old in {DROP, DOUBLE}:
        lines[at : at + 1] = [] if change.old == DROP else 2 * [lines[at]]
    elif lines[at].count(change.old) == 1:
        lines[at] = lines[at].replace(change.old, change.new)
    else:
        raise ValueError(change)
    return {**files, change.file: "\n".join(lines).encode()}


def rechained(files: Mapping[str, bytes], change: Change) -> dict[str, bytes]:
    """Return the *files* after a *change* by somebody who has the log key, in a log that has only the last leaf."""
    prev, lines = "0" * 64, []
    for line in changed(files, change)[archive.EVENTS].splitlines():
        lines.append(canonical({**msgspec.json.decode(line), "prev": prev}))
        prev = merkle.leaf_hash(lines[-1]).hex()
    key = Ed25519PrivateKey.from_private_bytes(LOG_SEED)
    note = str(checkpoint.signed(Checkpoint(ORIGIN, 1, bytes.fromhex(prev)), key))
    made = {
        **files,
        archive.EVENTS: b"".join(line + b"\n" for line in lines),
        archive.CHECKPOINT: note.encode(),
        archive.PROOF: str(TlogProof(0, (), note)).encode(),
        archive.KEYS: f"{signed_note.verifier_key(ORIGIN, key)}\n".encode(),
    }
    del made[archive.SERVICE]
    return made
