"""Each command happens once, although a proxy doubles, reorders, delays and drops requests, and drops responses."""

import random
from contextlib import closing

import pytest

from tests.cli.commands import Instance
from tests.faults.careless import Doubtful, Fate, careless
from tests.faults.party import Game, playing
from tests.faults.servers import must_be_clean, serving, wait_until
from tests.once.clients import Crowd


@pytest.mark.parametrize(
    "commands", [pytest.param(250, id="some"), pytest.param(10_000, id="many", marks=pytest.mark.full)]
)
def test_a_request_that_is_lost_doubled_delayed_or_sent_again_much_later_happens_once(
    instance: Instance, chance: random.Random, commands: int
) -> None:
    heard = 0
    with serving(instance) as server, closing(Crowd(server.url, instance.first_key)) as crowd:
        with careless(server.url, chance) as way:
            while heard < commands:
                games = [Game(crowd, chance) for _ in range(2)]
                for game in games:
                    game.move_to(way.url, Doubtful)
                with playing(games, through_faults=True) as load:
                    wait_until(lambda: load.heard > min(commands, 400) or load.has_ended)
                for game in games:
                    game.move_to(server.url)
                    game.must_hold()
                heard += load.heard
        assert set(way.fates) == set(Fate)
        for game in games:
            game.must_hold()
    must_be_clean(instance)
