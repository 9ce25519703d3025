"""`chiptrail completion`: prints the script with which a shell completes commands and flags."""

from typing import Final

import click
from click.shell_completion import get_completion_class

_VARIABLE: Final = "_CHIPTRAIL_COMPLETE"


@click.command()
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the script with which SHELL completes commands and flags.

    \b
    Put one line into the shell's start-up file:
      bash  eval "$(chiptrail completion bash)"
      zsh   eval "$(chiptrail completion zsh)"
      fish  chiptrail completion fish | source
    """  # noqa: D301 -- click does not wrap a paragraph that begins with the character \b
    kind = get_completion_class(shell)
    assert kind is not None  # noqa: S101 -- mypy needs this; click has a class for each of the three shells
    click.echo(kind(ctx.find_root().command, {}, "chiptrail", _VARIABLE).source())
