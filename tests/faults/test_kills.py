"""Servers are killed at random moments under load: no acknowledged command is lost, doubled or recorded in part."""

import random
from contextlib import closing
from typing import Final

import pytest

from tests.cli.commands import Instance
from tests.faults.party import Game, playing
from tests.faults.servers import Serving, must_be_clean, serving, wait_until
from tests.once.clients import Crowd

GAMES: Final = 2
ROUNDS_OF_A_GAME: Final = 10


@pytest.mark.parametrize(
    ("kills", "rounds_unverified"),
    [pytest.param(3, 2, id="some"), pytest.param(200, 0, id="many", marks=pytest.mark.full)],
)
def test_servers_killed_at_random_lose_double_or_halve_no_acknowledged_command(
    instance: Instance, chance: random.Random, kills: int, rounds_unverified: int
) -> None:
    with serving(instance) as server, closing(Crowd(server.url, instance.first_key)) as crowd:
        games: list[Game] = []
        heard = 0
        for killed in range(1, kills + 1):
            if killed % ROUNDS_OF_A_GAME == 1 or any(game.is_over for game in games):
                games = [Game(crowd, chance) for _ in range(GAMES)]
            heard += _killed_under_load(server, games, chance)
            for game in games:
                game.must_hold()
            if killed % (rounds_unverified + 1) == 0:
                must_be_clean(instance)
        assert heard > 10 * kills  # fewer would mean that there was no load
    must_be_clean(instance)


def _killed_under_load(server: Serving, games: list[Game], chance: random.Random) -> int:
    """Kill one or all processes of *server* while clients play *games*; return how many commands got a response."""
    with playing(games) as load:
        before, enough = load.heard, chance.randint(1, 80)
        wait_until(lambda: load.heard >= before + enough)
        match killed := chance.choices(["all", "a worker", "the first"], [6, 3, 1])[0]:
            case "all":
                server.kill()
                server.start()
            case "a worker":
                server.kill_a_worker(chance)
            case _:
                server.kill_the_first()
                server.start()
    server.must_be_ready()
    print(f"killed {killed} after {enough} answers or more")  # noqa: T201 -- pytest shows this on failure
    return load.heard - before
