"""Finds the long polls whose client has closed its connection, and frees their slots (DECISIONS 131 and 141)."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from service.clock import Clock
from service.http.operations.in_flight import InFlightRequest, InFlightRequests
from service.http.operations.sockets import Connection

_COARSE_SECONDS: Final = 0.02
"""The resolution of the times that the kernel reports."""
_ENTRY_SECONDS: Final = 2.0
"""The service begins a request at most this long after its header fields arrived, even in a busy process."""
_TOGETHER: Final = 16
"""After this many ended polls there is a rest.

Each ended poll wakes a thread, and a thousand such threads at once would delay all other requests.
"""
_REST_SECONDS: Final = 0.01


class AbandonedWaits:
    """Compares the long polls of each peer with the open connections of the peer.

    The server (granian) closes a connection as soon as its client has closed it, but doesn't say which request used the
    connection. So a long poll counts as abandoned if two successive checks find no open connection of its peer that can
    be the connection of this long poll. The checks assign no connection to other requests of the peer: the data of a
    body may arrive long after its request began, so such a request could take the connection of a long poll.
    """

    def __init__(self, in_flight: InFlightRequests, clock: Clock, rest: Callable[[float], object]) -> None:
        """*rest* is called with a time in seconds, and lets this time pass."""
        self._in_flight = in_flight
        self._clock = clock
        self._rest = rest
        self._suspects: frozenset[InFlightRequest] = frozenset()

    def end(self, connections: Sequence[Connection], seconds: float) -> None:
        """End the abandoned long polls; *connections* were read just now, during the last *seconds*."""
        now = self._clock.monotonic()
        by_peer = defaultdict(list)
        for connection in connections:
            if _may_owe_a_response(connection):
                by_peer[connection.peer].append(now - connection.received_ago)
        suspects = frozenset(
            request
            for peer, polls in self._in_flight.waiting_polls().items()
            for request in _without_connection(polls, by_peer[peer], seconds)
            if request.began < now - seconds
        )
        for number, request in enumerate(suspects & self._suspects, start=1):
            if (give_up := request.give_up) is not None:
                give_up()
            if number % _TOGETHER == 0:
                self._rest(_REST_SECONDS)
        self._suspects = suspects


def _may_owe_a_response(connection: Connection) -> bool:
    """Return whether the client may wait for a response: no data were sent since data were last received."""
    return connection.segments_in > 0 and connection.sent_ago >= connection.received_ago


def _without_connection(
    polls: Sequence[InFlightRequest], received: Sequence[float], seconds: float
) -> Iterator[InFlightRequest]:
    """Assign a connection of its own to as many of *polls* as possible; yield the polls that get no connection.

    *received* has, for each connection, the time at which data last arrived; each time may be up to *seconds* too late.
    """
    left = sorted(received)
    first = 0
    for poll in sorted(polls, key=lambda one: one.began):
        while first < len(left) and left[first] + _ENTRY_SECONDS < poll.began:
            first += 1
        if first < len(left) and left[first] - seconds - _COARSE_SECONDS <= poll.began:
            first += 1
        else:
            yield poll
