"""Requests whose bodies never end take some body slots of a server, but never all; a time limit ends these requests."""

import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from select import select

import pytest

from service.client.client import Client
from service.client.endpoints import Api
from service.client.table_answers import CommandResult
from service.entropy import Entropy
from service.settings import BODY_SLOTS
from tests.cli.commands import Instance, Served, running_server
from tests.databases import Databases

EACH = BODY_SLOTS // 8
HOME, AWAY = "127.0.0.1", "127.0.0.2"


@contextmanager
def _serving(all_databases: Databases, folder: Path, *flags: str) -> Iterator[Served]:
    """Run a server with one worker, which then has all slots; always on SQLite, since the database does not matter."""
    with all_databases.migrated("sqlite") as url:
        instance = Instance(url, folder / "data")
        arguments = [*instance.flags, "--workers", "1", "--owner-requests-per-second", "0", *flags]
        with running_server(arguments, folder / "log") as server:
            yield Served(instance, server)


@pytest.fixture(scope="module")
def small(all_databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Yield a server with four threads; its time limit for bodies is so long that no test reaches the limit."""
    with _serving(all_databases, tmp_path_factory.mktemp("small"), "--threads", "4", "--body-seconds", "600") as served:
        yield served


@pytest.fixture(scope="module")
def hurried(all_databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Yield a server with a time limit of one second for bodies."""
    with _serving(all_databases, tmp_path_factory.mktemp("hurried"), "--body-seconds", "1") as served:
        yield served


def _begin(stack: ExitStack, served: Served, key: str = "", at: str = HOME) -> socket.socket:
    """Send the head of a request whose body should have a thousand bytes, and send no byte of the body."""
    host, _, port = served.url.removeprefix("http://").partition(":")
    connection = stack.enter_context(socket.create_connection((host, int(port)), timeout=30, source_address=(at, 0)))
    lines = (
        f"POST /v1/tables/tbl_{0:032x}/actions HTTP/1.1",
        f"Host: {host}",
        "Content-Type: application/json",
        "Content-Length: 1000",
        "Idempotency-Key: half",
        *([f"Authorization: Bearer {key}"] if key else ()),
    )
    connection.sendall("\r\n".join([*lines, "", ""]).encode())
    return connection


def _begin_by_turns(stack: ExitStack, served: Served, many: int, keys: tuple[str, str]) -> None:
    """Send at least *many* heads with two keys from two addresses; all beyond the slots of the keys are refused."""
    more = max(0, 2 * EACH + 2 - many)
    begun = [_begin(stack, served, keys[one % 2], f"127.0.1.{one % 2 + 1}") for one in range(many + more)]
    assert {_told(one)["code"] for one in _answered(begun, len(begun) - 2 * EACH)} == {"body_must_find_a_place"}


def _told(connection: socket.socket) -> dict[str, object]:
    """Read one problem from *connection*, which may stay open or be closed afterwards."""
    came = b""
    while b"}" not in came:
        part = connection.recv(65_536)
        assert part, came
        came += part
    found: dict[str, object] = json.loads(came.partition(b"\r\n\r\n")[2])
    return found


def _answered(connections: list[socket.socket], many: int) -> list[socket.socket]:
    """Wait until at least *many* of *connections* have a response; return these, which may be any of *connections*."""
    found: list[socket.socket] = []
    while len(found) < many:
        ready, _, _ = select([one for one in connections if one not in found], [], [], 30)
        assert ready
        found += ready
    return found


def _asked(served: Served, method: str, path: str, key: str = "", at: str = HOME) -> tuple[int, dict[str, object]]:
    """Send one request (a POST has the body `{}`); return the status and the response."""
    connection = HTTPConnection(served.url.removeprefix("http://"), timeout=30, source_address=(at, 0))
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    if method == "POST":
        headers |= {"Content-Type": "application/json", "Idempotency-Key": f"{Entropy().new_id('try')}"}
    connection.request(method, path, "{}" if method == "POST" else None, headers)
    response = connection.getresponse()
    body = response.read()
    connection.close()
    return response.status, json.loads(body) if body else {}


def _new_key(served: Served) -> tuple[str, str]:
    """Make a key for a new owner; return the key and its id."""
    status, made = _asked(served, "POST", "/v1/keys", served.instance.first_key)
    assert status == 201
    key = made["key"]
    assert isinstance(key, dict)
    return str(made["token"]), str(key["id"])


def _open_one(client: Api) -> str:
    return client.open_table("bankrupt", 2, {})


def test_bodies_that_do_not_come_keep_their_holders_share_of_places_and_no_more(small: Served) -> None:
    key, _ = _new_key(small)
    with ExitStack() as stack:
        begun = [_begin(stack, small, key) for _ in range(EACH + 8)]
        assert (_asked(small, "GET", "/healthz")[0], _asked(small, "GET", "/v1/games")[0]) == (200, 200)
        refused = [_told(connection)["code"] for connection in _answered(begun, 8)]
        assert refused == ["body_must_find_a_place"] * 8
        assert _asked(small, "POST", "/v1/keys", small.instance.first_key, AWAY)[0] == 201
    host = Api(Client(small.url, small.instance.first_key, Entropy()))
    assert _open_one(host)
    host.client.close()


def test_no_player_stops_the_commands_of_others_by_valid_and_ended_keys(small: Served) -> None:
    valid, _ = _new_key(small)
    status, made = _asked(small, "POST", "/v1/keys", small.instance.first_key)
    ended, key_id = str(made["token"]), str(made["key"]["id"])  # type: ignore[index]  # the body is JSON
    assert (status, _asked(small, "DELETE", f"/v1/keys/{key_id}", small.instance.first_key)[0]) == (201, 204)
    with ExitStack() as stack:
        _begin_by_turns(stack, small, 64, (valid, ended))
        for _ in range(20):
            assert _asked(small, "POST", "/v1/keys", small.instance.first_key)[0] == 201


def test_two_players_do_not_stop_the_commands_of_others_either(small: Served) -> None:
    keys = _new_key(small)[0], _new_key(small)[0]
    with ExitStack() as stack:
        _begin_by_turns(stack, small, 76, keys)
        for _ in range(20):
            assert _asked(small, "POST", "/v1/keys", small.instance.first_key)[0] == 201


def test_a_body_that_does_not_come_is_answered_by_a_problem_and_its_connection_ends(hurried: Served) -> None:
    with ExitStack() as stack:
        for connection in [_begin(stack, hurried, hurried.instance.first_key) for _ in range(3)]:
            told = _told(connection)
            assert (told["status"], told["code"]) == (408, "body_must_come_in_time")
            assert connection.recv(1) == b""


def test_a_form_that_does_not_come_is_answered_by_a_page_and_its_connection_ends(hurried: Served) -> None:
    host, _, port = hurried.url.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), timeout=30) as connection:
        connection.sendall(
            f"POST /sign-in HTTP/1.1\r\nHost: {host}\r\nSec-Fetch-Site: same-origin\r\nContent-Length: 1000\r\n"
            "Content-Type: application/x-www-form-urlencoded\r\n\r\nkey=ctk_".encode()
        )
        came = b""
        while part := connection.recv(65_536):
            came += part
    assert came.startswith(b"HTTP/1.1 408")
    assert b"<h1>The body took too long.</h1>" in came


