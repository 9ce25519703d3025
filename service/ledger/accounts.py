"""The accounts that games share. An account's name determines its seat, its unit, and whether it may be negative."""

from functools import cache, lru_cache
from typing import Final

from service.ledger.transfers import CHIPS, POINTS

HOUSE: Final = "house"  # the house sells chips and buys chips back
POOL: Final = "pool"  # the pool issues points and takes points back

_WITHOUT_FLOOR = frozenset({HOUSE, POOL})
_SCORE: Final = "score"


def seat_account(kind: str, seat: int) -> str:
    """Return the name of the account of *kind* that belongs to *seat*; the games' own accounts have such names, too."""
    return f"{kind}:{seat}"


@cache
def stack(seat: int) -> str:
    """Return the account of the chips that *seat* has not put on the table."""
    return seat_account("stack", seat)


@cache
def score(seat: int) -> str:
    """Return the account of the score of *seat*, in points."""
    return seat_account(_SCORE, seat)


# The cache has room for all accounts of a table; it is bounded because a forged log may name any number of accounts.
@lru_cache(maxsize=1024)
def account_seat(account: str) -> int:
    """Return the seat to which *account* belongs, or 0 if the account belongs to no seat."""
    _, separator, seat = account.partition(":")
    return int(seat) if separator else 0


def account_kind(account: str) -> str:
    """Return the kind of *account*, which is its name without the seat."""
    return account.partition(":")[0]


def unit_of(account: str) -> str:
    """Return the unit of *account*: points for a score and for the pool, chips for every other account of any game."""
    return POINTS if account_kind(account) in {POOL, _SCORE} else CHIPS


def may_go_below_zero(account: str) -> bool:
    """Return whether *account* issues chips or points, so that its balance may be negative."""
    return account in _WITHOUT_FLOOR
