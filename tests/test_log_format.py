import ast
import json
import re
from base64 import b64encode
from contextlib import suppress
from hashlib import sha256
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from hypothesis import given, settings, strategies as st
from msgspec import structs

from service.canonical import canonical
from service.cards import PACK
from service.deck import input_id, proof, server_commit, shuffle
from service.dossier.verify import ACTIONS
from service.event_store.entries import disputes_stream, place_name
from service.event_store.leaf import Leaf
from service.secrets.commitments import field_commitment
from service.secrets.derivation import Derivation
from service.secrets.keyring import LastingSecrets, derive
from service.secrets.receipts import Receipt, Signer, verify as is_receipt
from service.transparency.tiles import Tile
from tests.vectors.independent import moves

PAGE = (Path(__file__).parents[1] / "api_spec/log_format.md").read_text(encoding="utf-8")
VECTORS = json.loads((Path(__file__).parents[1] / "api_spec/vectors.json").read_text(encoding="utf-8"))
RECORDED_DISPUTES = Path(__file__).parent / "event_store/recorded_dispute_events.jsonl"
SHUFFLES = ("S0_std52_operator", "S1_std52_three_seats", "S3_six_cards_one_seat", "S7_std52_ten_seats")


@pytest.mark.parametrize("name", SHUFFLES)
def test_the_page_makes_the_decks_of_the_vectors(program: dict[str, Any], name: str) -> None:
    vector = VECTORS[name]
    clients = {int(seat[5:]): bytes.fromhex(seed) for seat, seed in vector["clients"].items()}
    made = program["deck"](vector["epoch"], bytes.fromhex(vector["server_seed"]), clients, PACK[: vector["n"]])
    assert " ".join(made["order"]) == vector["deck"]
    assert made["salts"][0] == vector["salt0"]
    assert made["deck_root"] == vector["deck_root"]
    assert made["transcript"] == vector["transcript_sha256"]
    assert made["server_commit"] == vector["server_commit"]
    assert made["input_id"] == vector["input_id"]
    for seat, seed in vector["clients"].items():
        commit = program["sha256_of"]("chiptrail/client-seed/v1", vector["epoch"], seat, seed)
        assert commit == vector["client_commits"][seat]


@settings(max_examples=25)
@given(
    seed=st.binary(min_size=32, max_size=32),
    clients=st.dictionaries(st.integers(1, 17), st.binary(min_size=32, max_size=32)),
    n=st.integers(1, 52),
)
def test_the_page_and_the_service_make_the_same_decks(
    program: dict[str, Any], seed: bytes, clients: dict[int, bytes], n: int
) -> None:
    ours = shuffle("tbl_a/12", seed, clients=clients, pack=PACK[:n])
    theirs = program["deck"]("tbl_a/12", seed, clients, PACK[:n])
    assert theirs == {
        "server_commit": server_commit("tbl_a/12", seed),
        "input_id": input_id(PACK[:n]),
        "transcript": ours.transcript,
        "order": list(ours.order),
        "salts": list(ours.salts),
        "deck_root": ours.root,
    }
    for position, face in enumerate(ours.order):
        opening = {
            "n": n,
            "epoch": ours.epoch,
            "position": position,
            "face": face,
            "salt": ours.salts[position],
            "proof": proof(ours, position),
        }
        assert program["card_is_proved"](ours.root, **opening)
        assert not program["card_is_proved"](ours.root, **opening | {"face": "??"})


def test_the_page_proves_the_card_of_the_vectors(program: dict[str, Any]) -> None:
    vector = VECTORS["S6_card_disclosure"]
    parts = (vector["epoch"], vector["pos"], vector["face"], vector["salt"], vector["proof"])
    assert program["card_is_proved"](vector["deck_root"], 52, *parts)


def test_the_page_reads_the_leaves_of_the_vectors(program: dict[str, Any]) -> None:
    leaves = [vector["leaf_data"].encode() for vector in VECTORS["events"]]
    assert [program["leaf_hash"](leaf) for leaf in leaves] == [each["leaf_hash"] for each in VECTORS["events"]]
    assert program["first_flaw"](leaves) == 0


