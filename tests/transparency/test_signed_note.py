"""Our notes and keys have the form that C2SP signed-note defines; one example comes from Go's note package."""

from base64 import b64encode

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given, strategies as st

from service.transparency import signed_note
from service.transparency.signed_note import MOST_BYTES, NoteMustBeGenuine, VerifierKey
from tests.transparency.notes import SEED, VECTORS

PUBLIC = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
PRIVATE_SEED = bytes.fromhex("810a1402d5146c8d84f2443330f54080ebf98ee17d9c74f6252fc5d5c7283173")
TEXT = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
LINE = "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
ENOCH = "EnochRoot+af0cfe78+ATtqJ7zOtqQtYqOo0CpvDXNlMhV3HeJDpjrASKGLWdop"
ENOCH_LINE = (
    "— EnochRoot rwz+eBzmZa0SO3NbfRGzPCpDckykFXSdeX+MNtCOXm2/5n2tiOHp+vAF1aGrQ5ovTG01oOTGwnWLox33WWd1RvMc+QQ=\n"
)
NOTE = f"{TEXT}\n{LINE}"
KEY = signed_note.parse_key(PUBLIC)
PETER = Ed25519PrivateKey.from_private_bytes(PRIVATE_SEED)


def must_be_refused(note: str | bytes, key: VerifierKey = KEY) -> None:
    with pytest.raises(NoteMustBeGenuine):
        signed_note.must_be_signed(signed_note.parse(note if isinstance(note, bytes) else note.encode()), key)


def test_the_note_of_gos_documentation_is_signed_by_its_author() -> None:
    note = signed_note.parse(NOTE.encode())
    assert note.text == TEXT
    assert str(note) == NOTE
    signed_note.must_be_signed(note, KEY)


def test_our_signature_equals_the_signature_of_go_byte_for_byte() -> None:
    assert str(signed_note.verifier_key("PeterNeumann", PETER)) == PUBLIC == str(KEY)
    assert f"{signed_note.sign(TEXT, 'PeterNeumann', PETER)}\n" == LINE


def test_the_key_of_the_vectors_is_written_as_in_the_vectors() -> None:
    made = signed_note.verifier_key(VECTORS["keys"]["origin"], Ed25519PrivateKey.from_private_bytes(SEED))
    assert str(made) == VECTORS["keys"]["log_vkey"]
    assert signed_note.parse_key(VECTORS["keys"]["log_vkey"]) == made
    assert signed_note.parse_key(VECTORS["keys"]["witness_vkey"]).algorithm == signed_note.COSIGNATURE


def test_signatures_of_others_are_neither_verified_nor_in_the_way() -> None:
    note = signed_note.parse(f"{TEXT}\n{ENOCH_LINE}{LINE}".encode())
    for key in (PUBLIC, ENOCH):
        signed_note.must_be_signed(note, signed_note.parse_key(key))
    assert [each.name for each in note.signatures] == ["EnochRoot", "PeterNeumann"]
    wrong = LINE.replace("x08go/Z", "x08go/Y")
    signed_note.must_be_signed(signed_note.parse(f"{TEXT}\n{wrong}{ENOCH_LINE}".encode()), signed_note.parse_key(ENOCH))
    must_be_refused(f"{TEXT}\n{wrong}{ENOCH_LINE}")


def test_further_signatures_are_added_below() -> None:
    note = signed_note.parse(NOTE.encode())
    other = signed_note.parse(f"{TEXT}\n{ENOCH_LINE}".encode())
    assert str(signed_note.with_signatures(note, other.signatures)) == NOTE + ENOCH_LINE


@pytest.mark.parametrize(
    "note",
    [
        pytest.param(f"{TEXT}\n{ENOCH_LINE}", id="only another's signature"),
        pytest.param(f"{TEXT}\n{LINE}{LINE}", id="the same signature twice"),
        pytest.param(NOTE.replace("answer", "answers"), id="another text"),
        pytest.param(f"{TEXT}\n\n{LINE}", id="another line feed in the text"),
        pytest.param(NOTE.replace("PeterNeumann", "CarmenSandiego"), id="another name"),
        pytest.param(NOTE.replace("x08g", "xxxx"), id="another hash of the key"),
        pytest.param(f"{TEXT}\n{LINE[:60]}ABCD{LINE[60:]}", id="a longer signature"),
        pytest.param(f"{TEXT}\n{LINE[:60]}{LINE[64:]}", id="a shorter signature"),
        pytest.param(
            f"{TEXT}\n{ENOCH_LINE.replace('EnochRoot rwz+e', 'PeterNeumann x08go')}", id="another's signature"
        ),
    ],
)
def test_a_note_without_a_right_signature_by_the_key_is_refused(note: str) -> None:
    signed_note.parse(note.encode())
    must_be_refused(note)


