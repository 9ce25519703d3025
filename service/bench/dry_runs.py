"""Figures that show timing leaks: facts hidden from the caller must not change a dry run's duration (DECISIONS 47)."""

from collections.abc import Callable, Iterator
from itertools import count
from random import Random
from statistics import median
from typing import Final, NamedTuple

from sqlalchemy import Engine

from service.bench import databases, headless
from service.bench.databases import SQLITE, TemporaryDatabases
from service.bench.figures import Figure
from service.bench.headless import HeadlessService
from service.clock import Clock
from service.database.engines import reading
from service.games import CURRENT
from service.games.bankrupt.commands import HoldCards
from service.games.bankrupt.events import RoundEnded
from service.games.bankrupt.state import Phase
from service.games.common_commands import DealHand, OpenTable, OptionValue, StartGame, TakeSeat
from service.games.common_events import GameEnded
from service.games.game import Command, acting_seat, seat_actor
from service.games.insurance_hearts.commands import WriteSlip
from service.games.sample_tables import buy_in
from service.play.known import FreshDecks, LiveKnown
from service.play.orders import Order
from service.tables.fold import TableAt
from service.tables.sealed_store import TableUnsealer

TRIES: Final = 2_000
"""The number of dry runs at each of the two tables, which take turns."""

_MOST_TABLES: Final = 1_000
_DEALER: Final = 1  # the dealer has the same seat at both tables, so that no public fact differs
_CHIPS: Final = 11  # so few that a player is soon on last legs; then no upping follows, and a hold settles the round


class Sides(NamedTuple):
    """The same dry run at two tables: *is_so* at the table where a hidden fact holds, *is_not* where it does not."""

    is_so: Callable[[], None]
    is_not: Callable[[], None]


def measure(temporary: TemporaryDatabases, clock: Clock) -> Iterator[Figure]:
    """Measure for two hidden facts how many times as long a dry run takes where the fact holds."""
    with temporary.create(SQLITE) as url, databases.opened(url) as engine:
        yield _ratio("dry_run.foot_ratio", with_a_foot(engine), clock)
        yield _ratio("dry_run.last_hold_ratio", with_a_last_hold(engine), clock)


def with_a_foot(engine: Engine) -> Sides:
    """Return the dry runs of a hand's last slip in Insurance Hearts: another player called a foot, or nobody did."""
    service = HeadlessService(engine)
    tables = (_Table(service, number, "insurance_hearts", {}, players=4) for number in count(1))
    alike = (table for table in tables if table.table_at.state.dealer == _DEALER)
    return Sides(*(_last_slip(next(alike), foot=foot) for foot in (True, False)))


def with_a_last_hold(engine: Engine) -> Sides:
    """Return two dry runs of a dealer's hold that settles a round of Bankrupt: one hold ends the game, one does not."""
    service, found = HeadlessService(engine), dict[bool, Callable[[], None]]()
    for number in range(1_000, 1_000 + _MOST_TABLES):
        table = _Table(service, number, "bankrupt", {"buy_in": _CHIPS}, players=2)
        dice = Random(number)
        while (table_at := table.table_at).state.status == "playing":
            ends = _ends_game(service, table_at)
            if ends is not None and ends not in found:
                found[ends] = table.trial(seat_actor(table_at.state.dealer), HoldCards(by=""))
                break
            table.do(*_actor_and(headless.random_move(table_at, dice)))
        if len(found) == len(Sides._fields):
            return Sides(is_so=found[True], is_not=found[False])
    raise LookupError("no such hold was found")


class _Table:
    """A table of any game in a *service*; the game has started."""

    def __init__(
        self, service: HeadlessService, number: int, game: str, options: dict[str, OptionValue], players: int
    ) -> None:
        self._service = service
        self._stream_id = number.to_bytes(16, "big")
        self._keys = count(1)
        chips = buy_in(options)
        self._order(headless.HOST, _opening(game, options, players))
        for seat in range(1, players + 1):
            self._order(headless.owner(seat), TakeSeat(by="", player=headless.owner(seat), chips=chips, seat=seat))
        self._order(headless.HOST, StartGame(by=""))

    @property
    def table_at(self) -> TableAt:
        with reading(self._service.engine) as connection:
            found = self._service.tables.current(connection, self._stream_id)
        if found is None:
            raise LookupError("the table is gone")
        return found

    def do(self, actor: str, command: Command) -> None:
        self._order(headless.owner(acting_seat(actor)), command)

    def trial(self, actor: str, command: Command) -> Callable[[], None]:
        """Return a dry run of *command* by *actor*."""
        order = Order(stream_id=self._stream_id, caller=headless.owner(acting_seat(actor)), key="", command=command)
        return lambda: self._service.play.dry_run(order)

    def _order(self, caller: str, command: Command) -> None:
        key = f"{next(self._keys)}"
        self._service.play.do(Order(stream_id=self._stream_id, caller=caller, key=key, command=command))


def _opening(game: str, options: dict[str, OptionValue], players: int) -> OpenTable:
    played = CURRENT[game]
    return OpenTable(
        by="",
        host=headless.HOST,
        game=played.name,
        edition=played.edition,
        sheet=played.sheet.sha256,
        options=options,
        seats=players,
        visibility="public",
    )


def _last_slip(table: _Table, *, foot: bool) -> Callable[[], None]:
    table.do(table.table_at.due[0], DealHand(by=""))
    first, *_, last = table.table_at.due
    for actor in table.table_at.due[:-1]:
        table.do(actor, WriteSlip(by="", insurance=0, foot=foot and actor == first))
    return table.trial(last, WriteSlip(by="", insurance=0))


def _ends_game(service: HeadlessService, table_at: TableAt) -> bool | None:
    """Return whether a hold by the dealer would end the game (True) or only the round (False).

    Return None if the hold would end neither or is not due, or if the dealer's seat is not `_DEALER`.
    """
    state = table_at.state
    by = seat_actor(state.dealer)
    if state.dealer != _DEALER or state.phase is not Phase.DECIDING or table_at.due != (by,):
        return None
    with reading(service.engine) as connection:
        unsealer = TableUnsealer(service.sealed_store, lambda: connection, table_at)
        known = LiveKnown(unsealer, FreshDecks(headless.Repeatable(), service.sealed_store.shuffle))
        kinds = {type(event) for event in table_at.game.decide(state, HoldCards(by=by), known).events}
    return GameEnded in kinds if RoundEnded in kinds else None


def _actor_and(move: tuple[int, Command]) -> tuple[str, Command]:
    seat, command = move
    return seat_actor(seat), command


def _ratio(name: str, sides: Sides, clock: Clock) -> Figure:
    taken: tuple[list[float], list[float]] = ([], [])
    for _ in range(TRIES):
        for side, times in zip(sides, taken, strict=True):
            begun = clock.monotonic()
            side()
            times.append(clock.monotonic() - begun)
    is_so, is_not = map(median, taken)
    durations = f"{is_so * 1e6:.1f} µs where the fact holds, {is_not * 1e6:.1f} µs where it does not"
    remark = f"medians of {TRIES:,} dry runs each, in turn: {durations}"
    return Figure(name, is_so / is_not, remark)
