"""Double entry: accounts, transfers and the balances that follow from the transfers."""

from service.ledger.account_balances import (
    AccountOverdrawn,
    Balances,
    Entry,
    TransferMustBeSound,
    book,
    entries,
    nets,
)
from service.ledger.accounts import (
    CENTRE,
    HOUSE,
    POOL,
    account_seat,
    ante,
    bet,
    insurance,
    may_go_below_zero,
    offer,
    score,
    stack,
    unit_of,
)
from service.ledger.transfers import CHIPS, POINTS, Transfer, chips, points

__all__ = [
    "CENTRE",
    "CHIPS",
    "HOUSE",
    "POINTS",
    "POOL",
    "AccountOverdrawn",
    "Balances",
    "Entry",
    "Transfer",
    "TransferMustBeSound",
    "account_seat",
    "ante",
    "bet",
    "book",
    "chips",
    "entries",
    "insurance",
    "may_go_below_zero",
    "nets",
    "offer",
    "points",
    "score",
    "stack",
    "unit_of",
]
