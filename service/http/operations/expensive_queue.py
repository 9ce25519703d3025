"""The queue of dear requests: of each party one works at a time, and the others wait in the order of their coming."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from threading import Event, Lock

from msgspec import Struct

from service.http.operations.bulkhead import Bulkhead, Limits
from service.http.problems.problem import RETRY, Problem


class _Request(Struct, frozen=True, eq=False):
    quota_owners: tuple[str, ...]
    takes_slot: bool
    may_work: Event


class ExpensiveQueue:
    """Lets one request of each party work at a time, and *limits* how many wait.

    A request counts for several parties, and works as soon as none of them has another one at work. It takes all of
    them at once, so no two requests wait for each other.
    """

    def __init__(self, limits: Limits, without_slot: Callable[[], AbstractContextManager[None]]) -> None:
        """A request waits inside *without_slot*."""
        self._without_slot = without_slot
        self._working: set[str] = set()
        self._waiting: list[_Request] = []
        self._slots = Bulkhead(limits)
        self._lock = Lock()

    @property
    def waiting(self) -> int:
        """How many requests wait."""
        return len(self._waiting)

    @contextmanager
    def turn(self, quota_owners: tuple[str, ...], *, takes_slot: bool = True) -> Iterator[bool]:
        """Let no other request of *quota_owners* work inside the block; yield whether this one had to wait.

        One that *takes_slot* has none of the places for waiting yet, so it needs one here.

        Raises:
            Problem: too many wait already.
        """
        request = self._enter(_Request(quota_owners, takes_slot, Event()))
        if has_waited := not request.may_work.is_set():
            with self._without_slot():
                request.may_work.wait()
                # The working slot comes last: whoever has one never waits here.
        try:
            yield has_waited
        finally:
            self._leave(quota_owners)

    def _enter(self, request: _Request) -> _Request:
        with self._lock:
            if self._working.isdisjoint(request.quota_owners) and not self._is_waited_for(request.quota_owners):
                self._start(request)
                return request
            if request.takes_slot:
                if (full := self._slots.full_for(request.quota_owners)) is not None:
                    raise Problem("requests_must_be_fewer", _why(full, self._slots.limits), headers=RETRY)
                self._slots.enter(request.quota_owners)
            self._waiting.append(request)
        return request

    def _is_waited_for(self, quota_owners: tuple[str, ...]) -> bool:
        return any(not set(quota_owners).isdisjoint(other.quota_owners) for other in self._waiting)

    def _start(self, request: _Request) -> None:
        self._working.update(request.quota_owners)
        request.may_work.set()

    def _leave(self, quota_owners: tuple[str, ...]) -> None:
        """Let those work next whom neither a request at work nor one that came before them keeps waiting."""
        with self._lock:
            self._working.difference_update(quota_owners)
            taken = set(self._working)
            still_waiting = []
            for request in self._waiting:
                if taken.isdisjoint(request.quota_owners):
                    if request.takes_slot:
                        self._slots.leave(request.quota_owners)
                    self._start(request)
                else:
                    still_waiting.append(request)
                taken.update(request.quota_owners)
            self._waiting = still_waiting


def _why(full: str, limits: Limits) -> str:
    """Say why a request cannot wait; *full* is the party that has its share, "": all places are taken."""
    if not full:
        return f"{limits.in_all} dear requests wait already."
    return (
        f"{limits.each} dear requests wait already, of one owner, of one address, or of a host with the owners that it "
        "made."
    )
