"""Sums the transfers of a table, by payer and receiver."""

from typing import Final

from msgspec import Struct
from sqlalchemy import Connection, text

from service.projections.swap_guard import require_current_projections


class FlowTotal(Struct, frozen=True, kw_only=True):
    """The transfers from the account *source* to the account *target*.

    *amount* is the sum of these transfers, *transfers* is their number.
    """

    source: str
    target: str
    amount: int
    transfers: int


def flow_totals(connection: Connection, stream_id: bytes, first: int, last: int) -> tuple[FlowTotal, ...]:
    """Return the sums of the transfers of the events *first* to *last*, ordered by the names of the accounts."""
    require_current_projections(connection)
    values = {"stream_id": stream_id, "first": first, "last": last}
    rows = sorted(connection.execute(_TOTALS, values), key=lambda row: (row.source, row.target))
    return tuple(
        FlowTotal(source=row.source, target=row.target, amount=int(row.amount), transfers=int(row.transfers))
        for row in rows
    )


_TOTALS: Final = text(
    "SELECT source, target, SUM(amount) AS amount, COUNT(*) AS transfers FROM transfers"
    " WHERE stream_id = :stream_id AND position BETWEEN :first AND :last"
    " GROUP BY source, target"  # sorted in Python, because databases sort names differently
)
