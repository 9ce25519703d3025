"""A TCP proxy that counts bytes, and cuts a connection or stops passing bytes at a chosen byte."""

import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from enum import Enum
from threading import Condition, Lock, Thread
from typing import Final, NamedTuple, TypeAlias

Address: TypeAlias = "str | tuple[str, int]"
"""The path of a Unix socket, or host and port."""

_CUT_AT_ONCE: Final = struct.pack("ii", 1, 0)


class Way(Enum):
    """The direction of bytes."""

    THERE = "to the server"
    BACK = "to the client"


class Fault(NamedTuple):
    """A fault after *after_bytes* bytes in the direction *way*: the proxy cuts the connection, or stalls.

    Counting starts immediately or, if *since* is not empty, where these bytes begin in the stream to the server.
    """

    way: Way
    after_bytes: int
    is_cut: bool = True
    since: bytes = b""


class FaultyProxy:
    """Accepts connections at `port` of this machine, and passes their bytes on to *server*."""

    def __init__(self, server: Address) -> None:
        self._server = server
        self._lock = Lock()
        self._mended = Condition(self._lock)
        self._fault: Fault | None = None
        self._since = dict.fromkeys(Way, 0)
        self.has_failed = False
        self._open: set[socket.socket] = set()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        Thread(target=self._take, daemon=True).start()

    def count(self, fault: Fault | None = None) -> None:
        """Restart the count, end a stall, and set the next *fault*, which hits the connection with the chosen byte."""
        with self._lock:
            self._since = dict.fromkeys(Way, 0)
            self._fault = fault
            self.has_failed = False
            self._mended.notify_all()

    @property
    def passed(self) -> dict[Way, int]:
        """The number of bytes each way since the count started."""
        with self._lock:
            return dict(self._since)

    def close(self) -> None:
        self.count()
        self._listener.close()
        with self._lock:
            for one in self._open:
                _cut(one)

    def _take(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:  # the listener is closed
                return
            server = socket.socket(socket.AF_UNIX if isinstance(self._server, str) else socket.AF_INET)
            try:
                server.connect(self._server)
            except OSError:  # the server takes no connection now, so the client gets none either
                _cut(client)
                server.close()
                continue
            with self._lock:
                self._open |= {client, server}
            for way, source, target in ((Way.THERE, client, server), (Way.BACK, server, client)):
                Thread(target=self._pass_on, args=(way, source, target), daemon=True).start()

    def _pass_on(self, way: Way, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):  # the connection is cut
            while data := source.recv(65_536):
                passes, failed = self._counted(way, data)
                target.sendall(passes)
                if failed is not None and failed.is_cut:
                    break
                if failed is not None:
                    self._wait_until_mended()
                    target.sendall(data[len(passes) :])
        for one in (source, target):
            _cut(one)

    def _counted(self, way: Way, data: bytes) -> tuple[bytes, Fault | None]:
        """Count *data*; return the part of it to pass on, and the fault that follows, if any."""
        with self._lock:
            fault, before = self._fault, self._since[way]
            self._since[way] = before + len(data)
            if fault is not None and fault.since:
                begin = data.find(fault.since) if way is Way.THERE else -1
                if begin < 0:
                    return data, None
                passed = before + begin if fault.way is Way.THERE else self._since[Way.BACK]
                fault = self._fault = Fault(fault.way, passed + fault.after_bytes, fault.is_cut)
            if fault is None or fault.way is not way or before + len(data) <= fault.after_bytes:
                return data, None
            self._fault = None
            self.has_failed = True
            return data[: fault.after_bytes - before], fault

    def _wait_until_mended(self) -> None:
        with self._lock:
            self._mended.wait()


@contextmanager
def proxy_to(server: Address) -> Iterator[FaultyProxy]:
    """Yield a proxy to *server*, and cut all its connections afterwards."""
    made = FaultyProxy(server)
    try:
        yield made
    finally:
        made.close()


def _cut(one: socket.socket) -> None:
    """Reset a connection: the other side can read nothing more."""
    with suppress(OSError):
        one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _CUT_AT_ONCE)
    with suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)
    one.close()
