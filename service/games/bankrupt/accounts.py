"""Bankrupt's accounts of the chips on the table: the centre, and each seat's ante and offer."""

from functools import cache
from typing import Final

from service.ledger import seat_account

CENTRE: Final = "centre"
"""The account of the chips in the centre of the table."""


@cache
def ante(seat: int) -> str:
    """Return the account of the pieces in all ante heaps of *seat*."""
    return seat_account("ante", seat)


@cache
def offer(seat: int) -> str:
    """Return the account of the chips that *seat* offered or accepted, until they go to the centre or back."""
    return seat_account("offer", seat)
