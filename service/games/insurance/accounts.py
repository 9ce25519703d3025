"""Insurance's accounts of the chips on the table: each seat's bet, insurance and offer."""

from functools import cache

from service.ledger import seat_account


@cache
def bet(seat: int) -> str:
    """Return the account of the bet of *seat*."""
    return seat_account("bet", seat)


@cache
def offer(seat: int) -> str:
    """Return the account of the chips that *seat* offers for insurance, until the banker answers."""
    return seat_account("offer", seat)


@cache
def insurance(seat: int) -> str:
    """Return the account of the payment that insures the bet of *seat*."""
    return seat_account("insurance", seat)
