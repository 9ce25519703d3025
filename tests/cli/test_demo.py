"""The demo plays, shows accounts, explains hands and verifies; it leaves its data, and no process."""

import os
import pty
import re
import shutil
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from service.client.client import Client
from service.client.endpoints import Api
from service.client.table_answers import Actions
from service.clock import Clock
from service.games import CURRENT
from service.games.common_rulings import COMMON_RULINGS
from service.games.definition import Game
from service.games.game import type_name
from tests.cli.commands import COMMAND, Said, environment, is_silent, must_fall_silent, run, start

END_OF_LINKS = "The bots wait for you as long as you like. Ctrl-C ends the server.\n"


def port_in(said: str) -> int:
    found = re.search(r"http://127\.0\.0\.1:(\d+)", said)
    assert found
    return int(found[1])


def hand_of(game: Game, said: Said) -> str:
    """Return the section on the disputed hand of *game*."""
    (section,) = re.findall(
        rf"^A disputed hand of {game.sheet.title}\n(.*?)(?=^(?:A disputed|Verification))",
        said.out,
        re.MULTILINE | re.DOTALL,
    )
    return str(section)


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Said]:
    """Run a demo; return its data folder and its output."""
    folder = tmp_path_factory.mktemp("demo") / "data"
    return folder, run("demo", "--data", str(folder))


def test_the_demo_plays_games_of_each_kind_and_explains_a_hand_of_each_and_verifies_clean(
    shown: tuple[Path, Said],
) -> None:
    folder, said = shown
    assert said.code == 0, said.err
    assert "Aidan-B. Howard (2011)" in said.out
    assert "Mark Steere (2022)" in said.out
    assert "Insurance Hearts, a variation of Hearts contributed by Daniel Calizaya\n" in said.out
    assert "At the first table of Insurance Hearts, every player signs each decision" in said.out
    assert len(re.findall(r" 48 +\+36 +\+3\.60 USD", said.out)) == 3
    assert len(re.findall(r" 160 +\+120 +\+12\.00 USD", said.out)) == 1
    assert "all accounts are at 0, the house too" in said.out
    assert re.search(r"^1  insurance_hearts +\d+ +\d+ +1 .*\n +insurance, bidding, foot +2 ", said.out, re.MULTILINE)
    assert re.search(r"^2  insurance_hearts +\d+ +\d+ +1 .*\n +no optional rules +2 ", said.out, re.MULTILINE)
    assert re.search(r"The pools gave out (\d+) points, and all scores together are \1[.]", said.out)
    assert said.out.count("\nThe sum of all nets: 0.\n") == len(CURRENT)
    assert re.search(r"^score:1 +\d+ +(?:[+-]\d+|0) +\d+$", said.out, re.MULTILINE)
    assert len(re.findall(r"\d+ decisions decided again, every event compared: clean", said.out)) == len(CURRENT)
    tables = sum(len(game.sample_tables.demo) for game in CURRENT.values())
    assert re.search(rf"^tables +{tables} +0 +0 +0$", said.out, re.MULTILINE)
    assert re.search(r"^\d\d+ decisions are signed by the keys that the seats registered$", said.out, re.MULTILINE)
    assert "unsigned" not in said.out
    assert "nothing failed" in said.out
    assert f"verify --data {folder}" in said.out
    assert f"demo --open --data {folder}" in said.out
    assert "\x1b" not in said.out + said.err  # no colour without a terminal
    assert is_silent(port_in(said.out))
    assert run("verify", "--data", str(folder)).code == 0


