"""`/v1/tables/{table}/export`: a table as a journal, a sheet or hand histories."""

# DECISIONS 116

from flask import Response

from service.database.engines import reading
from service.http.openapi.blueprint import Resource
from service.http.openapi.operation import READS, operation
from service.http.request import visible_tables
from service.http.request.authentication import current_caller
from service.http.request.services import services
from service.http.resources.exports import export_requests
from service.http.resources.exports.export_requests import FILE, ExportQuery
from service.projections.swap_guard import retry_after_swap

table_exports = Resource("table_exports", "A table as a journal for hledger, as CSV, or as texts of its hands.")


@table_exports.get("/v1/tables/<table>/export")
@table_exports.query(ExportQuery)
@operation(
    table_exports,
    "export_table",
    codes=(*READS, "place_must_be_free", "table_must_be_intact", "table_must_exist"),
    file=FILE,
)
def export_table(query: ExportQuery, table: str) -> Response:
    """Export a table: its transfers and corrections as a journal or a sheet, or its ended hands as texts.

    Everybody who may see the table may export it. A text has the cards that the caller may see; a card that is still
    hidden is `??`. The export has the events that were recorded before it began. It takes a waiting slot, and is sent
    part by part.
    """
    caller = current_caller()
    stream_id = visible_tables.stream_of(table)
    _must_be_visible(stream_id)
    return export_requests.exported(query, caller, [export_requests.streams_of(stream_id)], table)


@retry_after_swap
def _must_be_visible(stream_id: bytes) -> None:
    with reading(services().engine) as connection:
        visible_tables.intact_table(connection, stream_id, current_caller())
