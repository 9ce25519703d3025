"""Rate limits: count the cost of requests in windows of time, for all keys of an owner or for an address."""

# DECISIONS 23, 58 and 80

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
"""If a caller uses more than this multiple of the limit, the refusals are delayed, because refusals cost time too.

If too many refusals are delayed already, the connection is closed instead.
"""
_DELAYED: Final = Limits(in_all=64, each=8)
_DELAY_SECONDS: Final = 1.0
FREE: Final = frozenset({"/healthz", "/readyz"})
"""Paths without a limit: monitors send requests to them all the time, and such requests cost almost nothing."""


class WindowCounts:
    """The units that each quota has used in the current window; all quotas have the same window.

    The first `add` after the end of a window begins the next window, in which all quotas start from 0.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = Lock()
        self._counts: dict[str, int] = {}
        self._end = 0.0

    def add(self, quota: str, cost: int) -> int:
        """Count *cost* units for *quota*; return the units that *quota* has used in this window."""
        now = self._clock.monotonic()
        with self._lock:
            if now >= self._end:
                self._counts = {}
                self._end = now + WINDOW_SECONDS
            used = self._counts[quota] = self._counts.get(quota, 0) + cost
            return used

    def get(self, quota: str) -> int:
        """Return the units that *quota* has used in the current window; 0 if the last window is over."""
        return self._counts.get(quota, 0) if self._clock.monotonic() < self._end else 0

    def seconds_left(self) -> float:
        """Return the seconds to the end of the window."""
        return max(0.0, self._end - self._clock.monotonic())


class RateLimit:
    """A limit of *per_second* units a second, on average over a window; *name* is the name of the limit's policy."""

    def __init__(self, name: str, per_second: int) -> None:
        self.most: Final = per_second * WINDOW_SECONDS
        self.name: Final = name
        self.policy: Final = f'"{name}";q={self.most};w={WINDOW_SECONDS}'

    def quota_of(self, quota_owner: str) -> str:
        """Return the name under which the units of *quota_owner* are counted."""
        return f"{self.name}/{quota_owner}"


class RateLimits:
    """Counts the requests of one process, and refuses requests above the limits.

    The limits in the settings of a process are its share of the server's limits. The responses have the header fields
    of draft-ietf-httpapi-ratelimit-headers-10.
    """

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._of_owners = _limit("owner", settings.owner_requests_per_second)
        self._of_addresses = _limit("address", settings.address_requests_per_second)
        self._counts = WindowCounts(clock)
        self._delayed = Bulkhead(_DELAYED)
        self._lock = Lock()

    def init_app(self, app: Flask) -> None:
        """Apply the limits to the requests of *app*."""
        if self._of_owners or self._of_addresses:
            app.before_request(self._count)
            app.after_request(_add_headers)

    def _count(self) -> None:
        now = request_context()
        if now.method == "OPTIONS" or now.path in FREE:
            return
        owner = owner_if_known()
        limit = self._of_owners if owner else self._of_addresses
        if limit is None:
            return
        quota_owner = owner or address()
        used = self._counts.add(limit.quota_of(quota_owner), 1)
        now.charge = partial(self._charge, limit, quota_owner)
        now.must_be_within_limit = partial(self._must_be_within, limit, quota_owner)
        seconds = self._note(now, limit, quota_owner)
        if used > limit.most:
            headers = {"Retry-After": str(seconds)}
            if used > _HAMMERING * limit.most and not self._was_delayed():
                headers["Connection"] = "close"
            raise Problem("requests_must_be_fewer", headers=headers)

    def _was_delayed(self) -> bool:
        """Delay this refusal, and return True; return False immediately if too many refusals are delayed already."""
        quota_owners = (address(),)
        with self._lock:
            if self._delayed.full_for(quota_owners) is not None:
                return False
            self._delayed.enter(quota_owners)
        with services().in_flight.without_slot():
            services().long_polls.pause(_DELAY_SECONDS)
        with self._lock:
            self._delayed.leave(quota_owners)
        return True

    def _note(self, now: RequestContext, limit: RateLimit, quota_owner: str) -> int:
        """Store how many units *quota_owner* has left, for the response's headers.

        Return the seconds until the window ends, rounded up, and at least 1.
        """
        seconds = max(1, ceil(self._counts.seconds_left()))
        now.rate = (limit.policy, f'"{limit.name}";r={self._left(limit, quota_owner)};t={seconds}')
        return seconds

    def _must_be_within(self, limit: RateLimit, quota_owner: str) -> None:
        """Refuse a request that was already counted, if *quota_owner* has exceeded *limit* since then.

        Raises:
            Problem: the limit is exceeded.
        """
        if self._counts.get(limit.quota_of(quota_owner)) > limit.most:
            seconds = self._note(request_context(), limit, quota_owner)
            raise Problem("requests_must_be_fewer", headers={"Retry-After": str(seconds)})

    def _charge(self, limit: RateLimit, quota_owner: str, cost: int) -> float:
        """Count *cost* more units; return the seconds to the window's end, or 0 if at least half of *limit* is left."""
        self._counts.add(limit.quota_of(quota_owner), cost)
        self._note(request_context(), limit, quota_owner)
        return 0.0 if 2 * self._left(limit, quota_owner) >= limit.most else self._counts.seconds_left()

    def _left(self, limit: RateLimit, quota_owner: str) -> int:
        return max(0, limit.most - self._counts.get(limit.quota_of(quota_owner)))


def _limit(name: str, per_second: int) -> RateLimit | None:
    return RateLimit(name, per_second) if per_second else None


def _add_headers(response: Response) -> Response:
    now = request_context()
    if now.cost > 1:
        now.charge(now.cost - 1)
    policy, state = now.rate
    if policy:
        response.headers.add("RateLimit-Policy", policy)
        response.headers.add("RateLimit", state)
    return response
