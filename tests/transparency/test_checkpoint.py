"""Checkpoints have the format of C2SP tlog-checkpoint."""

from base64 import b64encode

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from service.transparency import checkpoint, signed_note
from service.transparency.checkpoint import Checkpoint
from service.transparency.signed_note import Note, NoteMustBeGenuine
from tests.transparency.notes import ORIGIN, SEED, VECTORS, vector_key

KEY = vector_key()
ROOT = b64encode(bytes(32)).decode()
PRIVATE_KEY = Ed25519PrivateKey.from_private_bytes(SEED)


def signed(text: str, name: str = ORIGIN) -> bytes:
    return str(Note(text, (signed_note.sign(text, name, PRIVATE_KEY),))).encode()


@pytest.mark.parametrize("size", [7, 10])
def test_the_checkpoints_of_the_vectors_are_opened_and_signed_again_to_the_byte(size: int) -> None:
    data = VECTORS[f"checkpoint_{size}"]
    found, note = checkpoint.opened(data.encode(), KEY.public)
    assert found == Checkpoint(ORIGIN, size, bytes.fromhex(VECTORS["roots"][str(size)]))
    assert [each.name for each in note.signatures] == [ORIGIN, "witness.example/w1"]
    assert str(checkpoint.signed(found, KEY.private_key)) + f"{note.signatures[1]}\n" == data


@pytest.mark.parametrize("size", [0, 1, 2**63 - 1])
def test_a_signed_checkpoint_is_opened(size: int) -> None:
    made = Checkpoint(ORIGIN, size, bytes(range(32)))
    found, note = checkpoint.opened(str(checkpoint.signed(made, KEY.private_key)).encode(), KEY.public)
    assert found == made
    assert note.text == made.text


def test_a_checkpoint_of_another_log_is_refused() -> None:
    other = signed_note.verifier_key("another.example/log", PRIVATE_KEY)
    data = signed(Checkpoint(ORIGIN, 1, bytes(32)).text, "another.example/log")
    with pytest.raises(NoteMustBeGenuine, match="not to another"):
        checkpoint.opened(data, other)
    with pytest.raises(NoteMustBeGenuine, match="must have one signature"):
        checkpoint.opened(data, KEY.public)


def test_the_signature_is_verified() -> None:
    data = VECTORS["checkpoint_7"].replace("\n7\n", "\n8\n")
    with pytest.raises(NoteMustBeGenuine, match="is wrong"):
        checkpoint.opened(data.encode(), KEY.public)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("\n", id="nothing"),
        pytest.param(f"{ORIGIN}\n1\n", id="no root"),
        pytest.param(f"{ORIGIN}\n{ROOT}\n", id="no size"),
        pytest.param(f"\n1\n{ROOT}\n", id="no origin"),
        pytest.param(f"{ORIGIN}\n\n{ROOT}\n", id="an empty size"),
        pytest.param(f"{ORIGIN}\n01\n{ROOT}\n", id="a size with a zero before it"),
        pytest.param(f"{ORIGIN}\n-1\n{ROOT}\n", id="a size below zero"),
        pytest.param(f"{ORIGIN}\n+1\n{ROOT}\n", id="a size with a sign"),
        pytest.param(f"{ORIGIN}\n1.0\n{ROOT}\n", id="a size with a point"),
        pytest.param(f"{ORIGIN}\n٣\n{ROOT}\n", id="a size in other digits"),
        pytest.param(f"{ORIGIN}\n{'9' * 20}\n{ROOT}\n", id="a size of 20 digits"),
        pytest.param(f"{ORIGIN}\n{'9' * 10_000}\n{ROOT}\n", id="a size of 10,000 digits"),
        pytest.param(f"{ORIGIN}\n1\n{ROOT[:-1]}\n", id="a root without padding"),
        pytest.param(f"{ORIGIN}\n1\n{ROOT[:-2]}B=\n", id="a root with unused bits"),
        pytest.param(f"{ORIGIN}\n1\n{b64encode(bytes(31)).decode()}\n", id="a root of 31 bytes"),
        pytest.param(f"{ORIGIN}\n1\n{b64encode(bytes(33)).decode()}\n", id="a root of 33 bytes"),
        pytest.param(f"{ORIGIN}\n1\n{ROOT}\nextension\n", id="an extension line, which our log never has"),
        pytest.param(f"{ORIGIN}\n1\n{ROOT} \n", id="a space at the end"),
    ],
)
def test_a_signed_text_that_is_no_checkpoint_is_refused(text: str) -> None:
    with pytest.raises(NoteMustBeGenuine):
        checkpoint.opened(signed(text), KEY.public)
