import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from hypothesis import given, strategies as st

from service.secrets.encryption import Sealed, Sealer, Tampered, WrongKey
from service.secrets.keyring import derive

KEY = derive(f"svk_{'1' * 32}", b"\1" * 32)
SEALER = Sealer(KEY)
OTHER = Sealer(derive(f"svk_{'2' * 32}", b"\2" * 32))
NONCE = bytes(range(12))
PLACE = ("table/t1", 10, "slip")


def sealed(plaintext: bytes) -> Sealed:
    return Sealed(SEALER.key_id, NONCE, SEALER.seal(*PLACE, plaintext, NONCE))


@given(st.text(), st.integers(1, 2**53 - 1), st.text(), st.binary(), st.binary(min_size=12, max_size=12))
def test_a_value_sealed_for_a_place_opens_at_this_place(
    stream: str, position: int, field: str, plaintext: bytes, nonce: bytes
) -> None:
    ciphertext = SEALER.seal(stream, position, field, plaintext, nonce)
    assert SEALER.open(stream, position, field, Sealed(SEALER.key_id, nonce, ciphertext)) == plaintext


def test_sealing_is_aes_256_gcm_bound_to_the_place() -> None:
    ciphertext = SEALER.seal(*PLACE, b"seven", NONCE)
    assert len(KEY.sealing_key) == 32
    assert AESGCM(KEY.sealing_key).decrypt(NONCE, ciphertext, b'["table/t1",10,"slip"]') == b"seven"


def test_the_key_is_named_by_16_bytes() -> None:
    assert SEALER.key_id == b"\x11" * 16


@pytest.mark.parametrize(
    "place", [("table/t2", 10, "slip"), ("table/t1", 11, "slip"), ("table/t1", 10, "foot")], ids=str
)
def test_a_sealed_value_opens_in_no_other_place(place: tuple[str, int, str]) -> None:
    with pytest.raises(Tampered, match=f"'{place[2]}' at position {place[1]} of {place[0]}"):
        SEALER.open(*place, sealed(b"seven"))


def test_a_value_opens_under_no_other_key_and_the_error_names_both_keys() -> None:
    with pytest.raises(WrongKey, match=f"svk_{'1' * 32}, and this process has svk_{'2' * 32}"):
        OTHER.open(*PLACE, sealed(b"seven"))


def test_another_key_with_the_same_name_opens_nothing() -> None:
    namesake = Sealer(derive(KEY.key_id, b"\3" * 32))
    with pytest.raises(Tampered):
        namesake.open(*PLACE, sealed(b"seven"))


def test_one_altered_bit_anywhere_is_found() -> None:
    good = sealed(b"seven")
    for part in ("nonce", "ciphertext"):
        content: bytes = getattr(good, part)
        for bit in range(len(content) * 8):
            altered = bytearray(content)
            altered[bit // 8] ^= 1 << bit % 8
            parts = {"nonce": good.nonce, "ciphertext": good.ciphertext} | {part: bytes(altered)}
            with pytest.raises(Tampered):
                SEALER.open(*PLACE, Sealed(good.key_id, **parts))


@pytest.mark.parametrize(
    ("nonce", "ciphertext"), [(NONCE, b""), (NONCE, b"short"), (b"", b"x" * 40)], ids=["nothing", "short", "no nonce"]
)
def test_bytes_that_can_be_no_ciphertext_are_refused(nonce: bytes, ciphertext: bytes) -> None:
    with pytest.raises(Tampered):
        SEALER.open(*PLACE, Sealed(SEALER.key_id, nonce, ciphertext))
