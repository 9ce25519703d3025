"""What all tables' accounts hold together, worked out by the database from every transfer there is."""

import os
from typing import Final

from msgspec import Struct
from sqlalchemy import Connection, text

from service.projections.swap_guard import require_current_projections


class Total(Struct, frozen=True):
    """What the *accounts* of one *kind* ("stack", "house") hold together: the *balance*, by their *postings*."""

    kind: str
    accounts: int
    postings: int
    balance: int


def totals(connection: Connection) -> tuple[Total, ...]:
    """Return the totals of all kinds of accounts, which sum to zero. All transfers are read, once.

    Balances come of the amounts alone: what is stored as an account's balance after a transfer is not
    looked at, so that the two can be compared.
    """
    if connection.dialect.name == "postgresql":
        for setting in _ALL_AT_ONCE:
            connection.exec_driver_sql(f"SET LOCAL {setting}")
    require_current_projections(connection)
    return tuple(
        Total(row.kind, row.accounts, int(row.postings), int(row.balance)) for row in connection.execute(_TOTALS)
    )


# For this statement alone: others are held to their indexes, and to little memory.
_ALL_AT_ONCE: Final = (
    "enable_seqscan = on",
    "jit = off",
    "work_mem = '256MB'",
    f"max_parallel_workers_per_gather = {max(1, (os.cpu_count() or 1) - 1)}",
    "statement_timeout = 0",
)
# What goes from one account to another is summed up first: so all transfers are read once, and each account's two sides
# are put together from a row for each account that it had to do with.
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
