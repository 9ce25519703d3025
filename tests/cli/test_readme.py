"""Every command that the README names is run as it stands there."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from service.cli import background
from tests.cli.commands import environment
from tests.house.tree import ROOT

README = (ROOT / "README.md").read_text()
PORT = "8000"


def blocks(heading: str) -> list[str]:
    """Return the shell commands of the section under *heading*, block by block."""
    _, _, after = README.partition(f"\n## {heading}\n")
    section, _, _ = after.partition("\n## ")
    return re.findall(r"^```sh\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)


@pytest.fixture
def shell(tmp_path: Path) -> Path:
    """Return a folder to work in, as a newcomer's, with `chiptrail` on the path."""
    script = tmp_path / "bin" / "chiptrail"
    script.parent.mkdir()
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -P -m service.cli "$@"\n')
    script.chmod(0o755)
    return tmp_path


def run(folder: Path, commands: str) -> str:
    """Run *commands* in *folder*; any that fails fails the test."""
    path = f"{folder / 'bin'}:{environment()['PATH']}"
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", commands],
        cwd=folder,
        env=environment() | {"PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_it_opens_with_the_two_commands() -> None:
    first = README.split("```sh\n")[1].split("```")[0]
    assert [line.split("#")[0].strip() for line in first.splitlines()] == [
        "python3 -m service demo",
        "python3 -m service test",
    ]


def test_the_hours_of_a_client_and_of_an_auditor_go_as_they_are_told(shell: Path) -> None:
    serve, opening, dealing, bots = blocks("Your first hour as a client's author")
    (auditing,) = blocks("As an auditor")
    assert serve == "chiptrail serve --migrate\n"
    with background.running(["--migrate", "--data", str(shell / "chiptrail-data")], shell / "log") as server:
        port = server.url.rpartition(":")[2]
        said = run(shell, (opening + dealing).replace(f":{PORT}/", f":{port}/"))
        bots_said = run(shell, bots.replace("chiptrail play", f"chiptrail play --url {server.url}"))
    assert said.count('"type":"/problems/') == 1  # of the two who try to deal, one is the dealer
    assert said.count('"hand_dealt"') >= 1
    assert '"house":-24' in said
    assert bots_said.splitlines()[-1].startswith("3 games, won by: ")
    assert '"verdict":"clean"' in run(shell, auditing)


def test_what_an_operator_is_told_works(shell: Path) -> None:
    on_sqlite, on_postgresql = blocks("As an operator")
    run(shell, "chiptrail migrate && chiptrail keys make")
    said = run(shell, on_sqlite)
    assert "0 tables rebuilt" in said
    flags = set(re.findall(r"--[a-z-]+", on_postgresql))
    assert flags == {"--database", "--grant-to", "--workers"}  # tried in test_migrate and test_serve


def test_every_file_that_it_names_is_there() -> None:
    for name, folder in (("README.md", ROOT), ("service/README.md", ROOT / "service")):
        for target in re.findall(r"\]\((?!http)([^)]+)\)", (ROOT / name).read_text()):
            assert (folder / target).exists(), f"{name}: {target}"


def test_the_line_of_reading_names_files_that_are_there() -> None:
    named = re.findall(
        r"^(?:\| `|      |        )([a-z_]+(?:/[a-z_]+)?(?:/|\.py))",
        (ROOT / "service/README.md").read_text(),
        re.MULTILINE,
    )
    assert len(named) > 15
    for name in named:
        assert (ROOT / "service" / name).exists(), name
