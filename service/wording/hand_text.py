"""Puts a hand of any game into lines of text: its cards, decisions, payouts with their reasons, and balances."""

# DECISIONS 116

import textwrap
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final

from msgspec import Struct

from service.client.hand_answers import HandHistory
from service.ledger import POINTS, POOL, account_seat
from service.wording import decision_runs

WIDTH: Final = 80
"""The maximum number of characters in a line of wrapped text."""


class Line(Struct, frozen=True):
    """A line of text without its line feed; *is_dim*: the line is less important than the others."""

    text: str
    is_dim: bool = False


def hand_lines(hand: HandHistory, chosen: Collection[str], author: str, rulings: Mapping[str, str]) -> Iterator[Line]:
    """Yield the lines of *hand*.

    *chosen* has the names of the members of the game's actions; *author* is the author of the rules, and *rulings* has
    the text of each ruling.
    """
    cards: dict[int | str, list[str]] = {}
    for dealt in hand.cards:
        cards.setdefault(dealt.to, []).append(dealt.face)
    held = (f"{_place(to)} {' '.join(faces)}" for to, faces in sorted(cards.items(), key=lambda item: str(item[0])))
    yield from wrapped(f"Cards dealt: {'; '.join(held) or 'none'}.")
    yield from wrapped("Decisions, in order:")
    for entry in decision_runs.entries(hand.decisions, hand.fields, chosen):
        yield from wrapped(entry, indent=6, first_indent=2)
    yield Line("")
    yield from _payouts(hand)
    if any(paid.payout.unit == POINTS for paid in hand.payouts):
        yield from wrapped(f"The hand adds: {_added(hand)}.")
    yield Line("")
    yield from _balances(hand)
    yield Line(f"The sum of all nets: {sum(one.net for one in hand.accounts)}.")
    cited = [*dict.fromkeys(paid.payout.ruling for paid in hand.payouts if paid.payout.ruling)]
    yield Line("")
    yield Line(f"The rules are {author}'s. Where the sheet is silent, our rulings apply:")
    for ruling in cited:
        yield from wrapped(f"{ruling:<9} {rulings.get(ruling, '')}", indent=12, first_indent=2)


def wrapped(words: str, indent: int = 2, first_indent: int = 0) -> Iterator[Line]:
    """Yield the lines of a paragraph, of at most `WIDTH` characters each; a no-break space becomes a plain space."""
    for line in textwrap.wrap(words, WIDTH, initial_indent=" " * first_indent, subsequent_indent=" " * indent) or [""]:
        yield Line(line.replace(decision_runs.NO_BREAK, " "))


def aligned(rows: Sequence[Sequence[str]], *, right: Collection[int]) -> list[str]:
    """Return *rows* as the lines of a text table; the columns whose indexes are in *right* are aligned right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if at in right else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def _payouts(hand: HandHistory) -> Iterator[Line]:
    """Yield the payouts, each with its reason in the lines below."""
    unit = next((paid.payout.unit for paid in hand.payouts), "chips")
    rows = [(str(one.amount), one.source, one.target, one.rule, one.ruling) for one in (p.payout for p in hand.payouts)]
    head, *lines = aligned([(unit, "from", "to", "rule", "ruling"), *rows], right={0})
    indent = " " * (max(len(row[0]) for row in [(unit,), *rows]) + 2)
    yield Line(head)
    for kind, several in groupby(zip(hand.payouts, lines, strict=True), key=lambda pair: pair[0].type):
        yield Line(f"{indent}{kind.replace('_', ' ')}", is_dim=True)
        for paid, line in several:
            yield Line(line)
            yield from map(
                Line,
                textwrap.wrap(
                    paid.payout.formula, WIDTH, initial_indent=f"{indent}  ", subsequent_indent=f"{indent}  "
                ),
            )


def _balances(hand: HandHistory) -> Iterator[Line]:
    """Yield, for each account, the balance before the hand, the net change, and the balance after the hand."""
    rows = [
        (one.account, str(one.opening), f"{one.net:+}" if one.net else "0", str(one.closing)) for one in hand.accounts
    ]
    yield from map(Line, aligned([("account", "before", "net", "after"), *rows], right={1, 2, 3}))


def _place(to: int | str) -> str:
    return f"seat {to}" if isinstance(to, int) else to


def _added(hand: HandHistory) -> str:
    """Return the points that the hand adds to each score, as text."""
    added = Counter[str]()
    for payout in (paid.payout for paid in hand.payouts):
        added[payout.target] += payout.amount
        added[payout.source] -= payout.amount
    return ", ".join(
        f"seat {account_seat(account)} {added[account]}"
        for account in sorted(added, key=account_seat)
        if account != POOL
    )
