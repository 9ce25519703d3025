"""Prints the report of the demo and of `chiptrail hand`: players, balances, explained hands, next steps."""

import shlex
import textwrap
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from rich.table import Table as Grid

from service.cli.support.bylines import byline
from service.cli.support.demo_disputes import DemoDispute
from service.cli.support.output import escaped, stdout
from service.client.hand_answers import Adjudication, HandHistory
from service.client.table_answers import Credit, GameInfo, Posting, Table
from service.ledger import POINTS, POOL, account_seat, score, stack
from service.wording import decision_runs

_MINOR_IN_MAJOR = 100
_WIDTH = 80  # the maximum number of characters in a line of wrapped text


def welcome(credits_: Sequence[Credit], url: str, kinds: Sequence[str], seed: str) -> None:
    """Print the games, the server, and the bots."""
    stdout.print(f"Played at {url}:", soft_wrap=True)
    for credit in credits_:
        stdout.print(
            f"  {escaped(byline(credit)).replace(credit.title, f'[bold]{credit.title}[/]', 1)}", soft_wrap=True
        )
    seats = ", ".join(f"seat {seat} {kind}" for seat, kind in enumerate(kinds, start=1))
    paragraph(
        f"Bots play, each as a client of its own: {seats}. The seed of their choices is {seed}. The cards are"
        " random, and the service commits to each deck before any decision about its cards.",
        indent=0,
    )


def balances(
    games: Sequence[tuple[Table, Sequence[Posting]]], kinds: Mapping[str, Sequence[str]], worth: Mapping[str, Any]
) -> None:
    """Print the chips that each player bought, received and won, from the postings of each table's `house`.

    *kinds* has the kinds of the bots in the seats of each game.
    """
    heading("Final balances")
    names = ("", "game", "hands", "events", "seat", "bot", "bought", "paid out", "won", "worth")
    grid = Grid(*names, box=None, pad_edge=False)
    for column in grid.columns[6:]:
        column.justify = "right"
    for number, (table, house) in enumerate(games, start=1):
        for seat, kind in enumerate(kinds[table.game], start=1):
            amounts = [line.amount for line in house if line.counterparty == stack(seat)]
            bought = -sum(amount for amount in amounts if amount < 0)
            paid = sum(amount for amount in amounts if amount > 0)
            of_game = (str(number), table.game, str(table.hand), f"{table.position:,}") if seat == 1 else ("",) * 4
            money = f"{(paid - bought) * worth['minor'] / _MINOR_IN_MAJOR:+.2f} {worth['currency']}"
            style = "bold" if seat in table.winners else ""
            grid.add_row(
                *of_game, str(seat), kind, str(bought), str(paid or "–"), f"{paid - bought:+}", money, style=style
            )
    stdout.print(grid)
    left = {account: chips for table, _ in games for account, chips in table.balances.items() if chips}
    stdout.print(f"Left on the tables: {left or 'nothing; all accounts are at 0, the house too'}.")


def scores(games: Sequence[Table], kinds: Mapping[str, Sequence[str]]) -> None:
    """Print each player's points in games of points; *kinds* has the kinds of the bots in the seats of each game."""
    heading("Final scores")
    names = ("", "game", "hands", "events", "seat", "bot", "points", "")
    grid = Grid(*names, box=None, pad_edge=False)
    grid.columns[-2].justify = "right"
    for number, table in enumerate(games, start=1):
        rules = ", ".join(name for name, is_on in table.options.items() if is_on is True) or "no optional rules"
        heads = [(str(number), table.game, str(table.hand), f"{table.position:,}"), ("", f"  {rules}", "", "")]
        for seat, kind in enumerate(kinds[table.game], start=1):
            of_game = heads[seat - 1] if seat <= len(heads) else ("",) * 4
            won = "won" if seat in table.winners else ""
            style = "bold" if won else ""
            grid.add_row(*of_game, str(seat), kind, str(table.balances.get(score(seat), 0)), won, style=style)
    stdout.print(grid)
    issued = sum(-table.balances.get(POOL, 0) for table in games)
    scored_in_all = sum(
        table.balances.get(score(seat), 0) for table in games for seat in range(1, len(kinds[table.game]) + 1)
    )
    paragraph(f"The pools gave out {issued} points, and all scores together are {scored_in_all}.", 0)