@pytest.mark.parametrize("position", range(1, 10))
def test_the_page_finds_a_leaf_that_was_altered_dropped_or_swapped(program: dict[str, Any], position: int) -> None:
    leaves = [vector["leaf_data"].encode() for vector in VECTORS["events"]]
    before, here, after, rest = leaves[: position - 1], leaves[position - 1], leaves[position], leaves[position + 1 :]
    altered = here.replace(b"2026-", b"2027-")
    spaced = here.replace(b'"v":1', b'"v": 1')
    assert program["first_flaw"]([*before, altered, after, *rest]) == position + 1
    assert program["first_flaw"]([*before, spaced, after, *rest]) == position
    assert program["first_flaw"]([*before, after, *rest]) == position
    assert program["first_flaw"]([*before, after, here, *rest]) == position


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(1 - 2**53, 2**53 - 1) | st.text(),
    lambda parts: st.lists(parts) | st.dictionaries(st.text(st.characters(max_codepoint=127)), parts),
)


@given(JSON)
def test_the_page_and_the_service_write_the_same_canonical_json(program: dict[str, Any], value: Any) -> None:  # noqa: ANN401 -- the value may be any JSON
    assert program["canonical"](value) == canonical(value)


@given(JSON, st.binary(min_size=32, max_size=32))
def test_the_page_and_the_service_make_the_same_commitments(
    program: dict[str, Any],
    value: Any,  # noqa: ANN401 -- the value may be any JSON
    salt: bytes,
) -> None:
    theirs = program["commitment"]("table/t1", 3, "slip", salt.hex(), value)
    assert theirs == field_commitment("table/t1", 3, "slip", salt, value)


def test_the_page_makes_the_commitment_of_the_vectors(program: dict[str, Any]) -> None:
    vector = VECTORS["field"]
    parts = (vector["stream"], vector["position"], vector["field"], vector["salt"], vector["value"])
    assert program["commitment"](*parts) == vector["commitment"]


@pytest.mark.parametrize("vector", VECTORS["cmd"], ids=itemgetter("cmd"))
def test_the_page_names_commands_as_the_service_and_the_vectors_do(
    program: dict[str, Any], vector: dict[str, str]
) -> None:
    secret = bytes.fromhex(vector["command_secret"])
    lasting = LastingSecrets(api_secret="0" * 64, derivation_secret=vector["derivation_secret"])
    ours = Derivation(derive("svk_" + "0" * 32, bytes(32), lasting))
    caller, stream, key = vector["asker"], vector["stream"], vector["idempotency_key"]
    assert ours.command_secret(caller, stream) == secret
    assert ours.command_id(caller, stream, key) == program["command"](secret, key) == vector["cmd"]


def test_the_page_makes_the_texts_of_the_signed_moves_of_the_vectors(program: dict[str, Any]) -> None:
    vector = VECTORS["signed_moves"]
    leaves = [json.loads(leaf) for leaf in vector["leaves"]]
    hashes = [program["leaf_hash"](leaf.encode()) for leaf in vector["leaves"]]
    for one in vector["signed"]:
        leaf = leaves[int(one["place"].removeprefix("position ")) - 1]
        head_hash = hashes[leaf["sig"]["position"] - 1]
        made = program["move_text"](leaf["stream"], leaf["sig"]["position"], head_hash, leaf["cmd"], one["action"])
        assert made.hex() == one["signature_of"]


def test_the_page_makes_the_choices_of_the_vectors_and_no_other(program: dict[str, Any]) -> None:
    vector, made = VECTORS["sealed_choices"], dict[str, bool]()
    for case in vector["cases"]:
        opening = case["opening"]
        parts = (opening["stream"], vector["seat"], opening["field"], opening.get("blind", ""), opening["value"])
        made[case["what"]] = program["choice"](*parts) == case["priv"]["choice"]
    other_choices = {"another value", "another blind", "another stream", "no blind"}
    others = {what for what, is_same in made.items() if not is_same}
    assert others - {"the salt and the blind of another field"} == other_choices


def test_the_page_names_the_stream_of_the_disputes_of_a_recorded_table(program: dict[str, Any]) -> None:
    recorded = [json.loads(line)["leaf"] for line in RECORDED_DISPUTES.read_text(encoding="utf-8").splitlines()]
    opened = [leaf for leaf in recorded if leaf["type"] == "dispute_opened"]
    assert opened
    for leaf in opened:
        assert f"dispute/{program['disputes_of'](leaf['pub']['table'])}" == leaf["stream"]


