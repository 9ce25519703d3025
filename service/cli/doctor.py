"""`chiptrail doctor`: name what is wrong with an installation, and the command that cures it."""

import os
import platform
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, Literal

import click
import msgspec
from msgspec import Struct
from sqlalchemy import Engine, select, text
from sqlalchemy.exc import SQLAlchemyError

from service import settings as configuration
from service.cli.support import exit_codes, flags, open_database, output
from service.cli.support.exit_codes import ExitCode
from service.database import durability, engines, schema_check
from service.entropy import Entropy
from service.event_store import hash_chain
from service.event_store.codec import Codec
from service.games import EVENTS
from service.secrets import key_check, keyring
from service.settings import Settings

_OLDEST_PYTHON: Final = (3, 11)
_THIS_MACHINE: Final = frozenset({"127.0.0.1", "::1", "localhost"})
_LEAST_FREE_BYTES: Final = 256 * 2**20
_MOST_CHECKED: Final = 100_000  # events: a second or two
_GUARDED: Final = ("streams", "events", "sealed", "service_keys", "keys", "key_revocations")
_TRIGGERS: Final = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'trigger'",
    "postgresql": "SELECT tgname FROM pg_trigger WHERE tgenabled = 'A'",  # as migrated: in replicas too
}


class Finding(Struct, frozen=True):
    """What a *check* found, the command that cures it, and the exit *code* where it is wrong."""

    check: str
    state: Literal["ok", "note", "wrong"]
    said: str
    cure: str = ""
    code: int = ExitCode.FAILED


class Installation(Struct, frozen=True):
    """The installation that is looked at, and how to write a command for it."""

    settings: Settings
    engine: Engine
    command: Callable[[str], str]


@click.command()
@flags.with_settings
@flags.as_json
@click.pass_context
def doctor(ctx: click.Context, settings: Settings, *, as_json: bool) -> None:
    """Look the installation over: name what is wrong, and the command that cures it."""
    with open_database.open_as_is(settings) as engine:
        installation = Installation(settings, engine, lambda command: exit_codes.command_line(ctx, command))
        findings = list(_look(installation))
    if as_json:
        click.echo(msgspec.json.encode(findings))
    else:
        for finding in findings:
            output.stdout.print(_line(finding), soft_wrap=True)
    ctx.exit(next((finding.code for finding in findings if finding.state == "wrong"), ExitCode.DONE))


def _look(installation: Installation) -> Iterator[Finding]:
    for check in _ANYWHERE:
        yield check(installation)
    for check in _ON_A_DATABASE:  # each makes sense only where the one before passed
        finding = check(installation)
        yield finding
        if finding.state == "wrong":
            return


def _line(finding: Finding) -> str:
    mark = {"ok": "[green]ok   [/]", "note": "[yellow]note [/]", "wrong": "[red]wrong[/]"}[finding.state]
    cure = f"\n      [bold]cure:[/] {output.escaped(finding.cure)}" if finding.cure else ""
    return f"{mark} {output.escaped(finding.check)}: {output.escaped(finding.said)}{cure}"


def _python(_: Installation) -> Finding:
    said = f"{platform.python_implementation()} {platform.python_version()} ({sys.executable})"
    if sys.version_info >= _OLDEST_PYTHON:
        return Finding("python", "ok", said)
    return Finding("python", "wrong", said, "apt install python3.11, and run Chiptrail by it")


def _disk(installation: Installation) -> Finding:
    places = {installation.settings.data_folder, installation.settings.key_file.parent}
    if installation.engine.dialect.name == "sqlite":
        places.add(Path(installation.engine.url.database or "").absolute().parent)
    free = {place: shutil.disk_usage(_existing(place)).free for place in sorted(places)}
    place, least = min(free.items(), key=lambda item: item[1])
    said = f"{least / 2**30:.1f} GiB free at {place}"
    if least >= _LEAST_FREE_BYTES:
        return Finding("disk", "ok", said)
    cure = f"du -xh {shlex.quote(str(_existing(place)))} | sort -h, and make room: else nothing can be recorded"
    return Finding("disk", "wrong", said, cure)


def _existing(place: Path) -> Path:
    return next(each for each in (place, *place.parents) if each.exists())


def _wrk(_: Installation) -> Finding:
    if found := shutil.which("wrk"):
        return Finding("wrk", "ok", found)
    return Finding("wrk", "note", "not found; only `chiptrail bench` needs it", "apt install wrk")


