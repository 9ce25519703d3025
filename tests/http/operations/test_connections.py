"""The connection watch closes connections above an address's limit, with late bodies, or with unread responses."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from flask import Flask
from msgspec.structs import replace

from service.http.operations import connections, sockets
from service.http.operations.connections import UNREAD_SECONDS, ConnectionLimits, ConnectionWatch
from service.http.operations.in_flight import InFlightRequests
from service.http.operations.sockets import Connection
from service.http.request.context import RequestContext
from tests.clocks import Clock

PEER, OTHER = "192.0.2.1", "192.0.2.2"
IDLE = Connection(
    descriptor=0,
    inode="socket:[0]",
    peer=PEER,
    received_ago=5.0,
    sent_ago=5.0,
    acknowledged=100,
    unread=False,
    segments_in=1,
    segments_out=1,
)
BOTH, BODY = socket.SHUT_RDWR, socket.SHUT_RD


class World:
    """A connection watch, with requests that the test begins and ends."""

    def __init__(self, each: int = 2) -> None:
        self.clock = Clock()
        self.in_flight = InFlightRequests(4, self.clock)
        self.watch = ConnectionWatch(ConnectionLimits(each, 10.0), self.in_flight, self.clock)
        self._app = Flask(__name__)
        self._app.request_class = RequestContext
        self.in_flight.init_app(self._app)

    @contextmanager
    def request(self, peer: str = PEER, *, reads: bool = False) -> Iterator[None]:
        """Keep a request in flight while the block runs; *reads*: the request is reading its body."""
        with self._app.test_request_context(environ_overrides={"REMOTE_ADDR": peer}):
            self._app.preprocess_request()
            if reads:
                with self.in_flight.reading_body():
                    yield
            else:
                yield

    def closed(self, *found: Connection) -> list[tuple[str, int]]:
        """Let the watch check *found*; return the inode and the direction of each connection to close."""
        return [(one.inode, how) for one, how in self.watch.to_close(found)]


def named(one: Connection, name: str, **members: object) -> Connection:
    return replace(one, inode=name, **members)


def test_above_the_limit_of_an_address_the_longest_silent_go_first() -> None:
    world = World(each=2)
    found = [named(IDLE, str(ago), received_ago=float(ago), sent_ago=float(ago)) for ago in (3, 9, 4, 5)]
    assert world.closed(*found) == [("9", BOTH), ("5", BOTH)]
    assert world.closed(*found[:2]) == []
    others = [replace(one, peer=OTHER) for one in found[:2]]
    assert world.closed(*found[2:], *others) == []


def test_zero_means_no_limit() -> None:
    assert World(each=0).closed(*(named(IDLE, str(number)) for number in range(100))) == []


def test_connections_without_data_are_closed_even_if_other_requests_began_then() -> None:
    world = World(each=1)
    with world.request():
        world.clock.seconds += 2
        silent = [
            named(IDLE, str(number), segments_in=0, segments_out=0, received_ago=2.0, sent_ago=2.0)
            for number in range(3)
        ]
        assert len(world.closed(*silent)) == 2
        assert world.closed(*(replace(one, received_ago=1.9, sent_ago=1.9) for one in silent)) == []


def test_a_connection_with_a_request_in_flight_stays_above_any_limit() -> None:
    world = World(each=1)
    with world.request():
        waits = [named(IDLE, str(number), received_ago=20.0, sent_ago=25.0) for number in range(3)]
        world.clock.seconds += 20
        assert world.closed(*waits) == []
        idle = [named(IDLE, f"idle {number}", received_ago=5.0) for number in range(3)]
        assert world.closed(*waits, *idle) == [(one.inode, BOTH) for one in idle]


def test_a_stream_and_a_connection_with_new_data_stay_open() -> None:
    moving = [named(IDLE, str(number), received_ago=100.0, sent_ago=1.5) for number in range(3)]
    assert World(each=1).closed(*moving) == []
    unread = [named(IDLE, str(number), unread=True) for number in range(3)]
    assert World(each=1).closed(*unread) == []


def test_a_body_that_does_not_come_is_ended_and_is_still_answered() -> None:
    world = World()
    half = named(IDLE, "half", segments_out=0, received_ago=10.0, sent_ago=10.0)
    assert world.closed(half) == []  # the server itself closes a connection on which no whole head arrives
    with world.request(reads=True):
        world.clock.seconds += 9.9
        assert world.closed(half) == []
        world.clock.seconds += 0.1
        assert world.closed(half, replace(half, inode="elsewhere", peer=OTHER)) == [("half", BODY)]


def test_while_another_request_is_under_way_silent_connections_stay_for_longer_than_it_can_last() -> None:
    world = World()
    with world.request(reads=True), world.request():
        world.clock.seconds += 39
        silent = named(IDLE, "silent", received_ago=39.0, sent_ago=39.0)
        assert world.closed(silent) == []
        assert world.closed(replace(silent, received_ago=40.0, sent_ago=40.0)) == [("silent", BODY)]


def test_a_body_that_comes_in_drops_ends_while_somebody_waits_at_the_same_address() -> None:
    world = World()
    with world.request(), world.request(reads=True):
        for seconds in range(10):
            drops = named(
                IDLE, "drops", segments_out=0, segments_in=1 + seconds, received_ago=0.5, sent_ago=seconds + 0.5
            )
            waits = named(
                IDLE, "waits", segments_out=0, segments_in=1, received_ago=seconds + 0.5, sent_ago=seconds + 0.5
            )
            assert world.closed(drops, waits) == []
            world.clock.seconds += 1
        assert world.closed(replace(drops, segments_in=11), replace(waits, received_ago=10.5, sent_ago=10.5)) == [
            ("drops", BODY)
        ]


def test_an_answer_that_nobody_reads_is_given_up_but_an_answer_that_is_read_slowly_is_not() -> None:
    world = World()
    unread, slow = named(IDLE, "unread", unread=True), named(IDLE, "slow", unread=True)
    for seconds in range(int(UNREAD_SECONDS)):
        assert world.closed(unread, replace(slow, acknowledged=seconds)) == []
        world.clock.seconds += 1
    assert world.closed(unread, replace(slow, acknowledged=1_000)) == [("unread", BOTH)]


def test_closed_connections_are_forgotten() -> None:
    world = World()
    world.closed(IDLE)
    world.closed()
    assert not world.watch._progress


@pytest.mark.skipif(not sockets.can_be_watched(), reason="Linux alone shows a process its connections")
def test_the_kernel_counts_the_data_of_each_connection() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port), source_address=("127.0.0.9", 0)) as client:
            ours, _ = server.accept()
            with ours:
                (new,) = sockets.connections(port)
                assert (new.peer, new.segments_in, new.segments_out, new.unread) == ("127.0.0.9", 0, 0, False)
                client.sendall(b"ask")
                assert ours.recv(3) == b"ask"
                ours.sendall(b"answer")
                assert client.recv(6) == b"answer"
                (used,) = sockets.connections(port)
                assert (used.segments_in, used.segments_out, used.inode) == (1, 1, new.inode)
                assert used.silent_for < 5
                sockets.shut_down(replace(used, inode="socket:[another]"), socket.SHUT_RDWR)
                client.sendall(b"more")
                assert ours.recv(4) == b"more"
                sockets.shut_down(used, socket.SHUT_RDWR)
                assert client.recv(1) == b""


def test_on_other_systems_no_connection_is_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sockets, "can_be_watched", lambda: False)
    monkeypatch.setattr(connections, "Thread", None)  # so that starting a thread would fail
    connections.watch(1, ConnectionLimits(1, 1.0), InFlightRequests(1, Clock()), Clock())
