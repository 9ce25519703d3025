"""The demo plays, shows accounts, explains hands and verifies; it leaves its data, and no process."""

import os
import re
import signal
from pathlib import Path

import pytest

from service.games import CURRENT
from tests.cli.commands import Said, is_silent, must_fall_silent, run, start


def port_in(said: str) -> int:
    found = re.search(r"http://127\.0\.0\.1:(\d+)", said)
    assert found
    return int(found[1])


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Said]:
    """Run a demo; return its data folder and its output."""
    folder = tmp_path_factory.mktemp("demo") / "data"
    return folder, run("demo", "--data", str(folder))


def test_it_plays_games_of_each_kind_explains_a_hand_of_each_and_verifies_clean(shown: tuple[Path, Said]) -> None:
    folder, said = shown
    assert said.code == 0, said.err
    assert "Aidan-B. Howard (2011)" in said.out
    assert "Mark Steere (2022)" in said.out
    assert "Insurance Hearts, a variation of Hearts contributed by Daniel Calizaya\n" in said.out
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
    assert "nothing failed" in said.out
    assert f"verify --data {folder}" in said.out
    assert "\x1b" not in said.out + said.err  # no colour without a terminal
    assert is_silent(port_in(said.out))
    assert run("verify", "--data", str(folder)).code == 0


def test_disputed_hands_name_rule_ruling_and_reason_of_every_payout(shown: tuple[Path, Said]) -> None:
    said = shown[1].out
    _, _, of_bankrupt = said.partition("A disputed hand of Bankrupt")
    of_bankrupt, _, of_insurance = of_bankrupt.partition("A disputed hand of Insurance")
    of_insurance, _, of_hearts = of_insurance.partition("A disputed hand of Insurance Hearts")
    of_hearts, _, _ = of_hearts.partition("Verification")
    of_each = (
        (of_bankrupt, r"\d+", r"[BG][\d.]+", 3),
        (of_insurance, "[A-Z ]+", r"(?:I-[A-Z\d.]+|G\.\d)", 3),
        (of_hearts, "(?:standard rules|Insurance|Bidding)", r"(?:H-SCORE\.1|IH\.\d+)", 1),  # one player may take all
    )
    for explained, rule, ruling, least in of_each:
        payouts = re.findall(rf"^ *\d+ +\S+:?\S* +\S+ +({rule}) +({ruling})\n +\S", explained, re.MULTILINE)
        assert len(payouts) >= least
        for named in {named for _, named in payouts}:
            assert re.search(rf"^  {re.escape(named)} +\w", explained, re.MULTILINE), named
    assert "dealt: seat 1 " in of_hearts
    assert len(re.findall(r"seat \d(?:\s+[2-9TJQKA][cdhs]){4}[;.]", of_hearts.partition("Tricks")[2])) == 13
    assert re.search(r"^The hand adds: seat \d \d+", of_hearts, re.MULTILINE)


def test_it_reads_well_at_80_columns(shown: tuple[Path, Said]) -> None:
    folder, said = shown
    wide = [line for line in said.out.splitlines() if len(line) > 80 and str(folder) not in line]
    assert not wide


def test_its_server_ends_with_it_even_when_it_is_killed(tmp_path: Path) -> None:
    with start("demo", "--data", str(tmp_path / "demo")) as demo:
        assert demo.stdout is not None
        port = port_in(demo.stdout.readline())
        assert not is_silent(port)
        os.kill(demo.pid, signal.SIGKILL)
        demo.wait()
        must_fall_silent(port)
