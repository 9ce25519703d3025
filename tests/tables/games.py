"""The games of the visibility tests: each game is played at random once, and then replayed in other worlds."""

# ruff: noqa: ANN401 -- JSON may be any value

import random
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path
from typing import Any, Final, NamedTuple

from service.database.engines import reading
from service.tables.fold import TableAt
from tests.databases import Databases
from tests.tables.worlds import AUDITOR, GUEST, HOST, STRANGER, Overrides, Request, World

UNUSUAL: Final = frozenset({"resign", "leave_seat", "buy_chips"})
MOST_ABOVE_THE_LEAST: Final = 8


class Game(NamedTuple):
    """The parameters of a random game.

    *resigns_after*: after this number of moves, a player resigns as soon as a player may. *feet*: the number of slips,
    from the first, that call a foot.
    """

    seed: int
    seats: int
    moves: int
    options: dict[str, Any]
    visibility: str = "public"
    resigns_after: int = 1_000_000
    name: str = "bankrupt"
    feet: int = 0

    @property
    def has_a_guest(self) -> bool:
        """Whether the host invites GUEST, who never takes a seat."""
        return self.visibility == "private" and self.name == "insurance"


class Worlds:
    """Makes worlds with the same owners."""

    def __init__(self, folder: Path, databases: Databases, players: Sequence[str]) -> None:
        self._folder = folder
        self._databases = databases
        self._players = players
        self._numbers = count(1)

    @contextmanager
    def made(self, faces: Overrides) -> Iterator[World]:
        world = World(self._folder / str(next(self._numbers)), self._databases, faces)
        host = world.admit(HOST, "host", "play")
        world.admit(AUDITOR, "audit")
        for player in (*self._players, STRANGER, GUEST):
            world.admit(player, "play", made_by="" if player in {STRANGER, GUEST} else host)
        try:
            yield world
        finally:
            world.close()


class Played(NamedTuple):
    """A *table* in its *world* after all writes of *script*. Tests only read this world."""

    world: World
    table: str
    script: list[Request]


class Plays:
    """Plays each game once, for all tests that only read the game."""

    def __init__(self, stack: ExitStack, folder: Path, databases: Databases) -> None:
        self._stack = stack
        self._folder = folder
        self._databases = databases
        self._played: dict[int, Played] = {}

    def of(self, game: Game) -> Played:
        """Return the played *game*: `Game.moves` moves, or fewer if the game was over before."""
        if game.seed not in self._played:
            worlds = Worlds(self._folder / str(game.seed), self._databases, players_of(game))
            world = self._stack.enter_context(worlds.made({}))
            self._played[game.seed] = Played(world, *played(world, game, random.Random(game.seed)))
        return self._played[game.seed]

    def to_the_end(self, game: Game) -> Played:
        """Return the played *game*; check that it is over, and that a player has resigned if the game requires it."""
        found = self.of(game)
        assert resigned(found.script) == (game.resigns_after < game.moves)
        assert situation_of(found.world, found.table).state.status == "finished"
        return found


def players_of(game: Game) -> list[str]:
    return [f"player {number}" for number in range(1, game.seats + 1)]


def played(world: World, game: Game, chance: random.Random) -> tuple[str, list[Request]]:
    """Play *game*; return the id of the table and every write."""
    players = players_of(game)
    opening = {"game": game.name, "seats": len(players), "options": game.options, "visibility": game.visibility}
    script = [Request(HOST, "/v1/tables", opening, "open")]
    table: str = world.post(script[0]).json["table"]  # type: ignore[index]  # The response is JSON.
    base = f"/v1/tables/{table}"

    def write(who: str, path: str, body: Any, key: str) -> None:
        script.append(Request(who, path, body, key))
        answer = world.post(script[-1])
        assert answer.status_code in {200, 201}, answer.data

    for player in players:
        sitting = {"chips": game.options.get("buy_in", 0), "player": owner(world, player)}
        write(HOST if game.visibility == "private" else player, f"{base}/seats", sitting, f"sit {player}")
    write(HOST, f"{base}/actions", {"type": "start_game"}, "start")
    if game.has_a_guest:
        write(HOST, f"{base}/actions", {"type": "invite_player", "player": owner(world, GUEST)}, "invite")
    for number in range(game.moves):
        seen = asked(world, HOST, f"{base}/actions")
        if not seen["due"]:
            break
        player = players[int(chance.choice(seen["due"]).removeprefix("seat:")) - 1]
        if number >= game.resigns_after and not resigned(script):
            offered = [one for one in players if one != player and _may_resign(world, one, base)]
            if offered:
                write(chance.choice(offered), f"{base}/actions", {"type": "resign"}, "resign")
                continue
        feet_left = game.feet - sum(bool(one.body.get("foot")) for one in script)
        body = _chosen(asked(world, player, f"{base}/actions")["items"], chance, calls_foot=feet_left > 0)
        write(player, f"{base}/actions", body, f"move {number}")
    return table, script


def replay(world: World, script: Iterable[Request]) -> None:
    for request in script:
        answer = world.post(request)
        assert answer.status_code in {200, 201}, answer.data


def resigned(script: Sequence[Request]) -> bool:
    return any(one.body.get("type") == "resign" for one in script)


def situation_of(world: World, table: str) -> TableAt:
    with reading(world.parts.engine) as connection:
        found = world.parts.tables.current(connection, bytes.fromhex(table.removeprefix("tbl_")))
    assert found is not None
    return found


def owner(world: World, who: str) -> str:
    return str(asked(world, who, "/v1/whoami")["owner"])


def asked(world: World, who: str, path: str) -> Any:
    answer = world.get(who, path)
    assert answer.status_code == 200, answer.data
    return answer.json


def _may_resign(world: World, who: str, base: str) -> bool:
    return any(one["action"]["type"] == "resign" for one in asked(world, who, f"{base}/actions")["items"])


def _chosen(items: list[dict[str, Any]], chance: random.Random, *, calls_foot: bool) -> dict[str, Any]:
    """Return a random action of *items*, with random values for its bounds; a slip calls a foot if *calls_foot*."""
    usual = [one for one in items if one["action"]["type"] not in UNUSUAL]
    usual = [one for one in usual if one["action"].get("foot", calls_foot) == calls_foot] or usual
    item = chance.choice(usual)
    action = dict(item["action"])
    for bound in item["bounds"]:
        most = (
            min(bound["most"], bound["least"] + MOST_ABOVE_THE_LEAST)
            if action["type"] == "place_bid"
            else bound["most"]
        )
        action[bound["member"]] = chance.randint(bound["least"], most)
    for choice in item["choices"]:
        among = choice["among"]
        action[choice["member"]] = chance.sample(among, choice["count"]) if choice["count"] else chance.choice(among)
    return action
