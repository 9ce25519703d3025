"""How a command ends: what went wrong in words, the command that cures it, and the exit code."""

import os
import shlex
import shutil
import sys
from enum import IntEnum
from pathlib import Path
from typing import Final

import click
from sqlalchemy.exc import DBAPIError

from service import notices
from service.bots.client import Problem, ServerGone
from service.database import errors
from service.database.durability import UnsafeDatabase
from service.database.errors import Fault
from service.database.exclusive import WorkUnderWay
from service.database.schema_check import NoDatabase, SchemaNotAtHead
from service.database.write_lock import WriteLockNotAcquired
from service.entropy import Entropy
from service.secrets.key_check import OtherServiceKey
from service.secrets.keyring import KeyFileError
from service.settings import SettingsError

_MODULE: Final = "__main__.py"
"""What runs by `python -m service.cli`: no command by itself."""
_INSUFFICIENT_PRIVILEGE: Final = "42501"


class Code(IntEnum):
    """The exit codes of every command."""

    DONE = 0
    FAILED = 1
    WRONG_USE = 2
    VERIFICATION_FAILED = 3
    NO_DATABASE = 4
    SCHEMA_NOT_AT_HEAD = 5


class Ended(Exception):
    """The command can't go on: *message* says why, *cure* what helps ("": nothing is known that does)."""

    def __init__(self, code: Code, message: str, cure: str = "") -> None:
        super().__init__(f"{message}\nThe cure: {cure}" if cure else message)
        self.code = code


class Chiptrail(click.Group):
    """The group of all commands, which says what went wrong below, and ends with its code."""

    def invoke(self, ctx: click.Context) -> object:
        """Run the command that was asked for."""
        notices.to_standard_error(Entropy())
        try:
            return super().invoke(ctx)
        except (Ended, SettingsError, NoDatabase, SchemaNotAtHead, DBAPIError, *_FAILURES) as error:
            ended = error if isinstance(error, Ended) else _ended(error, same_place(ctx, "migrate"))
        click.echo(f"chiptrail: {ended}", err=True)
        raise click.exceptions.Exit(ended.code)


_FAILURES = (
    KeyFileError,
    OtherServiceKey,
    UnsafeDatabase,
    WriteLockNotAcquired,
    WorkUnderWay,
    ServerGone,
    Problem,
)


def _ended(error: Exception, migrate: str) -> Ended:
    """Say how a command ends that *error* has stopped; raise it again where it is a defect."""
    match error:
        case SettingsError():
            variable = str(error).partition(" ")[0]
            return Ended(Code.WRONG_USE, str(error), f"unset {variable}" if variable in os.environ else "")
        case NoDatabase() if error.__cause__:  # somebody had to answer, and did not
            return Ended(Code.NO_DATABASE, f"{error}", "start it, or name another by --database")
        case NoDatabase():
            return Ended(Code.NO_DATABASE, f"{error}.", migrate)
        case SchemaNotAtHead():
            return Ended(Code.SCHEMA_NOT_AT_HEAD, f"{error}.", migrate)
        case WorkUnderWay():
            return Ended(Code.FAILED, f"{error}; nothing was changed by this one.")
        case DBAPIError() if errors.classify(error) is Fault.UNREACHABLE:
            return Ended(Code.NO_DATABASE, f"the database can't be reached: {error.orig}")
        case DBAPIError() if getattr(error.orig, "sqlstate", "") == _INSUFFICIENT_PRIVILEGE:
            return Ended(Code.FAILED, f"This role may not do that: {error.orig}", "do it as the database's owner")
        case DBAPIError() if errors.classify(error) is not Fault.BUSY:
            raise error
        case _:
            return Ended(Code.FAILED, str(error))


def same_place(ctx: click.Context, command: str) -> str:
    """Return the command line of *command* for the database that the running command was given."""
    given: dict[str, str] = ctx.find_root().obj or {}
    return shlex.join([program(), command, *(part for flag in given.items() for part in flag)])


def program() -> str:
    """Return how this program is called from here: by its path where the shell does not find it by its name."""
    called = Path(sys.argv[0])
    if called.name == _MODULE or shutil.which("chiptrail") in {str(called), str(called.absolute())}:
        return "chiptrail"
    try:
        return str(called.absolute().relative_to(Path.cwd()))
    except ValueError:
        return str(called)
