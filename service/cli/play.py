"""`chiptrail play`: lets bots play on a server; each bot is a client of its own."""

import os
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import click
import msgspec
from msgspec import Struct

from service import settings
from service.bots.bot import Table
from service.bots.client import Client
from service.bots.endpoints import Api
from service.bots.host import BOTS, Game, Host
from service.bots.parallel_games import play_in_parallel
from service.cli.support import flags, output
from service.cli.support.bylines import byline
from service.cli.support.exit_codes import CommandFailed, ExitCode
from service.clock import Clock
from service.entropy import Entropy
from service.games import CURRENT
from service.games.game import MOST_SEATS

_HANDS = "The number of hands after which players leave, in a game that players may leave."


class Result(Struct, frozen=True, kw_only=True):
    """The result of a game.

    *winners* are seats, *kinds* are the kinds of the bots in these seats; *hands* and *events* are numbers.
    """

    table: str
    winners: tuple[int, ...]
    kinds: tuple[str, ...]
    hands: int
    events: int


def _options(_ctx: click.Context, _option: click.Parameter, given: tuple[str, ...]) -> Mapping[str, Any]:
    options = {}
    for text in given:
        name, separator, value = text.partition("=")
        if not separator:
            raise click.BadParameter(f"{text!r} does not have the form NAME=VALUE.")
        try:
            options[name] = msgspec.json.decode(value)
        except msgspec.DecodeError:
            options[name] = value
    return options


def _kinds(_ctx: click.Context, _option: click.Parameter, given: str) -> tuple[str, ...]:
    kinds = tuple(given.split(","))
    if unknown := set(kinds) - set(BOTS):
        raise click.BadParameter(
            f"There is no kind of bot named {', '.join(sorted(unknown))}. The kinds are {', '.join(BOTS)}."
        )
    return kinds


@click.command()
@click.option("--url", default="http://127.0.0.1:8000", show_default=True, help="The address of the server.")
@click.option(
    "--key-file",
    type=click.Path(path_type=Path),
    help="The file of a key with the scope host. Default: the file of the first key.",
)
@click.option("--game", default=next(iter(CURRENT)), show_default=True, help="The game to play.")
@click.option(
    "--players", type=click.IntRange(1, MOST_SEATS), default=4, show_default=True, help="The players at each table."
)
@click.option(
    "--bots",
    callback=_kinds,
    default="sensible,random",
    show_default=True,
    help="The kinds of bots, separated by commas; the seats get these kinds in turn.",
)
@click.option("--games", type=click.IntRange(1), default=1, show_default=True, help="The number of games.")
@click.option("--at-once", type=click.IntRange(1, 100), default=1, show_default=True, help="Games at the same time.")
@click.option("--hands", type=click.IntRange(1), default=20, show_default=True, help=_HANDS)
@click.option("--seed", default="1", show_default=True, help="The seed of the bots' choices; the cards are random.")
@click.option(
    "--seeds",
    type=click.Choice(("operator", "players")),
    default="operator",
    show_default=True,
    help="Whose seeds determine the order of the decks; with players, each bot adds a random seed of its own.",
)
@click.option(
    "--option",
    "options",
    multiple=True,
    callback=_options,
    metavar="NAME=VALUE",
    help="An option of the game; VALUE is JSON or text. May be repeated.",
)
@click.option(
    "--patience", type=float, default=10.0, show_default=True, help="Seconds to wait for a server that does not answer."
)
@click.option("--signed", is_flag=True, help="Let each bot register a signing key, and sign its actions.")
@flags.as_json
def play(  # noqa: PLR0913 -- each option is a parameter
    *,
    url: str,
    key_file: Path | None,
    game: str,
    players: int,
    bots: tuple[str, ...],
    games: int,
    at_once: int,
    hands: int,
    seed: str,
    seeds: str,
    options: Mapping[str, Any],
    patience: float,
    signed: bool,
    as_json: bool,
) -> None:
    """Let bots play whole games on a server; each bot is a client of its own."""
    kinds = tuple(bots[number % len(bots)] for number in range(players))
    key = _key(key_file or settings.load(os.environ, flags.from_file()).first_key_file)
    wanted = [
        Game(
            game=game,
            kinds=kinds,
            seed=f"{seed}/{number}",
            options=options,
            most_hands=hands,
            signed=signed,
            seeds=seeds,
        )
        for number in range(1, games + 1)
    ]
    wins, finished = Counter[str](), 0
    if not as_json:
        click.echo(_credit(url, game, patience))
    with output.progress_bar("games") as bar:
        make_host = partial(Host, url, key, Clock(), patience_seconds=patience, draw=Entropy().secret)
        for played, table in play_in_parallel(make_host, wanted, at_once):
            result = _result(played, table)
            wins.update(result.kinds)
            finished += 1
            bar(finished, games)
            click.echo(msgspec.json.encode(result) if as_json else _line(result))
    if games > 1 and not as_json:
        won = ", ".join(f"{kind} {count}" for kind, count in wins.most_common())
        click.echo(f"{games} games, won by: {won or 'nobody: all players left'}")


def _credit(url: str, game: str, patience: float) -> str:
    """Return the byline of the game (G.8)."""
    client = Client(url, "", Clock(), patience_seconds=patience)
    with closing(client):
        credit = Api(client).game(game).credit
    return byline(credit)


def _result(game: Game, table: Table) -> Result:
    kinds = tuple(game.kinds[seat - 1] for seat in table.winners)
    return Result(table=table.table, winners=table.winners, kinds=kinds, hands=table.hand, events=table.position)


def _line(result: Result) -> str:
    winners = " and ".join(f"seat {seat} ({kind})" for seat, kind in zip(result.winners, result.kinds, strict=True))
    how = f"won by {winners}" if winners else "closed when all had left"
    return f"{result.table}  {how}, {result.hands} hands, {result.events} events"


def _key(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError as error:
        raise CommandFailed(
            ExitCode.FAILED, f"The key file {path} can't be read: {error.strerror}. Name another file by --key-file."
        ) from error
