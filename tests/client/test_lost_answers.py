"""A client goes on after a lost answer or a stop: each command happens once, and the events form one chain."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from itertools import islice
from typing import Any

import pytest

from service.client import Api, Client, LogContradiction, ServerGone, follow
from service.client.hand_answers import Event
from service.entropy import Entropy
from tests.client.lying import Liar, lying
from tests.databases import Databases
from tests.http.service import Person, Service, Table, accepted, running

World = tuple[Service, Liar, str]


@pytest.fixture(scope="module")
def world(all_databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """Yield a service, its `Liar`, and its URL."""
    folder = tmp_path_factory.mktemp("lost")
    with all_databases.migrated("sqlite") as url, running(folder, url) as service, lying(service) as (liar, served):
        yield service, liar, served


@contextmanager
def api_of(url: str, token: str) -> Iterator[Api]:
    with closing(Client(url, token, Entropy(), patience_seconds=0)) as client:
        yield Api(client)


def told_again(liar: Liar, command: Callable[[], object]) -> object:
    """Give *command* and lose the answer to it; then give the recorded command again, and return its result."""
    liar.lies["POST"] = lambda _: (503, b"{}")
    with pytest.raises(ServerGone):
        command()
    liar.lies.clear()
    return command()


def test_a_command_whose_answer_was_lost_is_given_again_under_its_key_and_happens_once(world: World) -> None:
    service, liar, url = world
    with api_of(url, service.person("admin", "host", "play").token) as api:
        options, first = {"buy_in": 5}, "the table of today"
        opened = told_again(liar, lambda: api.open_table("bankrupt", 2, options, idempotency_key=first))
        told_again(liar, lambda: api.make_key("play", label="once", idempotency_key="Ann's key"))
        told_again(liar, lambda: api.take_seat(str(opened), 5, idempotency_key="my seat"))
        assert [one["table"] for one in listed(service.spectator, "tables")] == [opened]
        assert [one["label"] for one in listed(service.person("admin"), "keys")].count("once") == 1
        assert api.table(str(opened)).position == 3  # the table, its first deck, and one seat


def listed(who: Person, resource: str) -> list[Any]:
    return list(accepted(who.get(f"/v1/{resource}?limit=100")).json["items"])


def test_a_client_that_follows_goes_on_where_it_stopped_and_finds_what_was_changed_meanwhile(world: World) -> None:
    service, liar, url = world
    table = Table(service, 2, buy_in=5).started()
    with api_of(url, "") as api:

        def followed(after: int = 0, after_hash: str = "") -> list[Event]:
            events = follow(api, table.id, after=after, after_hash=after_hash, wait_seconds=0)
            return list(islice(events, table.position - after))

        events = followed()
        stopped = events[2]
        assert followed(stopped.leaf.position, stopped.hash) == events[3:]
        with finds("does not continue the one before"):
            followed(3, events[1].hash)
        fourth = events[3].leaf.type.encode()
        for lie, words in {
            lambda body: body.replace(
                b'"position":4', b'"position":5', 1
            ): "another event than that of .* at position 4",
            lambda body: body.replace(fourth, fourth.upper(), 1): "The hash of the event of .* at position 4 is wrong",
            lambda body: body.replace(b'"at":', b'"when":', 1): "missing required field `at`",
            lambda body: body.replace(fourth, b"\xff" + fourth, 1): "can't decode byte 0xff",
            lambda _: b'{"items":[],"has_more":false,"position":2,"is_over":true}': "at position 3, .* ends at 2",
            lambda _: b'{"items":[],"has_more":true,"position":9,"is_over":true}': "at position 3, .* shows none",
        }.items():
            liar.lies["GET .*/events"] = lie
            with finds(words):
                followed(3, stopped.hash)
            liar.lies.clear()


def finds(words: str) -> pytest.RaisesExc[LogContradiction]:
    return pytest.raises(LogContradiction, match=f"event_must_stay: .*{words}")
