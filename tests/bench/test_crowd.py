"""The crowd of the bench follows streams, and repeats long polls, even after a refusal."""

import socket
from collections.abc import Iterator
from contextlib import closing
from select import select

import pytest

from service.bench.crowd import Crowd
from tests.clocks import Clock
from tests.faults.servers import wait_until


class CountingClock(Clock):
    """A clock that only the test advances, and that counts how often it was read."""

    reads = 0

    def monotonic(self) -> float:
        self.reads += 1
        return super().monotonic()


class Server:
    """A server that the test plays: it accepts the connections of *crowd*, and writes the responses."""

    def __init__(self) -> None:
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.clock = CountingClock()
        self.crowd = Crowd(f"127.0.0.1:{self.listening.getsockname()[1]}", "ctk_x", self.clock)

    def accept(self) -> socket.socket:
        connection, _ = self.listening.accept()
        connection.settimeout(30)
        return connection


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    with closing(made.listening):
        yield made


def _asked(connection: socket.socket) -> str:
    data = b""
    while not data.endswith(b"\r\n\r\n"):
        data += connection.recv(65_536)
    return data.decode().partition(" HTTP")[0]


def test_a_poll_is_repeated_after_each_answer_and_a_refusal_is_counted(server: Server) -> None:
    server.crowd.wait("tbl_1", 2)
    with server.crowd, closing(server.accept()) as connection:
        assert _asked(connection) == "GET /v1/tables/tbl_1/events?after=2&wait=1"
        connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-le")
        connection.sendall(b"ngth: 5\r\n\r\n{    ")
        assert _asked(connection) == "GET /v1/tables/tbl_1/events?after=2&wait=30"
        connection.sendall(b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n")
        assert _asked(connection) == "GET /v1/tables/tbl_1/events?after=2&wait=30"
        assert server.crowd.statuses == {200: 1, 503: 1}


def test_a_refused_poll_is_repeated_only_once_the_time_in_retry_after_is_over(server: Server) -> None:
    server.crowd.wait("tbl_1", 2)
    with server.crowd, closing(server.accept()) as connection:
        _asked(connection)
        connection.sendall(b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n")
        wait_until(lambda: len(server.crowd._later) == 1)
        server.clock.seconds += 6
        enough = server.clock.reads + 2  # the crowd has looked once for due requests, and begins to look again
        wait_until(lambda: server.clock.reads >= enough)
        assert select([connection], [], [], 0) == ([], [], [])
        server.clock.seconds += 1
        assert _asked(connection) == "GET /v1/tables/tbl_1/events?after=2&wait=30"


def test_the_first_arrival_of_each_position_is_noted(server: Server) -> None:
    arrivals: dict[int, float] = {}
    server.crowd.follow("tbl_1", 2, arrivals)
    with server.crowd, closing(server.accept()) as connection:
        assert _asked(connection) == "GET /v1/tables/tbl_1/events?after=2"
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\nretry: 1000\n\nid: 3\ndata: {}\n\nid: 4\ndata: {}\n\n")
        wait_until(lambda: 4 in arrivals)
    assert sorted(arrivals) == [3, 4]
