"""Settings: from a flag, else a `CHIPTRAIL_…` variable, else the settings file, else a default (DECISIONS 123)."""

import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal, get_args

from msgspec import Struct, structs

LogLevel = Literal["debug", "info", "warning", "error"]

PREFIX: Final = "CHIPTRAIL_"
CONFIG_VARIABLE: Final = "CHIPTRAIL_CONFIG"
"""The variable that names the settings file."""
COMMAND_VARIABLES: Final = frozenset(
    {
        CONFIG_VARIABLE,
        "CHIPTRAIL_VENV",
        "CHIPTRAIL_TEST_CITUS",
        "CHIPTRAIL_TEST_GO",
        "CHIPTRAIL_TEST_POSTGRES",
        "CHIPTRAIL_TEST_SEED",
    }
)
"""Variables that are not settings: they name the settings file or the folder of the set-up, or are for the tests."""
DATABASES: Final = ("sqlite", "postgresql", "postgresql+psycopg")
BODY_SLOTS: Final = 256
"""The maximum number of request bodies that a process reads at the same time; each body blocks a thread."""
EXPENSIVE_SLOTS: Final = 512
"""The maximum number of expensive requests, other than streams, that wait in a process; each blocks a thread."""
_MOST: Final = 1_000_000
_SHORT_FLAGS: Final = {"database_url": "--database", "data_folder": "--data"}
_WITNESS: Final = re.compile(r"[^\s+,]+\+[0-9a-f]{8}\+[A-Za-z0-9+/]{44}=https?://[^\s,@?#]+", re.ASCII)
_ORIGIN: Final = re.compile("https?://[a-z0-9.-]+(:[0-9]{1,5})?", re.ASCII)


class SettingsError(ValueError):
    """A setting is unknown, a value is wrong, or the settings file can't be used; the message is for the operator."""


class Given(Struct, frozen=True):
    """A value that an operator gave to a setting, and its *source*: a flag, a variable, or a key of a file."""

    text: str
    source: str
    is_of_file: bool = False


NOTHING: Final[Mapping[str, Given]] = MappingProxyType({})


class Settings(Struct, frozen=True, kw_only=True):
    """The settings of a server or another command. Paths are absolute.

    The limits of waiting places, of connections and of requests per second are for all workers of a server together;
    each worker gets settings with its share.

    Files: *key_file* has the service key, *first_key_file* the first API key of a new database. *log_key_file* has the
    key that signs checkpoints of the log; the last checkpoint is in a file beside it, *log_head_file*. If *log_vkey*,
    the public key of the log, is given, checkpoints are signed on another machine, and these two files are not used.

    Processes and threads: *workers* processes answer requests. In each process at most *threads* requests run at the
    same time, besides `/healthz`. A request that waits for an event, for its body or for another expensive request does
    not count. At most *waiting_places* long polls and streams wait at the same time, and at most *waiting_places_each*
    for one owner, for one address, or for one host together with the owners whose keys the host made. Requests without
    a key may together take half of *waiting_places*.

    Connections: at most *connections* are open at the same time, and at most *connections_per_address* (0: no limit)
    from one address. The process closes a connection if the head of the next request is not complete after
    *idle_seconds*. The process ends a request whose body is not complete after *body_seconds*, or some time later if
    the same address has other requests in flight. Behind reverse proxies, *connections_per_address* has no effect. On
    systems other than Linux, it has no effect either, and a request whose body stops arriving is not ended.

    Limits (0: no limit): *owner_requests_per_second* is for requests with any valid key of one owner;
    *address_requests_per_second* is for requests without a valid key from one address; *tables_per_owner* is for the
    unfinished tables of one host; *seats_per_owner* is for the seats of one player at unfinished tables;
    *keys_per_owner* is for the valid keys that one host made.

    Witnesses: the service asks each of *witnesses*, given as VKEY=URL, to cosign the newest checkpoint.

    Network: *proxies* is the number of reverse proxies that append an address to X-Forwarded-For. Web pages of
    the origins *cors_origins* may send requests. At *metrics_host* and *metrics_port* (0: no such port) the process
    serves metrics to clients without a key. When the process stops, it first becomes unready, and closes its port
    *drain_seconds* later; running requests then have *grace_seconds* to finish.
    """

    data_folder: Path
    database_url: str
    key_file: Path
    first_key_file: Path
    log_key_file: Path
    log_vkey: str
    host: str
    port: int
    workers: int
    threads: int
    waiting_places: int
    waiting_places_each: int
    connections: int
    connections_per_address: int
    idle_seconds: int
    body_seconds: int
    log_level: LogLevel
    owner_requests_per_second: int
    address_requests_per_second: int
    tables_per_owner: int
    seats_per_owner: int
    keys_per_owner: int
    proxies: int
    cors_origins: tuple[str, ...]
    witnesses: tuple[str, ...]
    metrics_host: str
    metrics_port: int
    drain_seconds: int
    grace_seconds: int

    @property
    def log_head_file(self) -> Path:
        """The file with the last checkpoint that the log key signed."""
        return self.log_key_file.with_name(f"{self.log_key_file.name}.head")

    @property
    def shown_database_url(self) -> str:
        """The database's URL for messages: the password is masked."""
        return _masked(self.database_url)

    def __repr__(self) -> str:
        return f"Settings({', '.join(f'{name}={value!r}' for name, value in self.__rich_repr__())})"

    def __rich_repr__(self) -> list[tuple[str, object]]:
        shown = structs.asdict(self) | {"database_url": self.shown_database_url}
        return list(shown.items())


