"""The names and units of the figures, and the report of a run; a figure's name never changes."""

from collections.abc import Mapping
from typing import Final

import msgspec
from msgspec import Struct
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from service.bench.games import HIDDEN_FACTS
from service.games import CURRENT

_DATABASES: Final = ("sqlite", "postgresql")
_MIXES: Final = ("", "mixed.")  # a name without a load is for the steady load

_GAMES: Final = tuple(CURRENT)
_OTHERS: Final = tuple(f"{game}." for game in _GAMES[1:])  # a name without a game is for the first game
_REQUESTS: Final = ("next_command", "first_command", "first_view", "past_view", "hand", "early_hand", "balances")

UNITS: Final[Mapping[str, str]] = {
    **{
        f"http.{database}.{mix}{what}": unit
        for database in _DATABASES
        for mix in _MIXES
        for what, unit in (("commands_per_second", "commands/s"), ("p50_ms", "ms"), ("p99_ms", "ms"))
    },
    **{f"http.{database}.{what}": "ms" for database in _DATABASES for what in ("page_p50_ms", "page_at_cap_p50_ms")},
    **{f"play.{database}.commands_per_second": "commands/s" for database in _DATABASES},
    **{
        f"sequencing.{database}.{what}": unit
        for database in _DATABASES
        for what, unit in (
            ("commands_ratio", "times"),
            ("extend_ms", "ms"),
            ("index_p50_ms", "ms"),
            ("index_p99_ms", "ms"),
            ("proof_ms", "ms"),
        )
    },
    **{
        f"signing.{database}.{mix}{what}_ratio": "times"
        for database in _DATABASES
        for mix in _MIXES
        for what in ("signed", "seeds")
    },
    **{f"core.{of}events_folded_per_second": "events/s" for of in ("", *_OTHERS, *(f"{one}." for one in _DATABASES))},
    **{f"audit.{of}hands_per_second": "hands/s" for of in ("", *_OTHERS)},
    **{f"audit.{of}decks_per_second": "decks/s" for of in ("", *_OTHERS)},
    **{f"long.{database}.{what}_ratio": "times" for database in _DATABASES for what in _REQUESTS},
    **{
        f"watching.{database}.{what}": unit
        for database in _DATABASES
        for what, unit in (("commands_ratio", "times"), ("ms_per_event", "ms"))
    },
    **{
        f"waiting.{database}.{what}": unit
        for database in _DATABASES
        for what, unit in (
            ("readers_ratio", "times"),
            ("reached_p50_ms", "ms"),
            ("reached_p99_ms", "ms"),
            ("commands_ratio", "times"),
            ("p99_ratio", "times"),
            ("megabytes", "MB"),
            ("refused_ratio", "times"),
        )
    },
    **{f"dry_run.{what}_ratio": "times" for what in HIDDEN_FACTS},
    **{f"memory.{game}.bytes_per_table": "bytes" for game in _GAMES},
    **{
        f"many.{database}.{what}_per_second": "tables/s"
        for database in _DATABASES
        for what in ("first_look_tables", "rebuilt_tables")
    },
    **{f"racing.{database}.accepted_ratio": "times" for database in _DATABASES},
    "storage.postgresql.bytes_per_event": "bytes",
    "storage.postgresql.bytes_per_hand": "bytes",
    **{
        f"bulk.{database}.{what}_per_second": unit
        for database in _DATABASES
        for what, unit in (
            ("rebuilt_events", "events/s"),
            ("postings_summed", "postings/s"),
            ("verified_events", "events/s"),
        )
    },
}
"""The unit of every figure."""


class Figure(Struct, frozen=True):
    """A measured *value* under its stable *name*; *remark* describes the measurement."""

    name: str
    value: float
    remark: str = ""

    @property
    def unit(self) -> str:
        """The unit of the value."""
        return UNITS[self.name]


class Report(Struct, frozen=True, kw_only=True):
    """The *figures* of one run, with the *machine* and the *settings*.

    *missing* maps each group that could not be measured to the reason.
    """

    machine: Mapping[str, str]
    settings: Mapping[str, str]
    figures: tuple[Figure, ...]
    missing: Mapping[str, str]


def to_json(report: Report) -> bytes:
    """Return *report* as a JSON object: a member for each figure, then machine, settings, remarks and missing."""
    members = {
        **{figure.name: float(f"{figure.value:.5g}") for figure in report.figures},
        "machine": report.machine,
        "settings": report.settings,
        "remarks": {figure.name: figure.remark for figure in report.figures if figure.remark},
        "missing": report.missing,
    }
    return msgspec.json.format(msgspec.json.encode(members), indent=2) + b"\n"


def show(report: Report, console: Console) -> None:
    """Print *report* as tables."""
    about = Table("", "", show_header=False, box=None)
    for name, value in (*report.machine.items(), *report.settings.items()):
        about.add_row(f"[dim]{name}[/]", value)
    console.print(about)
    table = Table("figure", "value", "unit", "remark", box=SIMPLE_HEAD)
    for column in table.columns[:3]:
        column.no_wrap = True
    table.columns[1].justify = "right"
    for figure in report.figures:
        table.add_row(figure.name, _written(figure.value), figure.unit, figure.remark)
    for group, why in report.missing.items():
        table.add_row(group, "–", "", f"not measured: {why}")
    console.print(table)


def _written(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"  # noqa: PLR2004  # three digits are enough
