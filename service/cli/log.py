"""`chiptrail log`: prints the public keys and the service's own stream, and begins a new log (DECISIONS 98)."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import click
import msgspec
from sqlalchemy import Connection, Engine, func, select

from service.cli import verify
from service.cli.reports import own_stream
from service.cli.reports.own_stream import ServiceEvents
from service.cli.support import flags, log_files, open_database
from service.cli.support.exit_codes import CommandFailed, ExitCode
from service.database.engines import administering, reading
from service.database.exclusive import LOG_RESTART, SERVER, WorkUnderWay, without_servers
from service.entropy import Entropy
from service.event_store.entries import stream_name
from service.event_store.export_format import StreamHead
from service.event_store.log_tables import streams
from service.secrets import receipts
from service.service_log.service_events import StreamShortened
from service.settings import Settings
from service.transparency import log_signer, published, tile_rebuild
from service.transparency.log_signer import LogSigner
from service.transparency.sequencer import Sequencer
from service.transparency.tree import TreeDamaged
from service.transparency.tree_tables import leaf_indexes

_NOTICE = """\
Clients, auditors and witnesses notice the new origin: no proof leads from a checkpoint of the old log to the new log.
Give them the new key, say why the old log ended, and keep the renamed files and every checkpoint of the old log."""


@click.group()
def log() -> None:
    """Print the public keys, print the service's own stream, or begin a new log."""


@log.command()
@flags.with_settings
@flags.as_json
def key(settings: Settings, *, as_json: bool) -> None:
    """Print the log's origin, and the public keys that verify its checkpoints and the service's receipts."""
    with open_database.check_and_open(settings) as engine:
        of_log = log_files.public_key(settings)
        receipt_key = receipts.public_key(open_database.load_service_key(engine, settings, Entropy()))
    names = {"origin": of_log.name, "vkey": str(of_log), "receipt_key": receipt_key}
    if as_json:
        click.echo(msgspec.json.encode(names))
        return
    for name, value in names.items():
        click.echo(f"{name:<13}{value}")


@log.command()
@flags.with_settings
@flags.as_json
@click.option(
    "--after",
    type=click.IntRange(0, 2**31 - 1),
    default=0,
    metavar="POSITION",
    help="Only events at later positions. Default: all events.",
)
@click.option("--limit", type=click.IntRange(min=1), help="The maximum number of events. Default: all events.")
def events(settings: Settings, *, after: int, limit: int | None, as_json: bool) -> None:
    """Print the service's own stream: API keys, imports, erasures in imported tables, archives, releases and more.

    The stream also records each new log, and each new service key and key for receipts. Each line has an event: its
    position, its time, its type and its members. With --json each line between the first and the last is a leaf, byte
    for byte as it was hashed; the last line has the position and the hash of the last leaf, and says whether an event
    is damaged. If an event is damaged, the command prints the events before it; the exit code is then 3.
    """
    with open_database.check_and_open(settings) as engine:
        of_service = open_database.open_service_log(engine, settings, Entropy()).log
        found = ServiceEvents(engine, of_service, after, limit)
        if as_json:
            own_stream.write_lines(found, log_files.origin(settings))
        else:
            own_stream.write_list(found)
    if found.broken:
        why = f"{found.broken.stream} is damaged at position {found.broken.position}: {found.broken.why}."
        raise CommandFailed(ExitCode.VERIFICATION_FAILED, why, "run chiptrail verify, which lists the damage")


@log.command()
@flags.with_settings
@click.option("--yes", is_flag=True, help="Begin a new log although the present log could go on.")
@click.option(
    "--head",
    "head_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="The .head file of a backup, or an export, that is newer than the database. The service's own stream records "
    "each stream that is shorter than in FILE.",
)
def restart(settings: Settings, *, yes: bool, head_file: Path | None) -> None:
    """Begin a new log, with a new key and a new origin, for example after the restore of an older database.

    The command renames the files of the old log key and of its last checkpoint, makes new files, and signs the first
    checkpoint of the new log. The service's own stream records the new origin, the last checkpoint of the old log, and
    each stream that ends before its last leaf with an index or before its position in FILE. Stop the server first.
    """
    if settings.log_vkey:
        cure = "make a new log key there, start the server with its --log-vkey, and run `chiptrail sign --begin`"
        raise CommandFailed(ExitCode.FAILED, "Another machine signs this log; nothing was changed.", cure)
    heads = verify.heads_in(head_file) if head_file else ()
    with open_database.check_and_open(settings) as engine:
        try:
            with without_servers(engine, LOG_RESTART):
                tile_rebuild.rebuild_tiles(engine)  # The new log needs every tile of the tree.
                reason = log_files.fault(engine, settings)
                if not (reason or yes):
                    why = "The present log can go on: nothing was changed."
                    raise CommandFailed(
                        ExitCode.FAILED, why, "chiptrail log restart --yes, if you want a new log anyway"
                    )
                renamed, signer = _begin(engine, settings, heads)
        except WorkUnderWay as error:
            cure = "stop every server of this database first" if error.work == SERVER else ""
            raise CommandFailed(ExitCode.FAILED, f"{error}; nothing was changed.", cure) from error
        except TreeDamaged as error:
            why = f"The tree is damaged, so nothing was changed. {error}"
            raise CommandFailed(
                ExitCode.FAILED, why, "`chiptrail verify` finds the damage; restore a backup"
            ) from error
    if reason:
        click.echo(f"The old log can't go on: {reason}", err=True)
    for path in renamed:
        click.echo(f"renamed      {path}", err=True)
    click.echo(f"new origin   {signer.key.origin}")
    click.echo(f"new vkey     {signer.key.public}")
    click.echo(_NOTICE, err=True)


def _begin(engine: Engine, settings: Settings, heads: Sequence[StreamHead]) -> tuple[Sequence[Path], LogSigner]:
    """Begin the new log; return the new names of the files of the old log, and the signer of the new log."""
    entropy = Entropy()
    with reading(engine) as connection:
        # Check this before the files change.
        open_database.open_service_log(engine, settings, entropy).require_end(connection)
        checkpoint = log_files.last_checkpoint(connection, settings)
        shortened = _shortened(connection, heads)
    renamed = log_signer.set_aside(settings.log_key_file, settings.log_head_file)
    signer = log_signer.load_or_make(settings.log_key_file, settings.log_head_file, entropy)
    service_log = open_database.open_service_log(engine, settings, entropy, signer)
    with administering(engine) as connection:
        service_log.record_restart(connection, checkpoint, shortened)
    sequencer = Sequencer(engine)
    while sequencer.round():
        pass
    published.publish(engine, signer, begins=True)
    return renamed, signer


def _shortened(connection: Connection, heads: Iterable[StreamHead]) -> list[StreamShortened]:
    """Return, sorted by name, each stream that ends before its last leaf with an index or before its head in *heads*.

    After the restore of an older database, the lost leaves have no indexes either: only *heads* can show these leaves.
    """
    reached = {stream_name(bytes(row.stream_id)): row.last for row in connection.execute(_INDEXED)}
    for head in heads:
        reached[head.stream] = max(head.position, reached.get(head.stream, 0))
    rows = connection.execute(select(streams.c.stream_id, streams.c.head))
    present = {stream_name(bytes(row.stream_id)): row.head for row in rows}
    return [
        StreamShortened(stream=name, position=present.get(name, 0), earlier=earlier)
        for name, earlier in sorted(reached.items())
        if present.get(name, 0) < earlier
    ]


_INDEXED: Final = select(leaf_indexes.c.stream_id, func.max(leaf_indexes.c.position).label("last")).group_by(
    leaf_indexes.c.stream_id
)
