"""The watch over a process's connections: it closes what an address has too many of, and what nobody uses."""

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

CHECK_SECONDS: Final = 1.0
UNREAD_SECONDS: Final = 30.0
"""An answer of which the client takes nothing for this long is given up; it keeps a thread, and may keep a place."""
_QUIET_SECONDS: Final = 2.0
"""A connection above the limit is closed once it is silent for this long: a request may just have come on it."""
_ENTRY_SECONDS: Final = 2.0
"""A request begins at most this long after its head came, be the process ever so busy."""
_COARSE_SECONDS: Final = 0.02
"""The kernel's ages of what came are as coarse as this."""
_HEAD_SECONDS: Final = 2.0
"""The head of a request comes within this time from its first byte; what comes later belongs to the body."""
_SILENT_SECONDS: Final = MOST_SECONDS + 10.0
"""Whoever waits is answered sooner than this."""


class ConnectionLimits(Struct, frozen=True):
    """How many connections *each* address may have (0: any number), and how many seconds a body may take."""

    each: int
    body_seconds: float


class ConnectionProgress(Struct):
    """What was seen of a connection: since when its client has *acknowledged* so much, and what came since an answer.

    *went* and *came* are segments as they were counted when something was last sent; *came_at* is when the first came
    after that, 0: none has.
    """

    acknowledged: int
    acknowledged_at: float
    went: int
    came: int = 0
    came_at: float = 0.0


class ConnectionWatch:
    """Looks at the connections from time to time, and closes those that have no right to stay.

    The server that accepts them (granian) limits their number, and closes those that send no whole head in time. It
    knows no addresses, no end for a body, and no end for an answer that its client does not read: these are here.
    """

    def __init__(self, most: ConnectionLimits, in_flight: InFlightRequests, clock: Clock) -> None:
        self._most = most
        self._in_flight = in_flight
        self._clock = clock
        self._memory: dict[str, ConnectionProgress] = {}

    def look(self, found: Sequence[Connection]) -> Iterator[tuple[Connection, int]]:
        """Yield the connections of *found* to be shut down, and how: a body that ends early is answered still."""
        now = self._clock.monotonic()
        self._remember(found, now)
        by_peer = defaultdict(list)
        for connection in found:
            by_peer[connection.peer].append(connection)
        for peer, theirs in by_peer.items():
            under_way = self._in_flight.of(peer)
            yield from ((one, socket.SHUT_RDWR) for one in theirs if self._is_unread(one, now))
            if now - under_way.earliest_body >= self._most.body_seconds:
                yield from ((one, socket.SHUT_RD) for one in theirs if self._may_owe_a_body(one, under_way, now))
            if self._most.each and len(theirs) > self._most.each:
                spare = [one for one in theirs if _is_spare(one, under_way, now)]
                spare.sort(key=lambda one: one.silent_for, reverse=True)
                yield from ((one, socket.SHUT_RDWR) for one in spare[: len(theirs) - self._most.each])

    def _remember(self, found: Sequence[Connection], now: float) -> None:
        before, self._memory = self._memory, {}
        for one in found:
            memory = before.get(one.inode)
            if memory is None:
                memory = ConnectionProgress(one.acknowledged, now, one.went)
            if memory.acknowledged != one.acknowledged or not one.unread:
                memory.acknowledged, memory.acknowledged_at = one.acknowledged, now
            if memory.went != one.went:
                memory.went, memory.came, memory.came_at = one.went, one.came, 0.0
            elif not memory.came_at and one.came > memory.came:
                memory.came_at = now - one.received_ago
            self._memory[one.inode] = memory

    def _is_unread(self, one: Connection, now: float) -> bool:
        return one.unread and now - self._memory[one.inode].acknowledged_at >= UNREAD_SECONDS

    def _may_owe_a_body(self, one: Connection, under_way: PeerRequests, now: float) -> bool:
        """Tell whether an overdue body of this peer may be *one*'s, and no other request of the peer can be.

        Which connection a request came by is not known: granian does not say. But where data come in bits, over a
        while and without an answer, they are a body. Where nothing moves it is a body as well, if the peer has no
        other request under way, or if it lasts longer than any other request would.
        """
        came_at = self._memory[one.inode].came_at
        if one.unread:
            return False
        if came_at and now - came_at >= self._most.body_seconds and now - one.received_ago - came_at >= _HEAD_SECONDS:
            return True
        return one.silent_for >= (_SILENT_SECONDS if under_way.others else self._most.body_seconds)


def _is_spare(one: Connection, under_way: PeerRequests, now: float) -> bool:
    """Tell whether *one* has no request under way: nothing moves, and nothing came or no request began as data came."""
    if one.unread or one.silent_for < _QUIET_SECONDS:
        return False
    received = now - one.received_ago
    return not one.came or not under_way.one_began(received - _COARSE_SECONDS, received + _ENTRY_SECONDS)


def watch(port: int, most: ConnectionLimits, in_flight: InFlightRequests, clock: Clock) -> None:
    """Watch the connections at *port* for as long as the process lives; only Linux can do this."""
    if sockets.can_be_watched():
        kept = ConnectionWatch(most, in_flight, clock)
        Thread(target=_go_on, args=(port, kept), name="watch-connections", daemon=True).start()


def _go_on(port: int, kept: ConnectionWatch) -> None:
    pause = Event()
    while not pause.wait(CHECK_SECONDS):
        with suppress(OSError):  # no file can be opened at the moment, be it to look
            for connection, how in tuple(kept.look(tuple(sockets.connections(port)))):
                sockets.shut_down(connection, how)
