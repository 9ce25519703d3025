"""The names of accounts, and which of them may go below zero."""

from functools import cache, lru_cache

from service.ledger.transfers import CHIPS, POINTS

CENTRE = "centre"
HOUSE = "house"  # sells chips and buys them back
POOL = "pool"  # issues points and takes them back

_WITHOUT_FLOOR = frozenset({HOUSE, POOL})


@cache
def stack(seat: int) -> str:
    """Name the chips that *seat* holds outside every zone of the table."""
    return f"stack:{seat}"


@cache
def ante(seat: int) -> str:
    """Name the chips in front of *seat*, all heaps together."""
    return f"ante:{seat}"


@cache
def offer(seat: int) -> str:
    """Name the chips that *seat* laid down and that are not yet taken or given back."""
    return f"offer:{seat}"


@cache
def bet(seat: int) -> str:
    """Name the bet of *seat*."""
    return f"bet:{seat}"


@cache
def insurance(seat: int) -> str:
    """Name the payment that insures the bet of *seat*."""
    return f"insurance:{seat}"


@cache
def score(seat: int) -> str:
    """Name the score of *seat*, in points."""
    return f"score:{seat}"


@lru_cache(maxsize=1024)  # all accounts of the largest table; a forged log must not fill the memory
def account_seat(account: str) -> int:
    """Return the seat whose *account* this is; 0 for one that belongs to no seat."""
    _, separator, seat = account.partition(":")
    return int(seat) if separator else 0


def unit_of(account: str) -> str:
    """Return what *account* holds: points where it is a score or their pool, else chips."""
    return POINTS if account == POOL or account.startswith("score:") else CHIPS


def may_go_below_zero(account: str) -> bool:
    """Tell whether *account* has no floor: it issues what the others hold."""
    return account in _WITHOUT_FLOOR
