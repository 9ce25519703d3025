"""`chiptrail rebuild`: builds new projections from the log, and replaces the present projections (DECISIONS 66)."""

import os

import click
from sqlalchemy import Engine

from service.cli.support import flags, open_database, output
from service.cli.support.exit_codes import CommandFailed, ExitCode
from service.disputes import dispute_rebuild
from service.entropy import Entropy
from service.event_store.quarantine import StreamCorrupted
from service.event_store.store import Log
from service.projections.rebuild import projection_rebuild
from service.projections.rebuild.projection_rebuild import Progress, Rebuilt
from service.service_log import key_rebuild
from service.settings import Settings
from service.tables.replay import CannotReplay
from service.transparency import tile_rebuild
from service.transparency.tree import TreeDamaged


@click.command()
@flags.with_settings
@flags.processes
def rebuild(settings: Settings, *, processes: int | None) -> None:
    """Rebuild from the log: all projections, the tiles of the tree, the API keys, and the list of disputes.

    The command builds new projections beside the projections in use, then replaces the old projections by the new
    projections. Servers may run meanwhile. The tiles are computed from the indexes of the leaves. The command compares
    the API keys with the service's own stream, corrects keys that are missing or wrong, and removes keys that the
    stream does not record. Labels are not in the stream: each key keeps its label, and a key whose row was lost gets
    no label. The command corrects the list of disputes according to the streams of disputes.
    """
    entropy = Entropy()
    with open_database.check_and_open(settings) as engine, output.progress_bar("events") as bar:
        log, _ = open_database.open_log(engine, settings, entropy)
        rebuilt = _rebuild_projections(engine, log, entropy, bar, processes)
        try:
            tiles = tile_rebuild.rebuild_tiles(engine)
        except TreeDamaged as error:
            why = f"The projections are rebuilt, but not the tiles of the tree. {error}"
            raise CommandFailed(ExitCode.FAILED, f"{why} `chiptrail verify` reports the fault.") from error
        try:
            keys = key_rebuild.rebuild_keys(engine, open_database.open_service_log(engine, settings, entropy))
        except StreamCorrupted as error:
            why = f"The projections and the tiles are rebuilt, but not the API keys: {error}."
            raise CommandFailed(ExitCode.FAILED, f"{why} `chiptrail verify` reports the fault.") from error
        try:
            desk, _ = open_database.open_desk(engine, settings, entropy)
            rows = dispute_rebuild.rebuild_rows(engine, desk.log)
        except StreamCorrupted as error:
            why = f"Everything except the list of disputes is rebuilt: {error}."
            raise CommandFailed(ExitCode.FAILED, f"{why} `chiptrail verify` reports the fault.") from error
    click.echo(f"{rebuilt.streams:,} tables rebuilt from {rebuilt.events:,} events")
    click.echo(f"{tiles:,} tiles of the tree were missing or wrong")
    click.echo(f"{rows:,} rows of the list of disputes were missing or wrong")
    click.echo(f"{keys.restored:,} API keys were missing or wrong, {keys.removed:,} were not on record")
    if keys.restored or keys.removed:
        click.echo("Restart every server of this database: a server may still have the old keys in memory", err=True)


def _rebuild_projections(
    engine: Engine, log: Log, entropy: Entropy, progress: Progress, processes: int | None
) -> Rebuilt:
    try:
        return projection_rebuild.rebuild(
            engine,
            log,
            entropy,
            progress,
            processes=processes or os.cpu_count() or 1,
            least=1 if processes else projection_rebuild.MIN_EVENTS_FOR_PROCESSES,
        )
    except projection_rebuild.RebuildOvertaken as error:
        raise CommandFailed(
            ExitCode.FAILED, "Another rebuild began after this one; this rebuild changed no projection."
        ) from error
    except projection_rebuild.NoQuietMoment as error:
        raise CommandFailed(
            ExitCode.FAILED, "Another process kept a projection locked, so nothing was changed. Try again later."
        ) from error
    except (CannotReplay, StreamCorrupted) as error:
        raise CommandFailed(
            ExitCode.FAILED, f"The log can't be replayed: {error}. `chiptrail verify` reports the fault."
        ) from error