def load(
    environment: Mapping[str, str], file: Mapping[str, Given] = NOTHING, /, **flags: str | int | Path | None
) -> Settings:
    """Return the settings. A setting has its value from *flags*, else *environment*, else *file*, else the default.

    A flag has the name of its setting. An empty flag or variable, and a flag that is None, count as not given.

    Raises:
        SettingsError: a flag names no setting, or the value of a setting is not allowed.
    """
    return from_given(collect(environment, file, **flags))


def collect(
    environment: Mapping[str, str], file: Mapping[str, Given] = NOTHING, /, **flags: str | int | Path | None
) -> dict[str, Given]:
    """Return the given values by setting, each with its source; `load` describes which source takes precedence.

    Raises:
        SettingsError: a flag names no setting.
    """
    if unknown := {name for name, value in flags.items() if value not in (None, "")} - set(Settings.__struct_fields__):
        raise SettingsError(f"There is no setting {', '.join(sorted(unknown))}.")
    found: dict[str, Given] = {}
    for name in Settings.__struct_fields__:
        if (value := flags.get(name)) not in (None, ""):
            found[name] = Given(str(value), flag(name))
        elif text := environment.get(variable(name)):
            found[name] = Given(text, variable(name))
        elif name in file:
            found[name] = file[name]
    return found


def from_given(given: Mapping[str, Given]) -> Settings:
    """Return the settings with the *given* values, and the default values of all others.

    Raises:
        SettingsError: the value of a setting is not allowed; the message names the source of the value.
    """

    def path(name: str, default: Path) -> Path:
        return (Path(given[name].text) if name in given else default).absolute()

    def text(name: str, default: str = "") -> str:
        return given[name].text if name in given else default

    folder = path("data_folder", Path("chiptrail-data"))
    return Settings(
        data_folder=folder,
        database_url=_database_url(given, default=f"sqlite:///{folder / 'chiptrail.db'}"),
        key_file=path("key_file", folder / "service-key.json"),
        first_key_file=path("first_key_file", folder / "first-key.txt"),
        log_key_file=path("log_key_file", folder / "log-key.txt"),
        log_vkey=text("log_vkey"),
        host=text("host", "127.0.0.1"),
        port=_whole(given, "port", default=8000, most=65_535),
        workers=_whole(given, "workers", default=2, most=64),
        threads=_whole(given, "threads", default=32, most=1024),
        waiting_places=_whole(given, "waiting_places", default=2000, most=20_000),
        waiting_places_each=_whole(given, "waiting_places_each", default=500, most=20_000),
        connections=_whole(given, "connections", default=8000, most=_MOST),
        connections_per_address=_whole(given, "connections_per_address", default=500, least=0, most=_MOST),
        idle_seconds=_whole(given, "idle_seconds", default=10, most=3600),
        body_seconds=_whole(given, "body_seconds", default=10, most=3600),
        log_level=_log_level(given),
        owner_requests_per_second=_whole(given, "owner_requests_per_second", default=100, least=0, most=_MOST),
        address_requests_per_second=_whole(given, "address_requests_per_second", default=50, least=0, most=_MOST),
        tables_per_owner=_whole(given, "tables_per_owner", default=1000, least=0, most=_MOST),
        seats_per_owner=_whole(given, "seats_per_owner", default=1000, least=0, most=_MOST),
        keys_per_owner=_whole(given, "keys_per_owner", default=1000, least=0, most=_MOST),
        proxies=_whole(given, "proxies", default=0, least=0, most=10),
        cors_origins=_origins(given),
        witnesses=_witnesses(given),
        metrics_host=text("metrics_host", "127.0.0.1"),
        metrics_port=_whole(given, "metrics_port", default=0, least=0, most=65_535),
        drain_seconds=_whole(given, "drain_seconds", default=0, least=0, most=300),
        grace_seconds=_whole(given, "grace_seconds", default=10, least=1, most=300),
    )


