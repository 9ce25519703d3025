"""`chiptrail dossier`: writes a file that proves a hand or a table, and that anybody can check offline."""

# DECISIONS 104

import re
from hashlib import sha256
from pathlib import Path

import click
from sqlalchemy import Engine

from service import deck
from service.cli.support import flags, log_files, open_database
from service.cli.support.exit_codes import CommandFailed, ExitCode, command_line
from service.cli.verify import stream_of
from service.database.engines import reading
from service.dossier import archive, dossier_writer, extent
from service.dossier.dossier_writer import LogKeys, Logs, Viewer
from service.entropy import Entropy
from service.games.table_state import seat_of
from service.projections.swap_guard import retry_after_swap
from service.settings import Settings
from service.tables.cache import TableCache
from service.tables.fold import TableAt
from service.tables.sealed_store import SealedStore, TableUnsealer
from service.transparency.signed_note import NoteMustBeGenuine
from service.transparency.witnesses import witness_client


@click.command()
@flags.with_settings
@click.argument("table", metavar="tbl_…")
@click.option("--hand", "number", type=click.IntRange(1, 2**31 - 1), help="Only this hand. Default: the whole table.")
@click.option(
    "--for",
    "viewer",
    metavar="OWNER|SEAT",
    help="The file also has the cards and sealed values of this player: an owner's id, or a seat such as seat:2. "
    "Default: only what everybody may see.",
)
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("dossier.zip"),
    show_default=True,
    metavar="FILE",
    help="The file to write. A file that exists is not overwritten.",
)
@click.pass_context
def dossier(  # noqa: PLR0913 -- each option is a parameter
    ctx: click.Context, settings: Settings, *, table: str, number: int | None, viewer: str | None, output: Path
) -> None:
    """Write a file that proves a hand, or a whole table, to one viewer.

    Anybody can check the file without a network: `python3 verify.py FILE` needs only Python, and
    `chiptrail verify --dossier FILE` decides every decision again as well. The file has the table's events from the
    first to the last that the hand needs, the values that the viewer may read, and the proof that the signed log has
    these events.
    """
    witnesses = tuple(witness.key for witness in witness_client.parse_all(settings.witnesses))
    with open_database.check_and_open(settings) as engine:
        keys = LogKeys(log_files.public_key(settings), witnesses)
        try:
            data = _made(engine, settings, stream_of(table), number or 0, viewer or "", keys)
        except (archive.DossierFlaw, NoteMustBeGenuine) as error:
            why = f"No file was written, because the dossier would be refused. {error}"
            raise CommandFailed(ExitCode.FAILED, why, command_line(ctx, "verify")) from error
        except dossier_writer.NoSuchHand as error:
            raise CommandFailed(ExitCode.FAILED, f"Table {table} has no hand {number}.") from error
        except extent.NotCovered as error:
            why = "No checkpoint of this log covers the events yet, or the table was imported from another log."
            raise CommandFailed(ExitCode.FAILED, why, "run `chiptrail serve`, which signs checkpoints") from error
        except archive.DossierTooLarge as error:
            why = f"The dossier would have more than {archive.MOST_BYTES:,} bytes."
            raise CommandFailed(ExitCode.FAILED, why, "export the table: `chiptrail export --openings`") from error
    try:
        with output.open("xb") as opened:
            opened.write(data)
    except FileExistsError as error:
        why = f"{output} exists already; it is not overwritten."
        raise CommandFailed(ExitCode.FAILED, why, "name another file by --output") from error
    except OSError as error:
        raise CommandFailed(ExitCode.FAILED, f"{output} can't be written: {error.strerror}.") from error
    click.echo(f"{output}  {len(data):,} bytes, SHA-256 {sha256(data).hexdigest()}")


@retry_after_swap
def _made(  # noqa: PLR0913 -- the database, and what the file is about
    engine: Engine, settings: Settings, stream_id: bytes, number: int, viewer: str, keys: LogKeys
) -> bytes:
    desk, log = open_database.open_desk(engine, settings, Entropy())
    with reading(engine) as connection:
        table_at = TableCache(log).current(connection, stream_id)
        if table_at is None:
            raise CommandFailed(ExitCode.FAILED, f"There is no table tbl_{stream_id.hex()}.")
        if table_at.broken_at:
            log.quarantine.require_sound(stream_id)
        unsealer = TableUnsealer(SealedStore(log, deck.shuffle), lambda: connection, table_at)
        seat = _seat(table_at, viewer)
        reader = Viewer(seat, unsealer, table_at.state.players.get(seat, ""))
        return dossier_writer.write(connection, Logs(log, desk.log), table_at, number, reader, keys)


def _seat(table_at: TableAt, viewer: str) -> int:
    """Return the seat of *viewer*, an owner's id or `seat:<n>`; 0: *viewer* is empty.

    Raises:
        CommandFailed: no player has this seat, or this owner has no seat at the table.
    """
    found = re.fullmatch("seat:([1-9][0-9]?)", viewer, re.ASCII)
    seat = int(found[1]) if found else seat_of(table_at.state, viewer)
    if viewer and seat not in table_at.state.players:
        why = f"No player has {viewer} of the table." if found else f"{viewer} has no seat at the table."
        raise CommandFailed(ExitCode.FAILED, why, "name a player's id, or the seat of a player, such as seat:2")
    return seat
