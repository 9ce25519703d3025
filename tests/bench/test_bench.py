"""Measures the groups of `chiptrail bench` with very small numbers; `fake_wrk` replaces wrk."""

import json
import re
import tempfile
from contextlib import nullcontext
from pathlib import Path

import pytest
from click.testing import CliRunner

from service.bench import (
    bulk,
    cold_folding,
    core,
    dry_runs,
    filling,
    groups,
    headless,
    http_load,
    long_tables,
    machine,
    many_tables,
    memory,
    page_latency,
    racing,
    sequencing,
    serving,
    signing_costs,
    storage,
    waiting,
    watching,
    wrk,
)
from service.bench.databases import TemporaryDatabases, folder
from service.bench.serving import Served
from service.bench.wrk import Load
from service.cli import main
from service.entropy import Entropy
from service.games import CURRENT
from tests.bench import fake_wrk
from tests.bench.test_figures import LONG, MANY, SEQUENCING, SIGNING, WAITING, WATCHING


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))  # in this folder a sync costs nothing
    monkeypatch.setattr(core, "TABLES", 1)
    monkeypatch.setattr(core, "MOVES", 250)  # with this number, a deck is retired in every game
    monkeypatch.setattr(cold_folding, "TABLES", 1)
    monkeypatch.setattr(memory, "TABLES", 100)
    monkeypatch.setattr(racing, "CLIENTS", 2)
    monkeypatch.setattr(racing, "ROUNDS", 2)
    monkeypatch.setattr(many_tables, "TABLES", 4)
    monkeypatch.setattr(long_tables, "LONG", 1_500)
    monkeypatch.setattr(long_tables, "TRIES", 2)
    monkeypatch.setattr(dry_runs, "TRIES", 2)
    monkeypatch.setattr(cold_folding, "MOVES", 60)
    monkeypatch.setattr(storage, "MOVES", 200)
    monkeypatch.setattr(bulk, "EVENTS_FILLED", 500)
    monkeypatch.setattr(bulk, "TABLES", 1)
    monkeypatch.setattr(bulk, "MOVES", 60)
    monkeypatch.setattr(filling, "MOVES", 60)
    monkeypatch.setattr(sequencing, "THREADS", 2)
    monkeypatch.setattr(sequencing, "PAIRS", 2)
    monkeypatch.setattr(sequencing, "MOST_LEAVES", 20)
    monkeypatch.setattr(sequencing, "PROBES", 2)
    monkeypatch.setattr(sequencing, "PROOFS", 2)
    monkeypatch.setattr(sequencing, "LEAVES_FILLED", 600)
    measure = sequencing.measure
    monkeypatch.setattr(sequencing, "measure", lambda temporary, kind, _, clock: measure(temporary, kind, 0.1, clock))
    monkeypatch.setattr(signing_costs, "ROUNDS", 2)
    monkeypatch.setattr(http_load, "CONNECTIONS", 2)
    monkeypatch.setattr(groups, "_SHORT", 0.02)


OF_GAMES = tuple("" if game == headless.GAME.name else f"{game}." for game in CURRENT)
"""The part of a figure's name that names the game; the names for the first game have none."""
IN_THIS_PROCESS = {
    *(f"core.{of}events_folded_per_second" for of in (*OF_GAMES, "sqlite.", "postgresql.")),
    *(f"audit.{of}hands_per_second" for of in OF_GAMES),
    *(f"audit.{of}decks_per_second" for of in OF_GAMES),
    *(f"long.sqlite.{what}_ratio" for what in LONG),
    *(f"many.sqlite.{what}" for what in MANY),
    "storage.postgresql.bytes_per_event",
    "storage.postgresql.bytes_per_hand",
    "bulk.sqlite.rebuilt_events_per_second",
    "bulk.sqlite.postings_summed_per_second",
    "bulk.sqlite.verified_events_per_second",
    "play.sqlite.commands_per_second",
    "racing.sqlite.accepted_ratio",
    *(f"sequencing.sqlite.{what}" for what in SEQUENCING),
    *(f"signing.sqlite.{what}_ratio" for what in SIGNING),
    "dry_run.foot_ratio",
    "dry_run.last_hold_ratio",
}
THE_OTHERS = {
    *(f"long.postgresql.{what}_ratio" for what in LONG),
    *(f"many.postgresql.{what}" for what in MANY),
    *(f"memory.{game}.bytes_per_table" for game in CURRENT),
    "bulk.postgresql.rebuilt_events_per_second",
    "bulk.postgresql.postings_summed_per_second",
    "bulk.postgresql.verified_events_per_second",
    "play.postgresql.commands_per_second",
    "racing.postgresql.accepted_ratio",
    *(f"sequencing.postgresql.{what}" for what in SEQUENCING),
    *(f"signing.postgresql.{what}_ratio" for what in SIGNING),
}


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    ("asked", "wanted"),
    [
        pytest.param(
            (
                "core",
                "audit",
                "long.sqlite",
                "many.sqlite",
                "storage",
                "bulk.sqlite",
                "play.sqlite",
                "racing.sqlite",
                "sequencing.sqlite",
                "signing.sqlite",
                "dry_run",
            ),
            IN_THIS_PROCESS,
            id="in this process",
        ),
        pytest.param(
            (
                "core",
                "audit",
                "long",
                "many",
                "memory",
                "storage",
                "bulk",
                "play",
                "racing",
                "sequencing",
                "signing",
                "dry_run",
            ),
            IN_THIS_PROCESS | THE_OTHERS,
            id="all",
            marks=pytest.mark.full,
        ),
    ],
)
def test_the_figures_that_need_no_web(
    server_url: str, tmp_path: Path, asked: tuple[str, ...], wanted: set[str]
) -> None:
    file = tmp_path / "figures.json"
    only = [part for group in asked for part in ("--only", group)]
    done = CliRunner().invoke(main, ["bench", *only, "--seconds", "1", "--postgresql", server_url, "--json", str(file)])
    assert done.exit_code == 0, done.output
    report = json.loads(file.read_bytes())
    figures = {name: value for name, value in report.items() if "." in name}
    assert set(figures) == wanted
    assert all(value > 0 for value in figures.values())
    assert 300 < figures["storage.postgresql.bytes_per_event"] < figures["storage.postgresql.bytes_per_hand"]
    assert "synchronous=2" in report["settings"]["sqlite"]
    assert "fsync=on, synchronous_commit=on" in report["settings"]["postgresql"]
    assert report["missing"] == {}
    assert all(name in done.output for name in figures)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgresql", marks=pytest.mark.full)])
