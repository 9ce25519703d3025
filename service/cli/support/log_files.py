"""The files of the log: its key and its last checkpoint, loaded and checked for a command (DECISIONS 98)."""

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Final

import click
from sqlalchemy import Connection, Engine

from service.audit.whole_log.whole_log_report import LogEvidence
from service.cli.support.exit_codes import CommandFailed, ExitCode
from service.clock import Clock
from service.database.engines import Limits, make_engine, reading
from service.entropy import Entropy
from service.secrets.keyring import KeyFileError
from service.service_log import stream_events
from service.service_log.service_events import LogOpened
from service.settings import Settings
from service.transparency import checkpoint, log_key, log_signer, published, signed_note
from service.transparency.log_keeper import OWN_ERRORS, LogKeeper
from service.transparency.log_signer import HeadFileError, LogSigner, TreeMustContinue
from service.transparency.signed_note import NoteMustBeGenuine, VerifierKey
from service.transparency.tree import TreeDamaged
from service.transparency.witnesses import witness_client

CURE: Final = "copy {} from its backup, or begin a new log by `chiptrail log restart`"
OF_HEADS: Final = "the .head file of a backup (that of the log key is another kind of file), or a complete export"
"""The files that `--head` accepts."""
_LAST_SECONDS: Final = 2.0
_LONGEST_SECONDS: Final = 5.0
_UNSIGNED: Final = "log         the newest events may be in no checkpoint until the next start."


def prepare(engine: Engine, settings: Settings, entropy: Entropy) -> None:
    """Before a server starts, check or make the files of the log, and warn if no checkpoint will be signed.

    Games go on without checkpoints, so a tree that can't be signed does not keep the server from starting.

    Raises:
        CommandFailed: as for `load_or_make` or `public_key`, or the settings name a witness without a valid key.
    """
    if settings.log_vkey:
        public_key(settings)
    else:
        load_or_make(engine, settings, entropy)
    try:
        witness_client.parse_all(settings.witnesses)
    except NoteMustBeGenuine as error:
        why = f"A witness can't be used. {error}"
        raise CommandFailed(
            ExitCode.WRONG_USE, why, "name it by --witnesses VKEY=URL, with the key it prints"
        ) from error
    warn(engine, settings)


def warn(engine: Engine, settings: Settings) -> None:
    """Print why the log will get no checkpoint, and the cure; print nothing if no reason is known."""
    with reading(engine) as connection:
        is_new = not published.has_checkpoint(connection)
        is_known = not settings.log_vkey or published.is_known(connection, public_key(settings).name)
    if not is_known:
        why = "The database has checkpoints, but none of the origin of --log-vkey."
        click.echo(f"log         no checkpoint will be published. {why}\nThe cure: chiptrail sign --begin", err=True)
    if settings.log_vkey:
        return  # `chiptrail sign` itself reports why it does not sign.
    if is_new and not settings.log_key_file.exists():
        return  # The first start makes the log key.
    files = (settings.log_key_file, settings.log_head_file)
    try:
        reason, cure = fault(engine, settings), "stop the server, and begin a new log by `chiptrail log restart`"
        if missing := [str(file) for file in files if not file.exists()]:
            cure = CURE.format(" and ".join(missing))
    except TreeDamaged as error:
        reason, cure = str(error), "chiptrail rebuild"
    if reason:
        click.echo(f"log         no checkpoint will be signed. {reason}\nThe cure: {cure}", err=True)


def finish(settings: Settings) -> None:
    """After the workers have ended, give leaves their indexes, and sign a last checkpoint.

    If another machine signs, this machine signs nothing. The checkpoint covers each command that the workers
    acknowledged, unless so many leaves wait for an index that two seconds are too short. A failure is only printed:
    after the next start, a checkpoint covers the events that this checkpoint lacks. If the database does not answer,
    the function returns after five seconds.
    """
    last_round = Thread(target=_last_round, args=(settings,), name="last-round", daemon=True)
    last_round.start()
    last_round.join(_LONGEST_SECONDS)
    if last_round.is_alive():
        click.echo(f"{_UNSIGNED} The database does not answer.", err=True)


def _last_round(settings: Settings) -> None:
    engine = make_engine(settings.database_url, Limits(lock_seconds=_LAST_SECONDS, statement_seconds=_LAST_SECONDS))
    try:
        signer = None if settings.log_vkey else log_signer.load(settings.log_key_file, settings.log_head_file)
        LogKeeper(engine, signer, Clock()).finish(_LAST_SECONDS)
    except Exception as error:  # noqa: BLE001  # The server has stopped; no error may hide this.
        why = str(error) if isinstance(error, OWN_ERRORS) else type(error).__name__
        click.echo(f"{_UNSIGNED} {why}", err=True)
    finally:
        engine.dispose()


