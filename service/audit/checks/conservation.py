"""Checks that the balances of each unit sum to zero, and that only `house` and `pool` go below zero."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from service.audit.findings import Finding
from service.ledger import Transfer, may_go_below_zero
from service.tables.fold import Step


class ConservationCheck:
    """Computes a table's balances from its transfers, and compares them with the balances in the game's state."""

    def __init__(self, table: str) -> None:
        self._table = table
        self._balances: dict[str, int] = {}
        self._units: dict[str, str] = {}

    def check_command(self, steps: Sequence[Step]) -> Iterator[Finding]:
        """Check the events of the next command."""
        for step in steps:
            event: Any = step.recorded.event
            if event.transfers:
                yield from self._booked(step.recorded.position, event.transfers)
                yield from self._conserved(step)

    def check_end(self) -> Iterable[Finding]:
        """Return no findings: `check_command` has checked every event."""
        return ()

    def _booked(self, position: int, transfers: Iterable[Transfer]) -> Iterator[Finding]:
        ours = self._balances
        for transfer in transfers:
            if transfer.amount <= 0:
                yield self._finding(position, "transfer_must_move_something", "an amount above 0", str(transfer.amount))
            ours[transfer.source] = left = ours.get(transfer.source, 0) - transfer.amount
            ours[transfer.target] = ours.get(transfer.target, 0) + transfer.amount
            for account in (transfer.source, transfer.target):
                unit = self._units.setdefault(account, transfer.unit)
                if unit != transfer.unit:
                    yield self._finding(position, "account_must_keep_its_unit", unit, transfer.unit, account)
            if left < 0 and not may_go_below_zero(transfer.source):
                yield self._finding(position, "account_must_keep_its_floor", "0 or more", str(left), transfer.source)

    def _conserved(self, step: Step) -> Iterator[Finding]:
        position, balances = step.recorded.position, step.after.state.balances
        if balances == self._balances and len(set(self._units.values())) == 1 and not sum(balances.values()):
            return  # A fast path: in this case the checks below find nothing.
        sums: Counter[str] = Counter()
        for account in {**balances, **self._balances}:
            units, ours = balances.get(account, 0), self._balances.get(account, 0)
            sums[self._units.get(account, "of no unit")] += units
            if units != ours:
                yield self._finding(position, "balance_must_be_what_transfers_make", str(ours), str(units), account)
        for unit, total in sums.items():
            if total:
                yield self._finding(position, "units_must_sum_to_zero", "0", str(total), unit)

    def _finding(self, position: int, check: str, expected: str, found: str, detail: str = "") -> Finding:
        return Finding(table=self._table, position=position, check=check, expected=expected, found=found, detail=detail)