def _service_key(installation: Installation) -> Finding:
    path = installation.settings.key_file
    if not path.exists():
        if known := _remembered(installation):
            said = f"{path} is gone; the database belongs to the service key with the fingerprint {known.hex()[:16]}…"
            return Finding("service key", "wrong", said, _from_backup(path))
        return Finding("service key", "note", f"{path} is not there yet", f"{installation.command('serve')} makes it")
    try:
        key = keyring.load_or_make(path, Entropy())
    except keyring.KeyFileError as error:
        return Finding("service key", "wrong", *_said_and_cure(error, path))
    return Finding("service key", "ok", f"{path}, fingerprint {key.fingerprint[:16]}…")


def _said_and_cure(error: keyring.KeyFileError, path: Path) -> tuple[str, str]:
    said, _, cure = str(error).partition(" The cure: ")
    return said, cure or _from_backup(path)


def _remembered(installation: Installation) -> bytes | None:
    """Return the fingerprint of the service key that the database belongs to; None: it has none, or can't be read."""
    try:
        schema_check.current_revision(installation.engine)
        with engines.reading(installation.engine) as connection:
            return connection.scalar(select(key_check.service_keys.c.fingerprint))
    except (schema_check.NoDatabase, SQLAlchemyError):
        return None  # what is the matter with the database is another check's to say


def _database(installation: Installation) -> Finding:
    shown = installation.settings.shown_database_url
    try:
        schema_check.current_revision(installation.engine)
    except schema_check.NoDatabase as error:
        is_silent = error.__cause__ is not None  # somebody had to answer
        cure = (
            "systemctl start postgresql, or name another by --database"
            if is_silent
            else installation.command("migrate")
        )
        return Finding("database", "wrong", str(error), cure, ExitCode.NO_DATABASE)
    return Finding("database", "ok", shown)


def _schema(installation: Installation) -> Finding:
    try:
        schema_check.check_schema(installation.engine)
    except schema_check.SchemaNotAtHead as error:
        return Finding("schema", "wrong", str(error), installation.command("migrate"), ExitCode.SCHEMA_NOT_AT_HEAD)
    return Finding("schema", "ok", f"at {schema_check.head_revision()}")


def _durability(installation: Installation) -> Finding:
    try:
        durability.check_engine(installation.engine)
    except durability.UnsafeDatabase as error:
        return Finding("durability", "wrong", str(error), _set_safely(installation, str(error)))
    return Finding("durability", "ok", "what is acknowledged outlives a loss of power")


def _triggers(installation: Installation) -> Finding:
    kinds = ("_only_grows",) if installation.engine.dialect.name == "postgresql" else _SQLITE_TRIGGERS
    with engines.reading(installation.engine) as connection:
        found = set(connection.scalars(text(_TRIGGERS[installation.engine.dialect.name])))
    missing = sorted({f"{table}{kind}" for table in _GUARDED for kind in kinds} - _NOT_THERE - found)
    if missing:
        cure = f"{installation.command('verify')} says whether the log was changed; then restore a backup that has them"
        return Finding("append-only", "wrong", f"triggers are missing: {', '.join(missing)}", cure)
    return Finding("append-only", "ok", "the database refuses to change or delete what was recorded")


_SQLITE_TRIGGERS: Final = ("_only_grows_insert", "_only_grows_update", "_only_grows_delete")
_OWNER: Final = text(
    "SELECT current_user, pg_has_role(tableowner, 'MEMBER') FROM pg_tables"
    " WHERE tablename = 'events' AND schemaname = current_schema()"
)
_NOT_THERE: Final = {"streams_only_grows_update"}  # a stream's head moves on, guarded by another trigger


def _role(installation: Installation) -> Finding:
    if installation.engine.dialect.name != "postgresql":
        return Finding(
            "role", "ok", "whoever can write the file can change it; on PostgreSQL a role can be kept from it"
        )
    with engines.reading(installation.engine) as connection:
        role, is_owner = connection.execute(_OWNER).one()
    if not is_owner:
        return Finding("role", "ok", f"{role} can add to the log, and cannot switch its guards off")
    said = f"{role} owns the log's tables, and could switch their guards off"
    return Finding("role", "note", said, f"{installation.command('migrate')} --grant-to ROLE, and serve as that role")


def _belonging(installation: Installation) -> Finding:
    known = _remembered(installation)
    if known is None:
        cure = f"{installation.command('serve')} settles it"
        return Finding("fingerprint", "note", "the database belongs to no service key yet", cure)
    path = installation.settings.key_file
    try:
        key = keyring.load_or_make(path, Entropy()) if path.exists() else None
    except keyring.KeyFileError as error:
        _, cure = _said_and_cure(error, path)
        return Finding("fingerprint", "note", "can't be compared while the service key can't be used", cure)
    if key is not None and bytes.fromhex(key.fingerprint) == known:
        return Finding("fingerprint", "ok", "the database belongs to this service key")
    said = f"the database belongs to the service key with the fingerprint {known.hex()[:16]}…, which is not {path}"
    return Finding("fingerprint", "wrong", said, _from_backup(path))


