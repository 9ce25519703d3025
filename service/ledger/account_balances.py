"""Balances: books transfers, and rejects a transfer that is unsound or overdraws an account (DECISIONS 63)."""

from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

from msgspec import Struct

from service.ledger.accounts import may_go_below_zero
from service.ledger.transfers import Transfer

Balances: TypeAlias = Mapping[str, int]
"""The balance of each account in whole units; an absent account has 0 units."""


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


Entries: TypeAlias = tuple[Entry, ...]
NO_ENTRIES: Final[Entries] = ()


def book(balances: Balances, transfers: Iterable[Transfer]) -> tuple[Balances, Entries]:
    """Book *transfers* in order on *balances*; return the balances after all of them, and an entry for each transfer.

    Raises:
        TransferMustBeSound: the amount of a transfer is not positive, or its source is its target.
        AccountOverdrawn: an account other than `house` and `pool` would go below zero.
    """
    after = dict(balances)
    entries = []
    for transfer in transfers:
        source, target, amount = transfer.source, transfer.target, transfer.amount
        if amount <= 0 or source == target:
            raise TransferMustBeSound(str(transfer))
        after[source] = source_balance = after.get(source, 0) - amount
        if source_balance < 0 and not may_go_below_zero(source):
            raise AccountOverdrawn(source, source_balance, transfer)
        after[target] = target_balance = after.get(target, 0) + amount
        entries.append(Entry(transfer, source_balance, target_balance))
    return after, tuple(entries)


def nets(transfers: Iterable[Transfer]) -> Balances:
    """Return, for each account that *transfers* touch, the net amount that is added; all net amounts sum to 0."""
    added: dict[str, int] = {}
    for transfer in transfers:
        added[transfer.source] = added.get(transfer.source, 0) - transfer.amount
        added[transfer.target] = added.get(transfer.target, 0) + transfer.amount
    return added
