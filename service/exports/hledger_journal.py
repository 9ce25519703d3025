"""Writes an export as a journal of hledger, in which every balance is asserted."""

# DECISIONS 116

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Final

from service.exports.export_parts import Damaged, EndedHand, ExportedTable, Moved, Opening
from service.ledger import CHIPS, POINTS

_ROOT: Final = "tables"
_PLAIN: Final = re.compile("[a-z_]+(:[0-9]{1,4}|:own_[0-9a-f]{32})?", re.ASCII)
_SAFE: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./+")
_FIRST: Final = "0001-01-01"
_BEGIN: Final = """\
; A journal for hledger, written by Chiptrail.
; Each transfer is a transaction: first the transfers at a table, then those of the corrections of its disputes. The
; tags are the table, rule, ruling and time, the hand or dispute, and the position, type and actor (`by`) of the event.
; A posting has the owner of its account. Dates are in UTC. Within the transfers at a table, and within the corrections,
; no transaction has an earlier date than the transaction before it, even if the clock of the service went back.
"""


class HledgerJournal:
    """Writes each transfer as a transaction of its own, so that each transaction has one rule.

    A text of a user can't change the form of the journal: in such a text, each character except ASCII letters, digits,
    spaces and a few signs is escaped as in a URL.
    """

    def __init__(self) -> None:
        self._directives: set[str] = set()
        self._date = {False: _FIRST, True: _FIRST}
        self._transactions = 0

    def begin(self) -> str:
        """Return the first comment."""
        return _BEGIN

    def table(self, table: ExportedTable) -> str:
        """Return a comment about the table and, if a chip has a worth, the commodity of money and a chip's price."""
        self._directives = set()
        self._date = {False: _FIRST, True: _FIRST}
        name, place = _escaped(table.game.name), f"position {table.head.position}, whose leaf hash is"
        lines = [f"\n; {table.table}: {name}, up to {place} {table.head.hash.hex()}"]
        if table.worth_minor:
            money = f'"{_escaped(table.currency)} minor"'
            lines.append(f"commodity 1000. {money}")
            lines.append(f"P {_FIRST} {_chips(table)} {table.worth_minor} {money}")
        return "\n".join(lines) + "\n"

    def opening(self, opening: Opening) -> str:
        """Return a transaction with the balances with which the export of the table begins."""
        date = self._dated(opening.at, of_disputes=opening.is_of_disputes)
        lines = [f"{date} * opening balances  ; table:{opening.table.table}, time:{_escaped(opening.at, also=':')}"]
        directives = list[str]()
        for (name, unit), balance in opening.balances.items():
            account, commodity = _account(opening.table, name), _commodity(opening.table, unit)
            directives += self._declared(f"account {account}", f"commodity 1000. {commodity}")
            amount = f"{balance} {commodity}"
            lines.append(f"    {account}  {amount} = {amount}{_owner(opening, name)}")
        self._transactions += 1
        return "".join(f"{line}\n" for line in ("", *directives, "", *lines))

    def moved(self, moved: Moved) -> str:
        """Return the transaction of a transfer."""
        date = self._dated(moved.at, of_disputes=moved.dispute > 0)
        source, target = (_account(moved.table, name) for name in (moved.source, moved.target))
        tags = ", ".join(f"{name}:{value}" for name, value in _tags(moved))
        unit = _commodity(moved.table, moved.unit)
        directives = [*self._declared(f"account {source}", f"account {target}", f"commodity 1000. {unit}")]
        lines = [
            *(("", *directives) if directives else ()),
            "",
            f"{date} * ({moved.position}.{moved.ordinal}) {_escaped(moved.type.replace('_', ' '))}  ; {tags}",
            f"    {source}  -{moved.amount} {unit} = {moved.source_balance} {unit}{_owner(moved, moved.source)}",
            f"    {target}  {moved.amount} {unit} = {moved.target_balance} {unit}{_owner(moved, moved.target)}",
        ]
        self._transactions += 1
        return "".join(f"{line}\n" for line in lines)

    def hand(self, hand: EndedHand) -> str:  # noqa: ARG002 -- the tags of transfers name the hands
        """Return nothing: a transfer names its hand."""
        return ""

    def end(self, tables: int, damaged: tuple[Damaged, ...]) -> str:
        """Return a comment that says whether the journal is whole, and which tables are damaged."""
        reasons = [(f"{one.table} from position {one.position} on", _escaped(one.why, also=" ,")) for one in damaged]
        lines = [f"; not whole: {place}: {why}\n" for place, why in reasons]
        whole = "not whole" if damaged else "whole"
        return "\n" + "".join(lines) + f"; The end: {self._transactions} transactions of {tables} tables; {whole}.\n"

    def _dated(self, at: str, *, of_disputes: bool) -> str:
        """Return the date of *at*, or the last returned date if that is later: hledger checks assertions by date."""
        try:
            date = datetime.fromisoformat(at).date().isoformat()
        except ValueError:  # If the log was changed in the database, *at* may be no time.
            date = _FIRST
        self._date[of_disputes] = max(self._date[of_disputes], date)
        return self._date[of_disputes]

    def _declared(self, *directives: str) -> Iterator[str]:
        """Yield the *directives* that were not written for this table yet."""
        for directive in directives:
            if directive not in self._directives:
                self._directives.add(directive)
                yield directive


def _tags(moved: Moved) -> Iterator[tuple[str, str]]:
    yield "table", moved.table.table
    yield "rule", _escaped(moved.rule)
    if moved.ruling:
        yield "ruling", _escaped(moved.ruling)
    yield "time", _escaped(moved.at, also=":")
    if moved.hand:
        yield "hand", str(moved.hand)
    if moved.dispute:
        yield "dispute", str(moved.dispute)
    yield "position", str(moved.position)
    yield "event", _escaped(moved.type)
    yield "by", _escaped(moved.by, also=":")


def _owner(part: Moved | Opening, account: str) -> str:
    owner = part.owner_of(account)
    return f"  ; owner:{_escaped(owner)}" if owner else ""


def _account(table: ExportedTable, name: str) -> str:
    own = name if _PLAIN.fullmatch(name) else _escaped(name, also="").replace(".", "%2E") or "%"
    return f"{_ROOT}:{table.table}:{own}"


def _commodity(table: ExportedTable, unit: str) -> str:
    if unit == CHIPS:
        return _chips(table)
    return unit if unit == POINTS else f'"{_escaped(unit) or "%"}"'


def _chips(table: ExportedTable) -> str:
    """Return the commodity of the table's chips: chips that are worth different amounts of money must not be added."""
    return f'"chips {_escaped(table.currency)} {table.worth_minor}"' if table.worth_minor else CHIPS


def _escaped(text: str, also: str = " ") -> str:
    """Return *text* with each byte as %XX, except the characters in `_SAFE` and in *also*.

    Two spaces in a row are escaped in any case. So the result can't end a line, a comment or a tag, and can't be a date
    in brackets.
    """
    data = text.encode("utf-8", "backslashreplace")
    words = "".join(chr(byte) if chr(byte) in _SAFE or chr(byte) in also else f"%{byte:02X}" for byte in data)
    return words.replace("  ", "%20%20")
