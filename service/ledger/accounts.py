"""The names and the units of accounts, and the accounts that may go below zero."""

from functools import cache, lru_cache

from service.ledger.transfers import CHIPS, POINTS

CENTRE = "centre"
HOUSE = "house"  # the house sells chips and buys chips back
POOL = "pool"  # the pool issues points and takes points back

_WITHOUT_FLOOR = frozenset({HOUSE, POOL})


@cache
def stack(seat: int) -> str:
    """Return the account of the chips that *seat* has not put on the table."""
    return f"stack:{seat}"


@cache
def ante(seat: int) -> str:
    """Return the account of the ante in front of *seat*: the sum of all its heaps."""
    return f"ante:{seat}"


@cache
def offer(seat: int) -> str:
    """Return the account of the chips that *seat* offered or accepted, until the chips are taken or returned."""
    return f"offer:{seat}"


@cache
def bet(seat: int) -> str:
    """Return the account of the bet of *seat*."""
    return f"bet:{seat}"


@cache
def insurance(seat: int) -> str:
    """Return the account of the payment that insures the bet of *seat*."""
    return f"insurance:{seat}"


@cache
def score(seat: int) -> str:
    """Return the account of the score of *seat*, in points."""
    return f"score:{seat}"


# The cache has room for all accounts of a table; it is bounded because a forged log may name any number of accounts.
@lru_cache(maxsize=1024)
def account_seat(account: str) -> int:
    """Return the seat to which *account* belongs, or 0 if the account belongs to no seat."""
    _, separator, seat = account.partition(":")
    return int(seat) if separator else 0


def unit_of(account: str) -> str:
    """Return the unit of *account*: points for a score and for the pool of points, else chips."""
    return POINTS if account == POOL or account.startswith("score:") else CHIPS


def may_go_below_zero(account: str) -> bool:
    """Return whether *account* issues chips or points, so that its balance may be negative."""
    return account in _WITHOUT_FLOOR
