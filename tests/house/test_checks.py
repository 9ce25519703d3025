"""The runner of all checks runs every check even if one fails, and each commit runs a share of the long tests."""

import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests import __main__ as runner, shares
from tests.__main__ import check
from tests.house.tree import ROOT

PASSES = (sys.executable, "-c", "print('fine')")
FAILS = (sys.executable, "-c", "import sys; print('crooked'); sys.exit(3)")
TESTS_PASS = (sys.executable, "-c", "print('..'); print('== 2 passed in 0.1s ==')")
SHARE_PASSES = (sys.executable, "-c", "print('.'); print('== 1 passed in 0.2s ==')")
SHARE_IS_EMPTY = (sys.executable, "-c", "import sys; print('== no tests ran in 0.1s =='); sys.exit(5)")
FAILURE = ".F\n== short test summary info ==\nFAILED test_x\n1 failed"
TESTS_FAIL = (sys.executable, "-c", f"import sys; print({FAILURE!r}); sys.exit(1)")
BUSY = (sys.executable, "-c", "import time\nwhile time.process_time() < 0.3: pass\nprint('== 1 passed ==')")
TIMES = re.compile(r"\((\d+\.\d) s; (\d+\.\d) s of processor time\)$")
COMMIT = f"{25:040x}"


def test_a_run_without_failures_ends_with_the_summary_of_pytest(capfd: pytest.CaptureFixture[str]) -> None:
    assert check({"one": PASSES, "two": PASSES}, {"pytest": TESTS_PASS}) == 0
    said = capfd.readouterr().out.splitlines()
    assert [line.split()[:2] for line in said[:2]] == [["ok", "one"], ["ok", "two"]]
    assert "all 3 checks passed" in said[-2]
    assert said[-1] == "== 2 passed in 0.1s =="


def test_a_failure_is_shown_and_the_rest_still_runs(capfd: pytest.CaptureFixture[str]) -> None:
    assert check({"one": FAILS, "two": PASSES}, {"pytest": TESTS_PASS}) == 1
    said = capfd.readouterr().out.splitlines()
    assert [line.split()[0] for line in said if line] == ["FAILED", "crooked", "ok", "..", "==", "FAILED:", "=="]
    assert said[-1] == "== 2 passed in 0.1s =="


def test_linters_that_run_at_the_same_time_are_shown_in_their_order(capfd: pytest.CaptureFixture[str]) -> None:
    slow = (sys.executable, "-c", "import time; time.sleep(0.3)")
    check({"slow": slow, "fast": PASSES}, {"pytest": TESTS_PASS})
    assert [line.split()[1] for line in capfd.readouterr().out.splitlines()[:2]] == ["slow", "fast"]


def test_failed_tests_are_listed_last(capfd: pytest.CaptureFixture[str]) -> None:
    assert check({"one": PASSES}, {"pytest": TESTS_FAIL}) == 1
    said = capfd.readouterr().out.splitlines()
    assert "FAILED: pytest" in said[-4]
    assert said[-3:] == ["== short test summary info ==", "FAILED test_x", "1 failed"]


def test_the_end_names_the_seconds_and_the_processor_seconds_of_all(capfd: pytest.CaptureFixture[str]) -> None:
    before = runner.processor_seconds()
    check({"one": PASSES}, {"pytest": BUSY})
    seconds, of_processors = TIMES.findall(capfd.readouterr().out.splitlines()[-2])[0]
    assert float(of_processors) >= before + 0.2
    assert float(seconds) >= 0.2


def test_a_share_runs_after_the_tests_whose_summary_is_still_last(capfd: pytest.CaptureFixture[str]) -> None:
    assert check({}, {"pytest": TESTS_PASS, "share 1 of 24": SHARE_PASSES}) == 0
    said = capfd.readouterr().out.splitlines()
    assert [*said[:2], *said[3:5]] == ["..", "== 2 passed in 0.1s ==", ".", "== 1 passed in 0.2s =="]
    assert "all 2 checks passed" in said[-3]
    assert said[-2:] == ["== 1 passed in 0.2s ==", "== 2 passed in 0.1s =="]


