"""If two worlds differ only in facts that are hidden from a viewer, the viewer gets byte-equal pages in both."""

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Final

import pytest

from service.games import CURRENT
from tests import seeds
from tests.databases import Databases
from tests.games.facts import buy_in_of, facts_of
from tests.tables.elsewhere import elsewhere, orders_differ
from tests.tables.games import Game, Worlds, asked, played, players_of, replay, situation_of, world_games
from tests.tables.sweep import Sweep
from tests.tables.worlds import AUDITOR, GUEST, HOST, SPECTATOR, STRANGER, Overrides, Request, World
from tests.web.looking import FIGURES, Onlooker, must_be_equal, paths

APPROVER, ADMIN = "approver", "admin"
SEATLESS: Final = (SPECTATOR, HOST, AUDITOR, STRANGER, GUEST, APPROVER, ADMIN)
"""The viewers without a seat: at a table that they may see, all of them may know the same cards."""
GAMES: Final = world_games()
ONE_OF_EACH: Final = {game.name: about for about, game in reversed(GAMES.items())}
DAILY: Final = seeds.drawn("pages of two worlds", sorted(ONE_OF_EACH.values()))
"""The one world whose pages the daily test compares, drawn with the seed of the run."""
PRIVATE: Final = {game.name: game for game in GAMES.values() if game.terms.visibility == "private"}
LEAVES: Final = {"type": "leave_seat"}


class Rooms(Worlds):
    """Makes worlds in which an approver and an admin have keys, too."""

    @contextmanager
    def made(self, faces: Overrides) -> Iterator[World]:
        with super().made(faces) as world:
            world.admit(APPROVER, "approve")
            world.admit(ADMIN, "admin", "metrics")
            yield world


def must_look_the_same(one: World, other: World, viewer: str, table: str) -> int:
    """Check that *viewer* gets equal pages in both worlds; return the number of pages that are shown.

    Pages with figures of a process are not compared for the admin: they differ between any two processes.
    """
    table_at = situation_of(one, table)
    account = next(iter(asked(one, HOST, f"/v1/tables/{table}/balances")["balances"]), "stack:1")
    game = asked(one, HOST, f"/v1/tables/{table}")["game"]
    hand = str(max(1, table_at.state.hand))
    examples = {"table": table, "hand": hand, "account": account, "game": game, "dispute": "1"}
    past = [f"{path}?at={table_at.position - 1}" for path in paths(examples, only="table")]
    lookers = [Onlooker(world.client.application, world.tokens.get(viewer, "")) for world in (one, other)]
    found = 0
    for path in (*paths(examples), *past):
        if viewer == ADMIN and path.startswith(FIGURES):
            continue
        ours, theirs = (looker.sees(path) for looker in lookers)
        must_be_equal(ours, theirs, f"{viewer} at {path}")
        found += ours.status == HTTPStatus.OK
    return found


@pytest.mark.parametrize("about", [pytest.param(one, marks=[] if one == DAILY else pytest.mark.full) for one in GAMES])
def test_hidden_cards_change_no_page(tmp_path: Path, all_databases: Databases, about: str, sweep: Sweep) -> None:
    game, chance = GAMES[about], sweep.chance
    players = players_of(game)
    rooms = Rooms(tmp_path, all_databases, players)
    with rooms.made({}) as world:
        table, script = played(world, game, random.Random(game.terms.seed))
    for length in sweep.some(sorted(chance.sample(range(game.seats + 2, len(script) + 1), 4)), 1):
        with rooms.made({}) as one:
            replay(one, script[:length])
            of_seats = sweep.some([(player,) for player in players], 1)
            for alike in (SEATLESS, *of_seats):
                faces, elsewhere_script = elsewhere(one, table, alike[0], script[:length], chance)
                with rooms.made(faces) as other:
                    replay(other, elsewhere_script)
                    assert orders_differ(one, other, table)
                    for viewer in alike:
                        must_look_the_same(one, other, viewer, table)


def test_a_player_whose_own_cards_differ_sees_other_pages(tmp_path: Path, all_databases: Databases) -> None:
    """The comparison finds the difference between players' own cards on the table's page, in each game with such cards.

    In Insurance every dealt card is public, so the pages of two worlds that differ in hidden cards are equal.
    """
    equal = {
        name for name in CURRENT if not _own_cards_differ(tmp_path / name, all_databases, GAMES[ONE_OF_EACH[name]])
    }
    assert equal == {"insurance"}


