"""Slots for reading bodies: a stalled upload blocks a thread, and the slots limit how many threads are blocked."""

# DECISIONS 21

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition
from typing import Final

from service.clock import Clock
from service.http.operations.bulkhead import Bulkhead, Limits
from service.http.problems.problem import RETRY, Problem
from service.settings import BODY_SLOTS

LIMITS: Final = Limits(in_all=BODY_SLOTS, each=BODY_SLOTS // 8)
"""The limits of each process. Only eight or more callers that share no owner, host or address can take all slots."""
PATIENCE_SECONDS = 1.0
"""A request gives up waiting once no body has begun for this long in the slots for which the request waits."""


class BodySlots:
    """Hands out the slots in which bodies are read."""

    def __init__(self, clock: Clock, limits: Limits = LIMITS) -> None:
        self._clock = clock
        self._bulkhead = Bulkhead(limits)
        self._begun: dict[object, tuple[float, tuple[str, ...]]] = {}
        """For each body that is being read: when the reading began, in seconds of `monotonic`, and the quota owners."""
        self._waiting = 0
        self._left = Condition()

    @contextmanager
    def slot(self, *quota_owners: str) -> Iterator[None]:
        """Take a slot for *quota_owners* while the block runs.

        If all slots are taken, wait for any slot. If one of *quota_owners* has its maximum, wait for one of its slots.
        Give up once no other body has begun for `PATIENCE_SECONDS` in the slots for which this request waits.

        Raises:
            Problem: no slot became free in time, or as many requests wait already as there are slots.
        """
        token = object()
        with self._left:
            self._wait(quota_owners)
            self._bulkhead.enter(quota_owners)
            self._begun[token] = (self._clock.monotonic(), quota_owners)
        try:
            yield
        finally:
            with self._left:
                self._bulkhead.leave(quota_owners)
                del self._begun[token]
                if self._waiting:
                    self._left.notify_all()

    def _wait(self, quota_owners: tuple[str, ...]) -> None:
        """Return as soon as *quota_owners* can take a slot.

        Raises:
            Problem: no slot became free in time, or as many requests wait already as there are slots.
        """
        while (full := self._bulkhead.full_for(quota_owners)) is not None:
            last = max(began for began, readers in self._begun.values() if not full or full in readers)
            seconds = last + PATIENCE_SECONDS - self._clock.monotonic()
            if seconds <= 0 or self._waiting >= self._bulkhead.limits.in_all:
                raise Problem("body_must_find_a_place", headers=RETRY)
            self._waiting += 1
            try:
                self._left.wait(seconds)
            finally:
                self._waiting -= 1