def test_the_figures_over_http(kind: str, server_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wrk, "program", lambda: "")
    monkeypatch.setattr(wrk, "run", fake_wrk.run)
    with folder() as home, TemporaryDatabases(home, server_url, Entropy()) as temporary:
        figures = {figure.name: figure for figure in http_load.measure(temporary, kind, 1, Entropy())}
    assert list(figures) == [
        f"http.{kind}.{mix}{what}" for mix in ("", "mixed.") for what in ("commands_per_second", "p50_ms", "p99_ms")
    ]
    rate = figures[f"http.{kind}.commands_per_second"]
    assert rate.value == 2 * fake_wrk.MOVES  # `fake_wrk` reports that all moves took one second
    assert rate.remark.startswith(f"{2 * fake_wrk.MOVES} commands")
    assert figures[f"http.{kind}.p99_ms"].value == 9.0


@pytest.mark.full
@pytest.mark.usefixtures("small")
def test_a_page_is_answered_while_all_places_are_taken() -> None:
    with folder() as home, TemporaryDatabases(home, "", Entropy()) as temporary:
        alone, crowded = page_latency.measure(temporary, "sqlite", Entropy())
    assert (alone.name, crowded.name) == ("http.sqlite.page_p50_ms", "http.sqlite.page_at_cap_p50_ms")
    assert min(alone.value, crowded.value) > 0
    assert re.match(r"\d+ streams open, the next refused; ", crowded.remark)


@pytest.mark.full
def test_commands_are_measured_with_and_without_clients_that_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wrk, "run", fake_wrk.run)
    for name, value in {"ROUNDS": 1, "TABLES": 2, "REFUSED": 8, "MOVES": 3}.items():
        monkeypatch.setattr(waiting, name, value)
    with folder() as home, TemporaryDatabases(home, "", Entropy()) as temporary:
        figures = tuple(waiting.measure(temporary, "sqlite", 1, Entropy()))
    assert [figure.name for figure in figures] == [f"waiting.sqlite.{what}" for what in WAITING]
    assert all(figure.value >= 0 for figure in figures)


@pytest.mark.full
def test_a_table_is_played_with_and_without_watchers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "WATCHERS", 2)
    monkeypatch.setattr(watching, "ROUNDS", 1)
    with folder() as home, TemporaryDatabases(home, "", Entropy()) as temporary:
        ratio, cost = watching.measure(temporary, "sqlite", 0.5, Entropy())
    assert (ratio.name, cost.name) == tuple(f"watching.sqlite.{what}" for what in WATCHING)
    assert ratio.value > 0
    assert re.match(r"\d+ events and \d+ drawings; ", cost.remark)


def test_a_run_with_a_refused_request_is_no_figure(server_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wrk, "program", lambda: "")
    monkeypatch.setattr(wrk, "run", lambda *_: Load(1, 1, 1, 0, (1, 2), ("409 no",)))
    monkeypatch.setattr(serving, "server", lambda *_: nullcontext(Served("http://127.0.0.1:1", "", 0)))
    monkeypatch.setattr(http_load, "seated", lambda *_: ())
    done = groups.measure_groups(("http.sqlite",), 1, server_url, lambda _: None)
    assert done.figures == ()
    assert done.missing == {"http.sqlite": "0 connections or requests got no answer; first refusals: 409 no"}


def test_without_wrk_the_other_figures_are_measured_and_the_missing_ones_named(
    small: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    done = CliRunner().invoke(main, ["bench", "--only", "core.sqlite", "--only", "http.sqlite", "--seconds", "1"])
    assert done.exit_code == 1
    assert "core.sqlite.events_folded_per_second" in done.output
    words = " ".join(done.output.split())
    assert "not measured: the load generator wrk is not installed" in words
    assert "These could not be measured: http.sqlite." in words


def test_a_wrong_name_of_a_group_is_a_wrong_use_and_the_error_names_the_groups() -> None:
    done = CliRunner().invoke(main, ["bench", "--only", "htp"])
    assert done.exit_code == 2
    words = " ".join(done.output.split())
    assert f"There is no group htp. The groups are {', '.join(groups.GROUPS)}" in words


def test_a_group_is_chosen_by_its_name_or_the_beginning_of_its_name() -> None:
    assert groups.select_groups(["http"]) == ("http.sqlite", "http.postgresql")
    assert groups.select_groups(["http.sqlite", "storage"]) == ("storage", "http.sqlite")
    assert groups.select_groups([]) == tuple(groups.GROUPS)


def test_the_machine_is_described(tmp_path: Path) -> None:
    about = machine.describe(tmp_path, Entropy())
    assert list(about) == ["processor", "system", "python", "packages", "sqlite", "one synced write"]
    assert all(about.values())
    assert list(tmp_path.iterdir()) == []