def test_a_body_that_comes_in_drops_is_ended_but_a_waiting_request_of_its_address_is_not(hurried: Served) -> None:
    host = Api(Client(hurried.url, hurried.instance.first_key, Entropy()))
    table = _open_one(host)
    with ThreadPoolExecutor(1) as pool, ExitStack() as stack:
        waits = pool.submit(_asked, hurried, "GET", f"/v1/tables/{table}/events?after=2&wait=30")
        drops = _begin(stack, hurried, hurried.instance.first_key)
        for _ in range(50):
            if select([drops], [], [], 0.5)[0]:
                break
            drops.sendall(b" ")
        assert _told(drops)["code"] == "body_must_come_in_time"
        assert not waits.done()
        host.client.post(f"/v1/tables/{table}/actions", CommandResult, {"type": "close_table"})
        status, page = waits.result()
        assert status == 200
        assert page["items"]
    host.client.close()


def test_a_request_without_a_key_is_refused_before_its_body_arrives(small: Served) -> None:
    with ExitStack() as stack:
        begun = [_begin(stack, small) for _ in range(8)]
        assert {_told(connection)["code"] for connection in begun} == {"key_must_be_given"}


def test_many_simultaneous_whole_bodies_all_find_a_place(small: Served) -> None:
    def open_a_few(_: int) -> int:
        host = Api(Client(small.url, small.instance.first_key, Entropy(), patience_seconds=0))
        made = {_open_one(host) for _ in range(4)}
        host.client.close()
        return len(made)

    with ThreadPoolExecutor(24) as pool:
        assert list(pool.map(open_a_few, range(24))) == [4] * 24
