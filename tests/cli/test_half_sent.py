"""Bodies that are begun and never ended: they keep some threads of a real server, and never all."""

import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from select import select

import pytest

from service.bots.api import Api
from service.bots.client import Client
from service.entropy import Entropy
from tests.cli.commands import Place, Served, running_server
from tests.databases import Databases
from tests.http.streams import answer

THREADS = 4


@pytest.fixture
def small(all_databases: Databases, tmp_path: Path) -> Iterator[Served]:
    """Yield a server with four threads, of which one may read a body; no database has a say in this."""
    with all_databases.migrated("sqlite") as url:
        place = Place(url, tmp_path / "data")
        with running_server([*place.flags, "--threads", str(THREADS)], tmp_path / "log") as server:
            yield Served(place, server)


def _begin(stack: ExitStack, small: Served, *headers: str) -> socket.socket:
    """Send the head of a request that announces ten bytes, and none of them."""
    host, _, port = small.url.removeprefix("http://").partition(":")
    connection = stack.enter_context(socket.create_connection((host, int(port)), timeout=30))
    lines = (
        "POST /v1/keys HTTP/1.1",
        f"Host: {host}",
        "Content-Type: application/json",
        "Content-Length: 10",
        "Idempotency-Key: half",
        *headers,
    )
    connection.sendall("\r\n".join([*lines, "", ""]).encode())
    return connection


def _told(connection: socket.socket) -> dict[str, object]:
    """Read a problem as it comes; the connection may go on or end after it."""
    came = b""
    while b"}" not in came:
        part = connection.recv(65_536)
        assert part, came
        came += part
    found: dict[str, object] = json.loads(came.partition(b"\r\n\r\n")[2])
    return found


def _answered(connections: list[socket.socket], many: int) -> list[socket.socket]:
    """Return those *many* of *connections* to which something comes; which they are is chance."""
    found: list[socket.socket] = []
    while len(found) < many:
        ready, _, _ = select([one for one in connections if one not in found], [], [], 30)
        assert ready
        found += ready
    return found


def _status(small: Served, path: str) -> int:
    with answer(small.url, path) as response:
        response.read()
        return int(response.status)


def _open_one(client: Api) -> str:
    return client.open_table("bankrupt", 2, {})


def test_bodies_that_do_not_come_leave_threads_for_others(small: Served) -> None:
    bearer = f"Authorization: Bearer {small.place.first_key}"
    with ExitStack() as stack:
        begun = [_begin(stack, small, bearer) for _ in range(2 * THREADS)]
        assert (_status(small, "/healthz"), _status(small, "/v1/games")) == (200, 200)
        refused = [_told(connection)["code"] for connection in _answered(begun, len(begun) - 1)]
        assert refused == ["body_must_find_a_place"] * len(refused)
    host = Api(Client(small.url, small.place.first_key, Entropy()))
    assert _open_one(host)
    host.client.close()


def test_who_has_no_key_is_told_so_before_the_body_comes(small: Served) -> None:
    with ExitStack() as stack:
        begun = [_begin(stack, small) for _ in range(2 * THREADS)]
        assert {_told(connection)["code"] for connection in begun} == {"key_must_be_given"}


def test_many_whole_bodies_at_once_all_find_a_place(small: Served) -> None:
    def open_a_few(_: int) -> int:
        host = Api(Client(small.url, small.place.first_key, Entropy(), patience_seconds=0))
        made = {_open_one(host) for _ in range(4)}
        host.client.close()
        return len(made)

    with ThreadPoolExecutor(24) as pool:
        assert list(pool.map(open_a_few, range(24))) == [4] * 24
