"""Servers are killed while clients make API keys: each key has its row and its event, or neither."""

import random
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from threading import Event

import pytest
from msgspec import Struct

from service.client.client import Client
from service.entropy import Entropy
from tests.cli.commands import Instance
from tests.faults.servers import Serving, must_be_clean, serving, wait_until

MAKERS = 3


class Named(Struct):
    id: str


class Made(Struct):
    key: Named


@pytest.mark.parametrize("kills", [pytest.param(2, id="some"), pytest.param(20, id="many", marks=pytest.mark.full)])
def test_after_kills_each_answered_key_is_on_record_once_and_nothing_is_half_done(
    instance: Instance, chance: random.Random, kills: int
) -> None:
    answered, stopped = list[str](), Event()
    with serving(instance) as server, ThreadPoolExecutor(MAKERS) as pool:
        work = [pool.submit(_make_keys, server, number, answered, stopped) for number in range(MAKERS)]
        try:
            for _ in range(kills):
                _kill_after_some(server, answered, chance)
            enough = len(answered) + MAKERS
            wait_until(lambda: len(answered) >= enough)
        finally:
            stopped.set()
        for one in work:
            one.result()
    recorded = [one["pub"]["key"] for one in instance.service_events() if one["type"] == "key_made"]
    assert len(set(recorded)) == len(recorded)
    assert set(recorded) >= set(answered)
    must_be_clean(instance)


def _make_keys(server: Serving, number: int, answered: list[str], stopped: Event) -> None:
    """Make one key after the other, and repeat each request until the server answers."""
    with closing(Client(server.url, server.instance.first_key, Entropy(), patience_seconds=60)) as client:
        made = 0
        while not stopped.is_set():
            made += 1
            answer = client.post("/v1/keys", Made, {"label": "of a test"}, idempotency_key=f"{number}/{made}")
            answered.append(answer.key.id)


def _kill_after_some(server: Serving, answered: list[str], chance: random.Random) -> None:
    """Once *server* has answered some more requests, kill all its processes or one worker."""
    enough = len(answered) + chance.randint(1, 30)
    wait_until(lambda: len(answered) >= enough)
    if chance.random() < 0.7:
        server.kill()
        server.start()
    else:
        server.kill_a_worker(chance)
    server.must_be_ready()
