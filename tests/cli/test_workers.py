"""Several worker processes work as one server: their metrics are summed, and each has a share of the limits."""

import json
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path
from typing import NamedTuple

import pytest
import urllib3
from urllib3 import BaseHTTPResponse

from service.cli.support import server_process
from tests.cli.commands import UNHURRIED, Instance, running_server
from tests.databases import Databases
from tests.faults.servers import wait_until
from tests.once.clients import Crowd, Person

_ASKED = 40
_MOVES = 12


class Pair(NamedTuple):
    """The clients of two server processes on the database of one instance."""

    instance: Instance
    crowds: list[Crowd]


def _ask(url: str, path: str, **headers: str) -> BaseHTTPResponse:
    """Send GET over a new connection, which any of the processes may accept."""
    return urllib3.request("GET", url + path, headers={"Connection": "close", **headers})


def test_one_scrape_has_the_metrics_of_all_processes_and_limits_are_divided(instance: Instance, tmp_path: Path) -> None:
    """All settings but the port come from the settings file, so both processes have the same settings."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    port = server_process.free_port()
    file = tmp_path / "chiptrail.toml"
    file.write_text(
        f'database_url = "{instance.database}"\ndata_folder = "{instance.data}"\nworkers = 2\nmetrics_port = {port}\n'
    )
    environment = {**os.environ, "TMPDIR": str(temporary), "CHIPTRAIL_CONFIG": str(file)}
    with running_server([], tmp_path / "log", environment) as server:
        for _ in range(_ASKED):
            answer = _ask(server.url, "/v1/games")
            assert answer.headers["RateLimit-Policy"] == '"address";q=250;w=10'
        line = f'chiptrail_answers_total{{method="GET",route="/v1/games",status="200"}} {_ASKED}.0'
        for _ in range(8):
            scrape = _ask(server.url, "/metrics", Authorization=f"Bearer {instance.first_key}")
            assert line in scrape.data.decode().splitlines()
        assert _ask(server.url, "/metrics").status == 401
        own = f"http://127.0.0.1:{port}"
        assert line in _ask(own, "/metrics").data.decode().splitlines()
        assert _ask(own, "/v1/games").status == 404
        (folder,) = temporary.iterdir()
        assert len(list(folder.glob("gauge_livesum_*.db"))) >= 1
    assert list(temporary.iterdir()) == []


@pytest.fixture(scope="module")
def pairs(all_databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Pair]]:
    """Yield a function that returns the `Pair` of a kind of database; the first call for a kind starts the servers."""
    with ExitStack() as stack:
        started: dict[str, Pair] = {}

        def pair(kind: str) -> Pair:
            if kind not in started:
                folder = tmp_path_factory.mktemp(kind)
                instance = Instance(stack.enter_context(all_databases.migrated(kind)), folder / "data")
                started[kind] = Pair(
                    instance, [_crowd(stack, instance, folder / f"{number}.log") for number in range(2)]
                )
            return started[kind]

        yield pair


def _crowd(stack: ExitStack, instance: Instance, log: Path) -> Crowd:
    server = stack.enter_context(running_server([*instance.flags, *UNHURRIED, "--workers", "1"], log))
    return stack.enter_context(closing(Crowd(server.url, instance.first_key)))


@pytest.fixture
def processes(kind: str, pairs: Callable[[str], Pair]) -> Pair:
    """Return the clients of two server processes on one database; each process has its own URL."""
    return pairs(kind)


@pytest.mark.walk
def test_a_game_goes_on_at_any_process_and_waiting_requests_at_others_get_its_events(
    processes: Pair,
) -> None:
    instance, (one, other) = processes
    host, *players = [one.person("host"), one.person("play"), one.person("play")]
    table = host.post("/v1/tables", {"game": "bankrupt", "options": {"buy_in": 200}}, "open").headers["Location"]
    there = {who.owner: other.twin(Person(other.admin.url, who.token, who.owner)) for who in (host, *players)}
    for player in players:
        assert there[player.owner].post(f"{table}/seats", {"chips": 200}, "sit").status == 201
    assert host.post(f"{table}/actions", {"type": "start_game"}, "start").status == 200
    watcher = other.twin(there[host.owner])
    with ThreadPoolExecutor(1) as thread:
        for number in range(_MOVES):
            seen = host.get(table).json
            due = players[int(seen["due"][0].removeprefix("seat:")) - 1]
            body = due.get(f"{table}/actions").json["items"][0]["action"]
            hears = thread.submit(watcher.get, f"{table}/events?after={seen['position']}&wait=30")
            mover, repeater = (due, there[due.owner])[:: 1 if number % 2 else -1]
            done = mover.post(f"{table}/actions", body, f"move {number}", If_Match=f'"{seen["position"]}"')
            assert done.status == 200
            assert hears.result().json["items"][0]["leaf"]["position"] == seen["position"] + 1
            again = repeater.post(f"{table}/actions", body, f"move {number}")
            assert (again.body, again.is_replayed) == (done.body, True)
    said = instance.run("verify", "--json")
    assert (said.code, json.loads(said.out)["tables"]["failed"]) == (0, 0)


def test_a_key_that_one_process_has_ended_is_soon_refused_by_another(processes: Pair) -> None:
    _, (one, other) = processes
    person = one.person("play")
    twin = other.twin(Person(other.admin.url, person.token, person.owner))
    assert twin.get("/v1/whoami").status == 200
    key = twin.get("/v1/whoami").json["key"]
    assert one.admin.delete(f"/v1/keys/{key}").status == 204
    assert person.get("/v1/whoami").status == 401  # the process that revoked the key refuses it immediately
    wait_until(lambda: twin.get("/v1/whoami").status == 401)  # test_key_cache checks that it takes a second at most
