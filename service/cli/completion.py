"""`chiptrail completion`: what a shell needs to complete commands and flags."""

from typing import Final

import click
from click.shell_completion import get_completion_class

_VARIABLE: Final = "_CHIPTRAIL_COMPLETE"


@click.command()
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the script that makes SHELL complete commands and flags of chiptrail.

    Bash and Zsh: eval "$(chiptrail completion bash)" in the shell's start-up file. Fish: chiptrail completion fish |
    source.
    """
    kind = get_completion_class(shell)
    assert kind is not None  # noqa: S101  # for mypy: click has these
    click.echo(kind(ctx.find_root().command, {}, "chiptrail", _VARIABLE).source())
