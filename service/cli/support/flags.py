"""The flags that several commands share, and the settings that follow from these flags."""

import os
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from functools import wraps
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from service import settings, settings_file
from service.settings import Given, Settings

F = TypeVar("F", bound=Callable[..., Any])

_DATABASE_FLAGS = (
    click.option(
        "--config",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="The settings file, in TOML. Default: CHIPTRAIL_CONFIG, else none.",
    ),
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

_NAMING: Final = frozenset({"config", "database", "data", "key_file", "log_key_file"})
_SETTING: Final = {
    settings.flag(name).removeprefix("--").replace("-", "_"): name for name in Settings.__struct_fields__
}
"""The setting that an option of a command sets, by the name of the option's parameter."""


def with_settings(command: F) -> Callable[..., Any]:
    """Pass *command* the settings from the flags, the environment and the settings file.

    If an option of *command* has the name of a setting, the option sets this setting and is not passed to *command*.
    """

    @wraps(command)
    @click.pass_context
    def with_loaded_settings(ctx: click.Context, /, **options: Any) -> object:  # noqa: ANN401 -- as click calls it
        named = {name: value for name, value in ctx.params.items() if name in _NAMING}
        ctx.find_root().obj = _given(**named)
        values = given(ctx)
        others = {name: value for name, value in options.items() if name not in _SETTING and name != "config"}
        return command(settings.from_given(values), **others)

    made: Callable[..., Any] = with_loaded_settings
    for option in _DATABASE_FLAGS:
        made = option(made)
    return made


class Moment(click.ParamType[str]):
    """A date or a time, in UTC if it names no offset; converted to the log's form of times."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:  # noqa: ANN401 -- as click calls it
        """Return the time as text."""
        try:
            at = datetime.fromisoformat(value)
            at = at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC)
            at += timedelta(microseconds=999)  # rounds up to whole milliseconds, as the log has them
        except (ValueError, OverflowError):
            self.fail("a date or time such as 2026-11-01 or 2026-11-01T20:00:00Z is needed", param, ctx)
        return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


processes = click.option(
    "--processes",
    type=click.IntRange(1, 64),
    help="The number of processes that share the work. Default: one for each processor if the log is long, else 1.",
)
as_json = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")


def given(ctx: click.Context) -> dict[str, Given]:
    """Return the values that the operator gave to the settings: by flags, in the environment or in the settings file.

    Raises:
        SettingsError: the settings file can't be used.
    """
    flags = {_SETTING[option]: value for option, value in ctx.params.items() if option in _SETTING}
    return settings.collect(os.environ, from_file(ctx.params.get("config")), **flags)


def from_file(config: Path | None = None) -> Mapping[str, Given]:
    """Return the values in the settings file, which *config* or else `CHIPTRAIL_CONFIG` names; no file: no values.

    Raises:
        SettingsError: the settings file can't be used.
    """
    path = config_file(config)
    return settings_file.read(path) if path else settings.NOTHING


def config_file(config: Path | None = None) -> Path | None:
    """Return the absolute path of the settings file, which *config* or else `CHIPTRAIL_CONFIG` names; None: no file."""
    named = str(config or "") or os.environ.get(settings.CONFIG_VARIABLE, "")
    return Path(named).absolute() if named else None


def _given(
    config: Path | None, database: str | None, data: Path | None, key_file: Path | None, log_key_file: Path | None
) -> dict[str, str]:
    """Return the flags that name the running command's database, for the command lines of cures."""
    shown = settings.load({}, database_url=database).shown_database_url if database else ""
    files = {"--key-file": str(key_file or ""), "--log-key-file": str(log_key_file or "")}
    flags = {"--config": str(config or ""), "--data": str(data or ""), "--database": shown, **files}
    return {flag: value for flag, value in flags.items() if value}
