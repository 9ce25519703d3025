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
from service.http.request.context import Visit, visit

P = ParamSpec("P")
T = TypeVar("T")

_ALWAYS: Final = "/healthz"
"""Answered even while all slots are taken: a process that is busy is alive."""


class Underway(Struct, eq=False):
    """A request under way: when it *began*, and since when its body is being read (0: it is not), by `monotonic`."""

    peer: str
    began: float
    reading_since: float = 0.0


class Moments(Struct, frozen=True):
    """The requests of one peer: when each began, in order; how many read no body; the earliest begin of a body."""

    began: tuple[float, ...] = ()
    others: int = 0
    earliest_body: float = float("inf")

    def one_began(self, first: float, last: float) -> bool:
        """Tell whether a request began between *first* and *last*."""
        at = bisect_left(self.began, first)
        return at < len(self.began) and self.began[at] <= last


class Traffic:
    """Gives each request one of so many *slots* while it works, and knows which are under way.

    There are more threads than slots: a request that waits for an event or for its body gives its slot back meanwhile.
    """

    def __init__(self, slots: int, clock: Clock) -> None:
        self._slots = BoundedSemaphore(slots)
        self._clock = clock
        self._lock = Lock()
        self._underway: dict[str, set[Underway]] = {}

    def keep(self, app: Flask) -> None:
        """Keep account of the requests of *app*."""
        app.before_request(self._begin)
        app.after_request(self._answered)
        app.teardown_request(self._end)

    def of(self, peer: str) -> Moments:
        """Return what is under way for *peer*."""
        with self._lock:
            found = tuple(self._underway.get(peer, ()))
        bodies = [one.reading_since for one in found if one.reading_since]
        return Moments(
            tuple(sorted(one.began for one in found)), len(found) - len(bodies), min(bodies, default=float("inf"))
        )

    @contextmanager
    def away(self) -> Iterator[None]:
        """Give the request's slot back for as long as the block lasts."""
        now = visit()
        had_slot = now.has_slot
        self._leave_slot(now)
        try:
            yield
        finally:
            if had_slot:
                self._take_slot(now)

    @contextmanager
    def reading(self) -> Iterator[float]:
        """Read the request's body without a slot; yield when that began."""
        found = visit().underway
        began = self._clock.monotonic()
        if found is None:  # the body of a request that no hook has seen: in a test of the parser alone
            yield began
            return
        found.reading_since = began
        try:
            with self.away():
                yield began
        finally:
            found.reading_since = 0.0

    def working(self, work: Callable[P, T]) -> Callable[P, T]:
        """Return *work*, done in a slot: the part of a stream that computes."""

        def done(*args: P.args, **kwargs: P.kwargs) -> T:
            now = visit()
            self._take_slot(now)
            try:
                return work(*args, **kwargs)
            finally:
                self._leave_slot(now)

        return done

    def _begin(self) -> None:
        now = visit()
        now.underway = Underway(subscriber(now.remote_addr or ""), self._clock.monotonic())
        with self._lock:
            self._underway.setdefault(now.underway.peer, set()).add(now.underway)
        if now.path != _ALWAYS:
            self._take_slot(now)

    def _answered(self, response: Response) -> Response:
        if response.is_streamed:
            now = visit()
            now.is_streaming = True
            response.call_on_close(partial(self._leave, now))
        return response

    def _end(self, _error: BaseException | None) -> None:
        now = visit()
        self._leave_slot(now)
        if not now.is_streaming:
            self._leave(now)

    def _take_slot(self, now: Visit) -> None:
        self._slots.acquire()
        now.has_slot = True

    def _leave_slot(self, now: Visit) -> None:
        if now.has_slot:
            now.has_slot = False
            self._slots.release()

    def _leave(self, now: Visit) -> None:
        found, now.underway = now.underway, None
        if found is None:
            return
        with self._lock:
            theirs = self._underway[found.peer]
            theirs.discard(found)
            if not theirs:
                del self._underway[found.peer]
