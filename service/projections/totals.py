"""Totals of all accounts by kind, which the database sums over all transfers (DECISIONS 40 and 127)."""

import os
from collections import Counter
from typing import Final, TypeAlias

from msgspec import Struct
from sqlalchemy import Connection, text

from service.database.sql import Sql
from service.projections.swap_guard import require_current_projections


class Total(Struct, frozen=True):
    """The total *balance* of the accounts of one *kind*, such as "stack" or "house".

    *accounts* and *postings* are the numbers of these accounts and of their postings.
    """

    kind: str
    accounts: int
    postings: int
    balance: int


def totals(connection: Connection) -> tuple[Total, ...]:
    """Return the totals of all kinds of accounts; the balances of all totals sum to zero.

    The totals are sums of amounts and do not use the stored balances, so that totals and balances can be compared.
    """
    require_current_projections(connection)
    if connection.dialect.name == "sqlite":
        return _sums_of_streams(connection)
    for setting in _ALL_AT_ONCE:
        connection.exec_driver_sql(f"SET LOCAL {setting}")
    return tuple(
        Total(row.kind, row.accounts, int(row.postings), int(row.balance)) for row in connection.execute(_TOTALS)
    )


def _sums_of_streams(connection: Connection) -> tuple[Total, ...]:
    """Return the totals, summed stream by stream.

    SQLite groups by sorting. Many short sorts in memory take less than half of the time of one sort of all transfers.
    """
    tables_with, transfers, amounts = Counter[str](), Counter[_Flow](), Counter[_Flow]()
    for (stream_id,) in _STREAMS.all(connection, {}):
        flows = _FLOWS.all(connection, {"stream_id": stream_id})
        for source, target, count, amount in flows:
            transfers[source, target] += count
            amounts[source, target] += amount
        tables_with.update({flow[0] for flow in flows} | {flow[1] for flow in flows})
    accounts, postings, balances = Counter[str](), Counter[str](), Counter[str]()
    for account, tables in tables_with.items():
        accounts[account.rstrip(_NUMBER)] += tables
    for flow, count in transfers.items():
        for account, sign in zip(flow, (-1, 1), strict=True):
            postings[account.rstrip(_NUMBER)] += count
            balances[account.rstrip(_NUMBER)] += sign * amounts[flow]
    return tuple(Total(kind, accounts[kind], postings[kind], balances[kind]) for kind in sorted(accounts))


# These settings hold for this transaction only; other transactions must use indexes and little memory.
_ALL_AT_ONCE: Final = (
    "enable_seqscan = on",
    "work_mem = '256MB'",
    f"max_parallel_workers_per_gather = {max(1, (os.cpu_count() or 1) - 1)}",
    "statement_timeout = 0",
)
_Flow: TypeAlias = tuple[str, str]  # the source and the target of transfers
_NUMBER: Final = "0123456789:"  # the characters of the seat in the name of an account, such as "stack:1"
_STREAMS: Final = Sql(
    "WITH RECURSIVE found (stream_id) AS ("
    " SELECT min(stream_id) FROM transfers"
    " UNION ALL"
    " SELECT (SELECT min(stream_id) FROM transfers WHERE stream_id > found.stream_id) FROM found"
    " WHERE found.stream_id IS NOT NULL"
    ") SELECT stream_id FROM found WHERE stream_id IS NOT NULL"
)
"""Selects each stream with transfers; the primary key finds the next stream without a scan."""
_FLOWS: Final = Sql(
    "SELECT source, target, count(*), sum(amount) FROM transfers WHERE stream_id = :stream_id GROUP BY source, target"
)
# The statement sums the flows between accounts in one scan of all transfers, then adds up both sides of each account.
_TOTALS: Final = text(
    "WITH flows AS ("
    " SELECT stream_id, source, target, count(*) AS postings, sum(amount) AS amount FROM transfers"
    " GROUP BY stream_id, source, target"
    ") SELECT rtrim(account, '0123456789:') AS kind, count(*) AS accounts, sum(postings) AS postings,"
    " sum(balance) AS balance FROM ("
    " SELECT stream_id, account, sum(postings) AS postings, sum(amount) AS balance FROM ("
    " SELECT stream_id, source AS account, postings, -amount AS amount FROM flows"
    " UNION ALL"
    " SELECT stream_id, target, postings, amount FROM flows"
    ") AS legs GROUP BY stream_id, account"
    ") AS balances GROUP BY rtrim(account, '0123456789:') ORDER BY kind"
)
