"""The end of a command: its exit code; for a failure, also its message and its cure (DECISIONS 89)."""

import os
import shlex
import shutil
import sys
from collections.abc import Callable
from enum import IntEnum
from pathlib import Path
from typing import Final

import click
from sqlalchemy.exc import DBAPIError

from service.client.client_errors import ClientMisused, KeptFileError, LogContradiction, Problem, ServerGone
from service.database import errors
from service.database.durability import UnsafeDatabase
from service.database.errors import Fault
from service.database.exclusive import WorkUnderWay
from service.database.schema_check import NoDatabase, SchemaNotAtHead
from service.database.write_lock import WriteLockNotAcquired
from service.play.imported_erasure import ErasureNeedsOneNode
from service.projections.swap_guard import ProjectionsWereSwapped
from service.secrets.key_check import OtherServiceKey
from service.secrets.keyring import KeyFileError
from service.settings import SettingsError
from service.transparency.log_signer import HeadFileError

_MODULE: Final = "__main__.py"
"""The file that `python -m service.cli` runs; a user can't run this file by its name alone."""
_INSUFFICIENT_PRIVILEGE: Final = "42501"


class ExitCode(IntEnum):
    """The exit codes of every command."""

    DONE = 0
    FAILED = 1
    WRONG_USE = 2
    VERIFICATION_FAILED = 3
    NO_DATABASE = 4
    SCHEMA_NOT_AT_HEAD = 5


class CommandFailed(Exception):
    """A command failed: *message* is the reason, and *cure* is a command or advice that helps ("": none is known)."""

    def __init__(self, code: ExitCode, message: str, cure: str = "") -> None:
        super().__init__(f"{message}\nThe cure: {cure}" if cure else message)
        self.code = code


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
        case WorkUnderWay():
            return CommandFailed(ExitCode.FAILED, f"{error}; this command changed nothing.")
        case DBAPIError() if errors.classify(error) is Fault.UNREACHABLE:
            return CommandFailed(ExitCode.NO_DATABASE, f"The database can't be reached: {error.orig}")
        case DBAPIError() if getattr(error.orig, "sqlstate", "") == _INSUFFICIENT_PRIVILEGE:
            return CommandFailed(
                ExitCode.FAILED,
                f"The database role lacks a right: {error.orig}",
                "run the command as the role that owns the tables; if it is the role of the server that lacks a right,"
                " run `chiptrail migrate --grant-to ROLE` as the owner",
            )
        case DBAPIError() if errors.classify(error) is not Fault.BUSY:
            raise error
        case _:
            return CommandFailed(ExitCode.FAILED, str(error))


def command_line(ctx: click.Context, command: str) -> str:
    """Return the command line of *command* ("log restart"), with the running command's flags that name its database."""
    given: dict[str, str] = ctx.find_root().obj or {}
    return shlex.join([program_name(), *command.split(), *(part for flag in given.items() for part in flag)])


def program_name() -> str:
    """Return "chiptrail" if a user runs this program by that name or as a module; otherwise return its path."""
    called = Path(sys.argv[0])
    if called.name == _MODULE or shutil.which("chiptrail") in {str(called), str(called.absolute())}:
        return "chiptrail"
    try:
        return str(called.absolute().relative_to(Path.cwd()))
    except ValueError:
        return str(called)
