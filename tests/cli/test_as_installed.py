"""The command as a user starts it: a process run by the script of a fresh clone, or of an installed wheel."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.commands import Instance, run_as_user
from tests.cli.played import Originals, Played, play_to
from tests.http.service import Service, Table
from tests.play.hearts import over

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
"""The script that pip writes for the entry point in pyproject.toml (tests/house/test_locks.py checks that name)."""


def _two_tables(service: Service) -> str:
    """Play two tables to their ends, so that each of two processes gets one; return the id of the first table."""
    tables = [play_to(service, Table(service, 2, buy_in=4).started(), over, seed) for seed in (1, 2)]
    return str(tables[0].id)


@pytest.fixture
def played(originals: Originals, tmp_path: Path) -> Iterator[Played]:
    """Yield an instance with two tables, always on SQLite: the start of a command does not depend on the database."""
    with originals.copied("sqlite", _two_tables, tmp_path / "data") as original:
        yield original


def test_processes_that_share_a_rebuild_do_not_run_the_script_of_a_clone_again(played: Played) -> None:
    rebuilt = played.instance.run_as_user("rebuild", "--processes", "2")
    assert (rebuilt.code, rebuilt.err) == (0, "")
    assert rebuilt.out.startswith("2 tables rebuilt")


def test_processes_that_share_a_verification_do_not_run_the_script_of_a_wheel_again(
    played: Played, tmp_path: Path
) -> None:
    script = tmp_path / "chiptrail"
    script.write_text(OF_A_WHEEL.format(python=sys.executable))
    script.chmod(0o755)
    verified = run_as_user("verify", "--processes", "2", *played.instance.flags, command=(str(script),))
    assert (verified.code, verified.err) == (0, "")
    assert "nothing failed" in verified.out


def test_the_commands_that_no_page_runs_do_their_work_in_a_process_of_their_own(played: Played, tmp_path: Path) -> None:
    instance, table = played
    said = run_as_user("completion", "bash")
    assert (said.code, said.err, "_CHIPTRAIL_COMPLETE" in said.out) == (0, "", True)
    said = instance.run_as_user("hand", table, "1")
    assert (said.code, said.err, f"Hand 1 of {table}" in said.out) == (0, "", True)
    said = instance.run_as_user("erase", table, "1", "bid")
    assert (said.code, said.err, "No event sealed bid" in said.out) == (1, "", True)
    assert instance.run("backup", str(tmp_path / "backup")).code == 0
    there = Instance(f"sqlite:///{tmp_path / 'there.db'}", instance.data)
    said = there.run_as_user("restore", str(tmp_path / "backup"))
    assert said.code == 0, said.err
    assert there.run("export").out == instance.run("export").out
