"""Account statements: an account's balance at a position, and its postings."""

from collections.abc import Iterable
from typing import Any, Final

import msgspec
from msgspec import Struct
from sqlalchemy import Connection, Row, text

from service.event_store import leaf
from service.ledger import Transfer
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


def balances(connection: Connection, stream_id: bytes, accounts: Iterable[str], position: int) -> dict[str, int]:
    """Return the balances at *position* of the *accounts* that a transfer had touched by then."""
    require_current_projections(connection)
    found = {}
    for account in accounts:
        row = connection.execute(_BALANCE, {"stream_id": stream_id, "account": account, "position": position}).first()
        if row is not None:
            found[account] = int(row.balance)
    return found


def lines(
    connection: Connection, stream_id: bytes, account: str, after: tuple[int, int], limit: int
) -> tuple[Line, ...]:
    """Return the first *limit* postings of *account* after the position and ordinal in *after*, in order."""
    require_current_projections(connection)
    position, ordinal = after
    values = {"stream_id": stream_id, "account": account, "position": position, "ordinal": ordinal, "limit": limit}
    return tuple(_line(row, account) for row in connection.execute(_LINES, values))


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
    """Return the transfer's unit and rule and the event's type, or three times "" if the leaf lacks the transfer."""
    try:
        event = leaf.decode(data)
        transfer = _TRANSFERS.decode(event.pub).transfers[ordinal]
    except (leaf.Malformed, msgspec.DecodeError, IndexError):
        return "", "", ""
    return transfer.unit, transfer.rule, event.type


_TRANSFERS: Final = msgspec.json.Decoder(_Moved)

# Both statements scan the primary key and filter by account: a table has some ten accounts, and most of them have
# recent transfers. For an account without recent transfers, a scan reads at most all transfers of the account's table.
_BALANCE: Final = text(
    "SELECT CASE WHEN source = :account THEN source_balance ELSE target_balance END AS balance FROM transfers"
    " WHERE stream_id = :stream_id AND position <= :position AND (source = :account OR target = :account)"
    " ORDER BY position DESC, ordinal DESC LIMIT 1"
)
_LINES: Final = text(
    "SELECT t.position, t.ordinal, t.source, t.target, t.amount, t.source_balance, t.target_balance, e.leaf,"
    " n.leaf AS following"
    " FROM transfers AS t JOIN events AS e ON e.stream_id = t.stream_id AND e.position = t.position"
    " LEFT JOIN events AS n ON n.stream_id = t.stream_id AND n.position = t.position + 1"
    " WHERE t.stream_id = :stream_id AND (t.position, t.ordinal) > (:position, :ordinal)"
    " AND (t.source = :account OR t.target = :account) ORDER BY t.position, t.ordinal LIMIT :limit"
)
