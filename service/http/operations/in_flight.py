"""The requests in flight in this process: limits how many run at the same time, and lists them (DECISIONS 56)."""

from bisect import bisect_left
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from threading import BoundedSemaphore, Lock
from typing import Final, ParamSpec, TypeVar

from flask import Flask, Response
from msgspec import Struct

from service.clock import Clock
from service.http.request.addresses import subscriber
from service.http.request.context import RequestContext, request_context

P = ParamSpec("P")
T = TypeVar("T")

_NEEDS_NO_SLOT: Final = "/healthz"
"""The path of requests that need no slot: they are answered even while all slots are taken."""


class InFlightRequest(Struct, eq=False):
    """A request of *peer*; *began* is the time at which it began, in seconds of `monotonic`.

    *reading_since* is the time since which its body is being read; 0: its body is not being read. *give_up* ends the
    wait of a long poll; None: the request is no long poll that waits.
    """

    peer: str
    began: float
    reading_since: float = 0.0
    is_streaming: bool = False
    give_up: Callable[[], None] | None = None


class PeerRequests(Struct, frozen=True):
    """The requests of one peer: *began* has the time at which each request began, in ascending order.

    *others* is the number of requests whose bodies are not being read. *earliest_body* is the time at which the service
    began to read the earliest of the bodies that it is reading now; infinity: it is reading no body.
    """

    began: tuple[float, ...] = ()
    others: int = 0
    earliest_body: float = float("inf")

    def one_began(self, first: float, last: float) -> bool:
        """Return whether a request began at a time from *first* to *last*."""
        at = bisect_left(self.began, first)
        return at < len(self.began) and self.began[at] <= last


class InFlightRequests:
    """Gives each request a worker slot while the request runs, and lists all requests in flight.

    There are more threads than worker slots, because a request gives its slot back while it waits for an event, for its
    body or for its turn. A request for `/healthz` takes no slot.
    """

    def __init__(self, slots: int, clock: Clock) -> None:
        self._slots = BoundedSemaphore(slots)
        self._clock = clock
        self._lock = Lock()
        self._requests: dict[str, set[InFlightRequest]] = {}

    def init_app(self, app: Flask, *, takes_slots: bool = True) -> None:
        """List the requests of *app* while they are in flight, and give them slots if *takes_slots*."""
        app.before_request(self._begin if takes_slots else self._follow)
        app.after_request(self._answered)
        app.teardown_request(self._end)

    def of(self, peer: str) -> PeerRequests:
        """Return the requests of *peer*."""
        with self._lock:
            requests = tuple(self._requests.get(peer, ()))
        bodies = [one.reading_since for one in requests if one.reading_since]
        return PeerRequests(
            tuple(sorted(one.began for one in requests)), len(requests) - len(bodies), min(bodies, default=float("inf"))
        )

    def waiting_polls(self) -> dict[str, tuple[InFlightRequest, ...]]:
        """Return, by peer, the long polls that wait now.

        A peer whose requests are all of other kinds has an empty tuple.
        """
        with self._lock:
            return {
                peer: tuple(one for one in requests if one.give_up is not None)
                for peer, requests in self._requests.items()
            }

    @contextmanager
    def waiting(self, give_up: Callable[[], None]) -> Iterator[None]:
        """Give the request's slot back while the block waits for an event.

        If the request is a long poll, not a stream, `waiting_polls` lists it meanwhile; a call of *give_up* ends its
        wait.
        """
        request = request_context().in_flight
        if request is not None and not request.is_streaming:
            request.give_up = give_up
        try:
            with self.without_slot():
                yield
        finally:
            if request is not None:
                request.give_up = None

    @contextmanager
    def without_slot(self) -> Iterator[None]:
        """Give the request's slot back while the block runs."""
        now = request_context()
        had_slot = now.has_slot
        self._leave_slot(now)
        try:
            yield
        finally:
            if had_slot:
                self._take_slot(now)

    @contextmanager
    def reading_body(self) -> Iterator[float]:
        """Give the request's slot back while the block reads the body; yield the time at which the reading began."""
        request = request_context().in_flight
        began = self._clock.monotonic()
        if request is None:  # no hook has seen the request: a test calls the parser without the hooks
            yield began
            return
        request.reading_since = began
        try:
            with self.without_slot():
                yield began
        finally:
            request.reading_since = 0.0

    def with_slot(self, work: Callable[P, T]) -> Callable[P, T]:
        """Return a function that takes a slot while it calls *work*, which is the part of a stream that computes."""

        def run(*args: P.args, **kwargs: P.kwargs) -> T:
            now = request_context()
            self._take_slot(now)
            try:
                return work(*args, **kwargs)
            finally:
                self._leave_slot(now)

        return run

    def _begin(self) -> None:
        self._follow()
        now = request_context()
        if now.path != _NEEDS_NO_SLOT:
            self._take_slot(now)

    def _follow(self) -> None:
        now = request_context()
        now.in_flight = InFlightRequest(subscriber(now.remote_addr or ""), self._clock.monotonic())
        with self._lock:
            self._requests.setdefault(now.in_flight.peer, set()).add(now.in_flight)

    def _answered(self, response: Response) -> Response:
        if response.is_streamed:
            now = request_context()
            now.is_streaming = True
            if now.in_flight is not None:
                now.in_flight.is_streaming = True
            response.call_on_close(partial(self._leave, now))
        return response

    def _end(self, _error: BaseException | None) -> None:
        now = request_context()
        self._leave_slot(now)
        if not now.is_streaming:
            self._leave(now)

    def _take_slot(self, now: RequestContext) -> None:
        self._slots.acquire()
        now.has_slot = True

    def _leave_slot(self, now: RequestContext) -> None:
        if now.has_slot:
            now.has_slot = False
            self._slots.release()

    def _leave(self, now: RequestContext) -> None:
        request, now.in_flight = now.in_flight, None
        if request is None:
            return
        with self._lock:
            of_peer = self._requests[request.peer]
            of_peer.discard(request)
            if not of_peer:
                del self._requests[request.peer]
