"""Forged dossiers: an operator who has the log key signs another history, so only the events can show the forgery."""

import json
from base64 import b64encode
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from service import merkle
from service.canonical import canonical
from service.dossier import archive, dossier_writer
from service.transparency import checkpoint, signed_note
from service.transparency.checkpoint import Checkpoint
from service.transparency.signed_note import Signature, VerifierKey
from service.transparency.tlog_proof import TlogProof
from tests.dossier.made import Files, files_of

ORIGIN = "forger.example/log"
KEY = Ed25519PrivateKey.from_private_bytes(bytes(31) + b"\1")

OPENED = {"log_key": str(signed_note.verifier_key(ORIGIN, KEY)), "origin": ORIGIN, "receipt_key": "a" * 64}
OPENED |= {"release": "1.0"}
"""The members of `log_opened` in the forged log."""

Leaves = list[dict[str, Any]]


def forged(data: bytes, edit: Callable[[Leaves], object]) -> bytes:
    """Return the dossier after *edit* changed the leaves, with new hashes, signature and pages; the openings stay."""
    files = files_of(data)
    leaves: Leaves = [json.loads(line) for line in files[archive.EVENTS].splitlines()]
    edit(leaves)
    return signed(files, leaves)


def signed(files: dict[str, bytes], leaves: Leaves) -> bytes:
    """Return the dossier with *leaves* and a new hash chain, in a log that has only the last leaf."""
    prev, lines = "0" * 64, []
    for position, leaf in enumerate(leaves, start=1):
        lines.append(canonical({**leaf, "position": position, "prev": prev}))
        prev = merkle.leaf_hash(lines[-1]).hex()
    note = str(checkpoint.signed(Checkpoint(ORIGIN, 1, merkle.leaf_hash(lines[-1])), KEY))
    made = {
        **files,
        archive.EVENTS: b"".join(line + b"\n" for line in lines),
        archive.OPENINGS: _with_range(files[archive.OPENINGS], len(lines)),
        archive.CHECKPOINT: note.encode(),
        archive.PROOF: str(TlogProof(0, (), note)).encode(),
        archive.KEYS: f"{signed_note.verifier_key(ORIGIN, KEY)}\n".encode(),
    }
    del made[archive.README], made[archive.CASE]
    for name in archive.OPTIONAL:  # The leaves of these files are not in this log.
        made.pop(name, None)
    readme = case = b""
    with suppress(TypeError, ValueError):  # The pages can't show members of wrong types.
        readme, case = dossier_writer.pages(made)
    return archive.packed({**made, archive.README: readme, archive.CASE: case})


def with_pages(files: Files) -> bytes:
    """Return a dossier of *files*, with the pages that follow from them."""
    made = {name: data for name, data in files.items() if name not in {archive.README, archive.CASE}}
    readme, case = dossier_writer.pages(made)
    return archive.packed({**made, archive.README: readme, archive.CASE: case})


def _with_range(openings: bytes, leaves: int) -> bytes:
    """Return openings.ndjson for a table whose number of leaves has changed."""
    first, *rest = openings.splitlines(keepends=True)
    begin = json.loads(first)
    if not begin["begin"]["hand"]:
        begin["begin"]["last"] = leaves
    return canonical(begin) + b"\n" + b"".join(rest)


def checkpointed(files: Files, note: list[bytes]) -> Files:
    """Return the files that another checkpoint changes: its own file, and the proof, which ends with the checkpoint."""
    head, _, _ = files[archive.PROOF].partition(b"\n\n")
    return {archive.CHECKPOINT: b"".join(note), archive.PROOF: head + b"\n\n" + b"".join(note)}


def with_witnesses(files: Files, *names: str) -> Files:
    """Return the files of a dossier with the cosignatures of witnesses of these *names* (C2SP tlog-cosignature)."""
    note = signed_note.parse(files[archive.CHECKPOINT])
    keys = files[archive.KEYS]
    for number, name in enumerate(names):
        private = Ed25519PrivateKey.from_private_bytes(bytes([number + 7]) * 32)
        key = VerifierKey(name, signed_note.COSIGNATURE, private.public_key().public_bytes_raw())
        cosignature = private.sign(f"cosignature/v1\ntime {1_700_000_000 + number}\n{note.text}".encode())
        line = Signature(name, key.key_hash, (1_700_000_000 + number).to_bytes(8, "big") + cosignature)
        note, keys = signed_note.with_signatures(note, [line]), keys + f"{key}\n".encode()
    made = {**files, archive.KEYS: keys, **checkpointed(files, [str(note).encode()])}
    del made[archive.README], made[archive.CASE]
    readme, case = dossier_writer.pages(made)
    return {**made, archive.README: readme, archive.CASE: case}


def with_service_leaf(files: Files, kind: str, pub: dict[str, Any]) -> Files:
    """Return the files of a dossier in a log of two leaves; the first leaf belongs to the service's own stream."""
    own = {"v": 1, "stream": "service/log", "position": 1, "prev": "0" * 64, "type": kind, "version": 1}
    own |= {"by": "service", "at": "2026-01-01T00:00:00.000Z", "cmd": "5" * 64, "pub": pub}
    last = merkle.leaf_hash(files[archive.EVENTS].splitlines()[-1])
    first = merkle.leaf_hash(canonical(own))
    note = str(checkpoint.signed(Checkpoint(ORIGIN, 2, merkle.node_hash(first, last)), KEY))
    line = {"hashes": [b64encode(last).decode()], "index": 0, "leaf": own}
    made = {
        **files,
        archive.SERVICE: canonical(line) + b"\n",
        archive.CHECKPOINT: note.encode(),
        archive.PROOF: str(TlogProof(1, (first,), note)).encode(),
    }
    made.pop(archive.DISPUTES, None)  # The leaves of disputes are not in this log.
    del made[archive.README], made[archive.CASE]
    readme, case = dossier_writer.pages(made)
    return {**made, archive.README: readme, archive.CASE: case}
