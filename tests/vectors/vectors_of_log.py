"""Makes the vectors of receipts, checkpoints, proofs and tiles: texts of the service, and changes of these texts."""

from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from service import merkle
from service.secrets import keyring, receipts
from service.transparency import checkpoint, signed_note, tiles
from service.transparency.signed_note import Note, Signature
from service.transparency.tiles import Tile
from service.transparency.witnesses import cosignature
from tests.http.signer import public
from tests.vectors.recorded_world import FIRST_KEY, FOREIGN_KEY, SECOND_KEY, SERVICE_KEY_ID, SERVICE_SECRET, World

Vectors = Mapping[str, Any]
BIG_TREE: Final = 70_000
SOME_TILES: Final = ("0/000", "0/272", "0/273.p/112", "1/000", "1/001.p/17", "2/000.p/1")
PATHS: Final = ((0, 0, 256), (0, 7, 5), (1, 999, 256), (0, 1000, 256), (2, 1234067, 256), (0, 1234067, 5))
_NO_CHANGE: Final = ""


def test_keys() -> Vectors:
    """Return key pairs of the vectors; the older vector `keys` has the keys of the log and of the witness."""
    service_key = keyring.derive(SERVICE_KEY_ID, SERVICE_SECRET)
    private = {
        "receipts": Ed25519PrivateKey.from_private_bytes(service_key.signing_key),
        "first_of_a_seat": FIRST_KEY,
        "second_of_a_seat": SECOND_KEY,
        "of_somebody_else": FOREIGN_KEY,
    }
    return {
        "what": "Private keys for tests. Everybody knows them: never use them for anything else.",
        **{
            name: {"private_seed": key.private_bytes_raw().hex(), "public_key": public(key)}
            for name, key in private.items()
        },
    }


def receipts_of(world: World) -> Vectors:
    given = dict(world.hand.receipt)
    key = keyring.derive(SERVICE_KEY_ID, SERVICE_SECRET)
    genuine = receipts.Receipt(**given)
    forged = given | {"signature": FOREIGN_KEY.sign(receipts._signed(genuine)).hex()}
    first = int(given["signature"][0], 16) ^ 1
    changes: list[tuple[str, dict[str, Any], str]] = [
        ("genuine", given, _NO_CHANGE),
        ("another origin", given | {"origin": "ledger.example/other"}, "signature"),
        ("another position", given | {"position": given["position"] - 1}, "signature"),
        ("another cmd", given | {"cmd": "c" * 64}, "signature"),
        ("a changed bit of the signature", given | {"signature": f"{first:x}{given['signature'][1:]}"}, "signature"),
        ("signed by another key", forged, "signature"),
        ("a signature in upper case", given | {"signature": given["signature"].upper()}, "form"),
        ("no origin", {name: one for name, one in given.items() if name != "origin"}, "form"),
    ]
    case = {"leaf_hash": given["leaf_hash"], "signature_of": receipts._signed(genuine).hex()}
    cases = [{"what": what, "receipt": one, **case, "finding": finding} for what, one, finding in changes]
    other = {"what": "the stream has another leaf there", "leaf_hash": "a" * 64, "finding": "hash"}
    cases.append({**cases[0], **other})
    return {"public_key": receipts.public_key(key), "cases": cases}


def checkpoints(first: Vectors) -> Vectors:
    """Return checkpoints that a reader accepts or refuses; *first* are the older vectors."""
    seven, ten = (signed_note.parse(first[f"checkpoint_{size}"].encode()) for size in (7, 10))
    of_log, of_witness = seven.signatures
    other_log = checkpoint.signed(checkpoint.parsed(seven), FOREIGN_KEY).signatures[0]
    forged = Signature(of_log.name, of_log.key_hash, other_log.signature)
    witness = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(first["keys"]["witness_private_seed"]))
    later = cosignature.cosign(seven.text, of_witness.name, witness, 1_767_225_601)
    late = Signature(of_witness.name, of_witness.key_hash, later.signature[:8] + of_witness.signature[8:])
    stranger = cosignature.cosign(seven.text, "witness.example/stranger", FOREIGN_KEY, 1_767_225_600)
    other_origin = signed_note.Note(seven.text.replace("chiptrail-test", "other"), seven.signatures)
    changes = [
        ("signed and cosigned", seven, _NO_CHANGE),
        ("a larger tree", ten, _NO_CHANGE),
        ("with a line of a witness whose key the reader does not have", _note(seven, of_log, of_witness, stranger), ""),
        ("the signature of another checkpoint", _note(seven, ten.signatures[0], of_witness), "signature"),
        ("the cosignature of another checkpoint", _note(seven, of_log, ten.signatures[1]), "signature"),
        ("signed by another key, under the hash of the right one", _note(seven, forged, of_witness), "signature"),
        ("a cosignature with another time", _note(seven, of_log, late), "signature"),
        ("no cosignature of the witness", _note(seven, of_log), "signature"),
        ("no signature of the log", _note(seven, of_witness), "signature"),
        ("signed twice by the log", _note(seven, of_log, of_log, of_witness), "signature"),
        ("another origin", other_origin, "log"),
        ("another size", Note(seven.text.replace("\n7\n", "\n8\n"), seven.signatures), "signature"),
    ]
    notes = [(what, str(note), finding) for what, note, finding in changes]
    text = first["checkpoint_7"]
    notes += [
        ("a size with a leading zero", text.replace("\n7\n", "\n07\n"), "form"),
        ("a root with a changed byte", text.replace("MWOSS", "MWOST"), "signature"),
        ("no line feed at the end", text.removesuffix("\n"), "form"),
        ("a dash instead of an em dash", text.replace("\N{EM DASH}", "-"), "form"),
    ]
    keys = {"log_vkey": first["keys"]["log_vkey"], "witness_vkeys": [first["keys"]["witness_vkey"]]}
    signed = {
        "signature_of_log_in_checkpoint_7": seven.text.encode().hex(),
        "signature_of_witness_in_checkpoint_7": cosignature._message(seven.text, 1_767_225_600).hex(),
    }
    cases = [{"what": what, "note": note, "finding": finding} for what, note, finding in notes]
    return {**keys, **signed, "cases": cases}


