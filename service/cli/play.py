"""`chiptrail play`: lets bots play on a server; each bot is a client of its own."""

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import click
import msgspec
from msgspec import Struct, structs

from service import settings
from service.bots.host import BOTS, Game, Host
from service.bots.parallel_games import play_in_parallel
from service.cli.reports import kept_report
from service.cli.support import flags, output
from service.cli.support.bylines import byline
from service.cli.support.exit_codes import CommandFailed, ExitCode
from service.client.client import Client
from service.client.endpoints import Api
from service.client.kept.kept_log import KeptLog
from service.client.table_answers import Table
from service.clock import Clock
from service.entropy import Entropy
from service.games import CURRENT
from service.games.game import MOST_SEATS
from service.secrets.move_signatures import is_sound_key
from service.transparency.log_key import parse_public as public_log_key
from service.transparency.signed_note import NoteMustBeGenuine

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


def _log_key(_ctx: click.Context, _option: click.Parameter, given: str) -> str:
    try:
        return str(public_log_key(given)) if given else ""
    except NoteMustBeGenuine as error:
        raise click.BadParameter(str(error)) from error


def _receipt_keys(_ctx: click.Context, _option: click.Parameter, given: tuple[str, ...]) -> tuple[str, ...]:
    if not all(map(is_sound_key, given)):
        raise click.BadParameter("A key for receipts is an Ed25519 key: 64 hex digits.")
    return given


@click.command()
@click.option("--url", default="http://127.0.0.1:8000", show_default=True, help="The address of the server.")
@click.option(
    "--key-file",
    type=click.Path(path_type=Path),
    help="The file of a key with the scope host. Default: the file of the first key.",
)
@click.option("--game", default=next(iter(CURRENT)), show_default=True, help="The game to play.")
@click.option(
    "--players", type=click.IntRange(1, MOST_SEATS), default=4, show_default=True, help="How many players a table has."
)
@click.option(
    "--bots",
    callback=_kinds,
    default="sensible,random",
    show_default=True,
    help="The kinds of bots, separated by commas; the seats get these kinds in turn.",
)
@click.option("--games", type=click.IntRange(1), default=1, show_default=True, help="The number of games.")
@click.option(
    "--at-once", type=click.IntRange(1, 100), default=1, show_default=True, help="How many games run at the same time."
)
@click.option("--hands", type=click.IntRange(1), default=20, show_default=True, help=_HANDS)
@click.option("--seed", default="1", show_default=True, help="The seed of the bots' choices; the cards are random.")
@click.option(
    "--seeds",
    type=click.Choice(("operator", "players")),
    default="operator",
    show_default=True,
    help="With operator, the service alone draws the seeds of the decks; with players, each bot adds a random seed.",
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
@click.option(
    "--keep",
    type=click.Path(dir_okay=False, path_type=Path),
    help="A file for the receipts and the newest checkpoint, to check the log against both; made if missing.",
)
@click.option(
    "--log-key",
    default="",
    callback=_log_key,
    metavar="VKEY",
    help="With --keep: the key that the log must have. Default: the key that the log has when FILE is made.",
)
@click.option(
    "--receipt-key",
    "receipt_keys",
    multiple=True,
    callback=_receipt_keys,
    metavar="HEX",
    help="With --keep: a further public key for receipts of the service. May be repeated.",
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
    keep: Path | None,
    log_key: str,
    receipt_keys: tuple[str, ...],
    signed: bool,
    as_json: bool,
) -> None:
    """Let bots play whole games on a server; each bot is a client of its own.

    With --keep, the exit code is 3 if the server contradicts what it acknowledged in this run or in an earlier run.
    """
    kinds = tuple(bots[number % len(bots)] for number in range(players))
    key = _key(key_file or settings.load(os.environ, flags.from_file()).first_key_file)
    one = Game(game=game, kinds=kinds, seed=seed, options=options, most_hands=hands, signed=signed, seeds=seeds)
    wanted = [structs.replace(one, seed=f"{seed}/{number}") for number in range(1, games + 1)]
    wins = Counter[str]()
    if not as_json:
        click.echo(_credit(url, game, patience))
    with _kept(keep, log_key, receipt_keys) as kept, output.progress_bar("games") as bar:
        make_host = partial(Host, url, key, Clock(), patience_seconds=patience, draw=Entropy().secret, kept=kept)
        for number, (played, table) in enumerate(play_in_parallel(make_host, wanted, at_once), start=1):
            result = _result(played, table)
            wins.update(result.kinds)
            bar(number, games)
            click.echo(msgspec.json.encode(result) if as_json else _line(result))
        if kept:
            click.echo(kept_report.line(kept, url, key, patience), err=as_json)
    if games > 1 and not as_json:
        won = ", ".join(f"{kind} {count}" for kind, count in wins.most_common())
        click.echo(f"{games} games, won by: {won or 'nobody: all players left'}")


@contextmanager
def _kept(path: Path | None, log_key: str, receipt_keys: Sequence[str]) -> Iterator[KeptLog | None]:
    """Yield the kept log in the file *path*; without a path, yield None.

    Raises:
        UsageError: a log key or a receipt key is given without a path.
    """
    if path:
        with closing(KeptLog(path, Clock(), log_key=log_key, receipt_keys=receipt_keys)) as kept:
            yield kept
    elif log_key or receipt_keys:
        raise click.UsageError("--log-key and --receipt-key need --keep.")
    else:
        yield None


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