@given(st.binary(min_size=15, max_size=15))
def test_the_page_and_the_service_name_the_streams_of_disputes_alike(program: dict[str, Any], rest: bytes) -> None:
    table = b"\1" + rest
    assert program["disputes_of"](f"tbl_{table.hex()}") == place_name(disputes_stream(table))


def test_every_function_of_the_page_is_called_by_the_tests() -> None:
    """The tests call each function of the page, directly or through other functions of the page."""
    blocks = ast.parse("\n".join(re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)))
    functions = {
        function.name: {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
        for function in blocks.body
        if isinstance(function, ast.FunctionDef)
    }
    tests = (path.read_text(encoding="utf-8") for path in Path(__file__).parent.rglob("*.py"))
    called, found = {name for test in tests for name in re.findall(r'program\["(\w+)"\]', test)}, set[str]()
    while called - found:
        found |= called
        called = functions.keys() & {name for caller in found for name in functions[caller]}
    assert found == functions.keys()


def test_the_page_describes_every_member_of_a_leaf() -> None:
    rows = re.findall(r"^\| (`[^|]+) \|", PAGE, flags=re.MULTILINE)
    told = {name for row in rows for name in re.findall("`(.*?)`", row)}
    assert set(Leaf.__struct_fields__) <= told


def test_the_page_lists_the_actions_that_seats_sign() -> None:
    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \| `(\w+)` \| (.*?) ?\|$", PAGE, flags=re.MULTILINE)
    listed = {kind: (action, *re.findall(r"\w+", members)) for kinds, action, members in rows for kind in _words(kinds)}
    assert {kind: listed[kind] for kind in moves.ACTIONS} == moves.ACTIONS
    others = {"signing_key_ended", "slip_written", "pass_chosen", "bid_written"}  # never signed, or with sealed fields
    signed = {kind: action for kind, action in ACTIONS.items() if kind not in others}
    assert {kind: ",".join(action) for kind, action in moves.ACTIONS.items()} == signed


def _words(cell: str) -> list[str]:
    return re.findall(r"\w+", cell)


def test_a_receipt_is_checked_by_the_steps_of_the_page(program: dict[str, Any]) -> None:
    signer = Signer(derive(f"svk_{'0' * 32}", bytes(32)), "chiptrail/log_1")
    receipt = signer.receipt("table/t1", 1, bytes(32), "c" * 64)
    said = {name: value for name, value in structs.asdict(receipt).items() if name != "signature"}
    assert list(said) == ["origin", "stream", "position", "leaf_hash", "cmd"]
    public_key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(signer.public_key))
    public_key.verify(bytes.fromhex(receipt.signature), b"chiptrail/receipt/v1\n" + program["canonical"](said))


def test_the_receipt_of_the_vectors_is_genuine_and_its_origin_is_signed() -> None:
    vector = VECTORS["receipt"]
    receipt = Receipt(**vector["receipt"])
    assert is_receipt(receipt, vector["public_key"])
    assert not is_receipt(structs.replace(receipt, origin="chiptrail/other"), vector["public_key"])


def verify(public_key: bytes, signature: bytes, text: bytes) -> None:
    Ed25519PublicKey.from_public_bytes(public_key).verify(signature, text)


VKEY = VECTORS["keys"]["log_vkey"]
LEAVES = [vector["leaf_data"].encode() for vector in VECTORS["events"]]


@pytest.mark.parametrize("size", range(1, 11))
def test_the_page_computes_the_roots_of_the_vectors(program: dict[str, Any], size: int) -> None:
    assert program["root_of"](LEAVES[:size]).hex() == VECTORS["roots"][str(size)]


