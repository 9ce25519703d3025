"""`chiptrail demo`: bots play whole games over HTTP; the demo shows accounts, explains hands, and verifies the log."""

import os
import sys
import tempfile
from collections.abc import Mapping
from contextlib import closing, suppress
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import Any, Final

import click

from service.audit.database_report import Report
from service.audit.verdicts import Verdict
from service.bots.company import Company, CompanyHost
from service.bots.host import Game, Host
from service.cli import verify
from service.cli.reports import hand_report, links_report
from service.cli.support import demo_disputes, open_database, output, server_process
from service.cli.support.demo_disputes import Disputants
from service.cli.support.exit_codes import CommandFailed, ExitCode, program_name
from service.client.client_errors import Problem, ServerGone
from service.client.endpoints import Api
from service.client.hand_answers import HandHistory
from service.client.player import RepeatedlyRefused
from service.client.table_answers import Table
from service.clock import Clock
from service.entropy import Entropy
from service.games import CURRENT
from service.settings import PREFIX, Settings, load

_BOTS: Final = ("sensible", "random")  # the seats get these kinds in turn
_WORTH: Final = {"currency": "USD", "minor": 10}
_TABLES: Final = tuple((game, options) for game in CURRENT.values() for options in game.sample_tables.demo)
_LATE_GAME: Final = _TABLES[0][0].name
_LATE_SEAT: Final = 2  # the connection of this player fails at the first table, and the host calls time
_SIGNED: Final = next(number for number, (game, _) in enumerate(_TABLES, start=1) if game.sealed_types)
"""The number of the table where every player signs and adds a seed: the first table of a game with sealed choices."""
_PLAYED_PAUSE: Final = 0.7  # seconds before each decision of a bot, so that a person can follow the play
_WATCHED_PAUSE: Final = 2.0
_MOST_HANDS: Final = 5  # if players may leave, they leave after this many hands: such a game may have no other end


@click.command()
@click.option(
    "--data", type=click.Path(path_type=Path), metavar="FOLDER", help="The folder for all files. Default: a new folder."
)
@click.option("--seed", default="1", show_default=True, help="The seed of the bots' choices; the cards are random.")
@click.option(
    "--open",
    "opens",
    is_flag=True,
    help="Skip the games and the report: only open a table where you play with bots in your browser, and a table to "
    "watch. Ctrl-C ends both.",
)
@click.option(
    "--game",
    type=click.Choice(tuple(CURRENT)),
    default=next(iter(CURRENT)),
    show_default=True,
    help="The game that you play or watch.",
)
@click.pass_context
def demo(ctx: click.Context, *, data: Path | None, seed: str, opens: bool, game: str) -> None:
    """Let bots play whole games over HTTP, and verify the log.

    The report shows what each player won or scored, and explains one hand of each game. On a terminal the server then
    stays open until Ctrl-C: links lead to a table to watch, to an explained hand, and to a table where you play.
    """
    folder = data or Path(tempfile.mkdtemp(prefix="chiptrail-demo-"))
    folder.mkdir(parents=True, exist_ok=True)
    settings = load({}, data_folder=folder)
    with open_database.migrate_and_open(settings):
        pass
    with server_process.run_server(["--data", str(folder)], folder / "server.log", _environment()) as server:
        key = settings.first_key_file.read_text().strip()
        host = Host(server.url, key, Clock(), patience_seconds=30, draw=Entropy().secret)
        is_clean, disputed = True, None
        try:
            if not opens:
                is_clean, disputed = _show(host, seed, settings, folder / "dossier")
            if opens or sys.stdout.isatty():
                _keep_open(server.url, key, game, disputed)
        except (ServerGone, Problem, RepeatedlyRefused) as error:
            raise CommandFailed(
                ExitCode.FAILED, f"{str(error).rstrip('.')}. The server's log is {folder / 'server.log'}."
            ) from error
        finally:
            host.close()
    hand_report.next_steps(folder, program_name(), has_dossier=not opens)
    ctx.exit(ExitCode.DONE if is_clean else ExitCode.VERIFICATION_FAILED)


