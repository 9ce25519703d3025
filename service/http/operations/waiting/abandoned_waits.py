"""Finds the long polls whose client has closed its connection, so that their slots become free (DECISIONS 131)."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from service.clock import Clock
from service.http.operations.in_flight import InFlightRequest, InFlightRequests
from service.http.operations.sockets import Connection

_COARSE_SECONDS: Final = 0.02
"""The resolution of the times that the kernel reports."""
_ENTRY_SECONDS: Final = 2.0
"""The service begins a request at most this long after its header fields arrived, even in a busy process."""


class AbandonedWaits:
    """Compares the requests of each peer with the open connections of the peer.

    The server (granian) closes a connection as soon as its client has closed it, but doesn't say which request used the
    connection. So a long poll counts as abandoned if two checks, one after the other, find no open connection of its
    peer that can be the connection of this long poll.
    """

    def __init__(self, in_flight: InFlightRequests, clock: Clock) -> None:
        self._in_flight = in_flight
        self._clock = clock
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
            for peer, requests in self._in_flight.without_streams().items()
            for request in _without_connection(requests, by_peer[peer], seconds)
            if request.began < now - seconds
        )
        for request in suspects & self._suspects:
            if (give_up := request.give_up) is not None:
                give_up()
        self._suspects = suspects


def _may_owe_a_response(connection: Connection) -> bool:
    """Return whether the client may wait for a response: no data were sent since data were last received."""
    return connection.segments_in > 0 and connection.sent_ago >= connection.received_ago


def _without_connection(
    requests: Sequence[InFlightRequest], received: Sequence[float], seconds: float
) -> Iterator[InFlightRequest]:
    """Assign a connection to as many of *requests* as possible, each its own; yield the requests without a connection.

    *received* has, for each connection, the time at which data last arrived. It may be up to *seconds* too late.
    """
    left = sorted(received)
    first = 0
    for request in sorted(requests, key=lambda one: one.began):
        while first < len(left) and left[first] + _ENTRY_SECONDS < request.began:
            first += 1
        if first < len(left) and left[first] - seconds - _COARSE_SECONDS <= request.began:
            first += 1
        else:
            yield request
