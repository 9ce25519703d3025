"""Measures what signed moves and players' seeds cost: tables with signed moves, with seeds, and plain ones, in turn."""

from collections.abc import Iterator
from functools import partial
from hashlib import sha256
from statistics import quantiles
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec import Struct, structs, to_builtins
from msgspec.structs import replace

from service.bench import databases, headless, processors
from service.bench.databases import TemporaryDatabases
from service.bench.figures import Figure
from service.bench.games import LOADS
from service.bench.headless import HeadlessService
from service.clock import Clock
from service.deck import client_commit
from service.event_store.entries import stream_name
from service.games.common_commands import CommitSeed, OpenTable, RegisterSigningKey, RevealSeed
from service.games.definition import Game
from service.games.full_viewpoint import EmptyViewpoint
from service.games.game import Command, acting_seat, type_name
from service.games.sample_tables import Options
from service.play.orders import Order, Signature
from service.secrets.move_signatures import SignedMove, move_text

ROUNDS: Final = 20
MEASURED: Final = ("signed", "seeds")
"""The tables that are compared with a plain table: at "signed" every seat signs, at "seeds" every seat gives seeds."""
_FIRST_TABLE: Final = 1
_STEADY: Final = "steady"


class _Spent(Struct, frozen=True):
    """The result of a try: the *moves* of the load, all *commands*, and the time that the service spent on them."""

    moves: int
    commands: int
    seconds: float
    processor_seconds: float

    @property
    def per_second(self) -> float:
        """The moves of the load in each second that the service spent."""
        return self.moves / self.seconds


class _Table(headless.Table):
    """A table that plays one *load*, and counts the time that the service spends on its commands.

    The time in which its players sign or choose does not count.
    """

    def __init__(self, service: HeadlessService, number: int, load: str, clock: Clock) -> None:
        self._clock = clock
        self._commands, self._seconds, self._processor_seconds = 0, 0.0, 0.0
        super().__init__(service, number, LOADS.options, seats=LOADS.seats)
        self._moves = self.play(partial(LOADS.cycle, load))

    def spend(self, seconds: float) -> _Spent:
        """Make moves until the service has spent *seconds* on them."""
        moves, before = 0, (self._commands, self._seconds, self._processor_seconds)
        while not moves or self._seconds - before[1] < seconds:
            next(self._moves)
            moves += 1
        after = (self._commands, self._seconds, self._processor_seconds)
        return _Spent(moves, after[0] - before[0], after[1] - before[1], after[2] - before[2])

    def _send(self, order: Order) -> None:
        began, used = self._clock.monotonic(), processors.own_seconds()
        super()._send(order)
        self._seconds += self._clock.monotonic() - began
        self._processor_seconds += processors.own_seconds() - used
        self._commands += 1


class _SigningTable(_Table):
    """A table at which every seat signs its moves."""

    def _prepare(self, seats: int) -> None:
        for seat in range(1, seats + 1):
            public_key = _key(seat).public_key().public_bytes_raw().hex()
            self._do(headless.owner(seat), RegisterSigningKey(by="", public_key=public_key))

    def _order(self, caller: str, wanted: Command) -> Order:
        order = super()._order(caller, wanted)
        seats = {headless.owner(seat): seat for seat in range(1, LOADS.seats + 1)}
        signs = caller in seats and (isinstance(wanted, RegisterSigningKey) or self.table_at.state.signing_keys)
        return replace(order, signature=self._signature(order, seats[caller])) if signs else order

    def _signature(self, order: Order, seat: int) -> Signature:
        head = self.table_at.sign_from(seat)
        stream = stream_name(self.stream_id)
        move = SignedMove(
            stream=stream,
            position=head.position,
            head_hash=head.hash.hex(),
            cmd=self._service.derivation.command_id(order.caller, stream, order.key),
            action=_action(order.command),
        )
        signature = _key(seat).sign(move_text(move)).hex()
        return Signature(position=move.position, head_hash=move.head_hash, signature=signature)


