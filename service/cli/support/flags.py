"""The flags that several commands share, and the settings that they make."""

import os
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from service import settings
from service.settings import Settings

F = TypeVar("F", bound=Callable[..., Any])

_PLACE = (
    click.option("--database", metavar="URL", help="sqlite:///FILE or postgresql://…; also CHIPTRAIL_DATABASE_URL."),
    click.option("--data", type=click.Path(path_type=Path), metavar="FOLDER", help="Where keys and SQLite's file lie."),
    click.option(
        "--key-file",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="The service key; service-key.json in the folder of --data unless it is set.",
    ),
)


def with_settings(command: F) -> Callable[..., Any]:
    """Give *command* the settings that environment and flags make; it names further settings as its own options."""

    @wraps(command)
    @click.pass_context
    def asked(ctx: click.Context, /, database: str | None, data: Path | None, **others: Any) -> object:  # noqa: ANN401 -- click's
        ctx.find_root().obj = _given(database, data, others["key_file"])
        overrides = {name: others.pop(name) for name in Settings.__struct_fields__ if name in others}
        loaded = settings.load(os.environ, database_url=database, data_folder=data, **overrides)
        return command(loaded, **others)

    made: Callable[..., Any] = asked
    for option in _PLACE:
        made = option(made)
    return made


processes = click.option(
    "--processes",
    type=click.IntRange(1, 64),
    help="How many share the work; unless it is set, all processors for a long log and one for others.",
)
as_json = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")


def _given(database: str | None, data: Path | None, key_file: Path | None) -> dict[str, str]:
    shown = settings.load({}, database_url=database).shown_database_url if database else ""
    flags = {"--data": str(data or ""), "--database": shown, "--key-file": str(key_file or "")}
    return {flag: value for flag, value in flags.items() if value}
