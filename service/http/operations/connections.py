"""The connection watch: closes connections above the limit of their address, and connections that stall."""

# DECISIONS 57

import socket
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from threading import Event, Thread
from typing import Final

from msgspec import Struct

from service.clock import Clock
from service.http.operations import sockets
from service.http.operations.in_flight import InFlightRequests, PeerRequests
from service.http.operations.long_polls import MOST_SECONDS
from service.http.operations.sockets import Connection
from service.http.operations.waiting.abandoned_waits import AbandonedWaits

CHECK_SECONDS: Final = 1.0
UNREAD_SECONDS: Final = 30.0
"""The watch closes a connection whose client acknowledges no byte of a response for this long.

Until then the response blocks a thread.
"""
_QUIET_SECONDS: Final = 2.0
"""The watch closes a connection above the limit only after this long without data: new data may be a request."""
_ENTRY_SECONDS: Final = 2.0
"""The watch assumes that a request begins at most this long after its head arrived, even in a busy process."""
_COARSE_SECONDS: Final = 0.02
"""The resolution of the times that the kernel reports."""
_HEAD_SECONDS: Final = 2.0
"""The watch assumes that the head of a request arrives within this time; data that arrive later belong to the body."""
_SILENT_SECONDS: Final = MOST_SECONDS + 10.0
"""A long poll is answered before its connection has been silent for this long."""


class ConnectionLimits(Struct, frozen=True):
    """*each* is the maximum number of connections of one address (0: no limit).

    *body_seconds* is the time limit for bodies.
    """

    each: int
    body_seconds: float


class ConnectionProgress(Struct):
    """What earlier checks found about a connection.

    *acknowledged* is the number of bytes that its client has acknowledged. *acknowledged_at* is the time of the last
    check at which this number had changed, or at which all data were acknowledged. *segments_out* and *segments_in* are
    the counts at the last check that found newly sent data; at first *segments_in* is 0. The first check after it that
    finds newly received data sets *first_in_at* to the time at which the data arrived; 0: no check has found any.
    """

    acknowledged: int
    acknowledged_at: float
    segments_out: int
    segments_in: int = 0
    first_in_at: float = 0.0


class ConnectionWatch:
    """Finds the connections to close.

    The server (granian) limits the number of connections, and closes connections that send no whole head in time. The
    server lacks three limits, which the watch adds: a maximum number of connections for each address, a time limit for
    bodies, and a time limit for unread responses.
    """

    def __init__(self, limits: ConnectionLimits, in_flight: InFlightRequests, clock: Clock) -> None:
        self._limits = limits
        self._in_flight = in_flight
        self._clock = clock
        self._progress: dict[str, ConnectionProgress] = {}

    def to_close(self, connections: Sequence[Connection]) -> Iterator[tuple[Connection, int]]:
        """Yield each connection to shut down, with the directions: `socket.SHUT_RD` or `socket.SHUT_RDWR`.

        A body is late if it is not complete within the time limit for bodies. The connection of a late body is shut
        down for reading only, so its client still gets the response.
        """
        now = self._clock.monotonic()
        self._update(connections, now)
        by_peer = defaultdict(list)
        for connection in connections:
            by_peer[connection.peer].append(connection)
        for peer, of_peer in by_peer.items():
            requests = self._in_flight.of(peer)
            yield from ((connection, socket.SHUT_RDWR) for connection in of_peer if self._is_unread(connection, now))
            if now - requests.earliest_body >= self._limits.body_seconds:
                yield from (
                    (connection, socket.SHUT_RD)
                    for connection in of_peer
                    if self._may_owe_a_body(connection, requests, now)
                )
            if self._limits.each and len(of_peer) > self._limits.each:
                spare = [connection for connection in of_peer if _is_spare(connection, requests, now)]
                spare.sort(key=lambda connection: connection.silent_for, reverse=True)
                yield from ((connection, socket.SHUT_RDWR) for connection in spare[: len(of_peer) - self._limits.each])

    def _update(self, connections: Sequence[Connection], now: float) -> None:
        before, self._progress = self._progress, {}
        for connection in connections:
            progress = before.get(connection.inode)
            if progress is None:
                progress = ConnectionProgress(connection.acknowledged, now, connection.segments_out)
            if progress.acknowledged != connection.acknowledged or not connection.unread:
                progress.acknowledged, progress.acknowledged_at = connection.acknowledged, now
            if progress.segments_out != connection.segments_out:
                progress.segments_out, progress.segments_in, progress.first_in_at = (
                    connection.segments_out,
                    connection.segments_in,
                    0.0,
                )
            elif not progress.first_in_at and connection.segments_in > progress.segments_in:
                progress.first_in_at = now - connection.received_ago
            self._progress[connection.inode] = progress

    def _is_unread(self, connection: Connection, now: float) -> bool:
        return connection.unread and now - self._progress[connection.inode].acknowledged_at >= UNREAD_SECONDS

    def _may_owe_a_body(self, connection: Connection, requests: PeerRequests, now: float) -> bool:
        """Return whether *connection* may owe the late body, and can't have another request of its peer.

        Granian does not say to which connection a request belongs. But data that arrive in pieces over some seconds,
        without a response in between, are a body. A silent connection may owe the late body too, in two cases: the peer
        has no other request in flight, or the connection has been silent for longer than any other request lasts.
        """
        first_in_at = self._progress[connection.inode].first_in_at
        if connection.unread:
            return False
        if (
            first_in_at
            and now - first_in_at >= self._limits.body_seconds
            and now - connection.received_ago - first_in_at >= _HEAD_SECONDS
        ):
            return True
        return connection.silent_for >= (_SILENT_SECONDS if requests.others else self._limits.body_seconds)


def _is_spare(connection: Connection, requests: PeerRequests, now: float) -> bool:
    """Return whether *connection* has no request in flight.

    This is so if the connection is silent, and either no data have arrived, or no request of the peer began when the
    latest data arrived.
    """
    if connection.unread or connection.silent_for < _QUIET_SECONDS:
        return False
    received = now - connection.received_ago
    return not connection.segments_in or not requests.one_began(received - _COARSE_SECONDS, received + _ENTRY_SECONDS)


def watch(port: int, limits: ConnectionLimits, in_flight: InFlightRequests, clock: Clock) -> None:
    """Watch the connections at *port* in a thread until the process ends; on systems other than Linux, do nothing.

    The thread goes on during a stop, because the stop waits for running requests, and so for late bodies.
    """
    if sockets.can_be_watched():
        pause = Event()
        parts = ConnectionWatch(limits, in_flight, clock), AbandonedWaits(in_flight, clock, pause.wait)
        Thread(target=_check, args=(port, *parts, clock, pause), name="watch-connections", daemon=True).start()


def _check(
    port: int, connection_watch: ConnectionWatch, abandoned_waits: AbandonedWaits, clock: Clock, pause: Event
) -> None:
    while not pause.wait(CHECK_SECONDS):
        began = clock.monotonic()
        with suppress(OSError):  # the process may have no free file descriptor
            found = tuple(sockets.connections(port))
            for connection, how in tuple(connection_watch.to_close(found)):
                sockets.shut_down(connection, how)
            abandoned_waits.end(found, clock.monotonic() - began)
