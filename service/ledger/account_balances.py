"""Balances: what transfers leave in each account."""

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from msgspec import Struct

from service.ledger.accounts import may_go_below_zero
from service.ledger.transfers import Transfer

Balances: TypeAlias = Mapping[str, int]
"""Units by account; an account that was never used is absent and holds 0."""


class TransferMustBeSound(Exception):
    """A transfer of nothing, or from an account to itself: a defect of the game that made it."""


class AccountOverdrawn(Exception):
    """A transfer would leave *account* below its floor: a defect of the game that made it."""

    def __init__(self, account: str, balance: int, transfer: Transfer) -> None:
        super().__init__(f"{account} would hold {balance} after {transfer}")
        self.account = account
        self.balance = balance
        self.transfer = transfer


class Entry(Struct, frozen=True, gc=False):
    """A *transfer* as it was booked, with what both accounts held after it."""

    transfer: Transfer
    source_balance: int
    target_balance: int


def book(balances: Balances, transfers: Iterable[Transfer]) -> Balances:
    """Return the *balances* after *transfers*, in order.

    Raises:
        TransferMustBeSound: a transfer moves nothing, or to where it came from.
        AccountOverdrawn: an account other than `house` and `pool` would go below zero.
    """
    after = dict(balances)
    for transfer in transfers:
        source, target, amount = transfer.source, transfer.target, transfer.amount
        if amount <= 0 or source == target:
            raise TransferMustBeSound(str(transfer))
        after[source] = left = after.get(source, 0) - amount
        if left < 0 and not may_go_below_zero(source):
            raise AccountOverdrawn(source, left, transfer)
        after[target] = after.get(target, 0) + amount
    return after


def nets(transfers: Iterable[Transfer]) -> Balances:
    """Return what *transfers* add to each account that they touch; the sum of all is 0."""
    added: dict[str, int] = {}
    for transfer in transfers:
        added[transfer.source] = added.get(transfer.source, 0) - transfer.amount
        added[transfer.target] = added.get(transfer.target, 0) + transfer.amount
    return added


def entries(balances: Balances, transfers: Iterable[Transfer]) -> tuple[Entry, ...]:
    """Return the entries of *transfers* that were booked in order on *balances*."""
    held = dict(balances)
    made = []
    for transfer in transfers:
        held[transfer.source] = source = held.get(transfer.source, 0) - transfer.amount
        held[transfer.target] = target = held.get(transfer.target, 0) + transfer.amount
        made.append(Entry(transfer, source, target))
    return tuple(made)
