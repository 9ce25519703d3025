"""Statements: what an account held at a position, and line by line why."""

from collections.abc import Iterable
from typing import Any, Final

from msgspec import Struct
from sqlalchemy import Connection, Row, text


class Line(Struct, frozen=True, kw_only=True):
    """A posting: *amount* is above zero where the account received it. *leaf* is the event's."""

    position: int
    ordinal: int
    counterparty: str
    amount: int
    unit: str
    balance: int
    rule: str
    leaf: bytes


def balances(connection: Connection, stream_id: bytes, accounts: Iterable[str], position: int) -> dict[str, int]:
    """Return what each of *accounts* held at *position*; those that were not used yet are left out."""
    found = {}
    for account in accounts:
        row = connection.execute(_BALANCE, {"stream_id": stream_id, "account": account, "position": position}).first()
        if row is not None:
            found[account] = int(row.balance)
    return found


def lines(
    connection: Connection, stream_id: bytes, account: str, after: tuple[int, int], limit: int
) -> tuple[Line, ...]:
    """Return the postings of *account* after the one with this position and ordinal, in order."""
    position, ordinal = after
    values = {"stream_id": stream_id, "account": account, "position": position, "ordinal": ordinal, "limit": limit}
    return tuple(_line(row, account) for row in connection.execute(_LINES, values))


def _line(row: Row[Any], account: str) -> Line:
    leaves = row.source == account
    return Line(
        position=row.position,
        ordinal=row.ordinal,
        counterparty=row.target if leaves else row.source,
        amount=-row.amount if leaves else row.amount,
        unit=row.unit,
        balance=row.source_balance if leaves else row.target_balance,
        rule=row.rule,
        leaf=row.leaf,
    )


# Two arms each, one an index: an account pays here and receives there.
_BALANCE: Final = text(
    "SELECT balance FROM ("
    " SELECT * FROM (SELECT position, ordinal, source_balance AS balance FROM transfers"
    " WHERE stream_id = :stream_id AND source = :account AND position <= :position"
    " ORDER BY position DESC, ordinal DESC LIMIT 1) AS paid"
    " UNION ALL"
    " SELECT * FROM (SELECT position, ordinal, target_balance AS balance FROM transfers"
    " WHERE stream_id = :stream_id AND target = :account AND position <= :position"
    " ORDER BY position DESC, ordinal DESC LIMIT 1) AS received"
    ") AS last ORDER BY position DESC, ordinal DESC LIMIT 1"
)
_ARM: Final = (
    "SELECT t.position AS position, t.ordinal AS ordinal, t.source, t.target, t.amount, t.unit, t.rule,"
    " t.source_balance, t.target_balance, e.leaf"
    " FROM transfers AS t JOIN events AS e ON e.stream_id = t.stream_id AND e.position = t.position"
    " WHERE t.stream_id = :stream_id AND (t.position, t.ordinal) > (:position, :ordinal)"
)
_LINES: Final = text(
    f"{_ARM} AND t.source = :account UNION ALL {_ARM} AND t.target = :account ORDER BY position, ordinal LIMIT :limit"
)
