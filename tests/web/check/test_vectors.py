"""The vectors of log_format.md come out of the modules of the page, and what must be refused is refused."""

from tests.vectors import recorded_vectors
from tests.web.check.in_browser import Checker


def test_the_vectors_come_out_in_the_browser(checker: Checker) -> None:
    vectors = recorded_vectors.vectors()
    assert checker.call("/tests/vectors.js", "disagreements", vectors) == []


def test_a_changed_vector_does_not_come_out(checker: Checker) -> None:
    """Without this, the test before it could compare nothing."""
    vectors = recorded_vectors.vectors()
    accepted = [one | {"finding": ""} for one in vectors["leaf_proofs"]["cases"]]
    for changed in (
        {"S1_std52_three_seats": vectors["S1_std52_three_seats"] | {"deck_root": "0" * 64}},
        {"field": vectors["field"] | {"value": 1}},
        {"leaf_proofs": vectors["leaf_proofs"] | {"cases": accepted}},
    ):
        assert checker.call("/tests/vectors.js", "disagreements", vectors | changed) != []
