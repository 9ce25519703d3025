"""The command line: each command has a file, which calls the other packages; `support` has the shared code."""

import click

from service import __version__
from service.cli.support.command_group import CommandGroup


@click.group(cls=CommandGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="chiptrail")
def main() -> None:
    """Serve card tables over REST, record every event in an append-only log, and verify the log.

    \b
    Exit codes: 0 done, 1 failed (the message says why), 2 wrong usage,
    3 verification failed, 4 no database, 5 schema of another release.
    """  # noqa: D301 -- click does not wrap a paragraph that begins with the character \b
