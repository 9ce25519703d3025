"""Cosignatures have the format of C2SP tlog-cosignature; the vectors have a cosignature of each checkpoint."""

from base64 import b64decode

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from service.transparency import signed_note
from service.transparency.signed_note import NoteMustBeGenuine, Signature
from service.transparency.witnesses import cosignature
from tests.transparency.notes import VECTORS

NOTE = signed_note.parse(VECTORS["checkpoint_7"].encode())
KEY = cosignature.parse_witness_key(VECTORS["keys"]["witness_vkey"])
PRIVATE = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(VECTORS["keys"]["witness_private_seed"]))
AT = 1_767_225_600


def cosigned() -> Signature:
    return NOTE.signatures[1]


def test_the_cosignature_of_the_vectors_is_verified_and_has_its_time() -> None:
    assert cosignature.cosigned_at(NOTE.text, cosigned(), KEY) == AT


def test_our_cosignature_equals_the_vector_byte_for_byte() -> None:
    assert cosignature.witness_key(KEY.name, PRIVATE) == KEY
    assert cosignature.cosign(NOTE.text, KEY.name, PRIVATE, AT) == cosigned()


@pytest.mark.parametrize("place", [0, 7, 8, 40, 71])
def test_a_cosignature_with_another_byte_is_refused(place: int) -> None:
    data = bytearray(cosigned().signature)
    data[place] ^= 1
    with pytest.raises(NoteMustBeGenuine):
        cosignature.cosigned_at(NOTE.text, Signature(KEY.name, KEY.key_hash, bytes(data)), KEY)


def test_a_cosignature_of_another_text_key_or_kind_is_refused() -> None:
    of_log = signed_note.parse_key(VECTORS["keys"]["log_vkey"])
    for text, signature, key in (
        (NOTE.text.replace("\n7\n", "\n8\n"), cosigned(), KEY),
        (NOTE.text, NOTE.signatures[0], KEY),
        (NOTE.text, NOTE.signatures[0], of_log),
        (NOTE.text, Signature(KEY.name, KEY.key_hash, b"short"), KEY),
    ):
        with pytest.raises(NoteMustBeGenuine):
            cosignature.cosigned_at(text, signature, key)
    with pytest.raises(NoteMustBeGenuine, match="first byte is not 04"):
        cosignature.parse_witness_key(VECTORS["keys"]["log_vkey"])


def test_a_time_beyond_what_the_format_allows_is_refused() -> None:
    signature = cosignature.cosign(NOTE.text, KEY.name, PRIVATE, 1 << 63)
    with pytest.raises(NoteMustBeGenuine, match="no possible time"):
        cosignature.cosigned_at(NOTE.text, signature, KEY)


def test_the_key_hash_is_of_the_algorithm_of_cosignatures() -> None:
    assert b64decode(str(KEY).rsplit("+", 1)[1])[0] == 4
    assert KEY.key_hash != signed_note.verifier_key(KEY.name, PRIVATE).key_hash
