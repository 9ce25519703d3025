"""Prints the report of the demo and of `chiptrail hand`: players, balances, explained hands, next steps."""

import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.table import Table as Grid

from service.cli.support.bylines import byline
from service.cli.support.demo_disputes import DemoDispute
from service.cli.support.output import escaped, stdout
from service.client.hand_answers import Adjudication, HandHistory
from service.client.table_answers import Credit, GameInfo, Posting, Table
from service.ledger import POOL, score, stack
from service.wording import hand_text

_MINOR_IN_MAJOR = 100


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

    Hands with two or more payouts that compare cards come first, then hands with one such payout, then all other hands.
    Of two hands that are equal in this, the hand with more reasons comes first; if they have equally many reasons, the
    hand with the longest formula comes first.
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
    chosen = {member.name for action in game.actions for member in action.members}
    for line in hand_text.hand_lines(hand, chosen, game.credit.author, game.rulings):
        words = escaped(line.text)
        stdout.print(f"[dim]{words}[/]" if line.is_dim else words, soft_wrap=True)
    decided = len(adjudication.decisions)
    stdout.print(f"\n{decided} decisions decided again, every event compared: [bold]{adjudication.verdict}[/]")
    stdout.print(signatures(adjudication.unsigned_seats))


def signatures(unsigned_seats: Sequence[int]) -> str:
    """Return a sentence that names the seats with an unsigned decision in a hand."""
    if not unsigned_seats:
        return "No seat decided without a signature."
    return f"Seats that decided without a signature: {', '.join(map(str, unsigned_seats))}."


def heading(words: str) -> None:
    """Print the heading of a section."""
    stdout.print(f"\n[bold]{escaped(words)}[/]\n{'─' * len(words)}")


def paragraph(words: str, indent: int = 2, first_indent: int = 0) -> None:
    """Print a paragraph, wrapped to the report's width; a no-break space is printed as a plain space."""
    for line in hand_text.wrapped(words, indent, first_indent):
        stdout.print(escaped(line.text), soft_wrap=True)


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