def _own_cards_differ(folder: Path, all_databases: Databases, game: Game) -> bool:
    """Return whether a player of *game* sees different pages if the players' cards are different."""
    players = players_of(game)
    rooms = Rooms(folder, all_databases, players)
    with rooms.made({}) as world:
        table, script = played(world, game, random.Random(game.terms.seed))
    with rooms.made({}) as one:
        done = _replay_into_a_hand(one, table, script)
        faces, elsewhere_script = elsewhere(one, table, SPECTATOR, done, random.Random(1))
        with rooms.made(faces) as other:
            replay(other, elsewhere_script)
            lookers = [
                [Onlooker(world.client.application, world.tokens[player]) for player in players]
                for world in (one, other)
            ]
            ours, theirs = ([looker.sees(f"/tables/{table}") for looker in these] for these in lookers)
            return ours != theirs


def _replay_into_a_hand(world: World, table: str, script: Sequence[Request]) -> list[Request]:
    """Replay the first half of *script*, and go on until a hand is running; return the replayed requests."""
    half = len(script) // 2
    replay(world, script[:half])
    for length in range(half, len(script)):
        if situation_of(world, table).state.hand_is_running:
            return list(script[:length])
        replay(world, [script[length]])
    pytest.fail("no hand ran")


@pytest.mark.parametrize("name", CURRENT)
def test_a_player_who_left_before_the_start_sees_no_more_than_anybody(
    tmp_path: Path, all_databases: Databases, name: str
) -> None:
    game = Game(name, facts_of(name).worlds[next(iter(facts_of(name).worlds))])
    rooms = Rooms(tmp_path, all_databases, players_of(game))
    with rooms.made({}) as world:
        table, (opening, *rest) = played(world, game, random.Random(game.terms.seed))
    base, chips = f"/v1/tables/{table}", buy_in_of(name, game.terms.options)
    left = (
        Request(STRANGER, f"{base}/seats", {"chips": chips, "player": ""}, "sit"),
        Request(STRANGER, f"{base}/actions", LEAVES, "leave"),
    )
    _must_learn_nothing(rooms, table, STRANGER, [opening, *left, *rest])


def test_a_player_who_left_between_hands_sees_no_more_than_anybody(tmp_path: Path, all_databases: Databases) -> None:
    game = GAMES["Insurance: four who gamble"]
    rooms = Rooms(tmp_path, all_databases, players_of(game))
    with rooms.made({}) as world:
        table, script = played(world, game, random.Random(game.terms.seed))
    done: list[Request] = []
    leaver, path = "player 1", f"/v1/tables/{table}/actions"
    with rooms.made({}) as world:
        for request in script:
            replay(world, [request])
            done.append(request)
            may = [one["action"] for one in asked(world, leaver, path)["items"]]
            if LEAVES in may and situation_of(world, table).state.hand:
                break
    _must_learn_nothing(rooms, table, leaver, [*done, Request(leaver, path, LEAVES, "leave")])


def _must_learn_nothing(rooms: Rooms, table: str, leaver: str, script: list[Request]) -> None:
    with rooms.made({}) as one:
        replay(one, script)
        faces, elsewhere_script = elsewhere(one, table, leaver, script, random.Random(1))
        with rooms.made(faces) as other:
            replay(other, elsewhere_script)
            assert orders_differ(one, other, table)
            assert must_look_the_same(one, other, leaver, table)


@pytest.mark.parametrize("name", PRIVATE)
def test_to_outsiders_a_private_table_and_none_are_the_same(
    tmp_path: Path, all_databases: Databases, name: str
) -> None:
    game = PRIVATE[name]
    rooms = Rooms(tmp_path, all_databases, players_of(game))
    with rooms.made({}) as one, rooms.made({}) as other:
        table, _ = played(one, game, random.Random(game.terms.seed))
        examples = {"table": table, "hand": "1", "account": "stack:1", "game": name, "dispute": "1"}
        for viewer in (SPECTATOR, STRANGER):
            lookers = [Onlooker(world.client.application, world.tokens.get(viewer, "")) for world in (one, other)]
            for path in paths(examples):
                ours, theirs = (looker.sees(path) for looker in lookers)
                must_be_equal(ours, theirs, f"{viewer} at {path}")
                if path == f"/tables/{table}":
                    assert ours.status == HTTPStatus.NOT_FOUND
