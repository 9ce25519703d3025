"""A long poll whose client has closed its connection ends; a long poll whose client still waits does not."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from flask import Flask
from msgspec.structs import replace

from service.http.operations.in_flight import InFlightRequests
from service.http.operations.sockets import Connection
from service.http.operations.waiting.abandoned_waits import AbandonedWaits
from service.http.request.context import RequestContext
from tests.clocks import Clock

PEER, OTHER = "192.0.2.1", "192.0.2.2"
NEW = Connection(
    descriptor=0,
    inode="socket:[0]",
    peer=PEER,
    received_ago=0.0,
    sent_ago=0.1,
    acknowledged=0,
    unread=False,
    segments_in=1,
    segments_out=0,
)


class World:
    """Long polls that wait, each with a name, and the check of their connections."""

    def __init__(self, stack: ExitStack) -> None:
        self.ended: list[str] = []
        self.rests: list[int] = []
        """How many long polls had been ended at each rest."""
        self._stack = stack
        self._clock = Clock()
        self._in_flight = InFlightRequests(4, self._clock)
        self.waits = AbandonedWaits(self._in_flight, self._clock, self._rest)
        self._app = Flask(__name__)
        self._app.request_class = RequestContext
        self._in_flight.init_app(self._app)

    def poll(self, name: str, peer: str = PEER) -> None:
        """Begin a long poll that waits until the test is over."""
        self._stack.enter_context(self._app.test_request_context(environ_overrides={"REMOTE_ADDR": peer}))
        self._app.preprocess_request()
        self._stack.enter_context(self._in_flight.waiting(lambda: self.ended.append(name)))

    def body(self) -> None:
        """Begin a request whose body is being read until the test is over."""
        self._stack.enter_context(self._app.test_request_context(environ_overrides={"REMOTE_ADDR": PEER}))
        self._app.preprocess_request()
        self._stack.enter_context(self._in_flight.reading_body())

    def stream(self) -> None:
        self._stack.enter_context(self._app.test_request_context(environ_overrides={"REMOTE_ADDR": PEER}))
        self._app.preprocess_request()
        self._app.process_response(self._app.response_class(iter([b""])))

    def later(self, seconds: float) -> None:
        self._clock.seconds += seconds

    def _rest(self, seconds: float) -> None:
        assert 0 < seconds < 1
        self.rests.append(len(self.ended))

    def check(self, *found: Connection, seconds: float = 0.0) -> list[str]:
        """Let two checks find the connections *found*; return the names of the polls that were ended."""
        self.ended, waits = [], AbandonedWaits(self._in_flight, self._clock, self._rest)
        for _ in range(2):
            waits.end(found, seconds)
        return self.ended


@pytest.fixture
def world() -> Iterator[World]:
    with ExitStack() as stack:
        yield World(stack)


def received(ago: float, *, sent_ago: float = 60.0, peer: str = PEER) -> Connection:
    return replace(NEW, received_ago=ago, sent_ago=sent_ago, peer=peer)


def test_a_poll_without_a_connection_ends_and_the_polls_beside_it_wait_on(world: World) -> None:
    for name in ("first", "second", "third"):
        world.poll(name)
        world.later(1.0)
    assert world.check(received(3.0), received(2.0), received(1.0)) == []
    assert world.check(received(3.0), received(1.0)) == ["second"]
    assert world.check(received(2.0), received(1.0)) == ["first"]
    assert sorted(world.check()) == ["first", "second", "third"]


def test_a_connection_of_another_address_and_one_that_has_its_response_are_no_connection_of_the_poll(
    world: World,
) -> None:
    world.poll("here")
    world.later(5.0)
    assert world.check(received(5.0, peer=OTHER)) == ["here"]
    assert world.check(received(5.0, sent_ago=4.9)) == ["here"]
    assert world.check(replace(received(5.0), segments_in=0)) == ["here"]
    assert world.check(received(5.0)) == []


def test_of_polls_that_began_together_as_many_end_as_connections_are_missing(world: World) -> None:
    for name in "abcd":
        world.poll(name)
    world.later(5.0)
    assert len(world.check(received(5.0), received(5.0), received(5.0))) == 1
    assert world.check(*(received(5.0) for _ in range(4))) == []


def test_a_busy_process_may_begin_a_request_late_and_may_read_its_connections_slowly(world: World) -> None:
    world.poll("late")
    world.later(5.0)
    assert world.check(received(6.9)) == []
    assert world.check(received(4.9)) == ["late"]
    assert world.check(received(4.9), seconds=0.2) == []


def test_a_body_that_comes_in_pieces_takes_no_connection_from_a_poll_that_began_just_after_it(world: World) -> None:
    world.body()
    world.poll("beside a body")
    world.later(3.0)
    assert world.check(received(3.0), received(0.0)) == []


def test_one_check_alone_ends_nothing(world: World) -> None:
    world.poll("patient")
    world.later(1.0)
    world.waits.end([], 0.0)
    world.waits.end([received(1.0)], 0.0)
    world.waits.end([], 0.0)
    assert world.ended == []


def test_a_stream_needs_no_connection_that_is_silent(world: World) -> None:
    world.poll("poll")
    world.stream()
    world.later(1.0)
    assert world.check(received(1.0)) == []


def test_a_poll_that_began_while_the_connections_were_read_is_no_abandoned_poll(world: World) -> None:
    world.poll("new")
    world.later(0.1)
    assert world.check(seconds=0.2) == []


def test_while_many_polls_are_ended_other_requests_get_their_turn(world: World) -> None:
    for number in range(40):
        world.poll(f"poll {number}")
    world.later(10)
    assert len(world.check()) == 40
    assert world.rests == [16, 32]
