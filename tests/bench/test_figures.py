"""The names of figures never change, and a report has all data for a comparison with another report."""

import io
import json

from rich.console import Console

from service.bench.figures import UNITS, Figure, Report, show, to_json
from service.games import CURRENT

REPORT = Report(
    machine={"processor": "a fast one"},
    settings={"http": "16 connections"},
    figures=(
        Figure("http.sqlite.commands_per_second", 1234.5678, "9,999 commands"),
        Figure("http.sqlite.p50_ms", 12.3456789),
    ),
    missing={"http.postgresql": "no PostgreSQL was found"},
)
LATER = tuple(CURRENT)[1:]
"""The games that are younger than the names of the first figures."""
LONG = ("next_command", "first_command", "first_view", "past_view", "hand", "early_hand", "balances")
MANY = ("first_look_tables_per_second", "rebuilt_tables_per_second")
SIGNING = ("signed", "seeds", "mixed.signed", "mixed.seeds")
WAITING = (
    "readers_ratio",
    "reached_p50_ms",
    "reached_p99_ms",
    "commands_ratio",
    "p99_ratio",
    "megabytes",
    "refused_ratio",
)
WATCHING = ("commands_ratio", "ms_per_event")
SEQUENCING = ("commands_ratio", "extend_ms", "index_p50_ms", "index_p99_ms", "proof_ms")


def test_the_names_of_the_figures_never_change() -> None:
    assert set(UNITS) == {
        "audit.decks_per_second",
        "audit.hands_per_second",
        *(f"audit.{game}.decks_per_second" for game in LATER),
        *(f"audit.{game}.hands_per_second" for game in LATER),
        "bulk.postgresql.postings_summed_per_second",
        "bulk.postgresql.rebuilt_events_per_second",
        "bulk.postgresql.verified_events_per_second",
        "bulk.sqlite.postings_summed_per_second",
        "bulk.sqlite.rebuilt_events_per_second",
        "bulk.sqlite.verified_events_per_second",
        "core.events_folded_per_second",
        *(f"core.{game}.events_folded_per_second" for game in LATER),
        "core.postgresql.events_folded_per_second",
        "core.sqlite.events_folded_per_second",
        "dry_run.foot_ratio",
        "dry_run.last_hold_ratio",
        "http.postgresql.commands_per_second",
        "http.postgresql.mixed.commands_per_second",
        "http.postgresql.mixed.p50_ms",
        "http.postgresql.mixed.p99_ms",
        "http.postgresql.p50_ms",
        "http.postgresql.page_at_cap_p50_ms",
        "http.postgresql.page_p50_ms",
        "http.postgresql.p99_ms",
        "http.sqlite.commands_per_second",
        "http.sqlite.mixed.commands_per_second",
        "http.sqlite.mixed.p50_ms",
        "http.sqlite.mixed.p99_ms",
        "http.sqlite.p50_ms",
        "http.sqlite.page_at_cap_p50_ms",
        "http.sqlite.page_p50_ms",
        "http.sqlite.p99_ms",
        *(f"long.{database}.{what}_ratio" for database in ("sqlite", "postgresql") for what in LONG),
        *(f"many.{database}.{what}" for database in ("sqlite", "postgresql") for what in MANY),
        *(f"memory.{game}.bytes_per_table" for game in CURRENT),
        "play.postgresql.commands_per_second",
        "play.sqlite.commands_per_second",
        "racing.postgresql.accepted_ratio",
        "racing.sqlite.accepted_ratio",
        *(f"sequencing.{database}.{what}" for database in ("sqlite", "postgresql") for what in SEQUENCING),
        *(f"signing.{database}.{what}_ratio" for database in ("sqlite", "postgresql") for what in SIGNING),
        "storage.postgresql.bytes_per_event",
        "storage.postgresql.bytes_per_hand",
        *(f"waiting.{kind}.{what}" for kind in ("postgresql", "sqlite") for what in WAITING),
        *(f"watching.{kind}.{what}" for kind in ("postgresql", "sqlite") for what in WATCHING),
    }


def test_the_json_has_the_figures_by_name() -> None:
    assert json.loads(to_json(REPORT)) == {
        "http.sqlite.commands_per_second": 1234.6,
        "http.sqlite.p50_ms": 12.346,
        "machine": {"processor": "a fast one"},
        "settings": {"http": "16 connections"},
        "remarks": {"http.sqlite.commands_per_second": "9,999 commands"},
        "missing": {"http.postgresql": "no PostgreSQL was found"},
    }


def test_the_printed_report_has_machine_settings_figures_and_missing_figures() -> None:
    printed = io.StringIO()
    show(REPORT, Console(file=printed, width=200))
    words = " ".join(printed.getvalue().split())
    assert "processor a fast one" in words
    assert "http 16 connections" in words
    assert "http.sqlite.commands_per_second 1,235 commands/s 9,999 commands" in words
    assert "http.sqlite.p50_ms 12.3 ms" in words
    assert "http.postgresql – not measured: no PostgreSQL was found" in words
