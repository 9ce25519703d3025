"""`chiptrail export`: writes the leaves of the log byte for byte, or journals, sheets and hand histories."""

# DECISIONS 64 and 116

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

import click
from sqlalchemy import Engine

from service import deck
from service.cli.support import flags, log_files, open_database
from service.cli.support.exit_codes import CommandFailed, ExitCode
from service.cli.verify import stream_of
from service.entropy import Entropy
from service.event_store.store import Log
from service.exchange import exported_streams, exporting, new_files
from service.exchange.exported_streams import CannotExport
from service.exchange.new_files import CannotWriteFile
from service.exports import writers
from service.exports.export_parts import FORMS, SHEETS, Form, Selection, Sheet
from service.exports.export_writing import ExportWriting
from service.exports.hand_reading import HandReader
from service.settings import Settings
from service.tables.cache import TableCache
from service.tables.sealed_store import SealedStore

_NAMED: Final = 10  # the message names at most this many broken streams; the end of the file names all of them
_PAGE: Final = 1_000
_LEAVES: Final = "ndjson"
_OWNER: Final = re.compile("own_[0-9a-f]{32}", re.ASCII)


@click.command()
@flags.with_settings
@click.option(
    "--format",
    "form",
    type=click.Choice((_LEAVES, *FORMS)),
    default=_LEAVES,
    show_default=True,
    help="ndjson: the leaves of the log. hledger: a journal. text: each ended hand, to read. csv: for spreadsheets.",
)
@click.option("--table", metavar="tbl_…", help="Export only this table and its disputes.")
@click.option("--owner", metavar="own_…", help="Only tables at which this owner has or had a seat. Not with ndjson.")
@click.option(
    "--from", "since", type=flags.Moment(), metavar="TIME", help="Only what happened at TIME or later. Not with ndjson."
)
@click.option(
    "--to", "until", type=flags.Moment(), metavar="TIME", help="Only what happened before TIME. Not with ndjson."
)
@click.option(
    "--sheet",
    type=click.Choice(SHEETS),
    help="The rows of csv: transfers (the default), statements of all accounts, or the seats of each ended hand.",
)
@click.option(
    "--openings",
    is_flag=True,
    help="Add to each leaf its hash and the sealed fields that its event opens to everybody. Only with ndjson.",
)
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="The file to write, which appears when it is complete; no file is overwritten. Default: standard output.",
)
def export(  # noqa: PLR0913 -- each option is a parameter
    settings: Settings,
    *,
    form: str,
    table: str | None,
    owner: str | None,
    since: str | None,
    until: str | None,
    sheet: Sheet | None,
    openings: bool,
    output: Path | None,
) -> None:
    """Write the leaves of the log, or files for other programs and people, to standard output.

    With --format ndjson, each line between the first and the last is one leaf, byte for byte as it was hashed. The file
    has one table after the other: first the leaves of the table in the order of its stream, then the leaves of its
    disputes. The file has no secret keys and no values of sealed fields. With --openings each line is an event as the
    events endpoint returns it to a spectator, with the sealed fields that the event opens to everybody; an audit needs
    nothing else.

    With --format hledger, each transfer is a transaction, tagged with its rule, ruling, time, hand and position, and
    every balance is asserted: `hledger check --strict` accepts the file. With --format text, the file has each hand
    that ended, as everybody may see it; with --format csv, rows with the units in the header. With --owner, text and
    csv have only the owner's hands and rows; a journal must balance, so it has all transfers of the owner's tables.

    The tables are read one after the other, so the file is no snapshot. The end of the file says whether it is whole.
    The command writes a damaged table up to the damage, and goes on with the others; the exit code is then 3.
    """
    selected = Selection(owner=_owner(owner), since=since or "", until=until or "")
    _must_fit(form, selected, sheet, openings=openings)
    stream_id = stream_of(table) if table else None
    with open_database.check_and_open(settings) as engine, _opened(output) as file:
        log, _ = open_database.open_log(engine, settings, Entropy())
        try:
            if form == _LEAVES:
                begin = exporting.begin("openings" if openings else "leaves", log_files.origin(settings))
                end = exporting.write_export(file, engine, log, begin, stream_id=stream_id)
                broken = [f"{one.stream} at position {one.position} ({one.why})" for one in end.broken]
            else:
                wanted = next(one for one in FORMS if one == form)
                broken = _write(file, engine, log, stream_id, wanted, sheet or "transfers", selected)
        except CannotExport as error:
            raise CommandFailed(ExitCode.FAILED, str(error)) from error
    if broken:
        more = f", and {len(broken) - _NAMED:,} more" if len(broken) > _NAMED else ""
        raise CommandFailed(
            ExitCode.VERIFICATION_FAILED,
            f"These tables are damaged, and were written only up to the damage: {', '.join(broken[:_NAMED])}{more}.",
            "run chiptrail verify, which lists the damage",
        )


def _owner(owner: str | None) -> str:
    if owner and not _OWNER.fullmatch(owner):
        raise click.BadParameter("an owner's id is own_ and 32 digits of 0-9 and a-f", param_hint="--owner")
    return owner or ""


def _must_fit(form: str, selected: Selection, sheet: str | None, *, openings: bool) -> None:
    """Check that the options belong to the format, and that the chosen span of time is not empty.

    Raises:
        UsageError: an option does not belong to the format, or the span of time is empty.
    """
    if form == _LEAVES and selected != Selection():
        raise click.UsageError("--owner, --from and --to need --format hledger, text or csv.")
    if not selected.has_time:
        raise click.UsageError("--to must be later than --from.")
    if form != _LEAVES and openings:
        raise click.UsageError("--openings needs --format ndjson.")
    if form != "csv" and sheet:
        raise click.UsageError("--sheet needs --format csv.")


@contextmanager
def _opened(output: Path | None) -> Iterator[BinaryIO]:
    """Yield the file to write: *output*, or standard output.

    Raises:
        CommandFailed: *output* exists already, or the file can't be written.
        OSError: the reader of standard output closed the pipe, or the `with` block can't read or write another file.
    """
    if output is None:
        try:
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        except OSError as error:
            if error.filename is not None or isinstance(error, BrokenPipeError):
                raise  # Another file caused the error, or the reader closed the pipe: neither is the fault below.
            raise CommandFailed(ExitCode.FAILED, f"Standard output can't be written: {error.strerror}.") from error
        return
    cure = "name another file by --output"
    if output.exists():
        raise CommandFailed(ExitCode.FAILED, f"{output} exists already; it is not overwritten.", cure)
    try:
        with new_files.new_file(output.absolute()) as part, part.open("wb") as opened:
            yield opened
            opened.flush()
    except CannotWriteFile as error:
        raise CommandFailed(ExitCode.FAILED, str(error), cure) from error


def _write(  # noqa: PLR0913 -- where to write, and what
    file: BinaryIO,
    engine: Engine,
    log: Log,
    stream_id: bytes | None,
    form: Form,
    sheet: Sheet,
    selected: Selection,
) -> list[str]:
    """Write a journal, a sheet or hand histories; return the damaged tables, each with the reason."""
    tables = [exported_streams.of_table(engine, stream_id)] if stream_id else exported_streams.every(engine)
    reader = HandReader(engine, log, TableCache(log), SealedStore(log, deck.shuffle), lambda _: 0)
    writing = ExportWriting(engine, log, selected, writers.writer(form, sheet, selected, reader), _PAGE)
    file.writelines(part.data for part in writing.parts(tables))
    return [f"{one.table} at position {one.position} ({one.why})" for one in writing.damaged]
