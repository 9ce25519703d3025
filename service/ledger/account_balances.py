"""Balances: books transfers, and rejects a transfer that is unsound or overdraws an account (DECISIONS 63)."""

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from msgspec import Struct

from service.ledger.accounts import may_go_below_zero
from service.ledger.transfers import Transfer

Balances: TypeAlias = Mapping[str, int]
"""The balance of each account in whole units; an account that no transfer has touched is absent, and has 0 units."""


class TransferMustBeSound(Exception):
    """The amount of a transfer is not positive, or its source is its target; this is a defect of the game."""


class AccountOverdrawn(Exception):
    """A transfer would leave *account* with a *balance* below zero; this is a defect of the game."""

    def __init__(self, account: str, balance: int, transfer: Transfer) -> None:
        super().__init__(f"{account} would have {balance} after {transfer}")
        self.account = account
        self.balance = balance
        self.transfer = transfer


class Entry(Struct, frozen=True, gc=False):
    """A booked *transfer*, and the balances of both accounts right after this transfer."""

    transfer: Transfer
    source_balance: int
    target_balance: int


def book(balances: Balances, transfers: Iterable[Transfer]) -> Balances:
    """Return the balances after *transfers*, booked in order on *balances*.

    Raises:
        TransferMustBeSound: the amount of a transfer is not positive, or its source is its target.
        AccountOverdrawn: an account other than `house` and `pool` would go below zero.
    """
    after = dict(balances)
    for transfer in transfers:
        source, target, amount = transfer.source, transfer.target, transfer.amount
        if amount <= 0 or source == target:
            raise TransferMustBeSound(str(transfer))
        after[source] = balance = after.get(source, 0) - amount
        if balance < 0 and not may_go_below_zero(source):
            raise AccountOverdrawn(source, balance, transfer)
        after[target] = after.get(target, 0) + amount
    return after


def nets(transfers: Iterable[Transfer]) -> Balances:
    """Return, for each account that *transfers* touch, the net amount that is added; all net amounts sum to 0."""
    added: dict[str, int] = {}
    for transfer in transfers:
        added[transfer.source] = added.get(transfer.source, 0) - transfer.amount
        added[transfer.target] = added.get(transfer.target, 0) + transfer.amount
    return added


def entries(balances: Balances, transfers: Iterable[Transfer]) -> tuple[Entry, ...]:
    """Return the entries of *transfers*, booked in order on *balances*."""
    after: dict[str, int] = {}  # only the accounts that the transfers touch
    booked = []
    for transfer in transfers:
        before = after.get(transfer.source, balances.get(transfer.source, 0))
        after[transfer.source] = source = before - transfer.amount
        before = after.get(transfer.target, balances.get(transfer.target, 0))
        after[transfer.target] = target = before + transfer.amount
        booked.append(Entry(transfer, source, target))
    return tuple(booked)
