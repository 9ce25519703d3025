"""The checks that `chiptrail doctor` makes of the log as a whole: its key, checkpoints, indexes and witnesses."""

import shlex
from datetime import datetime
from typing import Final

from sqlalchemy.exc import SQLAlchemyError

from service.cli.checks.installation_checks import Check, Finding, Installation
from service.cli.support import log_files
from service.cli.support.exit_codes import CommandFailed
from service.clock import Clock
from service.database import schema_check
from service.database.engines import reading
from service.secrets.keyring import KeyFileError
from service.transparency import log_key, log_signer, published, tree
from service.transparency.log_signer import HeadFileError
from service.transparency.signed_note import NoteMustBeGenuine
from service.transparency.tree import TreeDamaged
from service.transparency.witnesses import cosigned, witness_client

_MOST_WAITING: Final = 100_000
_LONGEST_SECONDS: Final = 60


def _log_key(installation: Installation) -> Finding:
    path = installation.settings.log_key_file
    if installation.settings.log_vkey:
        try:
            key = log_files.public_key(installation.settings)
        except CommandFailed as error:
            return Finding("log key", "wrong", str(error).partition("\n")[0], "export CHIPTRAIL_LOG_VKEY=VKEY")
        return Finding("log key", "ok", f"on another machine, origin {key.name}")
    if not path.exists() and not _is_signed(installation):
        return Finding(
            "log key", "note", f"{path} does not exist yet", f"{installation.command('serve')} makes the key"
        )
    try:
        loaded = log_key.load(path)
    except KeyFileError as error:
        message, _, cure = str(error).partition(" The cure: ")
        return Finding("log key", "wrong", message, cure or _restore(installation))
    return Finding("log key", "ok", f"{path}, origin {loaded.origin}")


def _is_signed(installation: Installation) -> bool:
    """Return whether the database has a checkpoint; False also if it can't be read or has another schema."""
    try:
        schema_check.check_schema(installation.engine)
        with reading(installation.engine) as connection:
            return published.has_checkpoint(connection)
    except (schema_check.NoDatabase, schema_check.SchemaNotAtHead, SQLAlchemyError):
        return False  # another check reports what is wrong with the database


def _last_checkpoint(installation: Installation) -> Finding:
    settings = installation.settings
    if settings.log_vkey:
        if (key := _log_key(installation)).state == "wrong":
            return Finding("last checkpoint", "wrong", key.said, key.cure)
        return Finding("last checkpoint", "ok", "on another machine, where `chiptrail sign` compares it with the log")
    if not settings.log_key_file.exists() and not _is_signed(installation):
        cure = f"{installation.command('serve')} makes the log key"
        return Finding("last checkpoint", "note", "there is no log key yet", cure)
    try:
        signer = log_signer.load(settings.log_key_file, settings.log_head_file)
        if reason := log_files.fault(installation.engine, settings):
            return Finding("last checkpoint", "wrong", reason, _continue_or_restart(installation))
    except (KeyFileError, HeadFileError) as error:
        return Finding("last checkpoint", "wrong", str(error), _restore(installation))
    except TreeDamaged as error:
        return Finding("last checkpoint", "wrong", str(error), installation.command("rebuild"))
    return Finding("last checkpoint", "ok", f"the log begins with the {signer.last().size:,} leaves that were signed")


def _indexes(installation: Installation) -> Finding:
    with reading(installation.engine) as connection:
        waiting, size = published.leaves_without_index(connection), tree.head(connection).size
    message = f"{size:,} leaves have an index in the log, {waiting:,} wait for one"
    if waiting <= _MOST_WAITING:
        return Finding("indexes", "ok", message)
    cure = f"{installation.command('serve')} gives leaves their indexes; its log lines log_not_kept have the cause"
    return Finding("indexes", "note", message, cure)


def _newest_checkpoint(installation: Installation) -> Finding:
    settings = installation.settings
    if not settings.log_vkey and not settings.log_key_file.exists():
        return Finding("checkpoint", "note", "nothing is signed yet", f"{installation.command('serve')} signs the log")
    origin = log_files.public_key(settings).name
    with reading(installation.engine) as connection:
        signed, size = published.newest_size(connection, origin), tree.head(connection).size
    if settings.log_vkey:
        message = f"the newest checkpoint covers {signed:,} of {size:,} leaves"
        if signed >= size:
            return Finding("checkpoint", "ok", message)
        return Finding("checkpoint", "note", message, "look at the log lines of `chiptrail sign` on the other machine")
    age = int(_now() - settings.log_head_file.stat().st_mtime)
    message = f"the newest checkpoint covers {signed:,} of {size:,} leaves, and was signed {age:,} seconds ago"
    if signed >= size or age <= _LONGEST_SECONDS:
        return Finding("checkpoint", "ok", message)
    cure = f"{installation.command('serve')} signs the rest; its log lines log_not_kept have the cause if it does not"
    return Finding("checkpoint", "note", message, cure)


def _witnesses(installation: Installation) -> Finding:
    settings = installation.settings
    try:
        witnesses = witness_client.parse_all(settings.witnesses)
    except NoteMustBeGenuine as error:
        return Finding("witnesses", "wrong", str(error), "export CHIPTRAIL_WITNESSES=VKEY=URL, with the key it prints")
    if not witnesses:
        return Finding("witnesses", "ok", "no witness is asked to cosign checkpoints")
    with reading(installation.engine) as connection:
        reports = cosigned.reports(connection)
    silent = []
    for one in witnesses:
        report = reports.get(str(one.key))
        if report is None:
            silent.append(f"{one.key.name}: it was not asked yet")
        elif report.problem:
            silent.append(f"{one.key.name}, since {report.since}: {report.problem}")
    if not silent:
        return Finding("witnesses", "ok", f"{len(witnesses)} witnesses cosign the checkpoints")
    cure = "ask the operators of these witnesses; the service goes on asking, at most a minute after each failure"
    return Finding("witnesses", "note", f"{len(silent)} of {len(witnesses)} do not cosign. {' '.join(silent)}", cure)


def _now() -> float:
    return datetime.fromisoformat(Clock().now()).timestamp()


def _restore(installation: Installation) -> str:
    settings = installation.settings
    files = shlex.join([str(settings.log_key_file), str(settings.log_head_file)])
    return f"copy {files} from their backup, or {installation.command('log restart')}"


def _continue_or_restart(installation: Installation) -> str:
    verify, restart = installation.command("verify"), installation.command("log restart")
    return f"{verify} names what was changed; restore a newer backup, or {restart}"


OTHER_LOG_CHECKS: Final[tuple[Check, ...]] = (_log_key,)
DATABASE_LOG_CHECKS: Final[tuple[Check, ...]] = (_last_checkpoint, _indexes, _newest_checkpoint, _witnesses)