def _note(note: Note, *signatures: Signature) -> Note:
    return Note(note.text, signatures)


def leaf_proofs(first: Vectors) -> Vectors:
    leaves = [one["leaf_data"] for one in first["events"]]
    file = first["tlog_proof_3"]
    head, note = file.split("\n\n", 1)
    hashes = head.split("\n")[2:]

    def of(index: int, some: list[str], under: str = note) -> str:
        return "\n".join(["c2sp.org/tlog-proof@v1", f"index {index}", *some, "", under])

    changes = [
        ("the leaf 3 of 7", 3, file, _NO_CHANGE),
        ("the leaf 9 of 10, with a line that is ignored", 9, first["tlog_proof_9"], _NO_CHANGE),
        ("another leaf", 4, file, "root"),
        ("another index", 3, of(2, hashes), "root"),
        ("an index that the tree does not have", 3, of(7, hashes), "root"),
        ("a hash left out", 3, of(3, hashes[:-1]), "root"),
        ("a hash too many", 3, of(3, [*hashes, hashes[0]]), "root"),
        ("two hashes exchanged", 3, of(3, [hashes[1], hashes[0], hashes[2]]), "root"),
        ("under a checkpoint of another size", 3, of(3, hashes, first["checkpoint_10"]), "root"),
        ("under a checkpoint with a changed size", 3, file.replace("\n7\n", "\n8\n"), "signature"),
        ("another format", 3, file.replace("@v1", "@v2"), "form"),
        ("an index with a leading zero", 3, file.replace("index 3", "index 03"), "form"),
    ]
    cases = [{"what": what, "leaf": leaves[leaf], "file": one, "finding": f} for what, leaf, one, f in changes]
    return {"log_vkey": first["keys"]["log_vkey"], "cases": cases}


def consistency_proofs(first: Vectors) -> list[Vectors]:
    roots, hashes = first["roots"], first["consistency_7_10"]
    changes = [
        ("from 7 to 10", 7, 10, hashes, _NO_CHANGE),
        ("from 4 to 7", 4, 7, first["proofs_7"]["consistency"]["4"], _NO_CHANGE),
        ("from 7 to 7", 7, 7, [], _NO_CHANGE),
        ("a hash left out", 7, 10, hashes[1:], "root"),
        ("a hash too many", 7, 10, [*hashes, hashes[0]], "root"),
        ("hashes in another order", 7, 10, hashes[::-1], "root"),
        ("a proof of another size", 6, 10, hashes, "root"),
        ("a smaller tree after a larger one", 10, 7, hashes, "root"),
    ]
    cases = [
        {"what": what, "old_size": old, "new_size": new, "hashes": some, "finding": finding}
        for what, old, new, some, finding in changes
    ]
    rewritten = {"what": "a rewritten tree", "old_size": 7, "new_size": 10, "hashes": hashes, "finding": "root"}
    named = [{**one, "old_root": roots[str(one["old_size"])]} for one in cases] + [
        {**rewritten, "old_root": roots["6"]}
    ]
    return [{**one, "new_root": roots[str(one["new_size"])]} for one in named]


def tile_bytes(first: Vectors) -> Vectors:
    leaves = [one["leaf_data"].encode() for one in first["events"]]
    entries = b"".join(len(leaf).to_bytes(2, "big") + leaf for leaf in leaves)
    hashes = tiles.extended(0, {}, [merkle.leaf_hash(leaf) for leaf in leaves])
    made = {f"tile/{tile.path}": data for tile, data in hashes.items()} | {"tile/entries/000.p/10": entries}
    return {path: b64encode(data).decode() for path, data in made.items()}


def big_tree_tiles() -> Vectors:
    made = tiles.extended(0, {}, [merkle.leaf_hash(b"%d" % number) for number in range(BIG_TREE)])
    found = {tile.path: sha256(data).hexdigest() for tile, data in made.items()}
    return {f"tile/{path}": found[path] for path in SOME_TILES}


def tile_paths() -> list[Vectors]:
    return [
        {"level": level, "number": number, "width": width, "path": f"tile/{Tile(level, number, width).path}"}
        for level, number, width in PATHS
    ]
