"""The command line: each command has a file, which calls the other packages; `support` has the shared code."""

import click

from service import __version__
from service.cli.backup import backup
from service.cli.balances import balances
from service.cli.bench import bench
from service.cli.completion import completion
from service.cli.demo import demo
from service.cli.doctor import doctor
from service.cli.erase import erase
from service.cli.export import export
from service.cli.hand import hand
from service.cli.import_ import import_
from service.cli.keys import keys
from service.cli.migrate import migrate
from service.cli.play import play
from service.cli.rebuild import rebuild
from service.cli.restore import restore
from service.cli.serve import serve
from service.cli.support.exit_codes import CommandGroup
from service.cli.verify import verify


@click.group(cls=CommandGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="chiptrail")
def main() -> None:
    """Serve card tables over REST, record every event in an append-only log, and verify the log.

    \b
    Exit codes: 0 done, 1 failed (the message says why), 2 wrong usage,
    3 verification failed, 4 no database, 5 schema of another release.
    """  # noqa: D301 -- click does not wrap a paragraph that begins with the character \b


for command in (
    backup,
    balances,
    bench,
    completion,
    demo,
    doctor,
    erase,
    export,
    hand,
    import_,
    keys,
    migrate,
    play,
    rebuild,
    restore,
    serve,
    verify,
):
    main.add_command(command)
