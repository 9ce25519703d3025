"""Test helpers: tables on a real database, and the write path that records their commands."""

import random
from itertools import count

from msgspec.structs import replace
from sqlalchemy import Engine

from service import deck
from service.database.engines import reading
from service.deck import Shuffle
from service.entropy import Entropy
from service.event_store.codec import Codec
from service.event_store.store import Log
from service.games import CURRENT, EVENTS, common_commands
from service.games.bankrupt.state import State
from service.games.full_viewpoint import EmptyViewpoint
from service.games.game import Command, acting_seat
from service.play.handler import Play
from service.play.orders import ANYWHERE, CommandResult, Order
from service.secrets.derivation import Derivation
from service.secrets.encryption import Sealer
from service.secrets.keyring import ServiceKey, derive
from service.secrets.receipts import Signer
from service.tables.cache import TableCache
from service.tables.fold import TableAt
from service.tables.sealed_store import SealedStore

HOST = "own_" + "f" * 32
SERVICE_KEY: ServiceKey = derive("0" * 32, bytes(32))


def owner(number: int) -> str:
    """Return the owner id of the player with this number."""
    return f"own_{number:032x}"


class House:
    """A service without HTTP: all parts of the write path, on one database."""

    def __init__(self, engine: Engine, entropy: Entropy | None = None, shuffle: Shuffle = deck.shuffle) -> None:
        self.engine = engine
        self.entropy = entropy or Entropy()
        self.log = Log(Codec(EVENTS), Sealer(SERVICE_KEY), self.entropy)
        self.tables = TableCache(self.log)
        self.sealed_store = SealedStore(self.log, shuffle)
        self.signer = Signer(SERVICE_KEY, "chiptrail/log_1")
        self.derivation = Derivation(SERVICE_KEY)
        self.play = Play(engine, self.log, self.tables, self.sealed_store, self.entropy, self.signer, self.derivation)


class Table:
    """A table of a *house*, with methods that record commands of its host and players."""

    def __init__(self, house: House, number: int = 1) -> None:
        self.house = house
        self.stream_id = number.to_bytes(16, "big")
        self._keys = count(1)

    def do(self, caller: str, command: Command, *, key: str = "", if_match: int = ANYWHERE) -> CommandResult:
        """Record *command* for *caller*; return its result."""
        return self.house.play.do(self.order(caller, command, key=key, if_match=if_match))

    def order(self, caller: str, command: Command, *, key: str = "", if_match: int = ANYWHERE) -> Order:
        """Return the order of *caller* for *command*, under *key*; "": under a new key."""
        name = key or f"key-{next(self._keys)}"
        return Order(stream_id=self.stream_id, caller=caller, key=name, command=command, if_match=if_match)

    def open(self, seats: int = 4, **options: int) -> "Table":
        """Open the table as a table of Bankrupt."""
        self.do(HOST, opening(seats, **options))
        return self

    def seated(self, seats: int = 4, **options: int) -> "Table":
        """Open the table and seat players 1 to *seats*."""
        self.open(seats, **options)
        buy_in = self.state.options.buy_in
        for seat in range(1, seats + 1):
            self.do(owner(seat), common_commands.TakeSeat(by="", player=owner(seat), chips=buy_in, seat=seat))
        return self

    def started(self, seats: int = 4, **options: int) -> "Table":
        """Open the table, seat all players and start the game."""
        self.seated(seats, **options).do(HOST, common_commands.StartGame(by=""))
        return self

    @property
    def table_at(self) -> TableAt:
        """The table at the head of its stream."""
        with reading(self.house.engine) as connection:
            table_at = self.house.tables.current(connection, self.stream_id)
        assert table_at is not None
        return table_at

    @property
    def state(self) -> State:
        """The state of Bankrupt at the head of the stream."""
        state = self.table_at.state
        assert isinstance(state, State)
        return state


def opening(seats: int = 4, **options: int) -> common_commands.OpenTable:
    """Return the command that opens a public table of Bankrupt."""
    game = CURRENT["bankrupt"]
    return common_commands.OpenTable(
        by="",
        host=HOST,
        game=game.name,
        edition=game.edition,
        sheet=game.sheet.sha256,
        options={"buy_in": 50, **options},
        seats=seats,
        visibility="public",
    )


def legal_command(table_at: TableAt, chance: random.Random) -> tuple[int, Command]:
    """Return the seat that is due, and one of its available commands at random, but never `Resign`."""
    (due,) = table_at.game.due(table_at.state)
    listed = table_at.game.actions(table_at.state, due, EmptyViewpoint())
    offered = [action for action in listed if type(action.command).__name__ != "Resign"]
    action = chance.choice(offered)
    command = action.command
    for bound in action.bounds:
        command = replace(command, **{bound.member: chance.randint(bound.least, bound.most)})
    return acting_seat(due), command


def play_on(table: Table, chance: random.Random, most: int = 10_000) -> int:
    """Play up to *most* random legal moves, until the game is over; return the number of moves."""
    for made in range(most):
        table_at = table.table_at
        if table_at.state.status != "playing":
            return made
        seat, command = legal_command(table_at, chance)
        table.do(owner(seat), command)
    return most