@pytest.mark.parametrize(
    "note",
    [
        pytest.param("", id="nothing"),
        pytest.param(TEXT, id="no signature lines"),
        pytest.param(f"{TEXT}\n", id="no line after the empty line"),
        pytest.param(f"{TEXT}{LINE}", id="no empty line"),
        pytest.param(NOTE[:-1], id="no line feed at the end"),
        pytest.param(f"{NOTE}\n", id="an empty line at the end"),
        pytest.param(f"{NOTE}Unexpected line.\n", id="a line that is no signature"),
        pytest.param(NOTE.replace("\n", "\r\n"), id="carriage returns"),
        pytest.param(f"\1{NOTE}", id="a control character"),
        pytest.param(NOTE.replace("think", "th\0nk"), id="a null character"),
        pytest.param(b"\xff" + NOTE.encode(), id="no UTF-8"),
        pytest.param(NOTE.encode("utf-16"), id="UTF-16"),
        pytest.param(NOTE.replace("— ", "- "), id="a hyphen"),
        pytest.param(NOTE.replace("— ", "—"), id="no space after the dash"),
        pytest.param(NOTE.replace("PeterNeumann ", ""), id="no name"),
        pytest.param(NOTE.replace("PeterNeumann", "Peter Neumann"), id="a space in the name"),
        pytest.param(NOTE.replace("PeterNeumann", "Peter\N{NO-BREAK SPACE}Neumann"), id="a no-break space in the name"),
        pytest.param(NOTE.replace("PeterNeumann", "Peter\N{IDEOGRAPHIC SPACE}"), id="an ideographic space in the name"),
        pytest.param(NOTE.replace("PeterNeumann", "Peter+Neumann"), id="a plus sign in the name"),
        pytest.param(NOTE.replace("nAM=\n", "nAM= \n"), id="a space at the end of the line"),
        pytest.param(NOTE.replace("nAM=", "nAM"), id="no padding"),
        pytest.param(NOTE.replace("nAM=", "nAN="), id="base64 of unused bits"),
        pytest.param(NOTE.replace("x08go/", "x08go_"), id="base64 of URLs"),
        pytest.param(f"{TEXT}\n— PeterNeumann x08gow==\n", id="a hash of a key alone"),
        pytest.param(f"{TEXT}\n— PeterNeumann AAAA\n", id="less than a hash of a key"),
        pytest.param(f"{TEXT}\n— PeterNeumann \n", id="no signature"),
        pytest.param(f"{TEXT}\n{LINE * 101}", id="101 signatures"),
    ],
)
def test_a_text_that_is_no_note_is_refused(note: str | bytes) -> None:
    with pytest.raises(NoteMustBeGenuine):
        signed_note.parse(note if isinstance(note, bytes) else note.encode())


def test_a_note_has_at_most_a_million_bytes() -> None:
    most = "a" * (MOST_BYTES - len(f"\n\n{LINE}".encode())) + f"\n\n{LINE}"
    assert len(most.encode()) == MOST_BYTES
    signed_note.parse(most.encode())
    with pytest.raises(NoteMustBeGenuine, match="1,000,000"):
        signed_note.parse(f"a{most}".encode())


@given(st.binary(max_size=200))
def test_bytes_are_a_note_or_are_refused(data: bytes) -> None:
    for each in (data, TEXT.encode() + b"\n" + data, data + b"\n\n" + LINE.encode()):
        try:
            note = signed_note.parse(each)
        except NoteMustBeGenuine:
            continue
        assert str(note).encode() == each


@given(at=st.integers(0, len(NOTE.encode()) - 1), bit=st.integers(0, 7))
def test_a_note_with_one_bit_changed_is_refused(at: int, bit: int) -> None:
    data = bytearray(NOTE.encode())
    data[at] ^= 1 << bit
    must_be_refused(bytes(data))


def test_every_part_of_a_key_and_every_change_of_a_letter_is_refused() -> None:
    ends = range(len(PUBLIC) + 1)
    manglings = {PUBLIC[a:b] for a in ends for b in ends if a < b} - {PUBLIC}
    manglings |= {f"{PUBLIC[:at]}{chr(ord(PUBLIC[at]) + 1)}{PUBLIC[at + 1 :]}" for at in range(len(PUBLIC))}
    for each in ["", *manglings]:
        with pytest.raises(NoteMustBeGenuine):
            signed_note.parse_key(each)


def key_text(name: str, algorithm: int, public_key: bytes) -> str:
    return str(VerifierKey(name, algorithm, public_key))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(key_text("Peter Neumann", 1, KEY.public_key), id="a space in the name"),
        pytest.param(key_text("", 1, KEY.public_key), id="no name"),
        pytest.param(key_text("PeterNeumann", 2, KEY.public_key), id="another algorithm"),
        pytest.param(key_text("PeterNeumann", 1, KEY.public_key + b"\0"), id="33 bytes"),
        pytest.param(key_text("PeterNeumann", 1, KEY.public_key[:-1]), id="31 bytes"),
        pytest.param(PUBLIC.replace("c74f20a3", "C74F20A3"), id="a hash in upper case"),
        pytest.param(f"{PUBLIC}\n", id="a line feed"),
        pytest.param(f"{PUBLIC}é", id="not ASCII"),
    ],
)
def test_a_key_of_another_form_is_refused(text: str) -> None:
    with pytest.raises(NoteMustBeGenuine):
        signed_note.parse_key(text)


def test_a_private_key_in_the_place_of_a_public_key_is_not_quoted() -> None:
    secret = b64encode(b"\1" + PRIVATE_SEED).decode()
    with pytest.raises(NoteMustBeGenuine) as caught:
        signed_note.parse_key(f"PRIVATE+KEY+PeterNeumann+c74f20a3+{secret}")
    assert secret[:8] not in str(caught.value)


@pytest.mark.parametrize("name", ["", "a b", "a+b", "a\nb", "a\N{NO-BREAK SPACE}b"])
def test_a_signer_has_a_name_without_spaces_and_plus_signs(name: str) -> None:
    with pytest.raises(NoteMustBeGenuine):
        signed_note.sign(TEXT, name, PETER)
