"""The command as a user starts it: a process run by the script of a fresh clone, or of an installed wheel."""

import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from http import HTTPStatus
from http.client import HTTPConnection
from pathlib import Path

import pytest

from service.cli.support.server_process import run_server
from tests.cli.commands import Instance, run_as_user
from tests.cli.played import Originals, Played, two_tables
from tests.house.tree import ROOT

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
"""The script that pip writes for the entry point in pyproject.toml; tests/house/test_locks.py checks this entry."""


@pytest.fixture
def played(originals: Originals, tmp_path: Path) -> Iterator[Played]:
    """Yield an instance with two tables, always on SQLite: the start of a command does not depend on the database."""
    with originals.copied("sqlite", two_tables, tmp_path / "data") as original:
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


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the files of a wheel: the files that pyproject.toml names for a wheel, and no others."""
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert set(wheel) == {"packages", "exclude", "force-include"}
    places = {**{name: name for name in wheel["packages"]}, **wheel["force-include"]}
    left_out = tuple(path.removeprefix("/") for path in wheel["exclude"])
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", "--", *places],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    folder = tmp_path_factory.mktemp("unpacked")
    for path in listed.stdout.decode().rstrip("\0").split("\0"):
        top, _, rest = path.partition("/")
        if not path.startswith(left_out):
            target = folder / places[top] / rest
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / path, target)
    return folder


def test_an_installed_server_has_its_pages_and_all_their_files(unpacked: Path, tmp_path: Path) -> None:
    program = tmp_path / "chiptrail"
    program.write_text(f'#!/bin/sh\ncd /\nPYTHONPATH={unpacked} exec {sys.executable} -m service.cli "$@"\n')
    program.chmod(0o755)
    flags = ("--migrate", "--workers", "1", "--data", str(tmp_path / "data"))
    assert not (unpacked / "service" / "web" / "screenshots").exists()
    with run_server(flags, tmp_path / "log", program=(str(program),)) as server:
        page = _read(server.url, "/")
        assert "<h1>" in page
        digest = re.findall("/assets/([0-9a-f]+)/style.css", page)[0]
        for path in sorted((ROOT / "service" / "web" / "static").rglob("*.*")):
            name = path.relative_to(ROOT / "service" / "web" / "static").as_posix()
            assert _read(server.url, f"/assets/{digest}/{name}") == path.read_text(encoding="utf-8"), name


def _read(url: str, path: str) -> str:
    connection = HTTPConnection(url.removeprefix("http://"), timeout=30)
    connection.request("GET", path)
    answer = connection.getresponse()
    assert answer.status == HTTPStatus.OK, path
    text = answer.read().decode()
    connection.close()
    return text
