"""Hints between the workers of one server: a stream has a new event (DECISIONS 132 and 134)."""

import os
import socket
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from struct import Struct as Layout
from threading import Event, Thread
from typing import Final

from msgspec import Struct

from service.http.operations.waiting.awaited_streams import AwaitedStreams

_HINT: Final = Layout("!16sI")
"""The id of the stream, and the position of its newest event."""
_SENDER: Final = Layout("3i")
"""The process, the user and the group of a sender, as the kernel gives them."""
_SPARE: Final = 2  # a new worker may begin before the worker that it replaces has ended
_TOGETHER: Final = 4
"""If hints come fast, the thread rests until about this many have come, and hears them together."""
_MOST_TOGETHER: Final = 64
_LONGEST_REST_SECONDS: Final = 0.005
_SHORTEST_REST_SECONDS: Final = 0.000_1


class HintSockets(Struct, frozen=True):
    """The abstract UNIX sockets of a server. *workers* is the number of its workers; no other server has this *name*.

    An abstract socket has no access rights, and every local user can list its name. So workers check who sent a hint.
    In the file *awaited* the workers show which streams they await.
    """

    name: str
    workers: int
    awaited: Path

    def addresses(self) -> tuple[bytes, ...]:
        """Return the addresses, of which each worker takes one."""
        return tuple(f"\0chiptrail-{self.name}-{number}".encode() for number in range(self.workers + _SPARE))


class WorkerHints:
    """Sends hints to the other workers that await a stream, and calls *hear* with the hints of the other workers.

    A worker that hears a hint reads the stream. If a hint is lost, the worker finds the event when it next polls the
    stream; a wrong hint costs one read. So no hint is sent twice, and a full socket drops further hints.

    Several hints are heard together, because one transaction then reads all their streams. So the thread that hears
    the hints rests after each read until about four hints have come, but for at most 5 ms. A much longer rest would
    lose hints: a system may queue as few as eleven hints for a socket.
    """

    def __init__(self, sockets: HintSockets, hear: Callable[[Mapping[bytes, int]], None]) -> None:
        """Take a free address. *hear* gets a mapping: the highest position in the hints heard together, by stream.

        Raises:
            OSError: no address is free, the system lacks abstract UNIX sockets, the file can't be opened, or the disk
                has no space for the file.
        """
        self._hear = hear
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)  # each datagram then names its sender
        addresses = sockets.addresses()
        try:
            mine = _bind_one(self._socket, addresses)
            self._awaited = AwaitedStreams(sockets.awaited, len(addresses), mine)
        except OSError:
            self._socket.close()
            raise
        self._others: Final = tuple((row, one) for row, one in enumerate(addresses) if row != mine)
        self._ended = Event()
        self._thread: Thread | None = None

    def start(self) -> None:
        """Hear the hints of the other workers in a thread."""
        thread = Thread(target=self._listen, name="hear-hints", daemon=True)
        thread.start()
        self._thread = thread

    def begin(self, stream_id: bytes) -> None:
        """From now on get hints of the stream. Not thread-safe: the caller must hold a lock."""
        self._awaited.begin(stream_id)

    def end(self, stream_id: bytes) -> None:
        """Undo one call of `begin`. Not thread-safe: the caller must hold a lock."""
        self._awaited.end(stream_id)

    def send(self, stream_id: bytes, position: int) -> None:
        """Send a hint to each other worker that awaits the stream: the stream has an event at *position*."""
        for row, other in self._others:
            if self._awaited.has_reader(row, stream_id):
                with suppress(OSError):  # no worker has this address, or its worker reads hints too slowly
                    self._socket.sendto(_HINT.pack(stream_id, position), socket.MSG_DONTWAIT, other)

    def end_hearing(self) -> None:
        """Hear no further hints, and wait until the thread that hears hints has ended; hints can still be sent."""
        self._ended.set()
        with suppress(OSError):  # the socket was closed before
            self._socket.shutdown(socket.SHUT_RD)  # this wakes the thread; to close the socket would not wake it
        if self._thread is not None:
            self._thread.join()

    def close(self) -> None:
        """End the hearing, show that this worker awaits no stream, and free the address. Send no hint after this."""
        self.end_hearing()  # the address stays taken while the thread waits at the socket
        self._awaited.close()  # before the address is free: another worker that takes the address uses the same row
        self._socket.close()

    def hear_next(self) -> int:
        """Wait for a datagram, take it and all that have come by then, 64 at most, and hear their hints together.

        Return the number of these datagrams. A datagram of another size, or of another user of the machine, is not a
        hint.

        Raises:
            OSError: the socket was closed.
        """
        heads: dict[bytes, int] = {}
        self._receive(heads)
        came = 1
        with suppress(BlockingIOError):
            while came < _MOST_TOGETHER:
                self._receive(heads, socket.MSG_DONTWAIT)
                came += 1
        if heads:
            self._hear(heads)
        return came

    def _receive(self, heads: dict[bytes, int], flags: int = 0) -> None:
        """Receive one datagram, and add its stream and position to *heads* if it is a hint."""
        datagram, about, _, _ = self._socket.recvmsg(_HINT.size + 1, socket.CMSG_SPACE(_SENDER.size), flags)
        if len(datagram) == _HINT.size and _is_own_user(about):
            stream_id, position = _HINT.unpack(datagram)
            heads[stream_id] = max(position, heads.get(stream_id, 0))

    def _listen(self) -> None:
        seconds = _LONGEST_REST_SECONDS
        with suppress(OSError):
            while not self._ended.is_set():
                seconds = rest_after(self.hear_next(), seconds)
                self._ended.wait(seconds)


def rest_after(came: int, seconds: float) -> float:
    """Return in how many seconds about four hints will come, within limits, if *came* hints came in *seconds*."""
    return min(_LONGEST_REST_SECONDS, max(_SHORTEST_REST_SECONDS, seconds * _TOGETHER / came))


def can_be_sent() -> bool:
    """Return whether this system has abstract UNIX sockets, which need no file and vanish with their process."""
    return sys.platform == "linux"


def _is_own_user(about: Iterable[tuple[int, int, bytes]]) -> bool:
    """Return whether a process of this user has sent a datagram; *about* is what the kernel says of the datagram."""
    return any(
        (level, kind) == (socket.SOL_SOCKET, socket.SCM_CREDENTIALS) and _SENDER.unpack(data)[1] == os.getuid()
        for level, kind, data in about
    )


def _bind_one(made: socket.socket, addresses: tuple[bytes, ...]) -> int:
    last = len(addresses) - 1
    for row, address in enumerate(addresses[:last]):
        with suppress(OSError):
            made.bind(address)
            return row
    made.bind(addresses[last])
    return last
