"""Totals of all accounts by kind, which the database sums over all transfers (DECISIONS 40)."""

import os
from typing import Final

from msgspec import Struct
from sqlalchemy import Connection, text

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
    """Return the totals of all kinds of accounts, by one scan of all transfers; the balances of the totals sum to zero.

    The totals are sums of amounts and do not use the stored balances, so that totals and balances can be compared.
    """
    if connection.dialect.name == "postgresql":
        for setting in _ALL_AT_ONCE:
            connection.exec_driver_sql(f"SET LOCAL {setting}")
    require_current_projections(connection)
    return tuple(
        Total(row.kind, row.accounts, int(row.postings), int(row.balance)) for row in connection.execute(_TOTALS)
    )


# These settings hold for this transaction only; other transactions must use indexes and little memory.
_ALL_AT_ONCE: Final = (
    "enable_seqscan = on",
    "work_mem = '256MB'",
    f"max_parallel_workers_per_gather = {max(1, (os.cpu_count() or 1) - 1)}",
    "statement_timeout = 0",
)
# The statement sums the flows between accounts in one scan of all transfers, then both sides of each account.
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