def unknown(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the variables of *environment* that begin with `PREFIX`, except settings and `COMMAND_VARIABLES`."""
    known = {variable(name) for name in Settings.__struct_fields__} | COMMAND_VARIABLES
    return tuple(sorted(name for name in environment if name.startswith(PREFIX) and name not in known))


def variable(name: str) -> str:
    """Return the environment variable of the setting *name*."""
    return PREFIX + name.upper()


def flag(name: str) -> str:
    """Return the flag of the setting *name*."""
    return _SHORT_FLAGS.get(name, f"--{name.replace('_', '-')}")


def _database_url(given: Mapping[str, Given], *, default: str) -> str:
    if "database_url" not in given:
        return default
    url = given["database_url"].text
    scheme, separator, rest = url.partition("://")
    if scheme not in DATABASES or not separator or not rest:
        known = ", ".join(f"{name}://…" for name in DATABASES)
        raise SettingsError(f"{given['database_url'].source} must be one of {known}, not {_masked(url)!r}.")
    return url


def _whole(given: Mapping[str, Given], name: str, *, default: int, least: int = 1, most: int) -> int:
    if name not in given:
        return default
    text, source = given[name].text, given[name].source
    if not re.fullmatch("0|[1-9][0-9]{0,8}", text) or not least <= int(text) <= most:
        raise SettingsError(f"{source} must be a whole number from {least} to {most}, not {text!r}.")
    return int(text)


def _items(given: Mapping[str, Given], name: str) -> tuple[tuple[str, ...], str]:
    """Return the items of the setting *name*, a list with commas, and the source of the list."""
    listed = given.get(name, Given("", variable(name)))
    return tuple(one.strip() for one in listed.text.split(",") if one.strip()), listed.source


def _origins(given: Mapping[str, Given]) -> tuple[str, ...]:
    origins, source = _items(given, "cors_origins")
    for origin in origins:
        if not _ORIGIN.fullmatch(origin):
            raise SettingsError(
                f"{source} must be origins like https://example.org, separated by commas: "
                f"a scheme, a host in lower case, a port unless it is the default, and nothing else; not {origin!r}."
            )
    return origins


def _witnesses(given: Mapping[str, Given]) -> tuple[str, ...]:
    witnesses, source = _items(given, "witnesses")
    for witness in witnesses:
        if not _WITNESS.fullmatch(witness):
            raise SettingsError(
                f"{source} must be witnesses as VKEY=URL, separated by commas: the public key that"
                f" `chiptrail witness key` prints, and an address like https://witness.example; not {witness!r}."
            )
    return witnesses


def _log_level(given: Mapping[str, Given]) -> LogLevel:
    level = given.get("log_level", Given("info", ""))
    match level.text:
        case "debug" | "info" | "warning" | "error":
            return level.text
        case _:
            known = ", ".join(get_args(LogLevel))
            raise SettingsError(f"{level.source} must be one of {known}, not {level.text!r}.")


def _masked(url: str) -> str:
    """Return *url* with its password masked. A password may contain any character, so other parts may be masked too."""
    without = re.sub(r"^([^:]*://[^:]*):.*@", r"\1:***@", url, flags=re.DOTALL)
    return re.sub(r"([?&][^=&]*password)=[^&]*", r"\1=***", without, flags=re.IGNORECASE)