class _SeedsTable(_Table):
    """A table at which every seat adds a seed to each batch of decks: it commits to the seed and shows it when due."""

    def _opening(self, game: Game, options: Options, seats: int) -> OpenTable:
        return replace(super()._opening(game, options, seats), seeds="players")

    def _do(self, caller: str, wanted: Command) -> None:
        super()._do(caller, wanted)
        while owed := self.table_at.seeds_awaited if self.table_at.opened else ():
            super()._do(headless.owner(acting_seat(owed[0])), self._seed(owed[0]))

    def _seed(self, actor: str) -> Command:
        """Return the command with the commitment or the seed for which *actor* is due."""
        listed = self.table_at.game.actions(self.table_at.state, actor, EmptyViewpoint())
        (found,) = (one.command for one in listed if isinstance(one.command, CommitSeed | RevealSeed))
        seat = acting_seat(actor)
        seed = sha256(f"{found.epoch} {seat}".encode()).digest()
        if isinstance(found, RevealSeed):
            return replace(found, by="", client_seed=seed.hex())
        return replace(found, by="", client_commit=client_commit(found.epoch, seat, seed))


def measure(temporary: TemporaryDatabases, kind: str, seconds: float, clock: Clock) -> Iterator[Figure]:
    """Measure each load on a database of *kind*; *seconds* is the length of all tries of a load together."""
    for load in LOADS.names:
        with temporary.create(kind) as url, databases.opened(url) as engine:
            service = HeadlessService(engine)
            tables = {
                "plain": _Table(service, _FIRST_TABLE, load, clock),
                "signed": _SigningTable(service, _FIRST_TABLE + 1, load, clock),
                "seeds": _SeedsTable(service, _FIRST_TABLE + 2, load, clock),
            }
            tries = _play(tables, seconds / ROUNDS / len(tables))
        prefix = f"signing.{kind}." if load == _STEADY else f"signing.{kind}.{load}."
        for name in MEASURED:
            yield _figure(f"{prefix}{name}_ratio", tries["plain"], tries[name])


def _play(tables: dict[str, _Table], seconds: float) -> dict[str, list[_Spent]]:
    """Let the tables play in turn, in an order that changes after each round; return the tries by table."""
    for table in tables.values():
        table.spend(seconds)  # The first try also builds shared objects, so it does not count.
    tries: dict[str, list[_Spent]] = {name: [] for name in tables}
    names = list(tables)
    for number in range(ROUNDS):
        first = number % len(names)
        for name in names[first:] + names[:first]:
            tries[name].append(tables[name].spend(seconds))
    return tries


def _figure(name: str, plain: list[_Spent], other: list[_Spent]) -> Figure:
    ratios = [one.per_second / before.per_second for one, before in zip(other, plain, strict=True)]
    least, _, most = quantiles(ratios, n=4)
    sides = _sum(other), _sum(plain)
    rates = [one.per_second for one in sides]
    times = [1000 * one.processor_seconds / one.moves for one in sides]
    commands = 100 * sides[0].commands / sides[0].moves
    remark = (
        f"one thread, no HTTP; with and without: {rates[0]:,.0f} and {rates[1]:,.0f} moves/s, {times[0]:.2f} and"
        f" {times[1]:.2f} ms of processor time for each; {commands:.0f} commands for 100 moves;"
        f" {ROUNDS} rounds, half of the ratios from {least:.2f} to {most:.2f}"
    )
    return Figure(name, rates[0] / rates[1], remark)


def _sum(tries: list[_Spent]) -> _Spent:
    """Return the sum of all tries: seeds are due only once in many moves, so single tries differ."""
    return _Spent(*(sum(getattr(one, name) for one in tries) for name in _Spent.__struct_fields__))


def _key(seat: int) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(sha256(b"signing key of seat %d" % seat).digest())


def _action(command: Command) -> dict[str, Any]:
    """Return *command* as a client signs it: its type, and the members that the client sends.

    A client leaves out the members that follow from the caller, and the members with their default values.
    """
    members = {
        field.encode_name: to_builtins(getattr(command, field.name))
        for field in structs.fields(command)
        if field.name not in command.FROM_CALLER and getattr(command, field.name) != field.default
    }
    return {"type": type_name(type(command)), **members}