@pytest.mark.parametrize(("name", "size"), [("checkpoint_7", 7), ("checkpoint_10", 10), ("signed_checkpoint_7", 7)])
def test_the_page_reads_the_checkpoints_of_the_vectors(program: dict[str, Any], name: str, size: int) -> None:
    root = bytes.fromhex(VECTORS["roots"][str(size)])
    assert program["checkpoint_of"](VECTORS[name], VKEY, verify) == (size, root)


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        ("\n7\n", "\n8\n", InvalidSignature),
        ("MWOSS", "MWOST", InvalidSignature),
        ("ledger.example", "another.example", ValueError),
        ("Y6i2BLVA", "Y6i2BLVB", InvalidSignature),
        ("Y6i2", "Z6i2", ValueError),
        ("—", "-", ValueError),
    ],
)
def test_the_page_refuses_a_checkpoint_that_the_log_did_not_sign(
    program: dict[str, Any], old: str, new: str, error: type[Exception]
) -> None:
    with pytest.raises(error):
        program["checkpoint_of"](VECTORS["checkpoint_7"].replace(old, new), VKEY, verify)
    other = VKEY.replace("63a8b604", "63a8b605")
    with pytest.raises(ValueError, match="no log key"):
        program["checkpoint_of"](VECTORS["checkpoint_7"], other, verify)


@pytest.mark.parametrize(("name", "index"), [("tlog_proof_3", 3), ("tlog_proof_9", 9)])
def test_the_page_proves_the_leaf_of_a_proof_and_no_other(program: dict[str, Any], name: str, index: int) -> None:
    file = VECTORS[name]
    assert [program["leaf_is_proved"](leaf, file, VKEY, verify) for leaf in LEAVES] == [
        each == index for each in range(10)
    ]
    for other in range(10):
        changed = file.replace(f"index {index}\n", f"index {other}\n")
        if other != index:
            with suppress(IndexError):  # The path to this index is longer.
                assert not program["leaf_is_proved"](LEAVES[index], changed, VKEY, verify)
    assert not program["leaf_is_proved"](LEAVES[index], file.replace("proof@v1", "proof@v2"), VKEY, verify)


def test_the_page_proves_every_leaf_and_every_older_tree_of_the_vectors(program: dict[str, Any]) -> None:
    vector, root = VECTORS["proofs_7"], bytes.fromhex(VECTORS["roots"]["7"])
    assert vector["root"] == root.hex()
    for index, path in enumerate(vector["inclusion"]):
        assert program["root_by_proof"](LEAVES[index], index, 7, list(map(bytes.fromhex, path))) == root
    for old_size, path in [(int(old_size), path) for old_size, path in vector["consistency"].items()]:
        old_root, left = bytes.fromhex(VECTORS["roots"][str(old_size)]), list(map(bytes.fromhex, path))
        assert program["roots_by_consistency"](old_size, 7, old_root, left) == (old_root, root)
        assert left == []
    old_root, left = bytes.fromhex(VECTORS["roots"]["7"]), list(map(bytes.fromhex, VECTORS["consistency_7_10"]))
    new_root = bytes.fromhex(VECTORS["roots"]["10"])
    assert program["roots_by_consistency"](7, 10, old_root, left) == (old_root, new_root)


def test_the_proof_of_the_vectors_has_exactly_the_path_and_the_checkpoint_of_the_vectors() -> None:
    hashes = [b64encode(bytes.fromhex(each)).decode() for each in VECTORS["proofs_7"]["inclusion"][3]]
    lines = ["c2sp.org/tlog-proof@v1", "index 3", *hashes, "", VECTORS["signed_checkpoint_7"]]
    assert "\n".join(lines) == VECTORS["tlog_proof_3"]


def test_the_tiles_of_the_vectors_follow_the_page(program: dict[str, Any]) -> None:
    made = {
        program["tile_path"](0, 0, 10): b"".join(bytes.fromhex(each["leaf_hash"]) for each in VECTORS["events"]),
        "entries/000.p/10": b"".join(len(leaf).to_bytes(2, "big") + leaf for leaf in LEAVES),
    }
    assert {f"tile/{path}": sha256(data).hexdigest() for path, data in made.items()} == VECTORS["tiles"]


@given(level=st.integers(0, 7), number=st.integers(0, 2**55), width=st.integers(1, 256))
def test_the_page_and_the_service_name_tiles_alike(
    program: dict[str, Any], level: int, number: int, width: int
) -> None:
    assert program["tile_path"](level, number, width) == Tile(level, number, width).path


def test_the_big_tree_of_the_vectors_is_the_tree_of_70_000_numbers(program: dict[str, Any]) -> None:
    assert VECTORS["big_tree_70000"]["tile_count"] == 274 + 2 + 1
    assert program["root_of"]([b"%d" % number for number in range(70_000)]).hex() == VECTORS["big_tree_70000"]["root"]