def test_the_demo_ends_with_a_dossier_and_the_line_that_checks_the_dossier(
    shown: tuple[Path, Said], tmp_path: Path
) -> None:
    folder, said = shown
    line = said.out.splitlines()[-1].strip()
    assert line == f"cd {folder}/dossier && python3 verify.py dossier.zip"
    empty = tmp_path / "empty"
    shutil.copytree(folder / "dossier", empty)
    checked = subprocess.run(
        [sys.executable, "-I", "verify.py", "dossier.zip"],
        cwd=empty,
        env={},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (checked.returncode, checked.stderr) == (0, "")
    assert checked.stdout.endswith("Every check passed.\n")
    assert re.search(r"^ok +disputes +[1-9]\d* events", checked.stdout, re.MULTILINE)


def test_one_dispute_is_explained_and_another_is_upheld_and_corrected_by_a_second_person(
    shown: tuple[Path, Said],
) -> None:
    told = shown[1].out.partition("\nTwo disputes\n")[2].partition("\nVerification\n")[0]
    assert re.search(r"^  The auditor: explained, by [A-Z]", told, re.MULTILINE)
    assert "The auditor: fault, by G.3." in told
    assert re.search(r"Correction: seat \d owes seat 2 \d+ chips?; a second person approved it\.", told)
    assert told.count("The service decided the hand again: clean.") == 2
    assert re.search(r"^\d+ events of disputes decided again; disputes: 2 clean$", shown[1].out, re.MULTILINE)


def test_disputed_hands_name_rule_ruling_and_reason_of_every_payout(shown: tuple[Path, Said]) -> None:
    for game in CURRENT.values():
        explained = hand_of(game, shown[1])
        ruling = "|".join(map(re.escape, (*game.rulings, *COMMON_RULINGS)))
        payouts = re.findall(rf"^ *\d+ +\S+ +\S+ +\S.* +({ruling})\n +\S", explained, re.MULTILINE)
        assert payouts
        for named in set(payouts):
            assert re.search(rf"^  {re.escape(named)} +\w", explained, re.MULTILINE), named


def test_disputed_hands_show_the_cards_and_the_decisions_of_each_type(shown: tuple[Path, Said]) -> None:
    for game in CURRENT.values():
        explained = hand_of(game, shown[1])
        assert re.search(r"^Cards dealt: seat \d", explained, re.MULTILINE)  # seat 1 may sit this hand out
        decisions = explained.partition("\nDecisions, in order:\n")[2].partition("\n\n")[0]
        kinds = re.findall(
            r"^  (\w[\w ]*\w)(?:, clockwise from each seat named)?: (?:seat \d|host)", decisions, re.MULTILINE
        )
        assert len(kinds) > 1
        decisions_of_game: set[type] = {move.decision for move in game.moves}
        assert {kind.replace(" ", "_") for kind in kinds} <= {type_name(decision) for decision in decisions_of_game}


def test_the_tricks_of_a_hand_of_hearts_are_shown_by_their_leaders(shown: tuple[Path, Said]) -> None:
    explained = hand_of(CURRENT["insurance_hearts"], shown[1])
    played = explained.partition("card played, clockwise from each seat named:")[2].partition("\n\n")[0]
    assert len(re.findall(r"seat \d(?: [2-9TJQKA][cdhs]){4}(?:;|$)", played)) == 13
    assert re.search(r"^The hand adds: seat \d \d+", explained, re.MULTILINE)


def test_the_output_of_the_demo_fits_80_columns(shown: tuple[Path, Said]) -> None:
    folder, said = shown
    wide = [line for line in said.out.splitlines() if len(line) > 80 and str(folder) not in line]
    assert not wide


def test_a_person_plays_with_bots_by_a_link_until_ctrl_c(tmp_path: Path) -> None:
    folder = tmp_path / "open"
    with start("demo", "--open", "--game", "insurance", "--data", str(folder)) as demo:
        assert demo.stdout is not None
        said = "".join(iter(demo.stdout.readline, END_OF_LINKS))
        (url, table, key) = re.findall(r"(http://[\d.:]+)/sign-in[?]to=/play/(tbl_[0-9a-f]{32})#(ctk_\S+)", said)[0]
        with closing(Client(url, key, Clock())) as client:
            person = Api(client)
            first = next(item.action for item in until_due(person, table).items)
            assert person.act(table, first).position
        os.killpg(demo.pid, signal.SIGINT)
        out, err = demo.communicate(timeout=60)
    assert (demo.returncode, "The server has ended." in out, key in err) == (0, True, False)
    assert key not in (folder / "server.log").read_text()
    must_fall_silent(port_in(url))


@pytest.mark.full
def test_on_a_terminal_it_ends_with_links_to_watch_read_check_and_play(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    command = [*COMMAND, "demo", "--data", str(tmp_path / "demo")]
    with subprocess.Popen(command, stdout=theirs, env=environment(), start_new_session=True) as demo:
        os.close(theirs)
        with open(ours, newline="", errors="replace") as terminal:  # noqa: PTH123 -- this opens a file descriptor
            said = "".join(iter(terminal.readline, END_OF_LINKS.replace("\n", "\r\n")))
            os.killpg(demo.pid, signal.SIGINT)
            assert any("python3 verify.py dossier.zip" in line for line in iter(terminal.readline, ""))
        plain = re.sub(r"\x1b\[[\d;?]*[a-zA-Z]", "", said)
    assert demo.returncode == 0
    for path in (r"/tables/tbl_\w+/hands/\d+", "/check", r"/tables/tbl_\w+", r"/sign-in[?]to=/play/tbl_\w+#ctk_\w+"):
        assert re.search(rf"http://[\d.:]+{path}\r\n", plain), path


def until_due(person: Api, table: str) -> Actions:
    """Wait until the person in seat 1 must decide, and return the person's actions."""
    while "seat:1" not in (listed := person.actions(table, wait_seconds=30)).due:
        assert not listed.is_over
    return listed


def test_the_server_of_the_demo_ends_with_the_demo_even_if_the_demo_is_killed(tmp_path: Path) -> None:
    with start("demo", "--data", str(tmp_path / "demo")) as demo:
        assert demo.stdout is not None
        port = port_in(demo.stdout.readline())
        assert not is_silent(port)
        os.kill(demo.pid, signal.SIGKILL)
        demo.wait()
        must_fall_silent(port)
