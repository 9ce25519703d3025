import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st
from pymerkle import InmemoryTree

from service.cards import PACK
from service.deck import (
    Deck,
    byte_stream,
    client_commit,
    input_id,
    leaf_hash,
    proof,
    server_commit,
    shuffle,
    uniform,
    verify_face,
)

VECTORS = json.loads((Path(__file__).parents[1] / "api_spec/vectors.json").read_text(encoding="utf-8"))
SHUFFLES = ("S0_std52_operator", "S1_std52_three_seats", "S3_six_cards_one_seat", "S7_std52_ten_seats")
SEED = bytes(range(32))

every_shuffle = pytest.mark.parametrize("vector", [pytest.param(VECTORS[name], id=name) for name in SHUFFLES])


def clients_of(vector: Mapping[str, Any]) -> dict[int, bytes]:
    return {int(seat.removeprefix("seat:")): bytes.fromhex(seed) for seat, seed in vector["clients"].items()}


def deck_of(vector: Mapping[str, Any]) -> Deck:
    pack = PACK[: vector["n"]]
    return shuffle(vector["epoch"], bytes.fromhex(vector["server_seed"]), clients=clients_of(vector), pack=pack)


def leaf_data(deck: Deck, position: int) -> bytes:
    face, salt = deck.order[position], deck.salts[position]
    return f"chiptrail/card/v1\n{deck.epoch}\n{position}\n{face}\n{salt}\n".encode()


@every_shuffle
def test_a_seed_makes_exactly_this_deck(vector: Mapping[str, Any]) -> None:
    deck = deck_of(vector)
    assert deck.epoch == vector["epoch"]
    assert " ".join(deck.order) == vector["deck"]
    assert [PACK.index(face) for face in deck.order] == vector["perm"]
    assert deck.salts[0] == vector["salt0"]
    assert deck.root == vector["deck_root"]
    assert deck.transcript == vector["transcript_sha256"]


@every_shuffle
def test_commitments_are_exactly_these(vector: Mapping[str, Any]) -> None:
    epoch = vector["epoch"]
    assert server_commit(epoch, bytes.fromhex(vector["server_seed"])) == vector["server_commit"]
    assert input_id(PACK[: vector["n"]]) == vector["input_id"]
    commits = {f"seat:{seat}": client_commit(epoch, seat, seed) for seat, seed in clients_of(vector).items()}
    assert commits == vector["client_commits"]


@every_shuffle
def test_the_byte_stream_starts_with_exactly_this_block(vector: Mapping[str, Any]) -> None:
    stream = byte_stream(bytes.fromhex(vector["K"]))
    assert bytes(next(stream) for _ in range(32)).hex() == vector["stream_block0"]


@pytest.mark.parametrize("vector", VECTORS["uniform"], ids=str)
def test_a_byte_that_would_favour_small_results_is_passed_over(vector: Mapping[str, Any]) -> None:
    stream = iter(vector["bytes"])
    assert uniform(stream, vector["m"]) == vector["result"]
    assert list(stream) == []


def test_a_card_is_disclosed_by_exactly_this_proof() -> None:
    vector, deck = VECTORS["S6_card_disclosure"], deck_of(VECTORS["S1_std52_three_seats"])
    position = vector["pos"]
    assert (deck.order[position], deck.salts[position]) == (vector["face"], vector["salt"])
    assert leaf_data(deck, position).decode() == vector["leaf_data"]
    assert leaf_hash(vector["epoch"], position, vector["face"], vector["salt"]) == vector["leaf_hash"]
    assert list(proof(deck, position)) == vector["proof"]
    assert deck.root == vector["deck_root"]


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 31, 32, 33, 52])
def test_roots_and_proofs_equal_the_roots_and_proofs_of_another_implementation(n: int) -> None:
    deck = shuffle("tbl_a/1", SEED, pack=PACK[:n])
    tree = InmemoryTree(algorithm="sha256")  # type: ignore[no-untyped-call]  # the library has no types
    for position in range(n):
        tree.append_entry(leaf_data(deck, position))
    assert deck.root == tree.get_root().hex()
    for position in range(n):
        leaf, *path = tree.prove_inclusion(position + 1).serialize()["path"]
        assert leaf == leaf_hash(deck.epoch, position, deck.order[position], deck.salts[position])
        assert list(proof(deck, position)) == path


