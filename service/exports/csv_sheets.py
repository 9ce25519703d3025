"""Writes an export as a sheet of CSV (RFC 4180): the transfers, the statements of accounts, or the seats of hands."""

# DECISIONS 116

import csv
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from io import StringIO
from typing import ClassVar, Final, TypeAlias

from service.exports.export_parts import Damaged, EndedHand, ExportedTable, Moved, Opening, Sheet, seat_of
from service.ledger import CHIPS, HOUSE, POINTS, Balances

_Cell: TypeAlias = str | int
_FORMULA: Final = ("=", "+", "-", "@")
"""A spreadsheet may read a text as a formula if the text begins with such a character, or its full-width form."""


class _Sheet(ABC):
    """Writes rows of one kind, with amounts in a column for each unit. The last row begins with the word "end"."""

    COLUMNS: ClassVar[tuple[str, ...]]

    def __init__(self, owner: str) -> None:
        """Write only what belongs to *owner*; "": write everything."""
        self._owner = owner
        self._rows = 0

    def begin(self) -> str:
        """Return the header."""
        return _lines([("record", *self.COLUMNS, "note")])

    def table(self, table: ExportedTable) -> str:  # noqa: ARG002 -- each row names its table
        """Return nothing: each row names its table."""
        return ""

    def opening(self, opening: Opening) -> str:  # noqa: ARG002 -- no sheet has a row for an opening
        """Return nothing: each row of a statement has the balance of its account."""
        return ""

    def moved(self, moved: Moved) -> str:
        """Return the rows of a transfer."""
        return self._written(self._moved(moved))

    def hand(self, hand: EndedHand) -> str:
        """Return the rows of a hand."""
        return self._written(self._hand(hand))

    def end(self, tables: int, damaged: tuple[Damaged, ...]) -> str:
        """Return a row for each damaged table, and the last row, which says whether the file is whole."""
        empty = ("",) * (len(self.COLUMNS) - 1)
        broken = [("damaged", one.table, *empty, f"from position {one.position} on: {one.why}") for one in damaged]
        note = f"{'not whole' if damaged else 'whole'}: {self._rows} rows of {tables} tables"
        return _lines([*broken, ("end", "", *empty, note)])

    def _written(self, rows: Iterable[tuple[_Cell, ...]]) -> str:
        made = [*rows]
        self._rows += len(made)
        return _lines((*row, "") for row in made)

    @abstractmethod
    def _moved(self, moved: Moved) -> Iterator[tuple[_Cell, ...]]:
        """Yield the rows of a transfer."""

    @abstractmethod
    def _hand(self, hand: EndedHand) -> Iterator[tuple[_Cell, ...]]:
        """Yield the rows of a hand."""


class _OfMoves(_Sheet):
    """A sheet of transfers or postings; hands have no rows in this sheet."""

    def _hand(self, hand: EndedHand) -> Iterator[tuple[_Cell, ...]]:  # noqa: ARG002 -- hands have no rows here
        yield from ()


_PLACE: Final = ("table", "game", "time_utc", "position", "ordinal", "hand", "dispute", "event", "by")
_WORTH: Final = ("chip_worth_minor_units", "currency")


class TransferSheet(_OfMoves):
    """One row for each transfer."""

    COLUMNS = (
        *_PLACE,
        *("source", "source_owner", "target", "target_owner", "amount_chips", "amount_points"),
        *("rule", "ruling"),
        *_WORTH,
    )

    def _moved(self, moved: Moved) -> Iterator[tuple[_Cell, ...]]:
        owners = moved.owner_of(moved.source), moved.owner_of(moved.target)
        if self._owner in {"", *owners}:
            amounts = _by_unit(moved.unit, moved.amount)
            sides = (moved.source, owners[0], moved.target, owners[1])
            yield "transfer", *_place(moved), *sides, *amounts, moved.rule, moved.ruling, *_worth(moved.table)


