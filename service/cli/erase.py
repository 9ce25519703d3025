"""`chiptrail erase`: erases sealed values by place, owner or age; an event records each erasure."""

from collections.abc import Callable, Iterable
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

import click
import msgspec
from sqlalchemy import Engine

from service.cli.support import flags, open_database, output
from service.cli.support.exit_codes import ExitCode
from service.cli.verify import stream_of
from service.clock import days_before
from service.entropy import Entropy
from service.event_store.entries import is_of_disputes, place_name, stream_id_of
from service.event_store.quarantine import StreamCorrupted
from service.event_store.store import Log
from service.games.common_commands import Ground
from service.play import retention
from service.play.dispute_erasure import DisputeEraser
from service.play.imported_erasure import ImportedEraser
from service.play.retention import Eraser, ErasureOutcome, SealedValue, ValueFilter
from service.settings import Settings

_GROUNDS: tuple[Ground, ...] = ("request", "retention", "order")


@click.command()
@flags.with_settings
@flags.as_json
@click.argument("table", required=False)
@click.argument("position", type=click.IntRange(min=1), required=False)
@click.argument("field", required=False)
@click.option("--owner", metavar="own_…", help="Erase values that this owner chose, or wrote.")
@click.option(
    "--older-than",
    type=click.IntRange(0, 36_500),
    metavar="DAYS",
    help="Erase values that were sealed more than DAYS days ago.",
)
@click.option(
    "--ground",
    type=click.Choice(_GROUNDS),
    help="The recorded reason. Default: retention for --older-than alone, else request.",
)
@click.option("--dry-run", is_flag=True, help="Only list the values that would be erased.")
@click.pass_context
def erase(  # noqa: PLR0913 -- each flag is a parameter
    ctx: click.Context,
    settings: Settings,
    *,
    table: str | None,
    position: int | None,
    field: str | None,
    owner: str | None,
    older_than: int | None,
    ground: Ground | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Erase sealed values by place, owner or age: the choices of players, and the texts of disputes.

    A place is the FIELD of the event at POSITION of TABLE; for a text of a dispute, TABLE is the id of the table's
    stream of disputes, dsp_…. If --owner and --older-than are given, the command erases only values to which both
    apply. A seed can be erased only by its place, after its deck is retired.

    The leaf and its commitment stay, and an event records which value was erased and on what ground; for an imported
    table this event is in the service's own stream. The command keeps every value of the current hand, and every value
    that a later event may still open: run the command again later.
    On PostgreSQL the command needs the role that owns the tables. PostgreSQL keeps deleted rows until VACUUM, and
    backups keep the erased values.
    """
    entropy = Entropy()
    place = (table, position, field)
    is_place = None not in place
    if is_place is bool(owner or older_than is not None) or (not is_place and any(place)):
        raise click.UsageError("Name TABLE POSITION FIELD, or --owner or --older-than or both.")
    chosen: Ground = ground or ("request" if is_place or owner else "retention")
    with open_database.check_and_open(settings) as engine:
        erasers = _open(engine, settings, entropy, chosen)
        if table and position and field:
            values: Iterable[SealedValue | StreamCorrupted] = [
                SealedValue(stream_id=_stream_of(table), position=position, field=field)
            ]
        else:
            before = "" if older_than is None else days_before(entropy.now(), older_than)
            values = erasers.find(ValueFilter(owner=owner or "", before=before))
        outcomes = list(_outcomes(values, partial(erasers.erase, dry_run=dry_run)))
    done = "would be erased" if dry_run else "erased"
    if as_json:
        click.echo(msgspec.json.encode([_as_json(outcome, done) for outcome in outcomes]))
    else:
        _show(outcomes, done)
    ctx.exit(ExitCode.FAILED if is_place and outcomes[0].why_not else ExitCode.DONE)


class _Erasers(NamedTuple):
    """The erasers of the values of tables, and of the texts of disputes."""

    engine: Engine
    log: Log
    of_tables: Eraser
    of_disputes: DisputeEraser

    def find(self, value_filter: ValueFilter) -> Iterable[SealedValue | StreamCorrupted]:
        found = retention.find_values(self.engine, self.log, value_filter)
        return chain(found, self.of_disputes.find(value_filter))

    def erase(self, value: SealedValue, *, dry_run: bool) -> ErasureOutcome:
        eraser = self.of_disputes if is_of_disputes(value.stream_id) else self.of_tables
        return eraser.dry_run(value) if dry_run else eraser.erase(value)


def _open(engine: Engine, settings: Settings, entropy: Entropy, ground: Ground) -> _Erasers:
    play, log = open_database.open_write_path(engine, settings, entropy)
    imported = ImportedEraser(engine, log, open_database.open_service_log(engine, settings, entropy))
    desk, _ = open_database.open_desk(engine, settings, entropy)
    return _Erasers(engine, log, Eraser(play, imported, ground), DisputeEraser(engine, desk, imported, ground))


def _stream_of(place: str) -> bytes:
    """Return the stream that *place* identifies: the stream of a table (tbl_…) or of a table's disputes (dsp_…)."""
    if not place.startswith("dsp_"):
        return stream_of(place)
    try:
        stream_id = stream_id_of(f"dispute/{place}")
    except ValueError as error:
        why = f"{place!r} does not have the form of the id of a table's disputes: dsp_ffffffffffff and 20 hex digits."
        raise click.UsageError(why) from error
    return stream_id


def _outcomes(
    values: Iterable[SealedValue | StreamCorrupted], erase_one: Callable[[SealedValue], ErasureOutcome]
) -> Iterable[ErasureOutcome]:
    for value in values:
        if isinstance(value, StreamCorrupted):
            damaged = SealedValue(stream_id=value.stream_id, position=value.position, field="")
            what = "The stream of disputes" if is_of_disputes(value.stream_id) else "The table"
            yield ErasureOutcome(value=damaged, why_not=f"{what} is damaged from this position on: {value.why}.")
        else:
            yield erase_one(value)


def _show(outcomes: Iterable[ErasureOutcome], done: str) -> None:
    erased, left = 0, 0
    for outcome in outcomes:
        value = outcome.value
        erased, left = erased + (not outcome.why_not), left + bool(outcome.why_not)
        where = f"{place_name(value.stream_id)} {value.position} {value.field}".rstrip()
        output.stdout.print(f"{where}: {output.escaped(outcome.why_not) or done}", soft_wrap=True)
    output.stdout.print(f"{erased:,} {done}, {left:,} not")


def _as_json(outcome: ErasureOutcome, done: str) -> dict[str, Any]:
    value = outcome.value
    return {
        "table": place_name(value.stream_id),
        "position": value.position,
        "field": value.field,
        "outcome": "left" if outcome.why_not else done.replace(" ", "_"),
        "why_not": outcome.why_not,
    }
