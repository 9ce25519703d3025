"""Makes the writer of each format of an export."""

# DECISIONS 116

from typing import Final

from service.exports.csv_sheets import SHEETS
from service.exports.export_parts import Form, Selection, Sheet, Writer
from service.exports.hand_histories import HandHistories, ReadHand
from service.exports.hledger_journal import HledgerJournal

CONTENT_TYPES: Final[dict[Form, str]] = {
    "hledger": "text/plain; charset=utf-8",
    "text": "text/plain; charset=utf-8",
    "csv": "text/csv; charset=utf-8",
}
SUFFIXES: Final[dict[Form, str]] = {"hledger": "journal", "text": "txt", "csv": "csv"}
"""The ending of a file's name, by format."""


def writer(form: Form, sheet: Sheet, selected: Selection, read_hand: ReadHand) -> Writer:
    """Return a writer of *form*; a writer of CSV writes *sheet*, a writer of text reads hands with *read_hand*."""
    match form:
        case "hledger":
            return HledgerJournal()
        case "text":
            return HandHistories(selected.owner, read_hand)
        case "csv":
            return SHEETS[sheet](selected.owner)
