"""The flags that several commands share, and the settings that follow from these flags."""

import os
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from service import settings
from service.settings import Settings

F = TypeVar("F", bound=Callable[..., Any])

_DATABASE_FLAGS = (
    click.option(
        "--database",
        metavar="URL",
        help="The database: sqlite:///FILE or postgresql://… "
        "Default: CHIPTRAIL_DATABASE_URL, else chiptrail.db in the folder of --data.",
    ),
    click.option(
        "--data",
        type=click.Path(path_type=Path),
        metavar="FOLDER",
        help="The folder of the database file and the keys. Default: chiptrail-data.",
    ),
    click.option(
        "--key-file",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="The file of the service key. Default: service-key.json in the folder of --data.",
    ),
    click.option(
        "--log-key-file",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="The file of the log key. Default: log-key.txt in the folder of --data.",
    ),
)


def with_settings(command: F) -> Callable[..., Any]:
    """Pass *command* the settings from the environment and the flags.

    If an option of *command* has the name of a setting, the option sets this setting and is not passed to *command*.
    """

    @wraps(command)
    @click.pass_context
    def with_loaded_settings(ctx: click.Context, /, database: str | None, data: Path | None, **others: Any) -> object:  # noqa: ANN401 -- as click calls it
        ctx.find_root().obj = _given(database, data, others["key_file"], others["log_key_file"])
        overrides = {name: others.pop(name) for name in Settings.__struct_fields__ if name in others}
        loaded = settings.load(os.environ, database_url=database, data_folder=data, **overrides)
        return command(loaded, **others)

    made: Callable[..., Any] = with_loaded_settings
    for option in _DATABASE_FLAGS:
        made = option(made)
    return made


processes = click.option(
    "--processes",
    type=click.IntRange(1, 64),
    help="The number of processes that share the work. Default: one for each processor if the log is long, else 1.",
)
as_json = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")


def _given(database: str | None, data: Path | None, key_file: Path | None, log_key_file: Path | None) -> dict[str, str]:
    shown = settings.load({}, database_url=database).shown_database_url if database else ""
    files = {"--key-file": str(key_file or ""), "--log-key-file": str(log_key_file or "")}
    flags = {"--data": str(data or ""), "--database": shown, **files}
    return {flag: value for flag, value in flags.items() if value}
