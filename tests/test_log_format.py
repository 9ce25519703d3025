import json
import re
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from hypothesis import given, settings, strategies as st

from service.canonical import canonical
from service.cards import PACK
from service.deck import input_id, proof, server_commit, shuffle
from service.event_store.leaf import Leaf
from service.secrets.commitments import field_commitment
from service.secrets.derivation import Derivation
from service.secrets.keyring import LastingSecrets, derive
from service.secrets.receipts import Signer

PAGE = (Path(__file__).parents[1] / "api_spec/log_format.md").read_text(encoding="utf-8")
VECTORS = json.loads((Path(__file__).parents[1] / "api_spec/vectors.json").read_text(encoding="utf-8"))
SHUFFLES = ("S0_std52_operator", "S1_std52_three_seats", "S3_six_cards_one_seat", "S7_std52_ten_seats")


@pytest.fixture(scope="module")
def checker() -> dict[str, Any]:
    names: dict[str, Any] = {}
    for block in re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL):
        exec(block, names)  # noqa: S102 -- the page says that readers can run the code
    return names


@pytest.mark.parametrize("name", SHUFFLES)
def test_the_page_makes_the_decks_of_the_vectors(checker: dict[str, Any], name: str) -> None:
    vector = VECTORS[name]
    clients = {int(seat[5:]): bytes.fromhex(seed) for seat, seed in vector["clients"].items()}
    made = checker["deck"](vector["epoch"], bytes.fromhex(vector["server_seed"]), clients, PACK[: vector["n"]])
    assert " ".join(made["order"]) == vector["deck"]
    assert made["salts"][0] == vector["salt0"]
    assert made["deck_root"] == vector["deck_root"]
    assert made["transcript"] == vector["transcript_sha256"]
    assert made["server_commit"] == vector["server_commit"]
    assert made["input_id"] == vector["input_id"]
    for seat, seed in vector["clients"].items():
        commit = checker["sha256_of"]("chiptrail/client-seed/v1", vector["epoch"], seat, seed)
        assert commit == vector["client_commits"][seat]


@settings(max_examples=25)
@given(
    seed=st.binary(min_size=32, max_size=32),
    clients=st.dictionaries(st.integers(1, 17), st.binary(min_size=32, max_size=32)),
    n=st.integers(1, 52),
)
def test_the_page_makes_every_deck_as_the_service_does(
    checker: dict[str, Any], seed: bytes, clients: dict[int, bytes], n: int
) -> None:
    ours = shuffle("tbl_a/12", seed, clients=clients, pack=PACK[:n])
    theirs = checker["deck"]("tbl_a/12", seed, clients, PACK[:n])
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
        assert checker["card_is_proved"](ours.root, **opening)
        assert not checker["card_is_proved"](ours.root, **opening | {"face": "??"})


def test_the_page_proves_the_card_of_the_vectors(checker: dict[str, Any]) -> None:
    vector = VECTORS["S6_card_disclosure"]
    parts = (vector["epoch"], vector["pos"], vector["face"], vector["salt"], vector["proof"])
    assert checker["card_is_proved"](vector["deck_root"], 52, *parts)


def test_the_page_reads_the_leaves_of_the_vectors(checker: dict[str, Any]) -> None:
    leaves = [vector["leaf_data"].encode() for vector in VECTORS["events"]]
    assert [checker["leaf_hash"](leaf) for leaf in leaves] == [each["leaf_hash"] for each in VECTORS["events"]]
    assert checker["first_flaw"](leaves) == 0


@pytest.mark.parametrize("position", range(1, 10))
def test_the_page_finds_a_leaf_that_was_altered_dropped_or_swapped(checker: dict[str, Any], position: int) -> None:
    leaves = [vector["leaf_data"].encode() for vector in VECTORS["events"]]
    before, here, after, rest = leaves[: position - 1], leaves[position - 1], leaves[position], leaves[position + 1 :]
    altered = here.replace(b"2026-", b"2027-")
    spaced = here.replace(b'"v":1', b'"v": 1')
    assert checker["first_flaw"]([*before, altered, after, *rest]) == position + 1
    assert checker["first_flaw"]([*before, spaced, after, *rest]) == position
    assert checker["first_flaw"]([*before, after, *rest]) == position
    assert checker["first_flaw"]([*before, after, here, *rest]) == position


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(1 - 2**53, 2**53 - 1) | st.text(),
    lambda parts: st.lists(parts) | st.dictionaries(st.text(st.characters(max_codepoint=127)), parts),
)


@given(JSON)
def test_the_page_writes_canonical_json_as_the_service_does(checker: dict[str, Any], value: Any) -> None:  # noqa: ANN401 -- the value may be any JSON
    assert checker["canonical"](value) == canonical(value)


@given(JSON, st.binary(min_size=32, max_size=32))
def test_the_page_commits_to_a_value_as_the_service_does(
    checker: dict[str, Any],
    value: Any,  # noqa: ANN401 -- the value may be any JSON
    salt: bytes,
) -> None:
    theirs = checker["commitment"]("table/t1", 3, "slip", salt.hex(), value)
    assert theirs == field_commitment("table/t1", 3, "slip", salt, value)


def test_the_page_makes_the_commitment_of_the_vectors(checker: dict[str, Any]) -> None:
    vector = VECTORS["field"]
    parts = (vector["stream"], vector["position"], vector["field"], vector["salt"], vector["value"])
    assert checker["commitment"](*parts) == vector["commitment"]


@pytest.mark.parametrize("vector", VECTORS["cmd"], ids=itemgetter("cmd"))
def test_the_page_names_commands_as_the_service_and_the_vectors_do(
    checker: dict[str, Any], vector: dict[str, str]
) -> None:
    secret = bytes.fromhex(vector["command_secret"])
    lasting = LastingSecrets(api_secret="0" * 64, derivation_secret=vector["derivation_secret"])
    ours = Derivation(derive("svk_" + "0" * 32, bytes(32), lasting))
    caller, stream, key = vector["asker"], vector["stream"], vector["idempotency_key"]
    assert ours.command_secret(caller, stream) == secret
    assert ours.command_id(caller, stream, key) == checker["command"](secret, key) == vector["cmd"]


def test_the_page_tells_of_every_member_of_a_leaf() -> None:
    rows = re.findall(r"^\| (`[^|]+) \|", PAGE, flags=re.MULTILINE)
    told = {name for row in rows for name in re.findall("`(.*?)`", row)}
    assert set(Leaf.__struct_fields__) <= told


def test_a_receipt_is_checked_by_what_the_page_says(checker: dict[str, Any]) -> None:
    signer = Signer(derive(f"svk_{'0' * 32}", bytes(32)))
    receipt = signer.receipt("table/t1", 1, bytes(32), "c" * 64)
    said = {"cmd": receipt.cmd, "leaf_hash": receipt.leaf_hash, "position": 1, "stream": "table/t1"}
    public_key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(signer.public_key))
    public_key.verify(bytes.fromhex(receipt.signature), b"chiptrail/receipt/v1\n" + checker["canonical"](said))
