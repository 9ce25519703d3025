"""The queue of expensive requests: one of each party runs at a time, the others wait in the order of their arrival."""

# DECISIONS 79

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from threading import Event, Lock

from msgspec import Struct

from service.http.operations.bulkhead import Bulkhead, Limits
from service.http.problems.problem import RETRY, Problem


class _Request(Struct, frozen=True, eq=False):
    quota_owners: tuple[str, ...]
    takes_slot: bool
    may_run: Event


class ExpensiveQueue:
    """Runs one request of each party at a time; *limits* how many wait.

    A request belongs to several parties, and runs as soon as none of them has another one running. It takes all of
    them at once, so no two requests wait for each other.
    """

    def __init__(self, limits: Limits, without_slot: Callable[[], AbstractContextManager[None]]) -> None:
        """A request waits inside *without_slot*, which gives its working slot back meanwhile."""
        self._without_slot = without_slot
        self._running: set[str] = set()
        self._waiting: list[_Request] = []
        self._slots = Bulkhead(limits)
        self._lock = Lock()

    @property
    def waiting(self) -> int:
        """How many requests wait."""
        return len(self._waiting)

    @contextmanager
    def turn(self, quota_owners: tuple[str, ...], *, takes_slot: bool = True) -> Iterator[bool]:
        """Run the block while no other request of *quota_owners* runs; yield whether this one had to wait.

        A request that *takes_slot* takes a slot of this queue while it waits. A stream does not: it has a slot for
        long polls.

        Raises:
            Problem: too many requests wait already.
        """
        request = self._enter(_Request(quota_owners, takes_slot, Event()))
        if has_waited := not request.may_run.is_set():
            with self._without_slot():
                request.may_run.wait()
                # The request takes its working slot last: a request that has one never waits here.
        try:
            yield has_waited
        finally:
            self._leave(quota_owners)

    def _enter(self, request: _Request) -> _Request:
        with self._lock:
            if self._running.isdisjoint(request.quota_owners) and not self._has_waiting(request.quota_owners):
                self._start(request)
                return request
            if request.takes_slot:
                if (full := self._slots.full_for(request.quota_owners)) is not None:
                    raise Problem("requests_must_be_fewer", _why(full, self._slots.limits), headers=RETRY)
                self._slots.enter(request.quota_owners)
            self._waiting.append(request)
        return request

    def _has_waiting(self, quota_owners: tuple[str, ...]) -> bool:
        return any(not set(quota_owners).isdisjoint(other.quota_owners) for other in self._waiting)

    def _start(self, request: _Request) -> None:
        self._running.update(request.quota_owners)
        request.may_run.set()

    def _leave(self, quota_owners: tuple[str, ...]) -> None:
        """Start each waiting request that shares no party with a running request or with an earlier waiting one."""
        with self._lock:
            self._running.difference_update(quota_owners)
            busy = set(self._running)
            still_waiting = []
            for request in self._waiting:
                if busy.isdisjoint(request.quota_owners):
                    if request.takes_slot:
                        self._slots.leave(request.quota_owners)
                    self._start(request)
                else:
                    still_waiting.append(request)
                busy.update(request.quota_owners)
            self._waiting = still_waiting


def _why(full: str, limits: Limits) -> str:
    """Say why a request cannot wait; *full* is the party that has its share, "": all slots are taken."""
    if not full:
        return f"{limits.in_all} expensive requests wait already."
    return (
        f"{limits.each} expensive requests wait already, of one owner, of one address, or of a host with the owners "
        "that it made."
    )
