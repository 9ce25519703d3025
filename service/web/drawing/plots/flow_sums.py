"""Who paid whom, as a matrix of seats and shared accounts."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from msgspec import Struct

from service.ledger import HOUSE, account_seat


class Participant(Struct, frozen=True, order=True):
    """A seat with all its accounts, or, if *seat* is 0, the shared account *name*."""

    seat: int
    name: str

    @property
    def label(self) -> str:
        """The name of the participant on a page."""
        return f"Seat {self.seat}" if self.seat else f"The {self.name}"


_THE_HOUSE: Final = Participant(0, HOUSE)


class FlowRow(Struct, frozen=True, kw_only=True):
    """A row: *paid* has what *payer* paid to each receiver, in order; *net* is the sum received minus the sum paid.

    *net_in_play* is the net without the chips that the house sold and bought back.
    """

    payer: Participant
    paid: tuple[int, ...]
    paid_in_all: int
    received_in_all: int
    net: int
    net_in_play: int


class FlowMatrix(Struct, frozen=True, kw_only=True):
    """The sums that participants paid each other in one *unit*; moves between accounts of one seat do not count."""

    unit: str
    participants: tuple[Participant, ...]
    rows: tuple[FlowRow, ...]
    moved: int

    @property
    def has_house(self) -> bool:
        """Whether the house sold or bought back chips."""
        return _THE_HOUSE in self.participants

    def flows(self) -> Iterator[tuple[Participant, Participant, int]]:
        """Yield payer, receiver and amount, the largest amount first."""
        found = [
            (row.payer, receiver, amount)
            for row in self.rows
            for receiver, amount in zip(self.participants, row.paid, strict=True)
            if amount
        ]
        yield from sorted(found, key=lambda flow: (-flow[2], flow[0], flow[1]))


def matrices(flows: Iterable[Mapping[str, Any]]) -> tuple[FlowMatrix, ...]:
    """Return a matrix for each unit in *flows*, the API's flows between pairs of accounts."""
    by_unit: dict[str, dict[tuple[Participant, Participant], int]] = defaultdict(lambda: defaultdict(int))
    for one in flows:
        payer, receiver = _participant(one["source"]), _participant(one["target"])
        if payer != receiver:
            by_unit[one["unit"]][payer, receiver] += one["amount"]
    return tuple(_matrix(unit, sums) for unit, sums in sorted(by_unit.items()))


def _matrix(unit: str, sums: Mapping[tuple[Participant, Participant], int]) -> FlowMatrix:
    found = {participant for pair in sums for participant in pair}
    participants = tuple(sorted(found, key=lambda one: (not one.seat, one)))
    rows = []
    for payer in participants:
        paid = tuple(sums.get((payer, receiver), 0) for receiver in participants)
        received = sum(sums.get((other, payer), 0) for other in participants)
        in_all = sum(paid)
        sold = sums.get((_THE_HOUSE, payer), 0) - sums.get((payer, _THE_HOUSE), 0)
        rows.append(
            FlowRow(
                payer=payer,
                paid=paid,
                paid_in_all=in_all,
                received_in_all=received,
                net=received - in_all,
                net_in_play=0 if payer == _THE_HOUSE else received - in_all - sold,
            )
        )
    return FlowMatrix(unit=unit, participants=participants, rows=tuple(rows), moved=sum(sums.values()))


def _participant(account: str) -> Participant:
    seat = account_seat(account)
    return Participant(seat, "" if seat else account)
