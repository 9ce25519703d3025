"""Run the checks: first the linters, then pytest. `python3 -m service test` runs this module."""

import argparse
import os
import resource
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from tests import order, shares

ROOT = Path(__file__).resolve().parent.parent
TOOLS = Path(sys.executable).parent
LINTERS = {
    "ruff check": (TOOLS / "ruff", "check"),
    "ruff format": (TOOLS / "ruff", "format", "--check"),
    "mypy": (TOOLS / "mypy",),
    "import-linter": (TOOLS / "lint-imports",),
}
# Each worker of pytest gets neighbouring tests, which share fixtures; a worker that has finished its tests takes tests
# from other workers.
PYTEST = (sys.executable, "-m", "pytest", "-n", str(order.WORKERS), "--dist", "worksteal")
SUMMARY = "short test summary info"
NO_TESTS = 5
"""The exit code of pytest if no test was selected."""

Command = Sequence[str | Path]


class Outcome(NamedTuple):
    """The exit code, the output and the duration of a command."""

    code: int
    output: str
    seconds: float


def main(arguments: Sequence[str]) -> int:
    """Run the checks that *arguments* choose; arguments that are not options of this runner go to pytest."""
    chosen, options = _parser().parse_known_args(arguments)
    # The tests start many processes. Without compiled modules on disk, each process would compile every module that
    # it imports.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    colour = ["--color=yes"] if sys.stdout.isatty() else []
    everything = [*shares.PATIENCE, "-m", ""] if chosen.full else []
    suites = {"pytest": [*PYTEST, *colour, *everything, *options]}
    if chosen.share and not chosen.full:
        if commit := shares.commit_of(chosen.share):
            number = shares.number_of_commit(commit)
            share = f"share {number} of {shares.SHARES}"
            print(f"{share} of the long tests, by the commit {commit}: it runs after all others")
            suites[share] = [*PYTEST, *colour, *shares.options(number), *options]
        else:
            print(f"no share of the long tests runs: git knows no commit {chosen.share!r} here")
    return check({**LINTERS, **_collection()}, suites)


def _collection() -> Mapping[str, Command]:
    """Return a check that compiles all tests before the workers start, or {} if an earlier run has compiled them."""
    is_compiled = (ROOT / "tests" / "cli" / "__pycache__").exists()
    return {} if is_compiled else {"collection": (sys.executable, "-m", "pytest", "--collect-only", "--quiet")}


def check(linters: Mapping[str, Command], suites: Mapping[str, Command]) -> int:
    """Run all *linters*, then all *suites* of tests, even if some fail; return the exit code.

    After each suite but the last, print the time so far. After all suites, print the failed checks, or that all
    passed, and the total time; then print the summary of each suite once more, in reverse order.
    """
    started = time.monotonic()
    failed = lint(linters)
    closings: list[str] = []
    for name, command in suites.items():
        code, closing = watch(command)
        failed += [] if code == 0 or (closings and code == NO_TESTS) else [name]
        closings.append(closing)
        if len(closings) < len(suites):
            print(f"{name} has ended {_time_since(started)}", flush=True)
    result = f"FAILED: {', '.join(failed)}" if failed else f"all {len(linters) + len(suites)} checks passed"
    print(f"\n{result} {_time_since(started)}")
    print("".join(reversed(closings)), end="", flush=True)
    return 1 if failed else 0


def lint(linters: Mapping[str, Command]) -> list[str]:
    """Run *linters*, two at a time; print a line for each in order, and the output of failed linters.

    Return the names of the failed linters.
    """
    failed = []
    with ThreadPoolExecutor(2) as pool:
        for name, outcome in zip(linters, pool.map(run, linters.values()), strict=True):
            print(f"{'FAILED' if outcome.code else 'ok':<8}{name:<16}{outcome.seconds:5.1f} s", flush=True)
            if outcome.code:
                failed.append(name)
                print(outcome.output, flush=True)
    return failed


def run(command: Command) -> Outcome:
    """Run *command* and wait for its end."""
    started = time.monotonic()
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return Outcome(done.returncode, done.stdout, time.monotonic() - started)


def watch(pytest: Command) -> tuple[int, str]:
    """Run the command *pytest* and print its lines as they come; return the exit code and the closing summary."""
    lines: list[str] = []
    with subprocess.Popen(pytest, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        for line in process.stdout or ():
            print(line, end="", flush=True)
            lines = [line] if SUMMARY in line else [*lines, line]
    closing = lines if lines and SUMMARY in lines[0] else lines[-1:]
    return process.returncode, "".join(closing)


def processor_seconds() -> float:
    """Return the processor time of this process and of all its descendants that have ended, in seconds."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def _time_since(started: float) -> str:
    """Return the seconds since *started*, and the processor seconds, as they are printed."""
    return f"({time.monotonic() - started:.1f} s; {processor_seconds():.1f} s of processor time)"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python3 -m service test",
        description="Run every check: the linters, then the tests. All other options go to pytest.",
        allow_abbrev=False,
    )
    parser.add_argument("--full", action="store_true", help="run the long tests too: seven hours of one processor")
    parser.add_argument(
        "--share",
        metavar="COMMIT",
        default="",
        help=f"then run the share of the long tests, one of {shares.SHARES}, that falls to COMMIT, such as HEAD",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
