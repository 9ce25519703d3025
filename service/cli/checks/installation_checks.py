"""The checks of `chiptrail doctor`: each check examines one part of an installation, and names the cure of a fault."""

import platform
import shlex
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, Literal

from msgspec import Struct
from sqlalchemy import Engine, text
from sqlalchemy.exc import SQLAlchemyError

from service.cli.support.exit_codes import ExitCode
from service.database import durability, engines, schema_check
from service.database.metadata import SERVICE_STREAM
from service.disputes.dispute_events import DISPUTE_CODEC
from service.entropy import Entropy
from service.event_store import hash_chain
from service.event_store.codec import Codec
from service.event_store.entries import place_name
from service.event_store.log_tables import IS_OF_DISPUTES
from service.games import EVENTS
from service.secrets import key_check, key_rotation, keyring
from service.service_log.service_events import SERVICE_CODEC
from service.settings import Given, Settings

_OLDEST_PYTHON: Final = (3, 11)
_MIN_FREE_BYTES: Final = 256 * 2**20
_MOST_CHECKED: Final = 100_000
"""How many events of tables, and how many of disputes, the check of the log reads at most: this takes seconds."""
_GUARDED: Final = (
    "streams", "events", "sealed", "service_keys", "keys", "key_revocations", "leaf_indexes", "checkpoints",
)  # fmt: skip
_TRIGGERS: Final = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'trigger'",
    "postgresql": "SELECT tgname FROM pg_trigger WHERE tgenabled = 'A'",  # A: the trigger fires in replica mode too
}


class Finding(Struct, frozen=True):
    """The result of a *check*: its message (*said*), the *cure* of a fault or note, and the exit *code* of a fault."""

    check: str
    state: Literal["ok", "note", "wrong"]
    said: str
    cure: str = ""
    code: int = ExitCode.FAILED


class Installation(Struct, frozen=True):
    """The installation to check, with the *given* settings and the settings file (*config*), if there is one.

    The function *command* gets a command such as "migrate", and returns the command line that runs it on this
    installation.
    """

    settings: Settings
    given: Mapping[str, Given]
    config: Path | None
    engine: Engine
    command: Callable[[str], str]


def _python(_: Installation) -> Finding:
    message = f"{platform.python_implementation()} {platform.python_version()} ({sys.executable})"
    if sys.version_info >= _OLDEST_PYTHON:
        return Finding("python", "ok", message)
    return Finding("python", "wrong", message, "apt install python3.11, and run Chiptrail with it")


def _disk(installation: Installation) -> Finding:
    places = {installation.settings.data_folder, installation.settings.key_file.parent}
    if installation.engine.dialect.name == "sqlite":
        places.add(Path(installation.engine.url.database or "").absolute().parent)
    free = {place: shutil.disk_usage(_nearest_existing(place)).free for place in sorted(places)}
    place, least = min(free.items(), key=lambda item: item[1])
    message = f"{least / 2**30:.1f} GiB free at {place}"
    if least >= _MIN_FREE_BYTES:
        return Finding("disk", "ok", message)
    cure = (
        f"du -xh {shlex.quote(str(_nearest_existing(place)))} | sort -h, and free space: "
        "on a full disk nothing can be recorded"
    )
    return Finding("disk", "wrong", message, cure)


def _owners(installation: Installation) -> Finding:
    folder = installation.settings.data_folder
    if not folder.is_dir():
        return Finding("owners", "ok", f"{folder} does not exist yet")
    owner = folder.stat().st_uid
    others = sorted(one for one in folder.iterdir() if one.is_file() and one.stat().st_uid != owner)
    if not others:
        return Finding("owners", "ok", f"all files in {folder} belong to the owner of the folder")
    message = f"these files do not belong to the owner of {folder}: {', '.join(one.name for one in others)}"
    cure = f"chown --reference={shlex.quote(str(folder))} {shlex.join(map(str, others))}"
    return Finding("owners", "wrong", message, f"{cure}, and run every command as the user of the server")


def _nearest_existing(place: Path) -> Path:
    return next(each for each in (place, *place.parents) if each.exists())


def _wrk(_: Installation) -> Finding:
    if path := shutil.which("wrk"):
        return Finding("wrk", "ok", path)
    return Finding("wrk", "note", "not found; only `chiptrail bench` needs it", "apt install wrk")


def _service_key(installation: Installation) -> Finding:
    path = installation.settings.key_file
    if not path.exists():
        if known := _known_fingerprint(installation):
            message = (
                f"{path} is gone; the database belongs to the service key with the fingerprint {known.hex()[:16]}…"
            )
            return Finding("service key", "wrong", message, _restore_key(installation))
        return Finding(
            "service key", "note", f"{path} does not exist yet", f"{installation.command('serve')} makes the key"
        )
    try:
        key = keyring.load_or_make(path, Entropy())
    except keyring.KeyFileError as error:
        return Finding("service key", "wrong", *_message_and_cure(error, installation))
    return Finding("service key", "ok", f"{path}, fingerprint {key.fingerprint[:16]}…")


def _message_and_cure(error: keyring.KeyFileError, installation: Installation) -> tuple[str, str]:
    message, _, cure = str(error).partition(" The cure: ")
    return message, cure or _restore_key(installation)


def _known_fingerprint(installation: Installation) -> bytes | None:
    """Return the fingerprint of the database's service key; None: the database has no fingerprint or can't be read."""
    try:
        schema_check.current_revision(installation.engine)
        with engines.reading(installation.engine) as connection:
            return key_check.bound_to(connection)
    except (schema_check.NoDatabase, SQLAlchemyError):
        return None  # another check reports what is wrong with the database


