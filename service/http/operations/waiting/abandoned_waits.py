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
"""A request begins at most this long after its head arrived, even in a busy process."""


class AbandonedWaits:
    """Compares the requests of each peer with the open connections of the peer.

    The server (granian) closes a connection as soon as its client has closed it, but says neither to the request nor to
    which request the connection belonged. So a long poll is abandoned if no open connection of its peer can be its own
    connection, in two checks, one after the other.
    """

    def __init__(self, in_flight: InFlightRequests, clock: Clock) -> None:
        self._in_flight = in_flight
        self._clock = clock
        self._suspects: frozenset[InFlightRequest] = frozenset()

    def end(self, connections: Sequence[Connection], seconds: float) -> None:
        """End the abandoned long polls; reading *connections*, which has just ended, took *seconds*."""
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
    """Return whether no data were sent since data were last received; a response has ended, or begun, with data."""
    return connection.segments_in > 0 and connection.sent_ago >= connection.received_ago


def _without_connection(
    requests: Sequence[InFlightRequest], received: Sequence[float], seconds: float
) -> Iterator[InFlightRequest]:
    """Yield each of *requests* that is left when as many as possible have a connection of their own.

    *received* are the times at which data last arrived on each connection. Each time may be up to *seconds* too late.
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
