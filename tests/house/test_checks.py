"""The runner of all checks runs them all, whatever fails."""

import re
import sys

import pytest

from tests.__main__ import check

PASSES = (sys.executable, "-c", "print('fine')")
FAILS = (sys.executable, "-c", "import sys; print('crooked'); sys.exit(3)")
TESTS_PASS = (sys.executable, "-c", "print('..'); print('== 2 passed in 0.1s ==')")
FAILURE = ".F\n== short test summary info ==\nFAILED test_x\n1 failed"
TESTS_FAIL = (sys.executable, "-c", f"import sys; print({FAILURE!r}); sys.exit(1)")


def test_all_that_pass_end_with_the_summary_of_pytest(capfd: pytest.CaptureFixture[str]) -> None:
    assert check({"one": PASSES, "two": PASSES}, TESTS_PASS) == 0
    said = capfd.readouterr().out.splitlines()
    assert [line.split()[:2] for line in said[:2]] == [["ok", "one"], ["ok", "two"]]
    assert re.fullmatch(r"all 3 checks passed \([0-9.]+ s, [0-9.]+ s of processor time\)", said[-2])
    assert said[-1] == "== 2 passed in 0.1s =="


def test_a_failure_is_shown_and_the_rest_still_runs(capfd: pytest.CaptureFixture[str]) -> None:
    assert check({"one": FAILS, "two": PASSES}, TESTS_PASS) == 1
    said = capfd.readouterr().out.splitlines()
    assert [line.split()[0] for line in said if line] == ["FAILED", "crooked", "ok", "..", "==", "FAILED:", "=="]
    assert said[-1] == "== 2 passed in 0.1s =="


def test_failed_tests_are_listed_last(capfd: pytest.CaptureFixture[str]) -> None:
    assert check({"one": PASSES}, TESTS_FAIL) == 1
    said = capfd.readouterr().out.splitlines()
    assert "FAILED: pytest" in said[-4]
    assert said[-3:] == ["== short test summary info ==", "FAILED test_x", "1 failed"]
