"""The requests under way in this process: how many work at once, and where each of them comes from."""

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

_ALWAYS: Final = "/healthz"
"""Answered even while all slots are taken: a process that is busy is alive."""


class InFlightRequest(Struct, eq=False):
    """A request under way: when it *began*, and since when its body is being read (0: it is not), by `monotonic`."""

    peer: str
    began: float
    reading_since: float = 0.0


class PeerRequests(Struct, frozen=True):
    """The requests of one peer: when each began, in order; how many read no body; the earliest begin of a body."""

    began: tuple[float, ...] = ()
    others: int = 0
    earliest_body: float = float("inf")

    def one_began(self, first: float, last: float) -> bool:
        """Tell whether a request began between *first* and *last*."""
        at = bisect_left(self.began, first)
        return at < len(self.began) and self.began[at] <= last


class InFlightRequests:
    """Gives each request one of so many *slots* while it works, and knows which are under way.

    There are more threads than slots: a request that waits for an event or for its body gives its slot back meanwhile.
    """

    def __init__(self, slots: int, clock: Clock) -> None:
        self._slots = BoundedSemaphore(slots)
        self._clock = clock
        self._lock = Lock()
        self._requests: dict[str, set[InFlightRequest]] = {}

    def init_app(self, app: Flask) -> None:
        """Keep account of the requests of *app*."""
        app.before_request(self._begin)
        app.after_request(self._answered)
        app.teardown_request(self._end)

    def of(self, peer: str) -> PeerRequests:
        """Return what is under way for *peer*."""
        with self._lock:
            found = tuple(self._requests.get(peer, ()))
        bodies = [one.reading_since for one in found if one.reading_since]
        return PeerRequests(
            tuple(sorted(one.began for one in found)), len(found) - len(bodies), min(bodies, default=float("inf"))
        )

    @contextmanager
    def without_slot(self) -> Iterator[None]:
        """Give the request's slot back for as long as the block lasts."""
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
        """Read the request's body without a slot; yield when that began."""
        found = request_context().in_flight
        began = self._clock.monotonic()
        if found is None:  # the body of a request that no hook has seen: in a test of the parser alone
            yield began
            return
        found.reading_since = began
        try:
            with self.without_slot():
                yield began
        finally:
            found.reading_since = 0.0

    def with_slot(self, work: Callable[P, T]) -> Callable[P, T]:
        """Return *work*, done in a slot: the part of a stream that computes."""

        def done(*args: P.args, **kwargs: P.kwargs) -> T:
            now = request_context()
            self._take_slot(now)
            try:
                return work(*args, **kwargs)
            finally:
                self._leave_slot(now)

        return done

    def _begin(self) -> None:
        now = request_context()
        now.in_flight = InFlightRequest(subscriber(now.remote_addr or ""), self._clock.monotonic())
        with self._lock:
            self._requests.setdefault(now.in_flight.peer, set()).add(now.in_flight)
        if now.path != _ALWAYS:
            self._take_slot(now)

    def _answered(self, response: Response) -> Response:
        if response.is_streamed:
            now = request_context()
            now.is_streaming = True
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
        found, now.in_flight = now.in_flight, None
        if found is None:
            return
        with self._lock:
            theirs = self._requests[found.peer]
            theirs.discard(found)
            if not theirs:
                del self._requests[found.peer]
