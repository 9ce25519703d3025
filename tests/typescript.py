"""The compiler of TypeScript and Node, which check and run programs in the tests."""

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

_PACKAGES = {"tsc": "node-typescript", "node": "nodejs"}


def run(
    program: str, *arguments: str, cwd: Path, environment: Mapping[str, str] | None = None
) -> "subprocess.CompletedProcess[str]":
    """Run tsc or node. If the program is not installed, skip the test, or fail it if the variable CI is set."""
    if shutil.which(program) is None:
        missing = f"There is no {program}. On Debian and Ubuntu: apt install {_PACKAGES[program]}"
        pytest.fail(missing) if os.environ.get("CI") else pytest.skip(missing)
    one_thread = "--v8-pool-size=0 --max-semi-space-size=64"  # more threads and a smaller heap take more processor time
    surroundings = {**os.environ, "NODE_OPTIONS": one_thread, **(environment or {})}
    asked = [program, *arguments]
    return subprocess.run(asked, cwd=cwd, capture_output=True, text=True, check=False, env=surroundings)
