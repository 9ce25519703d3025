"""The service without HTTP, on one database, and tables of any game that are played at random or with a load."""

from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from itertools import count
from random import Random
from typing import Any, Final

import msgspec
from msgspec.structs import replace
from sqlalchemy import Engine

from service import deck
from service.bench.loads import Body, Move
from service.entropy import NONCE_BYTES, Entropy
from service.event_store.codec import Codec
from service.event_store.store import Log
from service.games import CURRENT, EVENTS
from service.games.common_commands import DealHand, OpenTable, StartGame, TakeSeat
from service.games.definition import Game
from service.games.full_viewpoint import EmptyViewpoint
from service.games.game import Command, Viewpoint, acting_seat, type_name
from service.games.sample_tables import Options, buy_in
from service.play.handler import Play
from service.play.orders import Order
from service.secrets.derivation import Derivation
from service.secrets.encryption import Sealer
from service.secrets.keyring import derive
from service.secrets.receipts import Signer
from service.tables.cache import TableCache
from service.tables.fold import TableAt
from service.tables.sealed_store import SealedStore

HOST: Final = "own_" + "f" * 32

GAME: Final = next(iter(CURRENT.values()))
"""The first game. Figures without a game in their names measure this game, except the figures of dry runs."""
OPTIONS: Final = GAME.sample_tables.bench
"""The options of tables at which `GAME` is played with random moves; the loads have options of their own."""
_KINDS: Final[tuple[type[Command], ...]] = (*GAME.commands, DealHand)
_COMMANDS: Final = {type_name(kind): kind for kind in _KINDS}


class Repeatable(Entropy):
    """Entropy with the same secrets and nonces in every run, so that two runs play the same hands."""

    def __init__(self, first: int = 0) -> None:
        """Begin the sequence at number *first*."""
        self._numbers = count(first)

    def secret(self) -> bytes:
        """Return the next 32 bytes of a fixed sequence."""
        return sha256(b"%d" % next(self._numbers)).digest()

    def nonce(self) -> bytes:
        """Return the next 12 bytes of a fixed sequence."""
        return self.secret()[:NONCE_BYTES]


class HeadlessService:
    """The parts of the service that a command passes through, between HTTP and the database."""

    def __init__(self, engine: Engine) -> None:
        key = derive("0" * 32, bytes(32))
        entropy = Repeatable()
        self.engine = engine
        self.log = Log(Codec(EVENTS), Sealer(key), entropy)
        self.tables = TableCache(self.log)
        self.sealed_store = SealedStore(self.log, deck.shuffle)
        self.derivation = Derivation(key)
        self.play = Play(
            engine, self.log, self.tables, self.sealed_store, entropy, Signer(key, "bench"), self.derivation
        )


class Table:
    """A table in a *service*; the game has started. *number* becomes the table's id."""

    def __init__(
        self,
        service: HeadlessService,
        number: int,
        options: Options,
        *,
        game: Game = GAME,
        seats: int = 0,
    ) -> None:
        """Open the table, seat a player in each of *seats* seats (0: the game's default), and start the game."""
        self.stream_id = number.to_bytes(16, "big")
        self._service = service
        self._keys = count(1)
        opened = self._opening(game, options, seats)
        self._do(HOST, opened)
        for seat in range(1, opened.seats + 1):
            self._do(owner(seat), TakeSeat(by="", player=owner(seat), chips=buy_in(options), seat=seat))
        self._prepare(opened.seats)
        self._do(HOST, StartGame(by=""))

    @property
    def table_at(self) -> TableAt:
        """The table at its last position."""
        seen = self._service.tables.cached(self.stream_id)
        if seen is None:
            raise LookupError("the table is not in the cache")  # a defect: the cache is larger than any figure needs
        return seen

    def do(self, actor: str, wanted: Command) -> None:
        """Let *actor*, a player, do the command *wanted*."""
        self._do(owner(acting_seat(actor)), wanted)

    def trial(self, actor: str, wanted: Command) -> Callable[[], None]:
        """Return a function that makes a dry run of the command *wanted* by *actor*."""
        order = Order(stream_id=self.stream_id, caller=owner(acting_seat(actor)), key="", command=wanted)

        def run() -> None:
            self._service.play.dry_run(order)

        return run

    def play(self, cycle: Callable[[int], Iterable[Move]]) -> Iterator[None]:
        """Make the moves of a *cycle* without end, one move for each step of the iterator.

        The caller must take the first step between two hands. The function *cycle* gets the number of the dealer's
        seat, and returns moves. They end between two hands, with the same dealer, so that the same moves can follow.
        """
        while True:
            for move in cycle(self.table_at.state.dealer):
                self._do(owner(move.seat), command(move.body))
                yield

    def play_at_random(self, dice: Random) -> Iterator[None]:
        """Make random legal moves, one move for each step of the iterator, until the game is over."""
        while (table_at := self.table_at).state.status == "playing":
            seat, chosen = random_move(table_at, dice)
            self._do(owner(seat), chosen)
            yield

    def _opening(self, game: Game, options: Options, seats: int) -> OpenTable:
        """Return the command that opens the table."""
        return opening(game, options, seats)

    def _prepare(self, seats: int) -> None:
        """Do what the players in *seats* seats must do before the game starts; at a plain table, nothing."""

    def _do(self, caller: str, wanted: Command) -> None:
        self._send(self._order(caller, wanted))

    def _order(self, caller: str, wanted: Command) -> Order:
        """Return the order with which *caller* gives the command *wanted*."""
        return Order(stream_id=self.stream_id, caller=caller, key=f"{next(self._keys)}", command=wanted)

    def _send(self, order: Order) -> None:
        """Let the service carry out *order*."""
        self._service.play.do(order)


def command(body: Body) -> Command:
    """Return the command that the API would make from *body*."""
    members: dict[str, Any] = {**body, "by": ""}
    made: Command = msgspec.convert(members, _COMMANDS[members.pop("type")])
    return made


def _blind(_seat: int) -> Viewpoint:
    return EmptyViewpoint()


def random_move(table_at: TableAt, dice: Random, sees: Callable[[int], Viewpoint] = _blind) -> tuple[int, Command]:
    """Choose a random legal move of a player whose decision is due; return the seat and the command.

    *sees* returns the viewpoint of the player in a seat. The move is never a rare command, such as leaving the table.
    """
    due = table_at.game.due(table_at.state)
    actor = due[0] if len(due) == 1 else dice.choice(due)
    seat = acting_seat(actor)
    listed = table_at.game.actions(table_at.state, actor, sees(seat))
    action = dice.choice([one for one in listed if not one.command.IS_RARE])
    chosen = action.command
    for bound in action.bounds:
        chosen = replace(chosen, **{bound.member: dice.randint(bound.least, bound.most)})
    for choice in action.choices:
        among = dice.sample(choice.among, choice.count or 1)
        chosen = replace(chosen, **{choice.member: tuple(among) if choice.count else among[0]})
    return seat, chosen


def opening(game: Game, options: Options, seats: int = 0) -> OpenTable:
    """Return the command that opens a public table of *game* with *seats* seats (0: the game's default)."""
    return OpenTable(
        by="",
        host=HOST,
        game=game.name,
        edition=game.edition,
        sheet=game.sheet.sha256,
        options=options,
        seats=seats or game.seats.default,
        visibility="public",
    )


def owner(seat: int) -> str:
    """Return the owner id of the player in *seat*."""
    return f"own_{seat:032x}"
