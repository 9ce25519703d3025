"""How much one may ask: requests counted in windows by their weights, for all keys of an owner, or for an address."""

from functools import partial
from math import ceil
from threading import Lock
from typing import Final

from flask import Flask, Response
from limits import RateLimitItem, RateLimitItemPerSecond
from limits.storage import Storage
from limits.strategies import FixedWindowRateLimiter

from service.entropy import Entropy
from service.http.bulkhead import Bulkhead, Limits
from service.http.identity import address, owner_if_known
from service.http.parts import here
from service.http.problems import Problem
from service.http.visit import Visit, visit
from service.settings import Settings

WINDOW_SECONDS: Final = 10
_HAMMERING: Final = 2
"""Whoever asks for so many times what they may is slowed down, since refusals cost something as well."""
_SLOW: Final = Limits(in_all=64, each=8)
_SLOW_SECONDS: Final = 1.0
FREE: Final = frozenset({"/healthz", "/readyz"})
"""Paths that a machine asks again and again, and that cost next to nothing."""


class Counts(Storage):
    """The requests of the window that runs: the same window for everybody, so that its end forgets them all.

    It takes the place of the library's own store in memory, which has a clock of its own, and starts a
    thread a hundred times a second that looks at every count.
    """

    STORAGE_SCHEME = None

    def __init__(self, entropy: Entropy) -> None:
        super().__init__()
        self._entropy = entropy
        self._lock = Lock()
        self._counts: dict[str, int] = {}
        self._end = 0.0

    @property
    def base_exceptions(self) -> type[Exception]:
        """What can go wrong: nothing."""
        return ValueError

    def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        """Count *amount* more requests of *key*, in a window of *expiry* seconds; return all that it has made."""
        now = self._entropy.monotonic()
        with self._lock:
            if now >= self._end:
                self._counts = {}
                self._end = now + expiry
            made = self._counts[key] = self._counts.get(key, 0) + amount
            return made

    def get(self, key: str) -> int:
        """Return how many requests *key* has made in this window."""
        return self._counts.get(key, 0)

    def get_expiry(self, key: str) -> float:  # noqa: ARG002 -- the window is everybody's
        """Return when the window ends, on the clock that `Entropy.monotonic` tells."""
        return self._end

    def check(self) -> bool:
        """Tell whether the store can be used: memory always can."""
        return True

    def reset(self) -> None:
        """Forget every count."""
        self._end = 0.0

    def clear(self, key: str) -> None:
        """Forget the count of *key*."""
        self._counts.pop(key, None)


class _Item(RateLimitItemPerSecond):
    """A limit whose counts are named in the shortest way: the library's own takes most of the time of a count."""

    def key_for(self, *identifiers: bytes | str | float) -> str:
        """Return the name of the count of whom *identifiers* name."""
        return f"{self.namespace}/{identifiers[0]!s}"


class Rate:
    """So many requests *per_second*, over a window, by the *name* of the policy."""

    def __init__(self, name: str, per_second: int) -> None:
        self.item: Final[RateLimitItem] = _Item(per_second * WINDOW_SECONDS, WINDOW_SECONDS, name)
        self.name: Final = name
        self.policy: Final = f'"{name}";q={self.item.amount};w={WINDOW_SECONDS}'


class Rates:
    """Counts the requests of one process, and refuses those that are too many.

    The answers say so by the header fields of draft-ietf-httpapi-ratelimit-headers-10.
    """

    def __init__(self, settings: Settings, entropy: Entropy) -> None:
        self._entropy = entropy
        self._of_owners = _rate("owner", settings.owner_requests_per_second)
        self._of_addresses = _rate("address", settings.address_requests_per_second)
        self._counts = Counts(entropy)
        self._limiter = FixedWindowRateLimiter(self._counts)
        self._slow = Bulkhead(_SLOW)
        self._lock = Lock()

    def keep(self, app: Flask) -> None:
        """Hold the askers of *app* to the limits."""
        if self._of_owners or self._of_addresses:
            app.before_request(self._count)
            app.after_request(_tell)

    def _count(self) -> None:
        now = visit()
        if now.method == "OPTIONS" or now.path in FREE:
            return
        owner = owner_if_known()
        rate = self._of_owners if owner else self._of_addresses
        if rate is None:
            return
        who = owner or address()
        is_within = self._limiter.hit(rate.item, who)
        now.charge = partial(self._charge, rate, who)
        now.must_be_within_limit = partial(self._must_be_within, rate, who)
        seconds = self._say(now, rate, who)
        if not is_within:
            headers = {"Retry-After": str(seconds)}
            if self._counts.get(rate.item.key_for(who)) > _HAMMERING * rate.item.amount and not self._slowed_down():
                headers["Connection"] = "close"
            raise Problem("requests_must_be_fewer", headers=headers)

    def _slowed_down(self) -> bool:
        """Let a moment pass before a request is refused; False: too many are slowed down at the moment."""
        at = (address(),)
        with self._lock:
            if self._slow.full_for(at) is not None:
                return False
            self._slow.enter(at)
        with here().traffic.away():
            here().waiting.pause(_SLOW_SECONDS)
        with self._lock:
            self._slow.leave(at)
        return True

    def _say(self, now: Visit, rate: Rate, who: str) -> int:
        """Note what *who* has left of its *rate*; return for how many seconds the window lasts."""
        end, left = self._limiter.get_window_stats(rate.item, who)
        seconds = max(1, ceil(end - self._entropy.monotonic()))
        now.rate = (rate.policy, f'"{rate.name}";r={left};t={seconds}')
        return seconds

    def _must_be_within(self, rate: Rate, who: str) -> None:
        """Pass a request that was counted before, unless *who* has used up its *rate* since then.

        Raises:
            Problem: that is so.
        """
        if self._counts.get(rate.item.key_for(who)) > rate.item.amount:
            seconds = self._say(visit(), rate, who)
            raise Problem("requests_must_be_fewer", headers={"Retry-After": str(seconds)})

    def _charge(self, rate: Rate, who: str, weight: int) -> float:
        """Count *weight* more; return the seconds to the window's end where it uses up more than half of the rate."""
        self._limiter.hit(rate.item, who, cost=weight)
        end, left = self._limiter.get_window_stats(rate.item, who)
        self._say(visit(), rate, who)
        return 0.0 if 2 * left >= rate.item.amount else max(0.0, end - self._entropy.monotonic())


def _rate(name: str, per_second: int) -> Rate | None:
    return Rate(name, per_second) if per_second else None


def _tell(response: Response) -> Response:
    now = visit()
    if now.weight > 1:
        now.charge(now.weight - 1)
    policy, state = now.rate
    if policy:
        response.headers.add("RateLimit-Policy", policy)
        response.headers.add("RateLimit", state)
    return response