def _database(installation: Installation) -> Finding:
    shown = installation.settings.shown_database_url
    try:
        schema_check.current_revision(installation.engine)
    except schema_check.NoDatabase as error:
        cure = installation.command("migrate")
        if error.__cause__ is not None:  # the database server did not answer
            cure = "systemctl start postgresql, or name another database by --database"
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
    return Finding("durability", "ok", "acknowledged commits survive a loss of power")


def _triggers(installation: Installation) -> Finding:
    kinds = ("_only_grows",) if installation.engine.dialect.name == "postgresql" else _SQLITE_TRIGGERS
    with engines.reading(installation.engine) as connection:
        triggers = set(connection.scalars(text(_TRIGGERS[installation.engine.dialect.name])))
    expected = {f"{table}{kind}" for table in _GUARDED for kind in kinds} | _OTHERS
    missing = sorted(expected - _WITHOUT_TRIGGER - triggers)
    if missing:
        cure = f"{installation.command('verify')} finds changes of the log; then restore a backup that has the triggers"
        return Finding("append-only", "wrong", f"triggers are missing: {', '.join(missing)}", cure)
    return Finding("append-only", "ok", "the database refuses to change or delete recorded events")


_SQLITE_TRIGGERS: Final = ("_only_grows_insert", "_only_grows_update", "_only_grows_delete")
_OWNER: Final = text(
    "SELECT current_user, pg_has_role(tableowner, 'MEMBER') FROM pg_tables"
    " WHERE tablename = 'events' AND schemaname = current_schema()"
)
_OTHERS: Final = {"sealed_only_grows_delete", "streams_head_only_grows", "tree_head_only_grows"}
_WITHOUT_TRIGGER: Final = {"streams_only_grows_update"}  # `streams_head_only_grows` guards the head rows


def _role(installation: Installation) -> Finding:
    if installation.engine.dialect.name != "postgresql":
        return Finding(
            "role",
            "ok",
            "anybody who can write the file can change the log; on PostgreSQL the server's role can be denied this",
        )
    with engines.reading(installation.engine) as connection:
        role, is_owner = connection.execute(_OWNER).one()
    if not is_owner:
        return Finding("role", "ok", f"{role} does not own the tables of the log, and so cannot disable their triggers")
    message = f"{role} owns the tables of the log, so {role} could disable their triggers"
    return Finding(
        "role", "note", message, f"{installation.command('migrate')} --grant-to ROLE, and serve as that role"
    )


def _fingerprint(installation: Installation) -> Finding:
    if (known := _known_fingerprint(installation)) is None:
        cure = f"{installation.command('serve')} binds the database to its service key"
        return Finding("fingerprint", "note", "the database belongs to no service key yet", cure)
    path = installation.settings.key_file
    try:
        key = keyring.load_or_make(path, Entropy(), known) if path.exists() else None
    except keyring.KeyFileError as error:
        why = "not compared, because the service key can't be used"
        return Finding("fingerprint", "note", why, _message_and_cure(error, installation)[1])
    if key is not None and bytes.fromhex(key.fingerprint) == known:
        found = Finding("fingerprint", "ok", "the database belongs to this service key")
        message, cure = key_rotation.waiting(path, key.key_id), installation.command("key rotate")
        return Finding("fingerprint", "note", message, cure) if message else found
    message = f"the database belongs to the service key with the fingerprint {known.hex()[:16]}…, not to {path}"
    return Finding("fingerprint", "wrong", message, _restore_key(installation))


def _restore_key(installation: Installation) -> str:
    cure = f"{installation.command('key restore')} BACKUP --passphrase-file FILE"
    path = installation.settings.key_file
    return f"mv {shlex.quote(str(path))} ELSEWHERE, then {cure}" if path.exists() else cure


def _log(installation: Installation) -> Finding:
    with engines.reading(installation.engine) as connection:
        of_service = hash_chain.find_break(connection, SERVICE_STREAM, SERVICE_CODEC)
        checked, damaged = hash_chain.find_breaks(connection, Codec(EVENTS), _MOST_CHECKED)
        more, of_disputes = hash_chain.find_breaks(connection, DISPUTE_CODEC, _MOST_CHECKED, IS_OF_DISPUTES)
    if of_service:
        message = f"the service's own stream is damaged at position {of_service.position}: {of_service.why}"
        return Finding("log", "wrong", message, installation.command("verify"), ExitCode.VERIFICATION_FAILED)
    broken = [f"{place_name(one)} at position {at.position}" for one, at in (damaged | of_disputes).items()]
    if not broken:
        return Finding("log", "ok", f"{checked + more:,} events are undamaged; `chiptrail verify` checks everything")
    message = f"these tables are damaged, so nothing more is written to them: {', '.join(broken[:10])}"
    return Finding("log", "wrong", message, installation.command("verify"), ExitCode.VERIFICATION_FAILED)


def _set_safely(installation: Installation, reasons: str) -> str:
    """Return the cure for unsafe settings: SQL for settings that the text *reasons* names, or else another database."""
    named = [name for name in ("fsync", "full_page_writes", "synchronous_commit") if f"SHOW {name} " in reasons]
    if installation.engine.dialect.name != "postgresql" or not named:
        return "export CHIPTRAIL_DATABASE_URL=URL, with the URL of a database that meets these requirements"
    statements = (*(f"ALTER SYSTEM SET {name} = on" for name in named), "SELECT pg_reload_conf()")
    return " ".join(["psql", *(f"-c {shlex.quote(statement)}" for statement in statements)])


Check = Callable[[Installation], Finding]
OTHER_CHECKS: Final[tuple[Check, ...]] = (
    _python,
    _disk,
    _owners,
    _wrk,
    _service_key,
)
DATABASE_CHECKS: Final[tuple[Check, ...]] = (_database, _schema, _durability, _triggers, _role, _fingerprint, _log)
