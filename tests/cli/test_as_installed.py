"""The command as its user starts it, by the script of a fresh clone or of a wheel: work is shared among processes."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from service.bots.host import Game, Host
from service.entropy import Entropy
from tests.cli.commands import COMMAND, Place, Said, environment, running_server

OF_A_WHEEL = """\
#!/bin/sh
'''exec' "{python}" "$0" "$@"
' '''
# -*- coding: utf-8 -*-
import re
import sys
from service.cli import main
if __name__ == '__main__':
    sys.argv[0] = re.sub(r'(-script\\.pyw|\\.exe)?$', '', sys.argv[0])
    sys.exit(main())
"""
"""What pip writes for the entry point that pyproject.toml names (tests/house/test_locks.py compares it)."""


@pytest.fixture(params=["clone", "wheel"])
def command(request: pytest.FixtureRequest, tmp_path: Path) -> Sequence[str]:
    """Return how a user starts `chiptrail`."""
    if request.param == "clone":
        return COMMAND
    script = tmp_path / "chiptrail"
    script.write_text(OF_A_WHEEL.format(python=sys.executable))
    script.chmod(0o755)
    return (str(script),)


@pytest.fixture
def played(place: Place) -> Place:
    """Return a place with two tables, so that two processes have a share each."""
    place.data.mkdir()
    with running_server(place.flags, place.data / "server.log") as server:
        host = Host(server.url, place.first_key, Entropy())
        for seed in ("1", "2"):
            host.play(Game(game="bankrupt", kinds=("random", "random"), seed=seed, options={"buy_in": 4}))
        host.close()
    return place


def _said(command: Sequence[str], *arguments: str) -> Said:
    done = subprocess.run([*command, *arguments], capture_output=True, text=True, env=environment(), check=False)
    return Said(done.returncode, done.stdout, done.stderr)


def test_processes_that_share_the_work_do_not_run_the_command_again(command: Sequence[str], played: Place) -> None:
    rebuilt = _said(command, "rebuild", "--processes", "2", *played.flags)
    assert (rebuilt.code, rebuilt.err) == (0, "")
    assert rebuilt.out.startswith("2 tables rebuilt")
    verified = _said(command, "verify", "--processes", "2", *played.flags)
    assert (verified.code, verified.err) == (0, "")
    assert "nothing failed" in verified.out
