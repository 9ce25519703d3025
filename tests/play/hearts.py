"""Test helpers: tables of Insurance Hearts on a real database; `Play.do` records their commands."""

from collections.abc import Callable, Collection, Sequence
from itertools import count
from random import Random
from typing import Any, Protocol

from sqlalchemy import Engine

from service.database.engines import reading
from service.games import CURRENT, common_commands
from service.games.common_commands import OptionValue
from service.games.game import Action, Command, acting_seat
from service.games.insurance_hearts.commands import WriteSlip
from service.play.handler import Play
from service.play.orders import ANYWHERE, Order
from service.tables.cache import TableCache
from service.tables.fold import TableAt
from service.tables.sealed_store import SealedStore, TableUnsealer
from service.tables.visibility import SeatViewpoint
from tests.games.random_play import filled
from tests.play.tables import HOST, House, Table, owner

ALL_RULES = {"insurance": True, "bidding": True, "foot": True}

Stop = Callable[[Any], bool]
"""Returns, from the state of a table, whether to stop playing."""


class Parts(Protocol):
    """The parts with which a table is played: a `House`, or the `Services` of a process."""

    @property
    def engine(self) -> Engine: ...
    @property
    def tables(self) -> TableCache: ...
    @property
    def sealed_store(self) -> SealedStore: ...
    @property
    def play(self) -> Play: ...


def over(_state: object) -> bool:
    """Return False: the game is played to its end."""
    return False


def begun(house: House, number: int = 1, **options: OptionValue) -> Table:
    """Return a public table with all seats taken, at which the game has started."""
    table, game = Table(house, number), CURRENT["insurance_hearts"]
    opening = common_commands.OpenTable(
        by="",
        host=HOST,
        game=game.name,
        edition=game.edition,
        sheet=game.sheet.sha256,
        options={**ALL_RULES, **options},
        seats=4,
        visibility="public",
    )
    table.do(HOST, opening)
    for seat in range(1, 5):
        table.do(owner(seat), common_commands.TakeSeat(by="", player=owner(seat), chips=0, seat=seat))
    table.do(HOST, common_commands.StartGame(by=""))
    return table


def play_on(place: Parts, stream_id: bytes, chance: Random, until: Stop = over, feet: Collection[int] = ()) -> None:
    """Play random legal moves until the game is over or *until* returns True.

    Each move is a random available action of a random player who is due. In the hands numbered in *feet*, each player
    who may call a foot calls it; in other hands nobody does.
    """
    for number in count(1):
        with reading(place.engine) as connection:
            table_at = place.tables.current(connection, stream_id)
            assert table_at is not None
            state = table_at.state
            if state.status != "playing" or until(state):
                return
            actor = chance.choice(table_at.game.due(state))
            listed = _listed(table_at, actor, TableUnsealer(place.sealed_store, lambda: connection, table_at))
        command = _chosen(listed, chance, may_call=state.hand in feet)
        key = f"move-{state.hand}-{number}-{table_at.position}"
        caller = state.players[acting_seat(actor)]
        place.play.do(Order(stream_id=stream_id, caller=caller, key=key, command=command, if_match=ANYWHERE))


def _listed(table_at: TableAt, actor: str, hidden: TableUnsealer) -> Sequence[Action]:
    seen = SeatViewpoint(table_at, acting_seat(actor), hidden)
    return table_at.game.actions(table_at.state, actor, seen)


def _chosen(listed: Sequence[Action], chance: Random, *, may_call: bool) -> Command:
    calls = [one for one in listed if isinstance(one.command, WriteSlip) and one.command.foot]
    others = [one for one in listed if one not in calls and type(one.command) is not common_commands.CloseTable]
    return filled(chance, chance.choice(calls if may_call and calls else others))