def hardest_to_explain(hands: Iterable[HandHistory]) -> HandHistory:
    """Return the hand that is hardest to explain.

    Hands whose payouts compare cards come first, then hands with more reasons, then hands with longer formulas.
    """

    def difficulty(hand: HandHistory) -> tuple[int, int, int]:
        payouts = [paid.payout for paid in hand.payouts]
        compared = sum(bool(payout.cards) for payout in payouts)
        reasons = {(payout.rule, payout.ruling) for payout in payouts}
        return min(compared, 2), len(reasons), max((len(payout.formula) for payout in payouts), default=0)

    return max(hands, key=difficulty)


def dispute(hand: HandHistory, adjudication: Adjudication, game: GameInfo) -> None:
    """Print the heading of a disputed hand, its explanation, and its verdict."""
    heading(f"A disputed hand of {game.credit.title}")
    stdout.print(f"This is hand {hand.hand} of {hand.table}.")
    explain(hand, adjudication, game)


def disputes(shown: Sequence[DemoDispute]) -> None:
    """Print the disputes of the demo: the complaint, the decision with its reason, the correction, and the verdict."""
    heading("Two disputes" if len(shown) > 1 else "A dispute")
    for one in shown:
        dispute = one.dispute
        paragraph(f"Dispute {dispute.dispute} of {one.table}, hand {dispute.hand}.", indent=0)
        paragraph(f'Seat {one.seat}: "{one.statement}"', indent=4, first_indent=2)
        paragraph(f'The auditor: {dispute.outcome}, by {one.rule}. "{one.reason}"', indent=4, first_indent=2)
        if one.owed:
            chips = "1 chip" if one.owed == 1 else f"{one.owed} chips"
            owed = f"Correction: seat {one.debtor} owes seat {one.seat} {chips}; a second person approved it."
            paragraph(owed, indent=4, first_indent=2)
        paragraph(f"The service decided the hand again: {dispute.verdict_now}.", indent=4, first_indent=2)


def explain(hand: HandHistory, adjudication: Adjudication, game: GameInfo) -> None:
    """Print the cards, decisions, payouts and balances of a hand, and the verdict of its adjudication."""
    cards: dict[int | str, list[str]] = {}
    for dealt in hand.cards:
        cards.setdefault(dealt.to, []).append(dealt.face)
    held = (f"{_place(to)} {' '.join(faces)}" for to, faces in sorted(cards.items(), key=lambda item: str(item[0])))
    paragraph(f"Cards dealt: {'; '.join(held)}.")
    paragraph("Decisions, in order:")
    chosen = {member.name for action in game.actions for member in action.members}
    for entry in decision_runs.entries(hand.decisions, hand.fields, chosen):
        paragraph(entry, indent=6, first_indent=2)
    stdout.print()
    stdout.print(_payouts(hand), soft_wrap=True)
    if any(paid.payout.unit == POINTS for paid in hand.payouts):
        paragraph(f"The hand adds: {_added(hand)}.")
    stdout.print()
    stdout.print(_balances(hand))
    stdout.print(f"The sum of all nets: {sum(one.net for one in hand.accounts)}.")
    stdout.print(f"\nThe rules are {game.credit.author}'s. Where the sheet is silent, our rulings apply:")
    for ruling in dict.fromkeys(paid.payout.ruling for paid in hand.payouts if paid.payout.ruling):
        paragraph(f"{ruling:<9} {game.rulings.get(ruling, '')}", indent=12, first_indent=2)
    decided = len(adjudication.decisions)
    stdout.print(f"\n{decided} decisions decided again, every event compared: [bold]{adjudication.verdict}[/]")
    stdout.print(signatures(adjudication.unsigned_seats))


