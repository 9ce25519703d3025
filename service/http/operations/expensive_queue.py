"""The queue of expensive requests: of each quota owner one request runs; others wait in the order of arrival."""

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
    """Runs at most one request of each quota owner at a time; *limits* says how many requests may wait.

    A request can have several quota owners. The request runs as soon as none of its quota owners has another request
    that runs or has waited longer. The request occupies all of its quota owners in one step, so there is no deadlock.
    """

    def __init__(self, limits: Limits, without_slot: Callable[[], AbstractContextManager[None]]) -> None:
        """A request waits in the context that *without_slot* returns, and so has no worker slot during the wait."""
        self._without_slot = without_slot
        self._running: set[str] = set()
        self._waiting: list[_Request] = []
        self._slots = Bulkhead(limits)
        self._lock = Lock()

    @property
    def waiting(self) -> int:
        """The number of requests that wait."""
        return len(self._waiting)

    @contextmanager
    def turn(self, quota_owners: tuple[str, ...], *, takes_slot: bool = True) -> Iterator[bool]:
        """Run the block once no other request of *quota_owners* runs or has waited longer.

        Yield whether this request had to wait.

        With *takes_slot*, the request takes a slot of this queue while it waits. A stream takes no slot here, because
        it has a waiting slot of `LongPolls`.

        Raises:
            Problem: too many requests are already waiting.
        """
        request = self._enter(_Request(quota_owners, takes_slot, Event()))
        if has_waited := not request.may_run.is_set():
            with self._without_slot():
                request.may_run.wait()
                # The request takes its worker slot back only after this wait, so no waiting request has a worker slot.
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
        """End the turn of a request of *quota_owners*, and start the waiting requests that may now run.

        A waiting request may run if it shares no quota owner with a running or an earlier waiting request.
        """
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
    """Return why a request can't wait; *full* is the quota owner that has its share, or "" if all slots are taken."""
    if not full:
        return f"{limits.in_all} expensive requests are already waiting."
    return (
        f"{limits.each} expensive requests are already waiting: the limit for one owner, for one address, or for one "
        "host together with the owners that it made."
    )
