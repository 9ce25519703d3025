"""`chiptrail rebuild`: build every projection anew from the log, and swap them in."""

import os

import click

from service.cli import flags, opening, screen
from service.cli.endings import Code, Ended
from service.entropy import Entropy
from service.event_store.quarantine import StreamCorrupted
from service.projections.rebuild import projection_rebuild as projections
from service.settings import Settings
from service.tables.replay import CannotFollow


@click.command()
@flags.with_settings
@flags.processes
def rebuild(settings: Settings, *, processes: int | None) -> None:
    """Build every projection anew from the log, beside those in use, and swap them in; servers may go on meanwhile."""
    entropy = Entropy()
    with opening.opened(settings) as engine, screen.progress("events") as bar:
        log, _ = opening.log(engine, settings, entropy)
        try:
            rebuilt = projections.rebuild(
                engine,
                log,
                entropy,
                bar,
                processes=processes or os.cpu_count() or 1,
                least=1 if processes else projections.WORTH_SHARING,
            )
        except projections.RebuildOvertaken as error:
            raise Ended(Code.FAILED, "Another rebuild has begun since; nothing was changed by this one.") from error
        except projections.NoQuietMoment as error:
            raise Ended(
                Code.FAILED, "Somebody always held a projection; nothing was changed. Try again later."
            ) from error
        except (CannotFollow, StreamCorrupted) as error:
            raise Ended(Code.FAILED, f"The log can't be followed: {error}. `chiptrail verify` says more.") from error
    click.echo(f"{rebuilt.streams:,} tables rebuilt from {rebuilt.events:,} events")