def signatures(unsigned_seats: Sequence[int]) -> str:
    """Return which seats made decisions in a hand without signing."""
    if not unsigned_seats:
        return "No seat decided without a signature."
    return f"Seats that decided without a signature: {', '.join(map(str, unsigned_seats))}."


def heading(words: str) -> None:
    """Print the heading of a section."""
    stdout.print(f"\n[bold]{escaped(words)}[/]\n{'─' * len(words)}")


def paragraph(words: str, indent: int = 2, first_indent: int = 0) -> None:
    """Print a paragraph, wrapped to the report's width; a space without a break is printed as a plain space."""
    filled = textwrap.fill(words, _WIDTH, initial_indent=" " * first_indent, subsequent_indent=" " * indent)
    stdout.print(escaped(filled).replace(decision_runs.NO_BREAK, " "), soft_wrap=True)


def _payouts(hand: HandHistory) -> str:
    """Return the payouts, each with its reason in the lines below; the reasons are wrapped to the report's width."""
    unit = next((paid.payout.unit for paid in hand.payouts), "chips")
    head = (unit, "from", "to", "rule", "ruling")
    rows = [(str(one.amount), one.source, one.target, one.rule, one.ruling) for one in (p.payout for p in hand.payouts)]
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    indent = " " * (widths[0] + 2)
    lines = [_aligned(head, widths)]
    for kind, several in groupby(zip(hand.payouts, rows, strict=True), key=lambda pair: pair[0].type):
        lines.append(f"{indent}[dim]{kind.replace('_', ' ')}[/]")
        for paid, row in several:
            lines.append(escaped(_aligned(row, widths)))
            why = textwrap.wrap(
                paid.payout.formula, _WIDTH, initial_indent=indent + "  ", subsequent_indent=indent + "  "
            )
            lines += map(escaped, why)
    return "\n".join(lines)


def _aligned(row: Sequence[str], widths: Sequence[int]) -> str:
    """Return a line of a text table: the first column aligned right, all others left."""
    first, *others = (
        cell.rjust(width) if not at else cell.ljust(width)
        for at, (cell, width) in enumerate(zip(row, widths, strict=True))
    )
    return "  ".join((first, *others)).rstrip()


def _balances(hand: HandHistory) -> Grid:
    """Return, for each account, the balance before the hand, the net change, and the balance after the hand."""
    grid = Grid("account", "before", "net", "after", box=None, pad_edge=False)
    for column in grid.columns[1:]:
        column.justify = "right"
    for one in hand.accounts:
        grid.add_row(one.account, str(one.opening), f"{one.net:+}" if one.net else "0", str(one.closing))
    return grid


def next_steps(folder: Path, command: str, *, has_dossier: bool) -> None:
    """Print where the files are, and the commands that the reader may run next."""
    at, key_file = (shlex.quote(str(place)) for place in (folder, folder / "first-key.txt"))
    heading("Next steps")
    stdout.print(f"The server has ended. Its database, keys and log are in {escaped(str(folder))}", soft_wrap=True)
    check = f"cd {shlex.quote(str(folder / 'dossier'))} && python3 verify.py dossier.zip"
    for purpose, line in (
        ("Start a server with these files, and open http://127.0.0.1:8000/", f"{command} serve --data {at}"),
        ("Play with bots in a browser", f"{command} demo --open --data {at}"),
        ("Let bots play ten more games on that server", f"{command} play --games 10 --key-file {key_file}"),
        ("Verify all tables", f"{command} verify --data {at}"),
        ("Delete all files", f"rm -r {at}"),
        *((("Check the dossier of the last disputed hand, with Python alone", check),) if has_dossier else ()),
    ):
        stdout.print(f"  {purpose}:\n    [bold]{escaped(line)}[/]", soft_wrap=True)


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
