"""The errors that end a command with a message; only a command that failed imports this module (DECISIONS 143)."""

import os
from collections.abc import Callable
from typing import Final

from sqlalchemy.exc import DBAPIError

from service.cli.support.exit_codes import CommandFailed, ExitCode
from service.client.client_errors import ClientMisused, KeptFileError, LogContradiction, Problem, ServerGone
from service.database import errors
from service.database.durability import UnsafeDatabase
from service.database.errors import Fault
from service.database.exclusive import WorkUnderWay
from service.database.schema_check import NoDatabase, SchemaNotAtHead
from service.database.write_lock import WriteLockNotAcquired
from service.event_store.entries import place_name
from service.event_store.quarantine import StreamCorrupted
from service.play.imported_erasure import ErasureNeedsOneNode
from service.projections.swap_guard import ProjectionsWereSwapped
from service.secrets.key_check import OtherServiceKey
from service.secrets.keyring import KeyFileError
from service.settings import SettingsError
from service.transparency.log_signer import HeadFileError
from service.transparency.tree import TreeDamaged

_INSUFFICIENT_PRIVILEGE: Final = "42501"
_OF_THE_CHAIN: Final = {"events_run_on", "pk_events"}
"""The constraints that an append violates if the stream's last event or its head row is missing."""

FAILURES: Final = (
    CommandFailed,
    SettingsError,
    NoDatabase,
    SchemaNotAtHead,
    DBAPIError,
    KeyFileError,
    HeadFileError,
    OtherServiceKey,
    ProjectionsWereSwapped,
    UnsafeDatabase,
    WriteLockNotAcquired,
    WorkUnderWay,
    StreamCorrupted,
    TreeDamaged,
    ClientMisused,
    ErasureNeedsOneNode,
    ServerGone,
    Problem,
    LogContradiction,
    KeptFileError,
)
"""The errors that end a command with a message instead of a traceback."""


def failure(error: Exception, command: Callable[[str], str]) -> CommandFailed:
    """Return *error*, one of `FAILURES`, as a failure of the command; re-raise an unexpected error of the database.

    *command* returns the command line of another command on the same database.
    """
    match error:
        case CommandFailed():
            return error
        case ClientMisused():
            return CommandFailed(ExitCode.WRONG_USE, str(error))
        case SettingsError():
            variable = str(error).partition(" ")[0]
            return CommandFailed(ExitCode.WRONG_USE, str(error), f"unset {variable}" if variable in os.environ else "")
        case NoDatabase() if error.__cause__:  # the database server did not answer
            return CommandFailed(
                ExitCode.NO_DATABASE, f"{error}", "start the database server, or name another database by --database"
            )
        case NoDatabase():
            return CommandFailed(ExitCode.NO_DATABASE, f"{error}.", command("migrate"))
        case SchemaNotAtHead():
            return CommandFailed(ExitCode.SCHEMA_NOT_AT_HEAD, f"{error}.", command("migrate"))
        case OtherServiceKey():
            return CommandFailed(
                ExitCode.FAILED,
                f"{str(error)[:1].upper()}{str(error)[1:]}.",
                f"move the key file away, then {command('key restore')} BACKUP --passphrase-file FILE, with the backup"
                " of the key that is as new as the database or newer",
            )
        case LogContradiction():
            return CommandFailed(ExitCode.VERIFICATION_FAILED, str(error))
        case ProjectionsWereSwapped():
            why = "The row of projection_generation is missing, so the projections can't be read."
            return CommandFailed(ExitCode.FAILED, why, command("rebuild"))
        case StreamCorrupted() | TreeDamaged():
            return _damaged(error, command)
        case WorkUnderWay():
            return CommandFailed(ExitCode.FAILED, f"{error}; this command changed nothing.")
        case DBAPIError():
            return _of_database(error, command)
        case _:
            return CommandFailed(ExitCode.FAILED, str(error))


def _of_database(error: DBAPIError, command: Callable[[str], str]) -> CommandFailed:
    """Return *error* as a failure of the command; re-raise an unexpected error."""
    fault = errors.classify(error)
    if fault is Fault.UNREACHABLE:
        return CommandFailed(ExitCode.NO_DATABASE, f"The database can't be reached: {error.orig}")
    if getattr(error.orig, "sqlstate", "") == _INSUFFICIENT_PRIVILEGE:
        return CommandFailed(
            ExitCode.FAILED,
            f"The database role lacks a right: {error.orig}",
            "run the command as the role that owns the tables; if it is the role of the server that lacks a right,"
            " run `chiptrail migrate --grant-to ROLE` as the owner",
        )
    if errors.constraint_name(error) in _OF_THE_CHAIN:
        why = "The log is damaged: the last event or the head row of a stream is missing, so no event can follow."
        return CommandFailed(ExitCode.FAILED, why, f"{command('verify')}, which names the stream")
    if fault is not Fault.BUSY:
        raise error
    return CommandFailed(ExitCode.FAILED, str(error))


def _damaged(error: StreamCorrupted | TreeDamaged, command: Callable[[str], str]) -> CommandFailed:
    if isinstance(error, TreeDamaged):
        why, cure = (
            f"The tree of the log is damaged. {error}",
            f"{command('rebuild')}, which computes the tiles again; then {command('verify')}",
        )
        return CommandFailed(ExitCode.FAILED, why, cure)
    place = place_name(error.stream_id)
    cure = command(f"verify --table {place}" if place.startswith("tbl_") else "verify")
    why = f"The log of {place} is damaged at position {error.position}: {error.why}."
    return CommandFailed(ExitCode.FAILED, why, cure)
