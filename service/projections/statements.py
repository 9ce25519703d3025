"""Account statements: the accounts that transfers have used, and the postings of an account."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec
from msgspec import Struct
from sqlalchemy import Connection, Row, text

from service.event_store import leaf
from service.ledger import HOUSE, POINTS, Transfer, unit_of
from service.projections.swap_guard import require_current_projections


class Line(Struct, frozen=True, kw_only=True):
    """A posting: *amount* is above zero if the account received it, and below zero if the account paid it.

    *leaf*, *type* and *hash* (32 bytes) belong to the posting's event. *following* is the leaf of the next event, or
    None if there is no later event. *is_recorded*: the leaf can be decoded and has the transfer; otherwise *unit*,
    *rule* and *type* are "".
    """

    position: int
    ordinal: int
    counterparty: str
    amount: int
    unit: str
    balance: int
    rule: str
    type: str
    hash: bytes
    leaf: bytes
    following: bytes | None
    is_recorded: bool = True


class _Moved(Struct, frozen=True):
    """The transfers of an event of any type."""

    transfers: tuple[Transfer, ...]


def used_balances(
    connection: Connection, stream_id: bytes, balances: Mapping[str, int], position: int
) -> dict[str, int]:
    """Return *balances*, the balances at *position*, without the accounts that have no transfer up to *position*.

    A game that keeps score begins with all accounts of points; any other account is in a state only once it has a
    transfer.
    """
    require_current_projections(connection)

    def is_used(account: str) -> bool:
        values = {"stream_id": stream_id, "account": account, "position": position}
        return connection.execute(_FIRST, values).first() is not None

    unsure = {account for account, balance in balances.items() if not balance and unit_of(account) == POINTS}
    return {account: balances[account] for account in sorted(balances) if account not in unsure or is_used(account)}


def lines(
    connection: Connection, stream_id: bytes, account: str, after: tuple[int, int], limit: int
) -> tuple[Line, ...]:
    """Return the first *limit* postings of *account* after the position and ordinal in *after*, in order."""
    require_current_projections(connection)
    position, ordinal = after
    values = {"stream_id": stream_id, "account": account, "position": position, "ordinal": ordinal, "limit": limit}
    statement = _LINES_OF_HOUSE if account == HOUSE else _LINES
    return tuple(_line(row, account) for row in connection.execute(statement, values))


def _line(row: Row[Any], account: str) -> Line:
    leaves = row.source == account
    unit, rule, kind = _named(row.leaf, row.ordinal)
    return Line(
        position=row.position,
        ordinal=row.ordinal,
        counterparty=row.target if leaves else row.source,
        amount=-row.amount if leaves else row.amount,
        unit=unit,
        balance=row.source_balance if leaves else row.target_balance,
        rule=rule,
        type=kind,
        hash=leaf.leaf_hash(row.leaf),
        leaf=row.leaf,
        following=row.following,
        is_recorded=bool(kind),
    )


def _named(data: bytes, ordinal: int) -> tuple[str, str, str]:
    """Return the transfer's unit and rule, and the event's type.

    Return three times "" if the leaf *data* can't be decoded, or lacks the transfer.
    """
    try:
        event = leaf.decode(data)
        transfer = _TRANSFERS.decode(event.pub).transfers[ordinal]
    except (leaf.Malformed, msgspec.DecodeError, IndexError):
        return "", "", ""
    return transfer.unit, transfer.rule, event.type


_TRANSFERS: Final = msgspec.json.Decoder(_Moved)

_FIRST: Final = text(
    "SELECT position FROM transfers"
    " WHERE stream_id = :stream_id AND position <= :position AND (source = :account OR target = :account)"
    " ORDER BY position, ordinal LIMIT 1"
)
_FIRST_LINES: Final = (
    "SELECT t.position, t.ordinal, t.source, t.target, t.amount, t.source_balance, t.target_balance, e.leaf,"
    " n.leaf AS following"
    " FROM transfers AS t JOIN events AS e ON e.stream_id = t.stream_id AND e.position = t.position"
    " LEFT JOIN events AS n ON n.stream_id = t.stream_id AND n.position = t.position + 1"
    " WHERE t.stream_id = :stream_id AND (t.position, t.ordinal) > (:position, :ordinal)"
    " AND ({}) ORDER BY t.position, t.ordinal LIMIT :limit"
)
# This statement scans the primary key and filters by account: a table has some ten accounts, and an index by account
# would cost each command more than these rare lists save (DECISIONS 125).
_LINES: Final = text(_FIRST_LINES.format("t.source = :account OR t.target = :account"))
# The condition is that of the index `ix_transfers_with_house`, word for word, so that the databases use the index
# (DECISIONS 125).
_LINES_OF_HOUSE: Final = text(_FIRST_LINES.format("t.source = 'house' OR t.target = 'house'"))