def test_the_time_of_the_tests_is_printed_before_the_share_begins(capfd: pytest.CaptureFixture[str]) -> None:
    check({}, {"pytest": TESTS_PASS, "share 1 of 24": SHARE_PASSES})
    said = capfd.readouterr().out.splitlines()
    assert said[2].startswith("pytest has ended (")
    assert TIMES.search(said[2])
    assert sum(1 for line in said if TIMES.search(line)) == 2, "the other is the time of all"


def test_a_share_that_fails_is_named(capfd: pytest.CaptureFixture[str]) -> None:
    assert check({}, {"pytest": TESTS_PASS, "share 1 of 24": TESTS_FAIL}) == 1
    assert "FAILED: share 1 of 24 (" in capfd.readouterr().out


def test_a_share_may_be_empty_but_the_other_tests_may_not() -> None:
    assert check({}, {"pytest": TESTS_PASS, "share 1 of 24": SHARE_IS_EMPTY}) == 0
    assert check({}, {"pytest": SHARE_IS_EMPTY}) == 1


def test_each_test_falls_to_one_share_and_every_share_has_some() -> None:
    of_shares = Counter(shares.number_of_test(f"tests/test_x.py::test_y[{number}]") for number in range(2_000))
    assert of_shares.keys() == set(range(shares.SHARES))
    assert shares.number_of_test("tests/test_x.py::test_y") == 17, "the same in every run, on every machine"


def test_a_commit_runs_the_share_of_its_hash(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    suites = _suites(monkeypatch, "--share", COMMIT, "-k", "kills")
    assert f"share 1 of 24 of the long tests, by the commit {COMMIT}" in capfd.readouterr().out
    assert suites["pytest"][-2:] == ["-k", "kills"]
    assert suites["share 1 of 24"][-7:] == ["-p", "tests.shares", "-m", "full", "--share-number=1", "-k", "kills"]
    assert list(_suites(monkeypatch, "--share", COMMIT, "--full")) == ["pytest"], "a full run has every share"


def test_the_processes_of_the_tests_may_keep_compiled_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    _suites(monkeypatch)
    assert "PYTHONDONTWRITEBYTECODE" not in os.environ


def test_before_the_first_run_one_process_compiles_the_modules_for_all(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(runner, "ROOT", tmp_path)
    assert list(runner._collection()) == ["collection"]
    (tmp_path / "tests" / "cli" / "__pycache__").mkdir(parents=True)
    assert runner._collection() == {}


def test_every_commit_runs_its_share() -> None:
    assert 'python3 -m service test --share HEAD "$@"' in (ROOT / ".ci" / "run").read_text()


def test_without_git_no_share_runs_and_the_runner_reports_it(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert list(_suites(monkeypatch, "--share", "HEAD")) == ["pytest"]
    assert capfd.readouterr().out == "no share of the long tests runs: git knows no commit 'HEAD' here\n"


def test_the_plugin_keeps_the_tests_of_one_share(tmp_path: pytest.TempPathFactory) -> None:
    line = [sys.executable, "-m", "pytest", "-q", "-n0", "--collect-only", "tests/tables/test_sealed_values.py"]
    environment = {"PATH": "/usr/bin:/bin", "TMPDIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [*line, "-p", "no:cacheprovider", "-p", "tests.shares", "-m", "full", "--share-number=3"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    kept = [name for name in done.stdout.splitlines() if "::" in name]
    assert all(shares.number_of_test(name) == 3 for name in kept)
    assert "deselected" in done.stdout


def _suites(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> dict[str, list[str]]:
    """Return the commands of the test suites that the runner would run with *arguments*."""
    chosen: dict[str, list[str]] = {}

    def note(_: object, suites: dict[str, list[str]]) -> int:
        chosen.update(suites)
        return 0

    monkeypatch.setattr(runner, "check", note)
    assert runner.main(arguments) == 0
    return chosen
