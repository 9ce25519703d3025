"""The checks of `chiptrail doctor` on settings and on the settings file."""

import os
import shlex
import stat
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct, structs

from service import settings
from service.cli.checks.installation_checks import Check, Finding, Installation
from service.settings import Given, Settings, variable

_DEFAULT: Final = "default"
_THIS_MACHINE: Final = frozenset({"127.0.0.1", "::1", "localhost"})


class Source(Struct, frozen=True):
    """A *setting* with its *value* as text, without passwords, and the *source* of the value."""

    setting: str
    value: str
    source: str


def sources(chosen: Settings, given: Mapping[str, Given]) -> list[Source]:
    """Return each setting with its value in *chosen* and its source in *given*."""
    values = structs.asdict(chosen) | {"database_url": chosen.shown_database_url}
    return [
        Source(name, _text(value), given[name].source if name in given else _DEFAULT) for name, value in values.items()
    ]


def _names(installation: Installation) -> Finding:
    if unknown := settings.unknown(os.environ):
        message = f"these variables are not settings: {', '.join(unknown)}"
        return Finding("settings", "note", message, f"unset {' '.join(unknown)}, or correct the names")
    listed = ", ".join(one.source for one in installation.given.values())
    others = "all others have their defaults; `chiptrail doctor --settings` lists them"
    return Finding("settings", "ok", f"given: {listed or 'none'}; {others}")


def _file(installation: Installation) -> Finding:
    path = installation.config
    if path is None:
        return Finding("settings file", "ok", "none")
    mode, quoted = path.stat().st_mode, shlex.quote(str(path))
    if mode & (stat.S_IWGRP | stat.S_IWOTH):
        message = f"others than the owner of {path} can write it, and so choose the database and the keys"
        return Finding("settings file", "wrong", message, f"chmod go-w {quoted}")
    if mode & stat.S_IROTH and _has_password(installation):
        message = f"everybody on this machine can read {path}, which has the password of the database"
        return Finding("settings file", "wrong", message, f"chmod o-r {quoted}")
    return Finding("settings file", "ok", str(path))


def _has_password(installation: Installation) -> bool:
    """Return whether the settings file has a database URL with a password."""
    chosen, url = installation.settings, installation.given.get("database_url")
    return url is not None and url.is_of_file and chosen.shown_database_url != chosen.database_url


_LIMITS: Final = tuple(name for name in Settings.__struct_fields__ if name.endswith(("_per_second", "_per_owner")))


def _limits(installation: Installation) -> Finding:
    limits = {name: getattr(installation.settings, name) for name in _LIMITS}
    if off := [name for name, limit in limits.items() if not limit]:
        shown = ", ".join(map(variable, off))
        message = f"switched off: {shown}; a single client can take all of the service's capacity"
        return Finding("limits", "note", message, f"{_unset(installation, off)} to get the defaults")
    return Finding("limits", "ok", ", ".join(f"{name.replace('_', ' ')}: {limit:,}" for name, limit in limits.items()))


def _unset(installation: Installation, names: Sequence[str]) -> str:
    """Return advice on how to give the settings in *names* their defaults again."""
    given = [installation.given[name].source for name in names if name in installation.given]
    variables = [source for source in given if source in map(variable, names)]
    others = [source for source in given if source not in variables]
    parts = ["unset " + " ".join(variables)] if variables else []
    return " and ".join([*parts, *(["remove " + ", ".join(others)] if others else [])])


def _listening(installation: Installation) -> Finding:
    host, proxies = installation.settings.host, installation.settings.proxies
    if host in _THIS_MACHINE:
        return Finding("listening", "ok", f"at {host}: for this machine and a proxy on it")
    message = f"at {host}, where others can read the keys that clients send, unless a proxy with TLS is in front"
    advice = f"put such a proxy in front and export CHIPTRAIL_PROXIES=1, or {_unset(installation, ['host'])}"
    cure = "" if proxies else advice
    return Finding(
        "listening", "note" if cure else "ok", f"at {host}; proxies in front: {proxies}" if proxies else message, cure
    )


def _pages(installation: Installation) -> Finding:
    origins = installation.settings.cors_origins
    if plain := [one for one in origins if one != _with_tls(one)]:
        message = f"without TLS others on the network can change the pages of {', '.join(plain)}"
        return Finding("pages", "note", message, f"export CHIPTRAIL_CORS_ORIGINS={','.join(map(_with_tls, origins))}")
    return Finding(
        "pages",
        "ok",
        f"web pages of these origins may use the API: {', '.join(origins)}"
        if origins
        else "web pages of other origins may not use the API",
    )


def _metrics(installation: Installation) -> Finding:
    host, port = installation.settings.metrics_host, installation.settings.metrics_port
    if not port:
        return Finding("metrics", "ok", "only for keys with the scope metrics or admin")
    if host in _THIS_MACHINE:
        return Finding("metrics", "ok", f"at {host}, port {port}, for this machine without a key")
    message = f"at {host}, port {port}, anybody who reaches the port reads the metrics without a key"
    return Finding(
        "metrics", "note", message, f"let only Prometheus reach the port, or {_unset(installation, ['metrics_host'])}"
    )


def _with_tls(origin: str) -> str:
    """Return *origin* with https, unless the origin is on this machine."""
    _, _, authority = origin.partition("://")
    return origin if authority.partition(":")[0] in _THIS_MACHINE else f"https://{authority}"


def _text(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


SETTINGS_CHECKS: Final[tuple[Check, ...]] = (_names, _file, _limits, _listening, _pages, _metrics)
