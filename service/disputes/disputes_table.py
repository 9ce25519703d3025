"""The SQL table of disputes: a projection for lists, written in the transaction that records a step."""

from collections.abc import Collection
from itertools import islice
from typing import Any, Final, NamedTuple

from msgspec import Struct, structs
from sqlalchemy import (
    CheckConstraint,
    Column,
    Connection,
    Index,
    Integer,
    PrimaryKeyConstraint,
    Row,
    Select,
    SmallInteger,
    Table,
    Text,
    and_,
    delete,
    exists,
    insert,
    or_,
    select,
    true,
)

from service.database.metadata import SQLITE_OPTIONS, about, metadata, stream_id
from service.disputes.dispute_events import MachineVerdict
from service.disputes.dispute_state import Dispute, Status
from service.event_store.log_tables import streams

_FLAG: Final = SmallInteger().with_variant(Integer(), "sqlite")

disputes = Table(
    "disputes",
    metadata,
    stream_id(),
    Column("dispute", Integer, nullable=False),
    Column("hand", Integer, nullable=False),
    Column("ground", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("is_closed", _FLAG, nullable=False),
    Column("outcome", Text, nullable=False),
    Column("verdict", Text, nullable=False),
    Column("opened_by", Text, nullable=False),
    Column("opened_at", Text, nullable=False),
    Column("auditor", Text, nullable=False),
    PrimaryKeyConstraint("stream_id", "dispute"),
    CheckConstraint("dispute >= 1", name="dispute_counts_from_one"),
    CheckConstraint("is_closed IN (0, 1)", name="is_closed_is_a_flag"),
    Index(None, "is_closed", "opened_at", "stream_id", "dispute"),
    info=about(grants="SELECT, INSERT, UPDATE, DELETE", touched_by_commands=False, is_spread=True),
    **SQLITE_OPTIONS,
)
"""One row for each dispute. *stream_id* is the table's stream; *verdict* is the service's last recorded verdict."""

IS_WAITING: Final = and_(
    disputes.c.is_closed == 0,
    exists().where(streams.c.stream_id == disputes.c.stream_id, streams.c.imported_at.is_(None)),
)
"""Chooses the disputes in which a step can follow: they are not closed, and their tables were not imported."""


class DisputeRow(Struct, frozen=True, kw_only=True):
    """A dispute in a list; each member has the name of its column."""

    stream_id: bytes
    dispute: int
    hand: int
    ground: str
    status: Status
    outcome: str
    verdict: MachineVerdict
    opened_by: str
    opened_at: str
    auditor: str
    is_closed: bool


class Place(Struct, frozen=True, order=True):
    """The place of a dispute in the list: the disputes that were opened first come first."""

    opened_at: str
    stream_id: bytes
    dispute: int


def place_of(row: DisputeRow) -> Place:
    """Return the place of *row* in the list."""
    return Place(opened_at=row.opened_at, stream_id=row.stream_id, dispute=row.dispute)


class Own(NamedTuple):
    """Selects the disputes that *owner* opened, and all disputes of some tables.

    The query *tables* returns the streams of these tables.
    """

    owner: str
    tables: Select[tuple[bytes]]


def row_of(table_stream: bytes, dispute: Dispute) -> DisputeRow:
    """Return the row of *dispute*."""
    return DisputeRow(
        stream_id=table_stream,
        dispute=dispute.number,
        hand=dispute.hand,
        ground=dispute.ground,
        status=dispute.status,
        outcome=dispute.outcome,
        verdict=dispute.verdict.verdict,
        opened_by=dispute.opened_by,
        opened_at=dispute.opened_at,
        auditor=dispute.auditor,
        is_closed=dispute.is_closed,
    )


def write_row(connection: Connection, table_stream: bytes, dispute: Dispute) -> None:
    """Write the row of *dispute*, in place of its earlier row."""
    is_it = and_(disputes.c.stream_id == table_stream, disputes.c.dispute == dispute.number)
    connection.execute(delete(disputes).where(is_it))
    row = row_of(table_stream, dispute)
    connection.execute(insert(disputes), structs.asdict(row) | {"is_closed": int(row.is_closed)})


def oldest(  # noqa: PLR0913 -- each parameter restricts the list
    connection: Connection,
    after: Place | None,
    limit: int,
    *,
    is_closed: bool = False,
    only: Collection[tuple[bytes, int]] = (),
    own: Own | None = None,
) -> tuple[DisputeRow, ...]:
    """Return the first *limit* disputes after the place *after*, the oldest first.

    With *is_closed* the list has the closed disputes. Otherwise it has the disputes in which a step can follow: they
    are not closed, and their tables were not imported. *only*: the tables and numbers of the disputes to choose from
    (0: all disputes of the table); empty: all disputes. *own*: the list has only the disputes that *own* selects; None:
    no such limit.
    """
    c = disputes.c
    statement = select(disputes).where(c.is_closed == 1 if is_closed else IS_WAITING)
    if only:
        chosen = (and_(c.stream_id == stream, c.dispute == number if number else true()) for stream, number in only)
        statement = statement.where(or_(*chosen))
    if own is not None:
        statement = statement.where(or_(c.stream_id.in_(own.tables), c.opened_by == own.owner))
    if after is not None:
        same_time = and_(c.opened_at == after.opened_at, c.stream_id == after.stream_id, c.dispute > after.dispute)
        same_at = and_(c.opened_at == after.opened_at, c.stream_id > after.stream_id)
        statement = statement.where(or_(c.opened_at > after.opened_at, same_at, same_time))
    ordered = statement.order_by(c.opened_at, c.stream_id, c.dispute).limit(limit)
    return tuple(_row(row) for row in connection.execute(ordered))


def rows_of(
    connection: Connection,
    table_stream: bytes,
    after: int = 0,
    limit: int | None = None,
    *,
    only: Collection[int] | None = None,
) -> tuple[DisputeRow, ...]:
    """Return the rows of one table's disputes with numbers above *after*, in the order of the numbers.

    Return at most *limit* rows; None: all. *only*: the numbers of the disputes to choose from; None: all.
    """
    c = disputes.c
    statement = select(disputes).where(c.stream_id == table_stream, c.dispute > after).order_by(c.dispute)
    if only is None:
        return tuple(_row(row) for row in connection.execute(statement.limit(limit)))
    chosen = (_row(row) for row in connection.execute(statement) if row.dispute in only)
    return tuple(islice(chosen, limit))


def of_hand(connection: Connection, table_stream: bytes, hand: int) -> tuple[DisputeRow, ...]:
    """Return the rows of the disputes about one hand, in the order of the disputes' numbers."""
    c = disputes.c
    statement = select(disputes).where(c.stream_id == table_stream, c.hand == hand).order_by(c.dispute)
    return tuple(_row(row) for row in connection.execute(statement))


def _row(row: Row[Any]) -> DisputeRow:
    members = row._asdict()
    return DisputeRow(
        **members | {"stream_id": bytes(row.stream_id), "is_closed": bool(row.is_closed)},
    )
