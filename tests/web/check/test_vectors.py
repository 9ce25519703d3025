"""The modules of the page compute the vectors of log_format.md, and check odd signatures as verify.py does."""

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from service.dossier import verify
from tests.vectors import recorded_vectors
from tests.web.check.in_browser import Checker


def test_the_vectors_come_out_in_the_browser(checker: Checker) -> None:
    vectors = recorded_vectors.vectors()
    assert checker.call("/tests/vectors.js", "disagreements", vectors) == []


def test_a_changed_vector_does_not_come_out(checker: Checker) -> None:
    """Without this test, the test above could pass without a comparison."""
    vectors = recorded_vectors.vectors()
    accepted = [one | {"finding": ""} for one in vectors["leaf_proofs"]["cases"]]
    for changed in (
        {"S1_std52_three_seats": vectors["S1_std52_three_seats"] | {"deck_root": "0" * 64}},
        {"field": vectors["field"] | {"value": 1}},
        {"leaf_proofs": vectors["leaf_proofs"] | {"cases": accepted}},
    ):
        assert checker.call("/tests/vectors.js", "disagreements", vectors | changed) != []


def test_signatures_by_odd_keys_are_found_as_verify_py_finds_them(checker: Checker) -> None:
    """The cases: keys of small order, keys and points in another form, and an s above the group's order (RFC 8032)."""
    small = [(verify.P + number).to_bytes(32, "little") for number in (-1, 0, 1)] + [bytes(32), b"\1" + bytes(31)]
    small += [one[:31] + bytes([one[31] | 0x80]) for one in small]
    odd = [(key, point + bytes(32), text) for key in small for point in small for text in (b"a", b"b")]
    private = Ed25519PrivateKey.from_private_bytes(bytes(32))
    right = private.sign(b"text")
    s = (int.from_bytes(right[32:], "little") + verify.ORDER).to_bytes(32, "little")
    public = private.public_key().public_bytes_raw()
    cases = [*odd, (public, right, b"text"), (public, right[:32] + s, b"text"), (public, right, b"test")]
    found = checker.call("/tests/vectors.js", "signed", [[part.hex() for part in case] for case in cases])
    assert found == [verify.is_signed(*case) for case in cases]
    assert found[-3:] == [True, False, False]
