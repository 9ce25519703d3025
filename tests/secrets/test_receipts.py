import pytest
import rfc8785
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from msgspec.structs import replace

from service.secrets.keyring import derive
from service.secrets.receipts import Signer, verify

ORIGIN = "chiptrail/log_1"
KEY = derive(f"svk_{'1' * 32}", b"\1" * 32)
SIGNER = Signer(KEY, ORIGIN)
OTHER = Signer(derive(f"svk_{'2' * 32}", b"\2" * 32), ORIGIN)
LEAF_HASH = bytes(range(32))
CMD = "cd" * 32
RECEIPT = SIGNER.receipt("table/t1", 7, LEAF_HASH, CMD)


def test_a_receipt_names_the_leaf_its_position_and_its_command() -> None:
    assert (RECEIPT.origin, RECEIPT.stream, RECEIPT.position, RECEIPT.leaf_hash, RECEIPT.cmd) == (
        ORIGIN,
        "table/t1",
        7,
        LEAF_HASH.hex(),
        CMD,
    )
    assert verify(RECEIPT, SIGNER.public_key)


def test_a_receipt_is_checked_with_an_ed25519_library_and_a_canonical_json_alone() -> None:
    said = rfc8785.dumps(
        {"cmd": CMD, "leaf_hash": LEAF_HASH.hex(), "origin": ORIGIN, "position": 7, "stream": "table/t1"},
    )
    public_key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(SIGNER.public_key))
    public_key.verify(bytes.fromhex(RECEIPT.signature), b"chiptrail/receipt/v1\n" + said)


def test_the_same_receipt_is_given_each_time_by_every_process_with_the_key() -> None:
    assert SIGNER.receipt("table/t1", 7, LEAF_HASH, CMD) == RECEIPT
    assert Signer(KEY, ORIGIN).receipt("table/t1", 7, LEAF_HASH, CMD) == RECEIPT


@pytest.mark.parametrize(
    "change",
    [
        {"origin": "chiptrail/log_2"},
        {"stream": "table/t2"},
        {"position": 8},
        {"leaf_hash": "00" * 32},
        {"cmd": "00" * 32},
        {"signature": "00" * 64},
        {"signature": ""},
        {"signature": "no hex"},
        {"signature": OTHER.receipt("table/t1", 7, LEAF_HASH, CMD).signature},
    ],
    ids=str,
)
def test_an_altered_receipt_is_not_the_services(change: dict[str, str | int]) -> None:
    assert not verify(replace(RECEIPT, **change), SIGNER.public_key)


@pytest.mark.parametrize("public_key", [OTHER.public_key, "00" * 32, "", "no hex", "00" * 31])
def test_a_receipt_fails_under_every_other_key(public_key: str) -> None:
    assert not verify(RECEIPT, public_key)
