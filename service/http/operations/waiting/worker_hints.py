"""Hints between the workers of one server: a stream has a new event (DECISIONS 132 and 134)."""

import os
import socket
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from itertools import starmap
from struct import Struct as Layout
from threading import Event, Lock, Thread
from typing import Final

from msgspec import Struct

_HINT: Final = Layout("!16sI")
"""The id of the stream, and the position of its newest event."""
_SENDER: Final = Layout("3i")
"""The process, the user and the group of a sender, as the kernel gives them."""
_MOST_HINTS: Final = 64  # in one datagram
_SIZES: Final = range(_HINT.size, _MOST_HINTS * _HINT.size + 1, _HINT.size)
_PAUSE_SECONDS: Final = 0.005
"""The hints of this time are sent together, so that under load the other workers read many streams at once."""
_SPARE: Final = 2  # a new worker may begin before the worker that it replaces has ended


class HintSockets(Struct, frozen=True):
    """The abstract UNIX sockets of a server with a number of *workers*; no other server has the same *name*.

    An abstract socket has no rights, and every local user can list the names. So workers check who sent a hint.
    """

    name: str
    workers: int

    def addresses(self) -> tuple[bytes, ...]:
        """Return the addresses, of which each worker takes one."""
        return tuple(f"\0chiptrail-{self.name}-{number}".encode() for number in range(self.workers + _SPARE))


class WorkerHints:
    """Sends hints to the other workers, and gives their hints to *hear*: streams, and positions of their newest events.

    Whoever hears a hint reads the stream. A lost hint costs only the time until the stream is polled, and
    a wrong hint costs one read. So nothing is repeated, and a full socket drops what it can't hold.
    """

    def __init__(self, sockets: HintSockets, hear: Callable[[Mapping[bytes, int]], None]) -> None:
        """Take a free address.

        Raises:
            OSError: no address is free, or the system lacks abstract UNIX sockets.
        """
        self._hear = hear
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)  # each datagram then names its sender
        mine = _bind_one(self._socket, sockets.addresses())
        self._others: Final = tuple(one for one in sockets.addresses() if one != mine)
        self._unsent: dict[bytes, int] = {}
        self._lock = Lock()
        self._has_unsent = Event()

    def start(self) -> None:
        """Hear the hints of the others in one thread, and send hints in another."""
        Thread(target=self._listen, name="hear-hints", daemon=True).start()
        Thread(target=self._keep_sending, name="send-hints", daemon=True).start()

    def send_soon(self, stream_id: bytes, position: int) -> None:
        """Tell the other workers that the stream has an event at *position*: now, or with the next hints."""
        with self._lock:
            is_first = not self._unsent
            self._unsent[stream_id] = max(position, self._unsent.get(stream_id, 0))
        if is_first:
            self._has_unsent.set()

    def send(self) -> None:
        """Send the hints that are not sent yet."""
        with self._lock:
            unsent, self._unsent = self._unsent, {}
        hints = tuple(starmap(_HINT.pack, unsent.items()))
        for first in range(0, len(hints), _MOST_HINTS):
            datagram = b"".join(hints[first : first + _MOST_HINTS])
            for other in self._others:
                with suppress(OSError):  # no worker has this address, or its worker hears too slowly
                    self._socket.sendto(datagram, socket.MSG_DONTWAIT, other)

    def close(self) -> None:
        """Free the address."""
        self._socket.close()

    def hear_one(self) -> None:
        """Wait for a datagram, and hear its hints.

        A datagram of another size, or of another user of the machine, has no hints.

        Raises:
            OSError: the socket was closed.
        """
        datagram, about, _, _ = self._socket.recvmsg(_MOST_HINTS * _HINT.size + 1, socket.CMSG_SPACE(_SENDER.size))
        if len(datagram) in _SIZES and _is_own_user(about):
            self._hear(dict(_HINT.iter_unpack(datagram)))

    def _listen(self) -> None:
        with suppress(OSError):
            while True:
                self.hear_one()

    def _keep_sending(self) -> None:
        pause = Event()
        while True:
            self._has_unsent.wait()
            self._has_unsent.clear()
            self.send()
            pause.wait(_PAUSE_SECONDS)


def can_be_sent() -> bool:
    """Return whether this system has abstract UNIX sockets, which need no file and vanish with their process."""
    return sys.platform == "linux"


def _is_own_user(about: Iterable[tuple[int, int, bytes]]) -> bool:
    """Return whether the kernel says, in the data *about* a datagram, that a process of this user has sent it."""
    return any(
        (level, kind) == (socket.SOL_SOCKET, socket.SCM_CREDENTIALS) and _SENDER.unpack(data)[1] == os.getuid()
        for level, kind, data in about
    )


def _bind_one(made: socket.socket, addresses: tuple[bytes, ...]) -> bytes:
    for address in addresses[:-1]:
        with suppress(OSError):
            made.bind(address)
            return address
    made.bind(addresses[-1])
    return addresses[-1]
