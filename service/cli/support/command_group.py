"""The group of all commands; imports a command's module only when the command is looked up (DECISIONS 89, 143)."""

import gc
from functools import partial
from importlib import import_module
from typing import Final

import click

from service import notices
from service.cli.support import exit_codes
from service.clock import Clock

COMMANDS: Final = {
    "archive": lambda: import_module("service.cli.archive"),
    "audit": lambda: import_module("service.cli.audit"),
    "backup": lambda: import_module("service.cli.backup"),
    "balances": lambda: import_module("service.cli.balances"),
    "bench": lambda: import_module("service.cli.bench"),
    "completion": lambda: import_module("service.cli.completion"),
    "demo": lambda: import_module("service.cli.demo"),
    "dossier": lambda: import_module("service.cli.dossier"),
    "disputes": lambda: import_module("service.cli.disputes"),
    "doctor": lambda: import_module("service.cli.doctor"),
    "erase": lambda: import_module("service.cli.erase"),
    "export": lambda: import_module("service.cli.export"),
    "hand": lambda: import_module("service.cli.hand"),
    "import": lambda: import_module("service.cli.import_"),  # `import` is a keyword
    "key": lambda: import_module("service.cli.key"),
    "keys": lambda: import_module("service.cli.keys"),
    "log": lambda: import_module("service.cli.log"),
    "migrate": lambda: import_module("service.cli.migrate"),
    "play": lambda: import_module("service.cli.play"),
    "rebuild": lambda: import_module("service.cli.rebuild"),
    "restore": lambda: import_module("service.cli.restore"),
    "serve": lambda: import_module("service.cli.serve"),
    "sign": lambda: import_module("service.cli.sign"),
    "verify": lambda: import_module("service.cli.verify"),
    "witness": lambda: import_module("service.cli.witness"),
}
"""For each command, a function that imports its module; in the module, the command has the name of the module."""


class CommandGroup(click.Group):
    """The group of all commands; prints the failure of a command and exits with the failure's code.

    If each command and each worker of a server imported all modules, every start would take a quarter longer.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 -- click hands in *ctx*
        """Return the names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 -- as above
        """Return the command *cmd_name*; None: there is no such command."""
        if cmd_name not in COMMANDS:
            return None
        gc.disable()  # imported objects stay: looking for garbage would take a tenth of the import's time
        module = COMMANDS[cmd_name]()
        gc.freeze()  # otherwise Python would search all imported objects again when the process ends
        gc.enable()
        command: click.Command = getattr(module, module.__name__.rpartition(".")[2])
        return command

    def invoke(self, ctx: click.Context) -> object:
        """Run the command that the arguments name."""
        notices.to_standard_error(Clock())
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except exit_codes.CommandFailed as error:
            failure = error
        except Exception as error:
            from service.cli.support import command_failures  # noqa: PLC0415 -- the module imports much of the service

            if not isinstance(error, command_failures.FAILURES):
                raise
            failure = command_failures.failure(error, partial(exit_codes.command_line, ctx))
        click.echo(f"chiptrail: {failure}", err=True)
        raise click.exceptions.Exit(failure.code)
