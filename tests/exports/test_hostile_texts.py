"""No text breaks an export or becomes a formula, not even a text in a log that somebody changed in the database."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis.strategies import text
from msgspec.structs import replace

from service.event_store.entries import EMPTY
from service.exports.csv_sheets import StatementSheet, TransferSheet
from service.exports.export_parts import Damaged, ExportedTable, Moved, Opening
from service.exports.hand_histories import HandHistories
from service.exports.hledger_journal import HledgerJournal
from service.games import CURRENT
from tests.exports.hledger import hledger
from tests.exports.played_tables import rows_of

HOSTILE = (
    "=HYPERLINK(0)",
    " +1",
    "-1",
    "@SUM(1)",
    "\N{FULLWIDTH EQUALS SIGN}1",
    "\t=1",
    "a\nb  c",
    'a,"b"',
    "\r\n2026-01-01 x",
    "a;b",
    "a  ; date:2000-99-99",
    "[2000-99-99]",
    "date:2000-99-99",
    "a:b::c",
    "",
    "%",
    "é\u202e\ud800\0\x1b[2J",
    "(x)",
    "= 5 chips",
)


def table(currency: str = "USD", number: int = 0) -> ExportedTable:
    return ExportedTable(
        table=f"tbl_{number:032x}", game=CURRENT["bankrupt"], currency=currency, worth_minor=1, head=EMPTY
    )


def moved(word: str, number: int = 0) -> Moved:
    return Moved(
        table=table(word, number),
        position=7,
        ordinal=0,
        at=word or "2026-01-01T00:00:00.000Z",
        type=word,
        by=word,
        source=f"s{word}",
        target=f"t{word}",
        amount=1,
        unit="chips",
        rule=word,
        ruling=word,
        source_balance=-1,
        target_balance=1,
    )


def journal_of(word: str, number: int = 0) -> str:
    journal = HledgerJournal()
    one = moved(word, number)
    lines = (journal.begin(), journal.table(one.table), journal.moved(one))
    opening = Opening(table=one.table, at=word, balances={(f"o{word}", word): 1, (f"p{word}", word): -1}, owners={})
    return "".join((*lines, journal.opening(opening), journal.end(1, (Damaged("tbl_x", 1, word),))))


def test_hledger_reads_every_hostile_text_as_the_transactions_that_it_is_in(tmp_path: Path) -> None:
    journal = tmp_path / "hostile.journal"
    journal.write_text("".join(journal_of(word, number) for number, word in enumerate(HOSTILE)))
    hledger(journal, "check", "--strict")
    assert len(hledger(journal, "accounts").splitlines()) == 4 * len(HOSTILE)
    assert len(json.loads(hledger(journal, "print", "--output-format", "json"))) == 2 * len(HOSTILE)


def test_the_date_of_a_transaction_is_not_before_the_date_above_it_even_if_the_clock_went_back(tmp_path: Path) -> None:
    journal = HledgerJournal()
    lines = [journal.begin(), journal.table(table())]
    for number, at in enumerate(("2026-01-02T00:00:00.000Z", "2026-01-01T23:59:59.000Z", "no time"), start=1):
        again = replace(moved("x"), at=at, source_balance=-number, target_balance=number)
        lines.append(journal.moved(again))
    file = tmp_path / "back.journal"
    file.write_text("".join(lines))
    hledger(file, "check", "--strict", "ordereddates")
    assert "time:2026-01-01T23:59:59.000Z" in lines[3]


@settings(max_examples=50)
@given(text())
def test_a_journal_has_the_same_lines_whatever_a_text_says(word: str) -> None:
    made = journal_of(word)
    assert made.isascii()
    assert made.isprintable() or set(filter(lambda one: not one.isprintable(), made)) == {"\n"}
    assert made.count("\n") == journal_of("x").count("\n")
    assert made.count(";") == journal_of("x").count(";")


@pytest.mark.parametrize("word", HOSTILE)
def test_a_spreadsheet_runs_no_text_as_a_formula_and_reads_each_text_again(word: str) -> None:
    for sheet in (TransferSheet(""), StatementSheet("")):
        written = (sheet.begin() + sheet.moved(moved(word)) + sheet.end(1, ())).encode("utf-8", "backslashreplace")
        for row in rows_of(written.decode()):
            for name, cell in row.items():
                is_number = name in {"amount_chips", "balance_chips"}
                assert is_number or not cell.lstrip().startswith(("=", "+", "-", "@", "\N{FULLWIDTH EQUALS SIGN}")), (
                    name,
                    cell,
                )
            assert row["rule"].removeprefix("'").encode() == word.encode("utf-8", "backslashreplace")


def test_a_history_sends_nothing_to_a_terminal_but_lines() -> None:
    for word in HOSTILE:
        said = HandHistories("", lambda _, __, ___: None).end(1, (Damaged("tbl_x", 1, word),))
        assert said.count("\n") == 2
        assert all(one.isprintable() for one in said.replace("\n", ""))
