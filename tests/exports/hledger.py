"""hledger itself, which reads our journals in the tests."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

MISSING: Final = "There is no hledger to read journals with. On Debian and Ubuntu: apt install hledger"


def hledger(journal: Path, *arguments: str) -> str:
    """Return the output of hledger on *journal*. Without hledger the test is skipped, or fails if CI is set."""
    program = shutil.which("hledger")
    if program is None and os.environ.get("CI"):
        pytest.fail(MISSING)
    if program is None:
        pytest.skip(MISSING)
    environment = {"LANG": "C.UTF-8", "PATH": os.environ["PATH"], "HOME": str(journal.parent)}
    command = [program, "--file", str(journal), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout
