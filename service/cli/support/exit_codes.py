"""The end of a command: its exit code; for a failure, also its message and its cure (DECISIONS 89)."""

import shlex
import shutil
import sys
from enum import IntEnum
from pathlib import Path
from typing import Final

import click

_MODULE: Final = "__main__.py"
"""The file that `python -m service.cli` runs; a user can't run this file by its name alone."""


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
