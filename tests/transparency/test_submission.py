"""The body of add-checkpoint has the form that C2SP tlog-witness prescribes, and no other form is read."""

from base64 import b64encode

import pytest
from hypothesis import given, strategies as st

from service.transparency import checkpoint
from service.transparency.signed_note import NoteMustBeGenuine
from service.transparency.witnesses import submission
from service.transparency.witnesses.submission import MOST_BYTES, Submission
from tests.transparency.notes import LEAVES, VECTORS, consistency

NOTE = VECTORS["checkpoint_10"]
EXAMPLE = """old 20852014
PlRNCrwHpqhGrupue0L7gxbjbMiKA9temvuZZDDpkaw=
jrJZDmY8Y7SyJE0MWLpLozkIVMSMZcD5kvuKxPC3swk=
5+pKlUdi2LeF/BcMHBn+Ku6yhPGNCswZZD1X/6QgPd8=
/6WVhPs2CwSsb5rYBH5cjHV/wSmA79abXAwhXw3Kj/0=

example.com/behind-the-sofa
20852163
CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=

— example.com/behind-the-sofa \
Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=
— example.com/behind-the-sofa \
opLqBQsREYCgu6xQkYQwJr9fo45a62DN9EdmHXnZdXNqlcVGlCum2Wks+49/V6265UEjw6QUXTS5Rovnzv++qbSzm9Q=
"""
HASH = b64encode(bytes(32)).decode()


def test_the_example_of_the_standard_is_read() -> None:
    found = submission.parse(EXAMPLE.encode())
    assert (found.old_size, len(found.proof)) == (20_852_014, 4)
    assert (found.checkpoint.origin, found.checkpoint.size) == ("example.com/behind-the-sofa", 20_852_163)
    assert bytes(found) == EXAMPLE.encode()


@given(st.integers(0, 20), st.integers(0, 20))
def test_a_written_submission_is_read(old: int, more: int) -> None:
    note = submission.parse(f"old 0\n\n{NOTE}".encode()).note
    proof = tuple(consistency(LEAVES[: old + more], old))
    given_ = Submission(old, proof, checkpoint.parsed(note), note)
    assert submission.parse(bytes(given_)) == given_


def test_further_lines_of_a_checkpoint_stay_in_the_text() -> None:
    text, signatures = NOTE.split("\n\n")
    found = submission.parse(f"old 7\n\n{text}\nfurther line\n\n{signatures}".encode())
    assert found.checkpoint.size == 10
    assert found.note.text.endswith("\nfurther line\n")


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("", id="nothing"),
        pytest.param("old 7\n", id="no checkpoint"),
        pytest.param(f"\n\n{NOTE}", id="no old size"),
        pytest.param(f"old\n\n{NOTE}", id="old without a size"),
        pytest.param(f"old  7\n\n{NOTE}", id="two spaces"),
        pytest.param(f"Old 7\n\n{NOTE}", id="a capital letter"),
        pytest.param(f"old 07\n\n{NOTE}", id="a leading zero"),
        pytest.param(f"old -7\n\n{NOTE}", id="a sign"),
        pytest.param(f"old \N{ARABIC-INDIC DIGIT SEVEN}\n\n{NOTE}", id="a digit of another script"),
        pytest.param(f"old {'9' * 20}\n\n{NOTE}", id="a size that no tree has"),
        pytest.param(f"old 7\n{HASH} \n\n{NOTE}", id="a space after a hash"),
        pytest.param(f"old 7\n{HASH[:-1]}\n\n{NOTE}", id="no padding"),
        pytest.param(f"old 7\n{HASH[:-2]}B=\n\n{NOTE}", id="bits that are not used"),
        pytest.param(f"old 7\nAAAA\n\n{NOTE}", id="a short hash"),
        pytest.param("old 7\n" + 64 * f"{HASH}\n" + f"\n{NOTE}", id="64 hashes"),
        pytest.param(f"old 7\r\n\r\n{NOTE}", id="carriage returns"),
        pytest.param(f"old 7\n\n\n{NOTE}", id="one more empty line"),
        pytest.param(f"old 7\n\n{NOTE.replace(chr(10) + chr(10), chr(10))}", id="no signatures"),
        pytest.param(f"old 7\n\n{NOTE.replace('10' + chr(10), '010' + chr(10), 1)}", id="a size with a zero"),
        pytest.param("old 7\n\norigin\n10\n\n— a AAAAAAAA\n", id="a checkpoint of two lines"),
        pytest.param(
            f"old 7\n\n{NOTE.replace(chr(10) * 2, chr(10) * 2 + 'x' + chr(10) * 2)}", id="an empty line in the text"
        ),
        pytest.param(f"old 7\n\n{NOTE}" + "— a AAAAAAAA\n" * 5_000, id="thousands of signatures"),
        pytest.param(f"old 7\n\n{NOTE}{'x' * 10_000_000}", id="10 MB"),
    ],
)
def test_a_malformed_body_is_refused(body: str) -> None:
    with pytest.raises(NoteMustBeGenuine):
        submission.parse(body.encode())


@given(st.binary(max_size=400))
def test_no_bytes_raise_another_error(data: bytes) -> None:
    for body in (data, b"old 7\n\n" + data, b"old 7\n" + data + b"\n\n" + NOTE.encode()):
        try:
            submission.parse(body)
        except NoteMustBeGenuine:
            continue


def test_a_body_of_the_largest_size_is_read_and_no_larger_one() -> None:
    text, signatures = NOTE.split("\n\n")
    more = "x" * (MOST_BYTES - len(f"old 7\n\n{text}\n\n\n{signatures}".encode()))
    body = f"old 7\n\n{text}\n{more}\n\n{signatures}".encode()
    assert len(body) == MOST_BYTES
    assert submission.parse(body).note.text.endswith(more + "\n")
    with pytest.raises(NoteMustBeGenuine, match="at most 65,536 bytes"):
        submission.parse(body.replace(b"x", b"xx", 1))


@pytest.mark.parametrize(
    "body", [b"", b"7", b"7\n\n", b"07\n", b"-1\n", b"7 \n", b"seven\n", b"\xff\n", b"9" * 20 + b"\n"]
)
def test_a_witness_must_name_a_size(body: bytes) -> None:
    with pytest.raises(NoteMustBeGenuine):
        submission.recorded_size(body)
    assert submission.recorded_size(b"70\n") == 70