def _from_backup(path: Path) -> str:
    return f"cp BACKUP {shlex.quote(str(path))}, or export CHIPTRAIL_KEY_FILE=BACKUP"


def _log(installation: Installation) -> Finding:
    with engines.reading(installation.engine) as connection:
        checked, damaged = hash_chain.find_breaks(connection, Codec(EVENTS), _MOST_CHECKED)
    if not damaged:
        return Finding("log", "ok", f"{checked:,} events hold; `chiptrail verify` looks at everything")
    names = (f"tbl_{stream_id.hex()} at position {one.position}" for stream_id, one in list(damaged.items())[:10])
    said = f"tables that do not hold, so that nothing more is written to them: {', '.join(names)}"
    return Finding("log", "wrong", said, installation.command("verify"), ExitCode.VERIFICATION_FAILED)


def _set_safely(installation: Installation, reasons: str) -> str:
    """Return the command that sets what *reasons* name; what was not set by hand is safe on SQLite."""
    named = [name for name in ("fsync", "full_page_writes", "synchronous_commit") if f"SHOW {name} " in reasons]
    if installation.engine.dialect.name != "postgresql" or not named:
        return "export CHIPTRAIL_DATABASE_URL=URL, of a database that was made as the reasons ask"
    orders = (*(f"ALTER SYSTEM SET {name} = on" for name in named), "SELECT pg_reload_conf()")
    return " ".join(["psql", *(f"-c {shlex.quote(order)}" for order in orders)])


def _settings(_: Installation) -> Finding:
    if unknown := configuration.unknown(os.environ):
        said = f"set, and none of ours: {', '.join(unknown)}"
        return Finding("settings", "note", said, f"unset {' '.join(unknown)}, or name the one that was meant")
    return Finding("settings", "ok", "every CHIPTRAIL_… that is set is a setting")


_LIMITS: Final = tuple(name for name in Settings.__struct_fields__ if name.endswith(("_per_second", "_per_owner")))


def _limits(installation: Installation) -> Finding:
    found = {name: getattr(installation.settings, name) for name in _LIMITS}
    if off := [configuration.variable(name) for name, most in found.items() if not most]:
        said = f"switched off: {', '.join(off)}; one client can take all there is"
        return Finding("limits", "note", said, f"unset {' '.join(off)}, for the defaults")
    return Finding("limits", "ok", ", ".join(f"{name.replace('_', ' ')}: {most:,}" for name, most in found.items()))


def _listening(installation: Installation) -> Finding:
    host, proxies = installation.settings.host, installation.settings.proxies
    if host in _THIS_MACHINE:
        return Finding("listening", "ok", f"at {host}: for this machine, and a proxy on it")
    said = f"at {host}, where others may read what keys are sent, unless a proxy with TLS stands before it"
    cure = "" if proxies else "put one there and export CHIPTRAIL_PROXIES=1, or unset CHIPTRAIL_HOST"
    return Finding("listening", "note" if cure else "ok", f"at {host}, behind {proxies}" if proxies else said, cure)


def _pages(installation: Installation) -> Finding:
    origins = installation.settings.cors_origins
    if plain := [one for one in origins if one != _with_tls(one)]:
        said = f"whoever is on the way can put words into {', '.join(plain)}"
        return Finding("pages", "note", said, f"export CHIPTRAIL_CORS_ORIGINS={','.join(map(_with_tls, origins))}")
    return Finding("pages", "ok", f"may ask: {', '.join(origins)}" if origins else "of no other origin may ask")


def _with_tls(origin: str) -> str:
    """Return *origin* as nobody on the way can pose as it; a page of this machine is not on any way."""
    _, _, authority = origin.partition("://")
    return origin if authority.partition(":")[0] in _THIS_MACHINE else f"https://{authority}"


Check = Callable[[Installation], Finding]
_ANYWHERE: Final[tuple[Check, ...]] = (
    _python,
    _disk,
    _wrk,
    _settings,
    _limits,
    _listening,
    _pages,
    _service_key,
)
_ON_A_DATABASE: Final[tuple[Check, ...]] = (_database, _schema, _durability, _triggers, _role, _belonging, _log)
