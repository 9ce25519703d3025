"""Hints between the workers of one server: a stream has a new event (DECISIONS 132)."""

import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from struct import Struct as Layout
from threading import Thread
from typing import Final

from msgspec import Struct

_HINT: Final = Layout("!16sI")
"""The id of the stream, and the position of its newest event."""
_SPARE: Final = 2  # a new worker may begin before the worker that it replaces has ended


class HintSockets(Struct, frozen=True):
    """The abstract UNIX sockets of a server with a number of *workers*; nobody else knows *name*."""

    name: str
    workers: int

    def addresses(self) -> tuple[bytes, ...]:
        """Return the addresses, of which each worker takes one."""
        return tuple(f"\0chiptrail-{self.name}-{number}".encode() for number in range(self.workers + _SPARE))


class WorkerHints:
    """Sends hints to the other workers, and gives their hints to *hear*.

    Whoever hears a hint reads the stream. A lost hint costs only the time until the stream is polled, and
    a wrong hint costs one read. So nothing is repeated, and a full socket drops what it can't hold.
    """

    def __init__(self, sockets: HintSockets, hear: Callable[[bytes, int], None]) -> None:
        """Take a free address.

        Raises:
            OSError: no address is free, or the system lacks abstract UNIX sockets.
        """
        self._hear = hear
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        mine = _bind_one(self._socket, sockets.addresses())
        self._others: Final = tuple(one for one in sockets.addresses() if one != mine)

    def start(self) -> None:
        """Hear the hints of the others in a thread."""
        Thread(target=self._listen, name="hear-hints", daemon=True).start()

    def send(self, stream_id: bytes, position: int) -> None:
        """Tell the other workers that the stream has an event at *position*."""
        hint = _HINT.pack(stream_id, position)
        for other in self._others:
            with suppress(OSError):  # no worker has this address, or its worker hears too slowly
                self._socket.sendto(hint, socket.MSG_DONTWAIT, other)

    def close(self) -> None:
        """Free the address."""
        self._socket.close()

    def hear_one(self) -> None:
        """Wait for a hint, and hear it; a datagram of another size is no hint.

        Raises:
            OSError: the socket was closed.
        """
        datagram = self._socket.recv(_HINT.size + 1)
        if len(datagram) == _HINT.size:
            self._hear(*_HINT.unpack(datagram))

    def _listen(self) -> None:
        with suppress(OSError):
            while True:
                self.hear_one()


def can_be_sent() -> bool:
    """Return whether this system has abstract UNIX sockets, which need no file and vanish with their process."""
    return sys.platform == "linux"


def _bind_one(made: socket.socket, addresses: tuple[bytes, ...]) -> bytes:
    for address in addresses[:-1]:
        with suppress(OSError):
            made.bind(address)
            return address
    made.bind(addresses[-1])
    return addresses[-1]
