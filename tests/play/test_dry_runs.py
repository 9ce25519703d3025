"""Dry runs, and commands with used Idempotency-Keys, record nothing, and the rules read no hidden value for them."""

from collections.abc import Iterable, Sequence
from random import Random
from typing import Any

import pytest

from service.bench.databases import opened
from service.bench.headless import Repeatable
from service.database.engines import reading
from service.games import CURRENT
from service.games.common_commands import CallTime, DealHand, LeaveSeat, OpenTable, StartGame, TakeSeat
from service.games.game import HOST as THE_HOST, Action, Command, acting_seat, seat_actor
from service.play import handler
from service.play.orders import CallerMustBe, KeyMustBeNew, Refused
from service.tables.sealed_store import SealedStore, TableUnsealer
from service.tables.visibility import SeatViewpoint
from tests.databases import Databases
from tests.games.facts import facts_of, usual_opening
from tests.games.random_play import filled
from tests.games.steps import Opening
from tests.games.test_properties import every_command
from tests.play.tables import HOST, House, Table, owner

RARE, OFTEN_ENOUGH = 0.02, 0.3
TABLES = 3
POSITIONS = 30
"""The number of positions that the test checks at each table."""
SOME = 8
"""The number of unavailable commands that each player and the host try at each position."""
every_game = pytest.mark.parametrize("game", CURRENT)


class Unasked:
    """A `Known` that raises an error at any access."""

    def __init__(self, *_: object) -> None: ...

    def asked(self, *_: object) -> None:
        raise AssertionError("something hidden was asked for")

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 -- any access is an error
        raise AssertionError(f"the rules asked for {name}")


@every_game
def test_a_dry_run_of_any_action_asks_for_nothing_hidden(all_databases: Databases, game: str) -> None:
    chance, accepted, terms = Random(5), set[type[Command]](), usual_opening(game)
    with all_databases.migrated("sqlite") as url, opened(url) as engine:  # The rules are the same on PostgreSQL.
        house = House(engine, Repeatable())
        for table in (begun(house, number, game, terms) for number in range(TABLES)):
            for _ in range(POSITIONS):
                accepted |= tried_at(table, terms.players, chance)
                if not move(table, chance):
                    break
    assert accepted >= {DealHand, CallTime, *CURRENT[game].commands}


@every_game
def test_no_command_under_a_used_key_asks_for_anything_hidden(all_databases: Databases, game: str) -> None:
    chance, tried, terms = Random(6), set[type[Command]](), usual_opening(game)
    with all_databases.migrated("sqlite") as url, opened(url) as engine:  # The rules are the same on PostgreSQL.
        table = begun(House(engine, Repeatable()), 0, game, terms)
        for _ in range(POSITIONS):
            position = table.table_at.position
            for actor in map(seat_actor, range(1, terms.players + 1)):
                for action in listed(table, actor):
                    command = filled(chance, action)
                    tried.add(type(command))
                    under_a_used_key(table, acting_seat(actor), command)
            assert table.table_at.position == position
            if not move(table, chance):
                break
    assert DealHand in tried


def under_a_used_key(table: Table, seat: int, command: Command) -> None:
    """Send *command* under the key that *seat* used for `TakeSeat`.

    Check that the command is refused, and that the sealed store is not called.
    """
    with pytest.MonkeyPatch.context() as patch:
        for question in ("deck", "seed", "field"):
            patch.setattr(SealedStore, question, Unasked().asked)
        with pytest.raises(KeyMustBeNew):
            table.do(owner(seat), command, key=f"key-{seat + 1}")


def tried_at(table: Table, players: int, chance: Random) -> set[type[Command]]:
    """Dry-run each available action of each player and the host, and some other commands; return the accepted types.

    Check that the available actions are accepted, that the rules read nothing hidden, and that nothing is recorded.
    """
    accepted = set()
    position = table.table_at.position
    for actor in (THE_HOST, *map(seat_actor, range(1, players + 1))):
        may = {one for action in listed(table, actor) for one in (action.command, filled(chance, action))}
        others = set(every_command(table.table_at.game, actor, chance, table.table_at.state)) - may
        assert outcomes(table, actor, may) <= {""}
        assert not outcomes(table, actor, chance.sample(sorted(others, key=repr), SOME)) & {"AssertionError"}
        accepted |= {type(command) for command in may}
    assert table.table_at.position == position
    return accepted


def move(table: Table, chance: Random) -> bool:
    """Play a random available action, seldom a resignation; return False if there is no action."""
    due = table.table_at.due
    actions = listed(table, chance.choice(due)) if due else ()
    if not actions:
        return False
    (action,) = chance.choices(actions, [weight(table, one.command) for one in actions])
    table.do(owner(acting_seat(action.command.by)), filled(chance, action))
    return True


def weight(table: Table, command: Command) -> float:
    """Return the weight of *command* in the random choice.

    Commands that end a game, or make a player leave a seat, are rare. All other commands are frequent, so each of them
    is soon drawn.
    """
    usual = facts_of(table.table_at.game.name).weight(command)
    return RARE if isinstance(command, LeaveSeat) or usual <= RARE else max(usual, OFTEN_ENOUGH)


def begun(house: House, number: int, game: str, terms: Opening) -> Table:
    """Return a public table of *game* with all seats taken, at which the game has started."""
    table, played = Table(house, number + 1), CURRENT[game]
    opening = OpenTable(
        by="",
        host=HOST,
        game=played.name,
        edition=played.edition,
        sheet=played.sheet.sha256,
        options=terms.options,
        seats=terms.players,
        visibility="public",
    )
    table.do(HOST, opening)
    for seat in range(1, terms.players + 1):
        table.do(owner(seat), TakeSeat(by="", player=owner(seat), chips=terms.chips, seat=seat))
    table.do(HOST, StartGame(by=""))
    return table


def listed(table: Table, actor: str) -> Sequence[Action]:
    """Return the available actions of *actor*."""
    table_at = table.table_at
    with reading(table.house.engine) as connection:
        seen = SeatViewpoint(
            table_at, acting_seat(actor), TableUnsealer(table.house.sealed_store, lambda: connection, table_at)
        )
        return table_at.game.actions(table_at.state, actor, seen)


def outcomes(table: Table, actor: str, tried: Iterable[Command]) -> set[str]:
    """Dry-run the commands *tried* for *actor*; return the names of the errors, "" for an accepted command.

    If the rules read anything hidden, the error is an AssertionError.
    """
    caller = owner(acting_seat(actor)) if acting_seat(actor) else HOST
    found = set()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(handler, "LiveKnown", Unasked)
        for command in tried:
            try:
                table.house.play.dry_run(table.order(caller, command))
            except (Refused, CallerMustBe, AssertionError) as error:
                found.add(type(error).__name__)
            else:
                found.add("")
    return found
