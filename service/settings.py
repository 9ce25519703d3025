"""What may be set from outside: by `CHIPTRAIL_…` in the environment, and by flags, which come first."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal, get_args

from msgspec import Struct, structs

LogLevel = Literal["debug", "info", "warning", "error"]

PREFIX: Final = "CHIPTRAIL_"
DATABASES: Final = ("sqlite", "postgresql", "postgresql+psycopg")


class SettingsError(ValueError):
    """Something is set to what it can't be; the message is for whoever set it."""


class Settings(Struct, frozen=True, kw_only=True):
    """Everything that a process is told at its start. Paths are absolute.

    *key_file* holds the service key, *first_key_file* the API key that a new database starts with.
    *threads* answer requests; whoever waits, or reads a stream, keeps one busy: half of them at most.
    """

    data_folder: Path
    database_url: str
    key_file: Path
    first_key_file: Path
    host: str
    port: int
    threads: int
    log_level: LogLevel

    @property
    def shown_database_url(self) -> str:
        """The database's URL as it may be printed: without its password."""
        return _masked(self.database_url)

    def __repr__(self) -> str:
        return f"Settings({', '.join(f'{name}={value!r}' for name, value in self.__rich_repr__())})"

    def __rich_repr__(self) -> list[tuple[str, object]]:
        shown = structs.asdict(self) | {"database_url": self.shown_database_url}
        return list(shown.items())


def load(environment: Mapping[str, str], **flags: str | int | Path | None) -> Settings:
    """Return the settings that *flags* and *environment* make, in this order; the rest is at its default.

    A flag is named like its field; None and an empty text mean that nothing is set.

    Raises:
        SettingsError: a value is none that its setting can have.
    """
    given = {name: str(flag) for name, flag in flags.items() if flag not in (None, "")}
    if unknown := set(given) - set(Settings.__struct_fields__):
        raise SettingsError(f"There is no setting {', '.join(sorted(unknown))}.")
    for name in Settings.__struct_fields__:
        if name not in given and (value := environment.get(_variable(name))):
            given[name] = value
    folder = Path(given.get("data_folder", "chiptrail-data")).absolute()
    return Settings(
        data_folder=folder,
        database_url=_database_url(given.get("database_url", f"sqlite:///{folder / 'chiptrail.db'}")),
        key_file=Path(given.get("key_file", folder / "service-key.json")).absolute(),
        first_key_file=Path(given.get("first_key_file", folder / "first-key.txt")).absolute(),
        host=given.get("host", "127.0.0.1"),
        port=_whole(given, "port", default=8000, most=65_535),
        threads=_whole(given, "threads", default=32, most=1024),
        log_level=_log_level(given.get("log_level", "info")),
    )


def _variable(name: str) -> str:
    return PREFIX + name.upper()


def _database_url(url: str) -> str:
    scheme, separator, rest = url.partition("://")
    if scheme not in DATABASES or not separator or not rest:
        known = ", ".join(f"{name}://…" for name in DATABASES)
        raise SettingsError(f"{_variable('database_url')} must be one of {known}, not {_masked(url)!r}.")
    return url


def _whole(given: Mapping[str, str], name: str, *, default: int, most: int) -> int:
    text = given.get(name, str(default))
    if not re.fullmatch("[1-9][0-9]{0,8}", text) or int(text) > most:
        raise SettingsError(f"{_variable(name)} must be a whole number from 1 to {most}, not {text!r}.")
    return int(text)


def _log_level(text: str) -> LogLevel:
    match text:
        case "debug" | "info" | "warning" | "error":
            return text
        case _:
            known = ", ".join(get_args(LogLevel))
            raise SettingsError(f"{_variable('log_level')} must be one of {known}, not {text!r}.")


def _masked(url: str) -> str:
    """Hide more rather than less: a password may hold any sign, even those that should have been escaped."""
    without = re.sub(r"^([^:]*://[^:]*):.*@", r"\1:***@", url, flags=re.DOTALL)
    return re.sub(r"([?&][^=&]*password)=[^&]*", r"\1=***", without, flags=re.IGNORECASE)
