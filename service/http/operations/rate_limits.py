"""How much one may ask: requests counted in windows by their weights, for all keys of an owner, or for an address."""

from functools import partial
from math import ceil
from threading import Lock
from typing import Final

from flask import Flask, Response

from service.clock import Clock
from service.http.operations.bulkhead import Bulkhead, Limits
from service.http.problems.problem import Problem
from service.http.request.authentication import address, owner_if_known
from service.http.request.context import RequestContext, request_context
from service.http.request.services import services
from service.settings import Settings

WINDOW_SECONDS: Final = 10
_HAMMERING: Final = 2
"""Whoever asks for so many times what they may is slowed down, since refusals cost something as well."""
_SLOW: Final = Limits(in_all=64, each=8)
_SLOW_SECONDS: Final = 1.0
FREE: Final = frozenset({"/healthz", "/readyz"})
"""Paths that a machine asks again and again, and that cost next to nothing."""


class WindowCounts:
    """The requests of the window that runs: the same window for everybody, so that its end forgets them all."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = Lock()
        self._counts: dict[str, int] = {}
        self._end = 0.0

    def add(self, key: str, cost: int) -> int:
        """Count requests of *key* that weigh so much; return what all that it has made weigh."""
        now = self._clock.monotonic()
        with self._lock:
            if now >= self._end:
                self._counts = {}
                self._end = now + WINDOW_SECONDS
            made = self._counts[key] = self._counts.get(key, 0) + cost
            return made

    def get(self, key: str) -> int:
        """Return what the requests of *key* in this window weigh."""
        return self._counts.get(key, 0)

    def seconds_left(self) -> float:
        """Return how many seconds the window lasts yet."""
        return max(0.0, self._end - self._clock.monotonic())


class RateLimit:
    """So many requests *per_second*, over a window, by the *name* of the policy."""

    def __init__(self, name: str, per_second: int) -> None:
        self.most: Final = per_second * WINDOW_SECONDS
        self.name: Final = name
        self.policy: Final = f'"{name}";q={self.most};w={WINDOW_SECONDS}'

    def key_for(self, who: str) -> str:
        """Return the name under which the requests of *who* are counted."""
        return f"{self.name}/{who}"


class RateLimits:
    """Counts the requests of one process, and refuses those that are too many.

    The answers say so by the header fields of draft-ietf-httpapi-ratelimit-headers-10.
    """

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._of_owners = _rate("owner", settings.owner_requests_per_second)
        self._of_addresses = _rate("address", settings.address_requests_per_second)
        self._counts = WindowCounts(clock)
        self._slow = Bulkhead(_SLOW)
        self._lock = Lock()

    def init_app(self, app: Flask) -> None:
        """Hold the callers of *app* to the limits."""
        if self._of_owners or self._of_addresses:
            app.before_request(self._count)
            app.after_request(_tell)

    def _count(self) -> None:
        now = request_context()
        if now.method == "OPTIONS" or now.path in FREE:
            return
        owner = owner_if_known()
        rate = self._of_owners if owner else self._of_addresses
        if rate is None:
            return
        who = owner or address()
        made = self._counts.add(rate.key_for(who), 1)
        now.charge = partial(self._charge, rate, who)
        now.must_be_within_limit = partial(self._must_be_within, rate, who)
        seconds = self._say(now, rate, who)
        if made > rate.most:
            headers = {"Retry-After": str(seconds)}
            if made > _HAMMERING * rate.most and not self._slowed_down():
                headers["Connection"] = "close"
            raise Problem("requests_must_be_fewer", headers=headers)

    def _slowed_down(self) -> bool:
        """Let a moment pass before a request is refused; False: too many are slowed down at the moment."""
        at = (address(),)
        with self._lock:
            if self._slow.full_for(at) is not None:
                return False
            self._slow.enter(at)
        with services().in_flight.without_slot():
            services().long_polls.pause(_SLOW_SECONDS)
        with self._lock:
            self._slow.leave(at)
        return True

    def _say(self, now: RequestContext, rate: RateLimit, who: str) -> int:
        """Note what *who* has left of its *rate*; return for how many seconds the window lasts."""
        seconds = max(1, ceil(self._counts.seconds_left()))
        now.rate = (rate.policy, f'"{rate.name}";r={self._left(rate, who)};t={seconds}')
        return seconds

    def _must_be_within(self, rate: RateLimit, who: str) -> None:
        """Pass a request that was counted before, unless *who* has used up its *rate* since then.

        Raises:
            Problem: that is so.
        """
        if self._counts.get(rate.key_for(who)) > rate.most:
            seconds = self._say(request_context(), rate, who)
            raise Problem("requests_must_be_fewer", headers={"Retry-After": str(seconds)})

    def _charge(self, rate: RateLimit, who: str, cost: int) -> float:
        """Count *cost* more; return the seconds to the window's end where it uses up more than half of the rate."""
        self._counts.add(rate.key_for(who), cost)
        self._say(request_context(), rate, who)
        return 0.0 if 2 * self._left(rate, who) >= rate.most else self._counts.seconds_left()

    def _left(self, rate: RateLimit, who: str) -> int:
        return max(0, rate.most - self._counts.get(rate.key_for(who)))


def _rate(name: str, per_second: int) -> RateLimit | None:
    return RateLimit(name, per_second) if per_second else None


def _tell(response: Response) -> Response:
    now = request_context()
    if now.cost > 1:
        now.charge(now.cost - 1)
    policy, state = now.rate
    if policy:
        response.headers.add("RateLimit-Policy", policy)
        response.headers.add("RateLimit", state)
    return response
