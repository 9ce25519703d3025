"""Double entry: accounts, transfers and the balances that follow from them."""

from service.ledger.accounts import (
    CENTRE,
    HOUSE,
    POOL,
    ante,
    bet,
    insurance,
    may_go_below_zero,
    offer,
    score,
    seat_of,
    stack,
)
from service.ledger.balances import AccountOverdrawn, Balances, Entry, TransferMustBeSound, booked, entries, post
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
    "ante",
    "bet",
    "booked",
    "chips",
    "entries",
    "insurance",
    "may_go_below_zero",
    "offer",
    "points",
    "post",
    "score",
    "seat_of",
    "stack",
]
