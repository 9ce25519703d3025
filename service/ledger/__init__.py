"""Double entry: accounts, transfers and the balances that follow from the transfers."""

from service.ledger.account_balances import (
    NO_ENTRIES,
    AccountOverdrawn,
    Balances,
    Entries,
    Entry,
    TransferMustBeSound,
    book,
    nets,
)
from service.ledger.accounts import (
    HOUSE,
    POOL,
    account_kind,
    account_seat,
    may_go_below_zero,
    score,
    seat_account,
    stack,
    unit_of,
)
from service.ledger.transfers import CHIPS, POINTS, Transfer, chips, points

__all__ = [
    "CHIPS",
    "HOUSE",
    "NO_ENTRIES",
    "POINTS",
    "POOL",
    "AccountOverdrawn",
    "Balances",
    "Entries",
    "Entry",
    "Transfer",
    "TransferMustBeSound",
    "account_kind",
    "account_seat",
    "book",
    "chips",
    "may_go_below_zero",
    "nets",
    "points",
    "score",
    "seat_account",
    "stack",
    "unit_of",
]
