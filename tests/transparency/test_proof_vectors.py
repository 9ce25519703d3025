"""Entry bundles equal the published test vectors; proofs equal the vectors without their line for extra data."""

import json
from hashlib import sha256
from pathlib import Path

from service import merkle
from service.transparency import checkpoint, entry_bundles, signed_note
from service.transparency.tlog_proof import TlogProof

VECTORS = json.loads((Path(__file__).parents[2] / "api_spec/vectors.json").read_text(encoding="utf-8"))
LEAVES = [vector["leaf_data"].encode() for vector in VECTORS["events"]]
HASHES = [merkle.leaf_hash(leaf) for leaf in LEAVES]


def test_a_proof_is_the_vector_without_its_line_for_extra_data() -> None:
    first, extra, *others = VECTORS["tlog_proof_9"].split("\n")
    assert extra.startswith("extra ")
    hashes = tuple(merkle.root(HASHES[start:end]) for start, end in merkle.inclusion_ranges(9, 10))
    assert str(TlogProof(9, hashes, VECTORS["checkpoint_10"])) == "\n".join([first, *others])
    found = checkpoint.parsed(signed_note.parse(VECTORS["checkpoint_10"].encode()))
    assert merkle.is_included(HASHES[9], 9, found.size, hashes, found.root)


def test_an_entry_bundle_is_the_vector() -> None:
    assert sha256(entry_bundles.encoded(LEAVES)).hexdigest() == VECTORS["tiles"]["tile/entries/000.p/10"]
    assert sha256(b"".join(HASHES)).hexdigest() == VECTORS["tiles"]["tile/0/000.p/10"]
