"""A real server limits its connections in total and for each address, and the time for which a connection is idle."""

import resource
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path
from select import POLLIN, poll
from threading import Event

import pytest

from service import settings
from service.cli.serve import _with_files
from service.cli.support import server_process
from service.client.client import Client
from service.client.endpoints import Api
from service.client.table_answers import CommandResult
from service.entropy import Entropy
from service.http.operations import sockets
from tests.cli.commands import UNHURRIED, Instance, Served
from tests.databases import Databases

OURS, THEIRS = "127.0.0.1", "127.0.0.2"
HALF = b"GET /v1/games HTTP/1.1\r\nHost: "


@contextmanager
def _serving(all_databases: Databases, folder: Path, *flags: str) -> Iterator[Served]:
    """Run a server with a single worker, so that this worker gets all connections."""
    with all_databases.migrated("sqlite") as url:
        instance = Instance(url, folder / "data")
        with server_process.run_server(
            [*instance.flags, *UNHURRIED, "--workers", "1", *flags], folder / "log"
        ) as server:
            yield Served(instance, server)


@pytest.fixture(scope="module")
def narrow(all_databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Yield a server that takes ten connections from an address; no test is as long as the server's idle limit."""
    limits = ("--connections-per-address", "10", "--idle-seconds", "600")
    with _serving(all_databases, tmp_path_factory.mktemp("narrow"), *limits) as served:
        yield served


def _connected(stack: ExitStack, served: Served, many: int, sends: bytes = b"") -> list[socket.socket]:
    port = int(served.url.rpartition(":")[2])
    found = []
    for _ in range(many):
        connection = socket.create_connection(("127.0.0.1", port), timeout=30, source_address=(THEIRS, 0))
        found.append(stack.enter_context(connection))
        connection.sendall(sends)
    return found


def _closed(connections: list[socket.socket], many: int) -> list[socket.socket]:
    """Wait until the server has closed at least *many* of *connections*; return the closed connections."""
    by_descriptor = {one.fileno(): one for one in connections}
    waiting = poll()
    for descriptor in by_descriptor:
        waiting.register(descriptor, POLLIN)
    found: list[socket.socket] = []
    while len(found) < many:
        ready = waiting.poll(30_000)
        assert ready, (len(found), many)
        for descriptor, _ in ready:
            waiting.unregister(descriptor)
            found.append(by_descriptor[descriptor])
    for one in found:
        with suppress(ConnectionResetError):
            assert one.recv(1) == b""
    return found


def _status(served: Served, at: str = OURS) -> int:
    connection = HTTPConnection(served.url.removeprefix("http://"), timeout=30, source_address=(at, 0))
    connection.request("GET", "/v1/games")
    status = connection.getresponse().status
    connection.close()
    return status


@pytest.mark.skipif(not sockets.can_be_watched(), reason="Linux alone shows a process its connections")
@pytest.mark.parametrize("sends", [pytest.param(b"", id="idle"), pytest.param(HALF, id="half-sent")])
def test_surplus_connections_of_an_address_are_closed_but_its_streams_stay_open(narrow: Served, sends: bytes) -> None:
    with ExitStack() as stack:
        served, host = narrow, Api(Client(narrow.url, narrow.instance.first_key, Entropy()))
        table = host.open_table("bankrupt", 2, {})
        stream = HTTPConnection(served.url.removeprefix("http://"), timeout=60, source_address=(THEIRS, 0))
        stream.request("GET", f"/v1/tables/{table}/events?after=2", headers={"Accept": "text/event-stream"})
        reads = stream.getresponse()
        assert reads.readline() == b"retry: 1000\n"
        Event().wait(0.1)  # data that arrive right after a request began count as a part of that request
        _closed(_connected(stack, served, 60, sends), 51)
        assert (_status(served), _status(served, THEIRS)) == (200, 200)
        host.client.post(f"/v1/tables/{table}/actions", CommandResult, {"type": "close_table"})
        assert b"event: end\n" in list(reads)
        stream.close()
        host.client.close()


def test_if_few_files_may_be_open_fewer_connections_are_accepted_and_idle_ones_end(
    all_databases: Databases, tmp_path: Path
) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    limits = ("--connections", str(hard), "--idle-seconds", "1")
    with _serving(all_databases, tmp_path, *limits) as served, ExitStack() as stack:
        assert _status(served) == 200
        begun = [*_connected(stack, served, 3), *_connected(stack, served, 3, HALF)]
        (answered,) = _connected(stack, served, 1, b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        came = b""
        while not came.endswith(b"}"):
            came += answered.recv(65_536)
        assert came.startswith(b"HTTP/1.1 200")
        _closed([*begun, answered], 7)
    assert resource.getrlimit(resource.RLIMIT_NOFILE) == (soft, hard)
    said = (tmp_path / "log").read_text()
    assert f"files       {hard} may be open, so each worker takes {hard - 256} connections, not {hard};" in said


@pytest.fixture
def many_files() -> Iterator[None]:
    """Let this process open as many files as it may while the test runs."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.usefixtures("many_files")
def test_more_connections_than_a_backlog_holds_shut_nobody_out(all_databases: Databases, tmp_path: Path) -> None:
    limits = ("--connections-per-address", "0", "--idle-seconds", "600")
    with _serving(all_databases, tmp_path, *limits) as served, ExitStack() as stack:
        _connected(stack, served, 1_500)
        assert [_status(served) for _ in range(5)] == [200] * 5


def test_a_worker_takes_no_more_connections_than_it_may_have_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (500, 1_000))
    raised: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "setrlimit", lambda _, limits: raised.append(limits))
    assert _with_files(settings.load({}, connections=8_000)).connections == 1_000 - 256
    assert raised == [(1_000, 1_000)]
