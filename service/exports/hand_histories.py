"""Writes an export as hand histories: a text for each hand that ended."""

# DECISIONS 116

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

import msgspec

from service.client.hand_answers import HandHistory
from service.exports.export_parts import Damaged, EndedHand, ExportedTable, Moved, Opening
from service.games.common_commands import ACTIONS
from service.games.common_rulings import COMMON_RULINGS
from service.games.definition import Game
from service.ledger import Balances
from service.projections.hand_history import HandItem, HandView
from service.wording import hand_text

ReadHand = Callable[[bytes, HandItem, Balances], HandView | None]
"""Returns a hand of the table whose stream has the given id, as the reader of the export may see the hand now.

None: the reader may not see the table. The given balances are those right before the hand.

Raises `CannotRead` if the table's stream is damaged.
"""

_UNKNOWN: Final = "\N{REPLACEMENT CHARACTER}"
_SECONDS: Final = 19
"""The number of characters of a time up to its seconds, as in "2026-01-31T12:00:00"."""


class HandHistories:
    """Writes the hands in which *owner* had a seat ("": all hands); *read* returns a hand as the reader may see it."""

    def __init__(self, owner: str, read: ReadHand) -> None:
        self._owner = owner
        self._read = read
        self._hands = 0

    def begin(self) -> str:
        """Return nothing."""
        return ""

    def table(self, table: ExportedTable) -> str:  # noqa: ARG002 -- each hand names its table
        """Return nothing: each hand names its table."""
        return ""

    def opening(self, opening: Opening) -> str:  # noqa: ARG002 -- each hand has its balances
        """Return nothing: each hand has the balances right before its first event."""
        return ""

    def moved(self, moved: Moved) -> str:  # noqa: ARG002 -- each hand has its payouts
        """Return nothing: each hand has its payouts."""
        return ""

    def hand(self, hand: EndedHand) -> str:
        """Return the text of a hand.

        Raises:
            CannotRead: the table's stream is damaged.
        """
        if self._owner and self._owner not in hand.owners.values():
            return ""
        item = HandItem(hand=hand.hand, first=hand.first, last=hand.last, is_settled=True)
        view = self._read(hand.stream_id, item, hand.before)
        if view is None:
            return ""
        self._hands += 1
        return _text([*_lines(hand, view), "", ""])

    def end(self, tables: int, damaged: tuple[Damaged, ...]) -> str:
        """Return the last lines, which say whether the export is whole."""
        lines = [f"Not whole: {one.table} from position {one.position} on: {one.why}" for one in damaged]
        whole = "not whole" if damaged else "whole"
        return _text([*lines, f"The end: {self._hands} hands of {tables} tables; {whole}."])


def _lines(hand: EndedHand, view: HandView) -> Iterator[str]:
    game = hand.table.game
    sheet = game.sheet
    title = f"Hand {hand.hand} of {hand.table.table}"
    year = f" ({sheet.year})" if sheet.year else ""
    yield title
    yield "─" * len(title)
    yield f"{sheet.title}, {sheet.credited} {sheet.author}{year}"
    begun, ended = (at[:_SECONDS].replace("T", " ") for at in (hand.started_at, hand.ended_at))
    yield f"Played from {begun} to {ended} UTC; events {hand.first} to {hand.last}"
    yield from _worth(hand.table)
    for seat, owner in hand.owners.items():
        yield f"Seat {seat}: {owner}"
    yield ""
    plain = msgspec.json.decode(msgspec.json.encode(view), type=HandHistory)
    for line in hand_text.hand_lines(plain, _chosen(game), sheet.author, _rulings(game)):
        yield line.text


def _worth(table: ExportedTable) -> Iterator[str]:
    if table.worth_minor:
        yield f"A chip is worth {table.worth_minor} minor units of {table.currency}"


def _chosen(game: Game) -> frozenset[str]:
    """Return the names of the members that a caller chooses in the actions of the game."""
    return frozenset(
        name
        for command in (*ACTIONS, *game.commands)
        for name in command.__struct_fields__
        if name not in command.FROM_CALLER
    )


def _rulings(game: Game) -> Mapping[str, str]:
    return {**game.rulings, **COMMON_RULINGS}


def _text(lines: Iterable[str]) -> str:
    """Return *lines* as text; characters that can't be printed, which a forged log may have, are replaced."""
    return "".join("".join(one if one.isprintable() else _UNKNOWN for one in line) + "\n" for line in lines)