def load_or_make(engine: Engine, settings: Settings, entropy: Entropy) -> LogSigner:
    """Return the signer, after checking its files; make the files only if nothing was signed in this database yet.

    Raises:
        CommandFailed: a file is missing or can't be used, or the log key is not the key of this database's log.
    """
    key_file, head_file = settings.log_key_file, settings.log_head_file
    with reading(engine) as connection:
        is_signed = published.has_checkpoint(connection)
    if is_signed and not key_file.exists():
        why = f"The database has signed checkpoints of its log, and the log key {key_file} is gone."
        raise CommandFailed(ExitCode.FAILED, why, CURE.format(f"{key_file} and {head_file.name}"))
    try:
        signer = log_signer.load_or_make(key_file, head_file, entropy)
        signer.last()
    except KeyFileError as error:
        raise CommandFailed(
            ExitCode.FAILED, str(error), "" if "The cure:" in str(error) else _cure(key_file)
        ) from error
    except HeadFileError as error:
        raise CommandFailed(ExitCode.FAILED, str(error), _cure(head_file)) from error
    with reading(engine) as connection:
        if not published.is_known(connection, signer.key.origin):
            known = " or ".join(published.origins(connection))
            why = f"The log key {key_file} belongs to the log {signer.key.origin}, and the database to the log {known}."
            raise CommandFailed(ExitCode.FAILED, why, _cure(key_file))
    return signer


def public_key(settings: Settings) -> VerifierKey:
    """Return the public key of the log.

    Raises:
        KeyFileError: the log key can't be read.
        CommandFailed: another machine signs, and the public log key in the settings is not valid.
    """
    if not settings.log_vkey:
        return log_key.load(settings.log_key_file).public
    try:
        return log_key.parse_public(settings.log_vkey)
    except NoteMustBeGenuine as error:
        cure = "name the key that `chiptrail sign --vkey` prints by --log-vkey or CHIPTRAIL_LOG_VKEY"
        raise CommandFailed(ExitCode.WRONG_USE, f"The public log key can't be used. {error}", cure) from error


def fault(engine: Engine, settings: Settings) -> str:
    """Return why the signer can't continue the log of the database; "": it can.

    Raises:
        TreeDamaged: the head or a tile of the tree is missing.
    """
    try:
        signer = log_signer.load(settings.log_key_file, settings.log_head_file)
        last = signer.last()
        with reading(engine) as connection:
            if not published.is_known(connection, signer.key.origin):
                return f"The database has no checkpoint of the log key's origin {signer.key.origin}."
            published.continuation(connection, signer.key.public, last)
    except (KeyFileError, HeadFileError, TreeMustContinue) as error:
        return str(error)
    return ""


def origin(settings: Settings) -> str:
    """Return the name of the log, which is in its public key; "": the settings have no key that can be read."""
    try:
        return public_key(settings).name
    except (KeyFileError, CommandFailed):
        return ""


def last_checkpoint(connection: Connection, settings: Settings) -> str:
    """Return the last checkpoint as a signed note: the signer's, or else the newest stored checkpoint; "": none."""
    try:
        signer = log_signer.load(settings.log_key_file, settings.log_head_file)
        if signer.last().size:
            return settings.log_head_file.read_text()
    except (KeyFileError, HeadFileError):
        pass
    return newest_recorded(connection)


def newest_recorded(connection: Connection) -> str:
    """Return, as a signed note, the newest stored checkpoint of the newest log that has a checkpoint; "": none."""
    origins = [event.origin for event in stream_events.identities(connection) if isinstance(event, LogOpened)]
    for origin in (*reversed(origins), *published.origins(connection)):
        if note := published.newest(connection, origin):
            return note
    return ""


def evidence(settings: Settings, files: Iterable[Path] = ()) -> LogEvidence:
    """Return the evidence for `verify`: the log's key, the signer's last checkpoint, and the checkpoints in *files*.

    Raises:
        CommandFailed: one of *files* can't be read or has no checkpoint that the log key signed; or there are *files*,
            but the log key can't be read; or another machine signs, and the public log key is not valid.
    """
    problems: list[str] = []
    known = []
    key: VerifierKey | None = None
    try:
        key = public_key(settings)
        if not settings.log_vkey:
            signer = log_signer.load(settings.log_key_file, settings.log_head_file)
            known.append(("the signer's last checkpoint", signer.last()))
    except (KeyFileError, HeadFileError) as error:
        problems.append(str(error))
    for file in files:
        if key is None:
            why = f"The signature in {file} can't be checked. {problems[0]}"
            raise CommandFailed(ExitCode.FAILED, why, f"copy {settings.log_key_file} from its backup")
        try:
            known.append((str(file), checkpoint.opened(file.read_bytes(), key)[0]))
        except NoteMustBeGenuine as error:
            raise _not_of_this_log(file, key, error) from error
        except OSError as error:
            raise CommandFailed(ExitCode.FAILED, f"{file} can't be read: {error.strerror}.") from error
    return LogEvidence(key=key, checkpoints=tuple(known), problems=tuple(problems))


def _not_of_this_log(file: Path, key: VerifierKey, error: NoteMustBeGenuine) -> CommandFailed:
    cure = "name a file with a checkpoint that this log key signed"
    if (origin := origin_in(file)) not in {"", key.name}:
        why = f"{file} has no checkpoint of this log, {key.name}: it names the log {origin}, which can't be compared."
        cure += f"; if `chiptrail log restart` began this log after it, name by --head {OF_HEADS} from before"
        return CommandFailed(ExitCode.FAILED, why, cure)
    return CommandFailed(ExitCode.FAILED, f"{file} has no checkpoint of this log. {error}", cure)


def origin_in(file: Path) -> str:
    """Return the log that the checkpoint in *file* names, whoever signed it; "": no checkpoint can be read."""
    with suppress(NoteMustBeGenuine, OSError), file.open("rb") as opened:
        return checkpoint.parsed(signed_note.parse(opened.read(signed_note.MOST_BYTES + 1))).origin
    return ""


def _cure(file: Path) -> str:
    return CURE.format(file)
