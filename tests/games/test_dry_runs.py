"""A dry run only accepts or refuses a command: its result agrees with `decide`, and it uses no hidden value."""

from collections.abc import Iterable, Iterator
from itertools import product
from random import Random
from typing import Any

import pytest

from service.cards import UNKNOWN, Face
from service.games import GAMES
from service.games.common_commands import CallTime, OpenTable, TakeSeat
from service.games.definition import Game
from service.games.game import HOST, PLAYER, SERVICE, Command, Refusal, Viewpoint, acting_seat, seat_actor
from service.games.table_state import TableState
from tests.games.envelopes import SeatViewpoint
from tests.games.facts import facts_of
from tests.games.random_play import decks_of, filled, play
from tests.games.steps import ShuffledDecks
from tests.games.test_properties import allowed, every_command

FEWEST, ENOUGH, MANY = 4, 16, 100
"""The number of random games: from FEWEST to ENOUGH, until each kind of command was accepted and refused; in a full
test MANY."""
POSITIONS = 4
"""How many random positions of a game are tested, besides the end and one position before each kind of command."""

every_game = pytest.mark.parametrize("game", [pytest.param(game, id=game.name) for game in GAMES.values()])


class OwnEyes(SeatViewpoint):
    """A caller's viewpoint that raises for every hidden value."""

    def face(self, position: int) -> Face:
        face = super().face(position)
        assert face != UNKNOWN, f"a dry run asked for the hidden face at {position}"
        return face

    def sealed(self, seat: int, field: str) -> Any:  # noqa: ANN401 -- the value may be any JSON
        value = super().sealed(seat, field)
        assert value is not None, f"a dry run asked for the hidden {field} of seat {seat}"
        return value


def refusal_of(question: Any, *about: Any) -> tuple[str, ...]:  # noqa: ANN401 -- this calls accept or decide
    """Return the members of the refusal; empty if the command is accepted."""
    try:
        question(*about)
    except Refusal as refusal:
        return refusal.code, refusal.rule, refusal.ruling, refusal.detail
    return ()


def positions(game: Game, seed: int, chance: Random) -> Iterator[tuple[TableState, ShuffledDecks]]:
    """Yield states of a random game: before each kind of command, at random positions, and at the end."""
    steps, known = tuple(play(game, seed)), decks_of(seed)
    kinds = {type(step.command): step for step in steps}.values()
    for step in (*kinds, *chance.sample(steps, min(len(steps), POSITIONS))):
        known.envelopes = step.had
        yield step.before, known
    known.envelopes = steps[-1].has
    yield steps[-1].after[-1], known


def seen_by(game: Game, state: TableState, known: ShuffledDecks, actor: str) -> Viewpoint:
    order = known.deck(state.epoch).order if state.epoch else ()
    return OwnEyes(game, state, order, known.envelopes, acting_seat(actor))


def commands(game: Game, state: TableState, known: ShuffledDecks, actor: str, chance: Random) -> Iterator[Command]:
    """Yield legal and many illegal commands of *actor*, and commands of the host to open the table."""
    for action in allowed(game, state, actor, known):
        yield action.command
        yield filled(chance, action)
    yield from every_command(game, actor, chance, state)
    opening = facts_of(game.name).opening(chance)
    for chips, seat in product((opening.chips, 0, 1), (0, 2, 53)):
        yield TakeSeat(by=actor, player=f"own_{chips + 100:032x}", chips=chips, seat=seat)
    for seats, options in product((1, opening.players, 53), (opening.options, {"buy_in": "all"})):
        yield OpenTable(
            by=HOST,
            host="own_" + "0" * 32,
            game=game.name,
            edition=game.edition,
            sheet=game.sheet.sha256,
            options=options,
            seats=seats,
            visibility="public",
        )


@every_game
@pytest.mark.parametrize(
    ("fewest", "most"),
    [pytest.param(FEWEST, ENOUGH, id="some"), pytest.param(MANY, MANY, id="more", marks=pytest.mark.full)],
)
def test_a_dry_run_agrees_with_the_decision_and_asks_for_nothing_hidden(game: Game, fewest: int, most: int) -> None:
    chance, kinds = Random(3), set[tuple[type[Command], bool]]()
    made = {*game.commands, CallTime, OpenTable, TakeSeat}
    wanted = {(kind, accepted) for kind in made for accepted in (True, False)}
    for seed in range(most):
        if seed >= fewest and kinds >= wanted:
            break
        for state, known in positions(game, seed, chance):
            for actor in (HOST, SERVICE, PLAYER, "seat:18", *map(seat_actor, state.players)):
                kinds |= set(compare(game, state, known, actor, commands(game, state, known, actor, chance)))
    assert kinds >= wanted


def compare(
    game: Game, state: TableState, known: ShuffledDecks, actor: str, asked: Iterable[Command]
) -> Iterator[tuple[type[Command], bool]]:
    """Compare the dry run with the decision of each command in *asked*; yield its type, and whether it is accepted."""
    for command in asked:
        expected = refusal_of(game.decide, state, command, known)
        assert refusal_of(game.accept, state, command, seen_by(game, state, known, actor)) == expected, command
        yield type(command), not expected
