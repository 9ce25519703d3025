"""`/v1/audit/export`: all tables that an auditor may see, as a journal, a sheet or hand histories."""

# DECISIONS 116

from collections.abc import Iterator
from typing import Annotated

from flask import Response
from msgspec import Meta

from service.database.engines import reading
from service.exchange.exported_streams import TableStreams
from service.http.openapi.blueprint import Resource
from service.http.openapi.operation import READS, operation
from service.http.request import visible_tables
from service.http.request.authentication import caller_with_scope
from service.http.request.context import Caller
from service.http.request.services import services
from service.http.resources.exports import export_requests
from service.http.resources.exports.export_requests import FILE, ExportQuery
from service.projections import lists
from service.projections.lists import ListedTable, TableFilter
from service.projections.swap_guard import retry_after_swap

_PAGE = 100

audit_exports = Resource("audit_exports", "For auditors: all tables as a journal for hledger, as CSV, or as texts.")


class AuditExportQuery(ExportQuery, frozen=True, kw_only=True):
    """Selects the format, the rows, the time and the owner of an export."""

    owner: Annotated[
        str,
        Meta(
            pattern="^(own_[0-9a-f]{32})?$",
            description="Only tables at which this owner has or had a seat. A journal then has all transfers of these "
            "tables, a sheet only rows with this owner, and a text only hands that this owner played. Empty: "
            "everything.",
        ),
    ] = ""


@audit_exports.get("/v1/audit/export")
@audit_exports.query(AuditExportQuery)
@operation(
    audit_exports,
    "export_tables",
    codes=(*READS, "key_must_be_given", "place_must_be_free", "scope_must_be_granted"),
    file=FILE,
)
def export_tables(query: AuditExportQuery) -> Response:
    """Export all tables that the caller may see, the newest first (scope `audit`).

    The export has the events of each table up to the moment when the export reached the table. A damaged table is
    exported up to the damage, and the end of the export names the table. To find the tables of an owner, the service
    reads the events of all tables.
    """
    caller = caller_with_scope("audit")
    return export_requests.exported(query, caller, _tables(caller), "tables", query.owner)


def _tables(caller: Caller) -> Iterator[TableStreams]:
    before: tuple[str, bytes] | None = None
    audited = visible_tables.audited_streams(caller)
    table_filter = TableFilter(caller=caller.owner, all_tables=caller.reads_all, audited=audited)
    while page := _page(table_filter, before):
        for one in page:
            yield export_requests.streams_of(one.stream_id)
        before = page[-1].opened_at, page[-1].stream_id


@retry_after_swap
def _page(table_filter: TableFilter, before: tuple[str, bytes] | None) -> tuple[ListedTable, ...]:
    with reading(services().engine) as connection:
        return lists.newest_tables(connection, table_filter, before, _PAGE)
