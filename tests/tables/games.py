"""The games of the visibility tests: each game is played at random once, and then replayed in other worlds."""

# ruff: noqa: ANN401 -- JSON may be any value

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set as AbstractSet
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path
from typing import Any, Final, NamedTuple

from service.database.engines import reading
from service.deck import client_commit
from service.games import CURRENT
from service.games.game import acting_seat
from service.tables.fold import TableAt
from tests.databases import Databases
from tests.games.facts import WorldGame, buy_in_of, facts_of
from tests.games.players_seeds import seed_of
from tests.http.signer import key_of, public
from tests.tables.worlds import AUDITOR, GUEST, HOST, STRANGER, Overrides, Request, World

UNUSUAL: Final = frozenset({"leave_seat", *(kind for game in CURRENT for kind in facts_of(game).avoided)})
OPEN_ENDED: Final = 500
"""In a range of more numbers than this, the tests choose only numbers near the least number."""
MOST_ABOVE_THE_LEAST: Final = 8


class Game(NamedTuple):
    """A game of *name*, played at random on these *terms*."""

    name: str
    terms: WorldGame

    @property
    def seats(self) -> int:
        return self.terms.seats

    @property
    def must_resign(self) -> bool:
        """Whether a player must resign in this game."""
        return self.terms.resigns_after < self.terms.moves


def world_games() -> dict[str, Game]:
    """Return a game for each world in the facts of each game; a key has the game's title and the world's subject."""
    return {
        f"{CURRENT[name].sheet.title}: {about}": Game(name, terms)
        for name in CURRENT
        for about, terms in facts_of(name).worlds.items()
    }


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
    """A *table* in its *world* after all writes of *script*. Tests record nothing more in this world."""

    world: World
    table: str
    script: list[Request]


class Plays:
    """Plays each game once, for all tests that record nothing more in the game."""

    def __init__(self, stack: ExitStack, folder: Path, databases: Databases) -> None:
        self._stack = stack
        self._folder = folder
        self._databases = databases
        self._played: dict[tuple[str, int], Played] = {}

    def of(self, game: Game) -> Played:
        """Return the played *game*: as many moves as its terms say, or fewer if the game was over before."""
        key = game.name, game.terms.seed
        if key not in self._played:
            worlds = Worlds(self._folder / f"{game.name} {game.terms.seed}", self._databases, players_of(game))
            world = self._stack.enter_context(worlds.made({}))
            self._played[key] = Played(world, *played(world, game, random.Random(game.terms.seed)))
        return self._played[key]

    def to_the_end(self, game: Game) -> Played:
        """Return the played *game*; check that it is over, and that a player resigned exactly if *game* demands it."""
        found = self.of(game)
        assert resigned(found.script) == game.must_resign
        assert situation_of(found.world, found.table).state.status == "finished"
        return found


def players_of(game: Game) -> list[str]:
    return [f"player {number}" for number in range(1, game.seats + 1)]


def played(world: World, game: Game, chance: random.Random) -> tuple[str, list[Request]]:
    """Play *game*; return the id of the table and every write."""
    players, terms = players_of(game), game.terms
    opening = {"game": game.name, "seats": len(players), "options": terms.options, "visibility": terms.visibility}
    opening |= {"seeds": "players"} if terms.signs else {}
    script = [Request(HOST, "/v1/tables", opening, "open")]
    table: str = world.post(script[0]).json["table"]  # type: ignore[index]  # The response is JSON.
    base = f"/v1/tables/{table}"

    def write(who: str, path: str, body: Any, key: str) -> None:
        signs = terms.signs and who in players and path.endswith("/actions")
        script.append(Request(who, path, body, key, signs))
        answer = world.post(script[-1])
        assert answer.status_code in {200, 201}, answer.data

    for player in players:
        sitting = {"chips": buy_in_of(game.name, terms.options), "player": owner(world, player)}
        write(HOST if terms.visibility == "private" else player, f"{base}/seats", sitting, f"sit {player}")
    for player in players if terms.signs else ():
        body = {"type": "register_signing_key", "public_key": public(key_of(player))}
        write(player, f"{base}/actions", body, f"register {player}")
    write(HOST, f"{base}/actions", {"type": "start_game"}, "start")
    if terms.has_guest:
        write(HOST, f"{base}/actions", {"type": "invite_player", "player": owner(world, GUEST)}, "invite")
    for number in range(terms.moves):
        seen = asked(world, HOST, f"{base}/actions")
        if not seen["due"]:
            break
        player = players[acting_seat(chance.choice([*seen["due"], *seen["seeds_awaited"]])) - 1]
        if number >= terms.resigns_after and not resigned(script):
            offered = [one for one in players if one != player and _may_resign(world, one, base)]
            if offered:
                write(chance.choice(offered), f"{base}/actions", {"type": "resign"}, "resign")
                continue
        calls = {name for name, most in terms.calls.items() if sum(one.body.get(name) is True for one in script) < most}
        body = _chosen(asked(world, player, f"{base}/actions")["items"], chance, calls)
        write(player, f"{base}/actions", _with_seed(body, players.index(player) + 1), f"move {number}")
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


def _chosen(items: list[dict[str, Any]], chance: random.Random, calls: AbstractSet[str]) -> dict[str, Any]:
    """Return a random action of *items*, but no UNUSUAL action, with random values from its bounds and choices.

    Prefer actions in which each boolean member is true exactly if *calls* has its name.
    """
    usual = [one for one in items if one["action"]["type"] not in UNUSUAL]
    usual = [one for one in usual if _is_as_called(one["action"], calls)] or usual
    item = chance.choice(usual)
    action = dict(item["action"])
    for bound in item["bounds"]:
        most = (
            min(bound["most"], bound["least"] + MOST_ABOVE_THE_LEAST)
            if bound["most"] - bound["least"] > OPEN_ENDED
            else bound["most"]
        )
        action[bound["member"]] = chance.randint(bound["least"], most)
    for choice in item["choices"]:
        among = choice["among"]
        action[choice["member"]] = chance.sample(among, choice["count"]) if choice["count"] else chance.choice(among)
    return action


def _with_seed(action: Mapping[str, Any], seat: int) -> dict[str, Any]:
    """Return *action* with the commitment or the seed of *seat*, if the action gives one."""
    kind, epoch = action["type"], action.get("epoch", "")
    if kind == "commit_seed":
        return {**action, "client_commit": client_commit(epoch, seat, bytes.fromhex(seed_of(epoch, seat)))}
    return {**action, "client_seed": seed_of(epoch, seat)} if kind == "reveal_seed" else dict(action)


def _is_as_called(action: Mapping[str, Any], calls: AbstractSet[str]) -> bool:
    return all(value is (name in calls) for name, value in action.items() if isinstance(value, bool))
