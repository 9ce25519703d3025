"""Runs every command of the page for authors of clients, with another port and with shorter games of the bots."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.commands import environment, running_server
from tests.cli.page_blocks import blocks, section
from tests.house.tree import ROOT

PAGE = (ROOT / "api_spec" / "README.md").read_text()
OUR_CURL = ROOT / "tests" / "cli" / "curl.py"
PORT = "8000"
HAS_OPENSSL = shutil.which("openssl") is not None
"""Whether this machine can run the part on signed moves; the tests of signed moves over HTTP need no openssl."""


def blocks_under(heading: str) -> list[str]:
    """Return the shell commands of the section under *heading*, block by block."""
    return blocks(section(PAGE, heading))


SIGNED = len(blocks_under("Signed moves"))


@pytest.fixture
def shell(tmp_path: Path, quick_script: Path) -> Path:
    """Return a working folder whose `bin` has `chiptrail` and, on a machine without curl, a replacement for curl."""
    return _shell(tmp_path, quick_script)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, quick_script: Path) -> Iterator[tuple[Path, str]]:
    """Yield a folder like that of `shell`, with a server that is started as the page says, and the server's port."""
    shell = _shell(tmp_path_factory.mktemp("newcomer"), quick_script)
    with running_server(["--migrate", "--data", str(shell / "chiptrail-data")], shell / "log") as server:
        yield shell, server.url.rpartition(":")[2]


def _shell(folder: Path, script: Path) -> Path:
    (folder / "bin").mkdir()
    (folder / "bin" / "chiptrail").symlink_to(script)
    if shutil.which("curl") is None:
        _put(folder / "bin" / "curl", str(OUR_CURL))
    return folder


def _put(script: Path, program: str) -> None:
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" {program} "$@"\n')
    script.chmod(0o755)


def run(folder: Path, commands: str) -> str:
    """Run *commands* in *folder*, and return their output; fail if a command fails."""
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


@pytest.fixture(scope="module")
def first_hour(served: tuple[Path, str]) -> list[str]:
    """Run the section "Your first hour", then the section on signed moves in the same shell; return the outputs."""
    shell, port = served
    steps = blocks_under("Your first hour") + (blocks_under("Signed moves") if HAS_OPENSSL else [])
    return run(shell, "\necho === ===\n".join(steps).replace(f":{PORT}/", f":{port}/")).split("=== ===\n")


@pytest.mark.skipif(not HAS_OPENSSL, reason="openssl is not installed")
def test_a_player_signs_a_move_with_openssl_by_the_steps_of_the_page(first_hour: list[str]) -> None:
    seated, registered, signed = first_hour[-SIGNED:]
    assert seated.count('"receipt"') == 2
    assert (registered.count('"receipt"'), registered.count('"signing_key_registered"')) == (1, 1)
    started, unsigned, placed = signed.splitlines()
    assert '"receipt"' in started
    assert '"code":"move_must_be_signed"' in unsigned
    assert '"type":"bet_placed"' in placed
    assert '"signature":"' in placed.partition('"sig":')[2]


def test_the_steps_of_a_clients_first_hour_work(served: tuple[Path, str], first_hour: list[str]) -> None:
    shell, port = served
    (start,) = blocks_under("Start a server")
    assert start.endswith("chiptrail serve --migrate\n")
    _must_go_as_told(first_hour[:-SIGNED] if HAS_OPENSSL else first_hour)
    (bots,) = blocks_under("Bots for company")
    for option, shorter in {"buy_in=6": "buy_in=2", "target=20": "target=1"}.items():
        assert option in bots
        bots = bots.replace(option, shorter)
    bots_said = run(shell, bots.replace("chiptrail play", f"chiptrail play --url http://127.0.0.1:{port}"))
    assert "2 games, won by: " in bots_said
    assert "Bankrupt, a card game by Aidan-B. Howard (2011)" in bots_said
    assert "Insurance, a card game by Mark Steere (2022)" in bots_said
    assert "closed when all had left" in bots_said
    assert "Daniel Calizaya" in bots_said
    assert "won by seat" in bots_said.splitlines()[-1]
    done = run(shell, "chiptrail migrate --data there && chiptrail import --data there hand.ndjson")
    assert "imported, read-only" in done


def _must_go_as_told(said: list[str]) -> None:
    """Compare the output of each step of the first hour with what the page says."""
    who, keys, opened, played, repeated, late, refused, happened, ended, events, feed, log, insurance, hearts = said
    assert '"scopes":["admin","approve","audit","host","metrics","play"]' in who
    assert '"author":"Aidan-B. Howard"' in who
    assert keys == ""
    assert opened.count('"receipt"') == 3
    assert '"round_won"' in played or '"round_dead"' in played  # the two players may tie
    assert '"/problems/' not in played
    first, replayed = repeated.splitlines()
    assert first in played
    assert replayed.strip().lower() == "idempotent-replayed: true"
    assert '"code":"position_must_match"' in late
    assert '"missed":[{"leaf"' in late
    assert '"type":"/problems/refused_by_the_rules"' in refused
    hand, adjudication, statement, balances = happened.splitlines()
    assert '"formula"' in hand
    assert '"verdict":"pending"' in adjudication
    assert '"rule":"' in statement
    assert '"house":-24' in balances
    assert '"verdict":"clean"' in ended.splitlines()[-1]
    page, dealt, *stream = events.splitlines()
    assert (dealt.count('"type":"hand_dealt"'), dealt.count('"type":"game_ended"')) == (1, 1)
    assert page.count('"leaf"') == 5
    assert "id: 4" in stream
    fed, *stream = feed.splitlines()
    assert (fed.count('"index":'), fed.count('"next":')) == (2, 1)
    assert stream[0] == "retry: 1000"
    keys_of_log, form, index, *_ = log.splitlines()
    assert '"log_key":"chiptrail/log_' in keys_of_log
    assert (form, index.startswith("index ")) == ("c2sp.org/tlog-proof@v1", True)
    assert "\n\n\N{EM DASH} chiptrail/log_" in log
    for played_on in (insurance, hearts):
        assert '"/problems/' not in played_on
        assert '"is_settled":true' in played_on
    assert '"type":"hand_settled"' in insurance
    assert '"type":"hand_scored"' in hearts
    assert '"verdict":"clean"' in hearts.splitlines()[-1]


def test_a_machine_without_curl_gets_a_substitute_for_it(shell: Path, served: tuple[Path, str]) -> None:
    """The replacement for curl runs the page's first commands on the same server, with other keys and tables."""
    _put(shell / "bin" / "curl", str(OUR_CURL))
    newcomer, port = served
    (shell / "chiptrail-data").symlink_to(newcomer / "chiptrail-data")
    first, keys, opened, *_ = [block.replace(f":{PORT}/", f":{port}/") for block in blocks_under("Your first hour")]
    said = run(
        shell,
        first
        + keys.replace(" key-", " our-")
        + opened.replace(" table-1 ", " ours ")
        + 'curl -sS -i -m 1 -N -H "Accept: text/event-stream" '
        '"$API/tables/$TABLE/events" || true',
    )
    assert said.count('"receipt"') == 3
    assert "Content-Type: text/event-stream".lower() in said.lower()
    assert "id: 1\n" in said