@given(seed=st.binary(min_size=32, max_size=32), n=st.integers(1, 52), k=st.integers(1, 10**6))
def test_every_card_of_every_deck_proves_itself_and_no_other(seed: bytes, n: int, k: int) -> None:
    deck = shuffle(f"tbl_a/{k}", seed, pack=PACK[:n])
    assert sorted(deck.order) == sorted(PACK[:n])
    for position, face in enumerate(deck.order):
        opening: dict[str, Any] = {
            "n": n,
            "epoch": deck.epoch,
            "position": position,
            "salt": deck.salts[position],
            "proof": proof(deck, position),
        }
        assert verify_face(deck.root, face=face, **opening)
        assert not verify_face(deck.root, face=PACK[(PACK.index(face) + 1) % 52], **opening)


@pytest.mark.parametrize(
    "change",
    [
        {"n": 32},
        {"n": 0},
        {"epoch": "t1/2"},
        {"position": 2},
        {"position": -1},
        {"position": 52},
        {"face": "6d"},
        {"salt": "00" * 32},
        {"proof": ()},
        {"proof": tuple(VECTORS["S6_card_disclosure"]["proof"][:-1])},
        {"proof": (*VECTORS["S6_card_disclosure"]["proof"], "00" * 32)},
        {"proof": tuple(reversed(VECTORS["S6_card_disclosure"]["proof"]))},
        {"proof": ("no hex",) * 6},
        {"face": "6♥"},
    ],
    ids=str,
)
def test_an_opening_with_one_part_changed_proves_nothing(change: dict[str, Any]) -> None:
    vector = VECTORS["S6_card_disclosure"]
    opening = {
        "n": 52,
        "epoch": vector["epoch"],
        "position": vector["pos"],
        "face": vector["face"],
        "salt": vector["salt"],
        "proof": tuple(vector["proof"]),
    }
    assert verify_face(vector["deck_root"], **opening)
    assert not verify_face(vector["deck_root"], **(opening | change))
    assert not verify_face("00" * 32, **opening)


def test_order_salts_and_root_all_change_with_the_epoch_and_with_the_seed() -> None:
    first, epoch, seed = (
        shuffle("t1/1", SEED),
        shuffle("t1/2", SEED),
        shuffle("t1/1", SEED[::-1]),
    )
    for other in (epoch, seed):
        assert first.order != other.order
        assert not set(first.salts) & set(other.salts)
        assert first.root != other.root
    assert first == shuffle("t1/1", SEED)


def test_a_seats_seed_changes_the_order_and_leaves_the_salts() -> None:
    without, with_one = shuffle("t1/1", SEED), shuffle("t1/1", SEED, clients={1: SEED})
    assert without.order != with_one.order
    assert without.salts == with_one.salts


@pytest.mark.parametrize("epoch", ["", "t1", "t1/0", "t1/01", "t1/-1", "/1", "t1/1\n", "t 1/1", "t\n/1", "té/1"])
def test_an_epoch_is_a_table_and_a_number_from_one(epoch: str) -> None:
    with pytest.raises(ValueError, match="epoch"):
        shuffle(epoch, SEED)
    with pytest.raises(ValueError, match="epoch"):
        client_commit(epoch, 1, SEED)
    with pytest.raises(ValueError, match="epoch"):
        leaf_hash(epoch, 0, "2c", "00" * 32)


@pytest.mark.parametrize("length", [0, 31, 33])
def test_a_seed_has_32_bytes(length: int) -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        shuffle("t1/1", bytes(length))
    with pytest.raises(ValueError, match="32 bytes"):
        shuffle("t1/1", SEED, clients={1: bytes(length)})
    with pytest.raises(ValueError, match="32 bytes"):
        server_commit("t1/1", bytes(length))


def test_a_pack_holds_1_to_256_different_cards() -> None:
    largest = tuple(f"card-{number}" for number in range(256))
    assert sorted(shuffle("t1/1", SEED, pack=largest).order) == sorted(largest)
    for pack in ((), (*largest, "one more"), ("2c", "2c")):
        with pytest.raises(ValueError, match="different cards"):
            shuffle("t1/1", SEED, pack=pack)


@pytest.mark.parametrize("position", [-1, 52])
def test_no_proof_is_given_for_a_position_outside_the_deck(position: int) -> None:
    with pytest.raises(IndexError):
        proof(shuffle("t1/1", SEED), position)
