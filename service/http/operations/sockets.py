"""Reads the state of this process's connections from the Linux kernel, and shuts connections down."""

# DECISIONS 57

import os
import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from struct import Struct as Layout
from typing import Final

from msgspec import Struct

from service.http.request.addresses import subscriber

_DESCRIPTORS: Final = Path("/proc/self/fd")
_INFO_BYTES: Final = 160
_UNACKED: Final = Layout("=24xI")
_AGES: Final = Layout("=44xI4xI")
"""Milliseconds since data were last sent, and since data were last received."""
_COUNTS: Final = Layout("=120xQ16xI4xII")
"""The bytes that the peer acknowledged, the bytes not sent yet, and the segments with data received and sent."""


class Connection(Struct, frozen=True):
    """A connection at one moment.

    *received_ago* and *sent_ago* are the seconds since data were last received and sent. *inode* identifies the
    connection while it is open. *unread*: the client has not acknowledged all data. *acknowledged* is the number of
    bytes that the client has acknowledged. *segments_in* and *segments_out* are the numbers of segments with data that
    were received and sent.
    """

    descriptor: int
    inode: str
    peer: str
    received_ago: float
    sent_ago: float
    acknowledged: int
    unread: bool
    segments_in: int
    segments_out: int

    @property
    def silent_for(self) -> float:
        """Seconds since data were last sent or received."""
        return min(self.received_ago, self.sent_ago)


def can_be_watched() -> bool:
    """Return whether this system lets a process read the state of its connections."""
    return hasattr(socket, "TCP_INFO") and _DESCRIPTORS.is_dir()


def connections(port: int) -> Iterator[Connection]:
    """Yield the open connections to the local port *port*."""
    for name in [entry.name for entry in os.scandir(_DESCRIPTORS)]:
        with suppress(OSError):  # the descriptor was closed meanwhile, or is not a socket
            inode = os.readlink(_DESCRIPTORS / name)  # noqa: PTH115 -- `Path.readlink` would be the slowest part here
            if inode.startswith("socket:") and (found := _connection(int(name), inode, port)):
                yield found


def shut_down(connection: Connection, how: int) -> None:
    """Shut down *connection*, unless another connection has the same descriptor by now.

    *how* is `socket.SHUT_RD`, `SHUT_WR` or `SHUT_RDWR`.
    """
    with suppress(OSError):
        copy = os.dup(connection.descriptor)
        with socket.socket(fileno=copy) as duplicate:
            if os.readlink(_DESCRIPTORS / str(copy)) == connection.inode:  # noqa: PTH115 -- `Path.readlink` is slow
                duplicate.shutdown(how)


def _connection(descriptor: int, inode: str, port: int) -> Connection | None:
    borrowed = socket.socket(fileno=descriptor)
    try:
        if borrowed.family not in {socket.AF_INET, socket.AF_INET6} or borrowed.getsockname()[1] != port:
            return None
        peer = borrowed.getpeername()[0]  # this raises an OSError for a listening socket, which has no peer
        info = borrowed.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _INFO_BYTES)
    finally:
        borrowed.detach()  # the descriptor stays open: it belongs to the server
    (unacknowledged,) = _UNACKED.unpack_from(info)
    sent, received = _AGES.unpack_from(info)
    acknowledged, unsent, segments_in, segments_out = _COUNTS.unpack_from(info)
    return Connection(
        descriptor=descriptor,
        inode=inode,
        peer=subscriber(peer),
        received_ago=received / 1000,
        sent_ago=sent / 1000,
        acknowledged=acknowledged,
        unread=bool(unacknowledged or unsent),
        segments_in=segments_in,
        segments_out=segments_out,
    )