class StatementSheet(_OfMoves):
    """One row for each posting, which is one side of a transfer, with the account's balance after the transfer."""

    COLUMNS = (
        *_PLACE,
        *("account", "owner", "counterparty", "amount_chips", "amount_points", "balance_chips", "balance_points"),
        *("rule", "ruling"),
        *_WORTH,
    )

    def _moved(self, moved: Moved) -> Iterator[tuple[_Cell, ...]]:
        for account, other, amount, balance in (
            (moved.source, moved.target, -moved.amount, moved.source_balance),
            (moved.target, moved.source, moved.amount, moved.target_balance),
        ):
            if self._owner in {"", owner := moved.owner_of(account)}:
                amounts = *_by_unit(moved.unit, amount), *_by_unit(moved.unit, balance)
                reason = moved.rule, moved.ruling
                yield "posting", *_place(moved), account, owner, other, *amounts, *reason, *_worth(moved.table)


class HandSheet(_Sheet):
    """One row for each seat of each hand that ended."""

    COLUMNS = (
        *("table", "game", "hand", "first_position", "last_position", "started_utc", "ended_utc", "seat", "owner"),
        *("opening_chips", "net_chips", "closing_chips", "opening_points", "net_points", "closing_points"),
        *_WORTH,
    )

    def _moved(self, moved: Moved) -> Iterator[tuple[_Cell, ...]]:  # noqa: ARG002 -- the rows of a hand have the sums
        yield from ()

    def _hand(self, hand: EndedHand) -> Iterator[tuple[_Cell, ...]]:
        unit = CHIPS if HOUSE in hand.after else POINTS
        before, after = _of_seats(hand.before), _of_seats(hand.after)
        for seat in sorted({*after, *hand.owners}):
            owner = hand.owners.get(seat, "")
            if self._owner not in {"", owner}:
                continue
            opening, closing = before.get(seat, 0), after.get(seat, 0)
            amounts = (opening, closing - opening, closing)
            empty = ("", "", "")
            place = (hand.table.table, hand.table.game.name, hand.hand, hand.first, hand.last)
            times = (hand.started_at, hand.ended_at)
            columns = (*amounts, *empty) if unit == CHIPS else (*empty, *amounts)
            yield "seat", *place, *times, seat, owner, *columns, *_worth(hand.table)


SHEETS: Final[dict[Sheet, type[_Sheet]]] = {
    "transfers": TransferSheet,
    "statements": StatementSheet,
    "hands": HandSheet,
}


def _place(moved: Moved) -> tuple[_Cell, ...]:
    return (
        moved.table.table,
        moved.table.game.name,
        moved.at,
        moved.position,
        moved.ordinal,
        moved.hand or "",
        moved.dispute or "",
        moved.type,
        moved.by,
    )


def _worth(table: ExportedTable) -> tuple[_Cell, ...]:
    return (table.worth_minor, table.currency) if table.worth_minor else ("", "")


def _by_unit(unit: str, amount: int) -> tuple[_Cell, _Cell]:
    """Return *amount* in the column of chips or in the column of points."""
    return (amount, "") if unit == CHIPS else ("", amount)


def _of_seats(balances: Balances) -> dict[int, int]:
    """Return the sum of the accounts of each seat; all accounts of a seat have the same unit."""
    sums: dict[int, int] = {}
    for account, balance in balances.items():
        if seat := seat_of(account):
            sums[seat] = sums.get(seat, 0) + balance
    return sums


def _lines(rows: Iterable[tuple[_Cell, ...]]) -> str:
    written = StringIO(newline="")
    csv.writer(written, lineterminator="\r\n").writerows([tuple(map(_safe, row)) for row in rows])
    return written.getvalue()


def _safe(cell: _Cell) -> _Cell:
    """Return *cell*; add an apostrophe at its beginning if a spreadsheet may read *cell* as a formula."""
    if isinstance(cell, str) and unicodedata.normalize("NFKC", cell).lstrip().startswith(_FORMULA):
        return f"'{cell}"
    return cell
