"""What the requests for exports share: the query, the rights, and the response that is written part by part."""

# DECISIONS 117

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Annotated, Final

from flask import Response
from msgspec import Meta, Struct

from service.event_store.entries import disputes_stream
from service.exchange.exported_streams import TableStreams
from service.exports import writers
from service.exports.export_parts import Form, Selection, Sheet
from service.exports.export_writing import ExportWriting, Part
from service.exports.hand_reading import HandReader
from service.http.openapi.operation import File
from service.http.operations import request_cost
from service.http.problems.problem import schema_problem
from service.http.request import visible_tables
from service.http.request.authentication import must_still_be_valid, quota_owners
from service.http.request.context import Caller
from service.http.request.fields import field_error
from service.http.request.schemas import MOMENT
from service.http.request.services import services
from service.http.responses import feeds
from service.tables import visibility
from service.tables.fold import TableAt, table_id

_TIME: Final = f"^({MOMENT}([.][0-9]{{3}})?Z)?$"
_PAGE: Final = 200
"""The number of events that the response reads at a time; it holds a worker slot only while it reads."""

FILE: Final = File(
    writers.CONTENT_TYPES["text"],
    "The export. The last line, or in CSV the last row, says whether the export is complete. A response without this "
    "line was cut short.",
    others=(writers.CONTENT_TYPES["csv"],),
)


class ExportQuery(Struct, frozen=True, kw_only=True):
    """Selects the format, the rows and the time of an export."""

    format: Annotated[
        Form,
        Meta(
            description="`hledger`: a journal of all transfers, in which every balance is asserted. `text`: each hand "
            "that ended, as the caller may see it. `csv`: a sheet, as `sheet` says, with units in the header."
        ),
    ] = "hledger"
    sheet: Annotated[
        Sheet,
        Meta(
            description="The rows of a sheet: transfers, statements of all accounts, or the seats of each ended hand. "
            "Statements and hands need the format csv."
        ),
    ] = "transfers"
    since: Annotated[
        str, Meta(pattern=_TIME, description="Only what happened at this time or later; empty: no limit.")
    ] = ""
    until: Annotated[
        str,
        Meta(
            pattern=_TIME,
            description="Only what happened before this time, which must be later than `since`; empty: no limit.",
        ),
    ] = ""


def streams_of(stream_id: bytes) -> TableStreams:
    """Return the stream of a table and the stream of its disputes; the stream of disputes need not exist."""
    return TableStreams(stream_id, disputes_stream(stream_id))


def exported(
    query: ExportQuery, caller: Caller, tables: Iterable[TableStreams], name: str, owner: str = ""
) -> Response:
    """Return a response with the export of *tables* for *caller*, as a file with the name *name*.

    *owner* is as in `Selection`.

    Raises:
        Problem: the parameters do not fit together, or the caller gets no waiting slot.
    """
    selected = Selection(owner=owner, since=_full(query.since), until=_full(query.until))
    _must_fit(query, selected)
    seat_of = partial(_seat_of, caller)
    now = services()
    reader = HandReader(now.engine, now.log, now.tables, now.sealed_store, seat_of)
    writer = writers.writer(query.format, query.sheet, selected, reader)
    parts = ExportWriting(now.engine, now.log, selected, writer, _PAGE).parts(tables)

    def next_part(_: int) -> Part | None:
        must_still_be_valid(caller)
        return next(parts, None)

    read = feeds.paced(now.in_flight.with_slot(next_part), now.long_polls, _cost)
    slot = now.long_polls.slot(*quota_owners(caller))
    response = feeds.stream(slot, _bytes(read), writers.CONTENT_TYPES[query.format])
    response.headers["Vary"] = "Authorization"
    suffix = writers.SUFFIXES[query.format]
    response.headers["Content-Disposition"] = f'attachment; filename="{name}.{suffix}"'
    return response


def _must_fit(query: ExportQuery, selected: Selection) -> None:
    """Check what the schema of the query can't express: whether its parameters fit together.

    Raises:
        Problem: a parameter does not fit the others.
    """
    errors = []
    if query.sheet != "transfers" and query.format != "csv":
        errors.append(("/sheet", field_error("value_must_fit", "This needs the format csv.")))
    if not selected.has_time:
        errors.append(("/until", field_error("value_must_fit", "This must be later than `since`.")))
    if errors:
        raise schema_problem(errors, in_query=True)


def _bytes(read: Callable[[int], Part | None]) -> Iterator[bytes]:
    while (part := read(0)) is not None:
        if part.data:
            yield part.data


def _cost(part: Part | None, _: int) -> int:
    return part.events // request_cost.EXPORTED_EVENTS_PER_UNIT if part else 0


def _seat_of(caller: Caller, table_at: TableAt) -> int | None:
    """Return the seat whose cards *caller* may see at a table; 0: no seat; None: *caller* may not see the table."""
    audits = caller.audits(table_id(table_at.stream_id))
    may_know = visibility.may_know(table_at.state, caller.owner, reads_all=audits)
    return visible_tables.viewing_seat(table_at, caller) if may_know else None


def _full(time: str) -> str:
    """Return *time* as the log writes times, with milliseconds; "" stays ""."""
    return f"{time[:19]}.{time[20:23] if '.' in time else '000'}Z" if time else ""