def _show(host: Host, seed: str, settings: Settings, dossier: Path) -> tuple[bool, HandHistory]:
    """Play all games, print the report, and write the dossier of a disputed hand.

    Return whether every verdict is clean, and the disputed hand.
    """
    api = host.api
    games = {name: api.game(name) for name in CURRENT}
    kinds = {name: _kinds(game.seats.default) for name, game in CURRENT.items()}
    hand_report.welcome([game.credit for game in games.values()], api.client.url, max(kinds.values(), key=len), seed)
    title = _TABLES[_SIGNED - 1][0].sheet.title
    hand_report.paragraph(
        f"At the first table of {title}, every player signs each decision, and adds a seed to each deck."
    )
    tables = _played(host, seed)
    of_chips = [table for table in tables if _has_chips(table.options)]
    hand_report.balances([(table, api.statement(table.table, "house")) for table in of_chips], kinds, _WORTH)
    hand_report.scores([table for table in tables if table not in of_chips], kinds)
    verdicts = set()
    for name, game in games.items():
        disputed = hand_report.hardest_to_explain(_hands(api, [table for table in tables if table.game == name]))
        adjudication = api.adjudication(disputed.table, disputed.hand)
        hand_report.dispute(disputed, adjudication, game)
        verdicts.add(adjudication.verdict)
    disputed = _dispute(host, [table for table in tables if table.game == _LATE_GAME]) or disputed
    _write_dossier(api, disputed, dossier)
    hand_report.heading("Verification")
    report = verify.run(settings)
    verify.show(report)
    return verdicts == {Verdict.CLEAN.value} and _is_clean(report), disputed


def _keep_open(url: str, key: str, game: str, disputed: HandHistory | None) -> None:
    """Open a table to watch and a table to play at, with the *key* of a host; print links, and wait for Ctrl-C.

    *disputed* is a hand to read and check; None: there are no links to a hand.

    Raises:
        ServerGone, Problem, RepeatedlyRefused: a table can't be opened, or a bot can't go on.
    """
    company, seats = CompanyHost(url, key, Clock()), CURRENT[game].seats.default
    with suppress(KeyboardInterrupt):
        try:
            person = company.person()
            links_report.links(url, disputed)
            company.begin(Company(game, seats, _WATCHED_PAUSE, partial(links_report.to_watch, url)))
            to_play = partial(links_report.to_play, url, key=person)
            company.begin(Company(game, seats, _PLAYED_PAUSE, to_play, person))
            links_report.end()
            company.wait()
        finally:
            company.end()


def _dispute(host: Host, tables: list[Table]) -> HandHistory | None:
    """Let players dispute a hand of *tables*, and a hand, if any, in which time was called for a seat that lost chips.

    Print the disputes. Return the hand with the call of time, after its correction; None: there is no such hand.
    """
    hands = _hands(host.api, tables)
    late = demo_disputes.lost_by_calling(hands)
    auditor = host.client_of("audit", label="auditor")
    approver = host.client_of("approve", label="approver")
    people = Disputants(host.players, auditor, approver)
    with closing(auditor), closing(approver):
        disputes = [demo_disputes.explained(people, hand_report.hardest_to_explain(hands))]
        disputes += [demo_disputes.upheld(people, *late)] if late else []
    hand_report.disputes(disputes)
    return late[0] if late else None


def _write_dossier(api: Api, disputed: HandHistory, folder: Path) -> None:
    """Write the dossier of a disputed hand, and the program that checks it, into *folder*, which is made if needed."""
    folder.mkdir(exist_ok=True)
    (folder / "dossier.zip").write_bytes(api.dossier(disputed.table, disputed.hand))
    (folder / "verify.py").write_bytes(api.verifier())


def _played(host: Host, seed: str) -> list[Table]:
    tables = []
    with output.progress_bar("games") as bar:
        bar(0, len(_TABLES))
        for number, (game, options) in enumerate(_TABLES, start=1):
            wanted = Game(
                game=game.name,
                kinds=_kinds(game.seats.default),
                seed=f"{seed}/{number}",
                options=options,
                worth=_WORTH if _has_chips(options) else {},
                most_hands=_MOST_HANDS,
                late_seat=_LATE_SEAT if game.name == _LATE_GAME and number == 1 else 0,
                seeds="players" if number == _SIGNED else "operator",
                signed=number == _SIGNED,
            )
            tables.append(host.play(wanted))
            bar(number, len(_TABLES))
    return tables


def _kinds(seats: int) -> tuple[str, ...]:
    """Return the kind of the bot in each of *seats* seats."""
    return tuple(islice(cycle(_BOTS), seats))


def _has_chips(options: Mapping[str, Any]) -> bool:
    return "buy_in" in options


def _hands(api: Api, tables: list[Table]) -> list[HandHistory]:
    return [api.hand(table.table, hand) for table in tables for hand in range(1, table.hand + 1)]


def _is_clean(report: Report) -> bool:
    return set(report.tables) | set(report.hands) == {Verdict.CLEAN} and not report.has_failed


def _environment() -> dict[str, str]:
    """Return the environment without the user's settings of Chiptrail, so that the demo uses only its own data."""
    others = {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
    return {**others, f"{PREFIX}LOG_LEVEL": "warning"}
