"""Run every check: each linter in a line, pytest last; `python3 -m service test` comes here."""

import resource
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TOOLS = Path(sys.executable).parent
LINTERS = {
    "ruff check": (TOOLS / "ruff", "check"),
    "ruff format": (TOOLS / "ruff", "format", "--check"),
    "mypy": (TOOLS / "mypy",),
    "import-linter": (TOOLS / "lint-imports",),
}
# Many wait for servers of theirs: three at a time keep two processors busy. Each process takes neighbours, which
# share what is set up for them, and who is done early takes some of what others have left.
PYTEST = (sys.executable, "-m", "pytest", "-n", "3", "--dist", "worksteal")
SUMMARY = "short test summary info"

Command = Sequence[str | Path]


def main(arguments: Sequence[str]) -> int:
    """Run all checks with *arguments* for pytest, where `--full` stands for the tests that take minutes."""
    options = [option for option in arguments if option != "--full"]
    everything = ["-m", ""] if "--full" in arguments else []
    colour = ["--color=yes"] if sys.stdout.isatty() else []
    return check(LINTERS, [*PYTEST, *colour, *everything, *options])


def check(linters: Mapping[str, Command], pytest: Command) -> int:
    """Run all *linters* and then *pytest*, whatever fails, and end with what failed and pytest's own summary."""
    started = time.monotonic()
    failed = [name for name, command in linters.items() if not lint(name, command)]
    passed, summary = watch(pytest)
    failed += [] if passed else ["pytest"]
    spent = f"({time.monotonic() - started:.1f} s, {_processor_seconds():.1f} s of processor time)"
    print(f"\nFAILED: {', '.join(failed)}" if failed else f"\nall {len(linters) + 1} checks passed", spent)
    print(summary, end="", flush=True)
    return 1 if failed else 0


def lint(name: str, command: Command) -> bool:
    """Run *command*, print one line, and all that it said only where it failed."""
    started = time.monotonic()
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    passed = done.returncode == 0
    print(f"{'ok' if passed else 'FAILED':<8}{name:<16}{time.monotonic() - started:5.1f} s", flush=True)
    if not passed:
        print(done.stdout, flush=True)
    return passed


def watch(pytest: Command) -> tuple[bool, str]:
    """Run *pytest*, passing on its lines as they come; return whether it passed, and its closing summary."""
    lines: list[str] = []
    with subprocess.Popen(pytest, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        for line in process.stdout or ():
            print(line, end="", flush=True)
            lines = [line] if SUMMARY in line else [*lines, line]
    closing = lines if lines and SUMMARY in lines[0] else lines[-1:]
    return process.returncode == 0, "".join(closing)


def _processor_seconds() -> float:
    """Return what all processes took that this one has started, and those that they started."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
