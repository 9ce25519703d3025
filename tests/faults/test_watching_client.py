"""A client that watches by streams gets each event once, although its server is killed and restarted."""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from threading import Event as Flag

import pytest

from service.bots.random_bot import RandomBot
from service.client import Api, Client, Event, feed, follow, play
from service.clock import Clock
from tests.cli.commands import Instance
from tests.faults.servers import must_be_clean, serving, wait_until

KILLS = 5
PATIENCE_SECONDS = 60


def collect(found: list[Event], events: Iterable[Event]) -> None:
    """Add *events* to *found*, up to the end of the game."""
    for event in events:
        found.append(event)
        if event.leaf.type == "game_ended":
            return


@pytest.mark.full
def test_a_watcher_of_a_server_that_is_killed_gets_each_event_once(instance: Instance) -> None:
    of_table: list[Event] = []
    of_owner: list[Event] = []
    with serving(instance) as server, ExitStack() as stack:

        def api_of(token: str) -> Api:
            client = Client(server.url, token, Clock(), patience_seconds=PATIENCE_SECONDS)
            return Api(stack.enter_context(closing(client)))

        host = api_of(instance.first_key)
        table = host.open_table("bankrupt", 2, {"buy_in": 60})
        players = [api_of(host.make_key("play", label=name).token) for name in ("one", "two")]
        for player in players:
            player.take_seat(table, 60)
        host.act(table, {"type": "start_game"})
        with ThreadPoolExecutor(4) as threads:
            watchers = [
                threads.submit(collect, of_table, follow(api_of(""), table, wait="stream")),
                threads.submit(collect, of_owner, feed(api_of(instance.first_key), wait="stream")),
            ]
            bots = [
                threads.submit(play, player, table, RandomBot(f"{seat}"), Flag()) for seat, player in enumerate(players)
            ]
            for kill in range(KILLS):
                seen = len(of_table)
                wait_until(lambda seen=seen: len(of_table) > seen + 5 or watchers[0].done())  # type: ignore[misc]
                server.kill()
                server.start()
                assert kill == KILLS - 1 or not watchers[0].done(), "The game is too short for these kills."
            for one in (*bots, *watchers):
                one.result()
        recorded = list(follow(host, table, wait="never"))
    for found in (of_table, of_owner):
        assert found[-1].leaf.type == "game_ended"
        assert [event.hash for event in found] == [event.hash for event in recorded][: len(found)]
    must_be_clean(instance)
