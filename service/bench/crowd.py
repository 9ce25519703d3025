"""Many clients in one thread: some follow a table by a stream, others wait for its events by repeated long polls."""

import heapq
import re
import socket
from collections import Counter
from contextlib import suppress
from http import HTTPStatus
from selectors import EVENT_READ, DefaultSelector
from threading import Thread
from typing import Final, Self

from service.clock import Clock

_STEP_SECONDS: Final = 0.05
_WAIT_SECONDS: Final = 30
_MOST_BYTES: Final = 262_144
_END_OF_HEAD: Final = b"\r\n\r\n"
_LENGTH: Final = re.compile(rb"content-length: (\d+)", re.IGNORECASE)
_RETRY: Final = re.compile(rb"retry-after: (\d+)", re.IGNORECASE)
_ID: Final = re.compile(rb"^id: (\d+)$", re.MULTILINE)


class _Stream:
    """A client that reads a stream, and records in *arrivals*, if given, when each position first arrived."""

    def __init__(self, crowd: "Crowd", arrivals: dict[int, float] | None) -> None:
        self._crowd = crowd
        self._arrivals = arrivals

    def read(self, _connection: socket.socket, data: bytes) -> None:
        """Read a part of the stream."""
        self._crowd.bytes_read += len(data)
        if self._arrivals is not None:
            now = self._crowd.clock.monotonic()
            for found in _ID.finditer(data):
                self._arrivals.setdefault(int(found[1]), now)


class _Poll:
    """A client that repeats the same long poll; after a refusal it waits as long as Retry-After says."""

    def __init__(self, crowd: "Crowd", request: bytes) -> None:
        self._crowd = crowd
        self._request = request
        self._came = b""

    def read(self, connection: socket.socket, data: bytes) -> None:
        """Read a part of a response; at the end of the response, schedule the next request."""
        self._came += data
        head, end, body = self._came.partition(_END_OF_HEAD)
        length = _LENGTH.search(head)
        if not end or length is None or len(body) < int(length[1]):
            return
        self._came = b""
        status = int(head[9:12])
        self._crowd.statuses[status] += 1
        retry = _RETRY.search(head) if status != HTTPStatus.OK else None
        self._crowd.send_later(connection, self._request, float(retry[1]) if retry else 0.0)


class Crowd:
    """Clients of the server at *authority* with the API key *key*; in a `with` block a thread reads their responses."""

    def __init__(self, authority: str, key: str, clock: Clock) -> None:
        host, _, port = authority.partition(":")
        self.clock: Final = clock
        self.statuses: Counter[int] = Counter()
        self.bytes_read = 0
        self._address = (host, int(port))
        self._head = f"Host: {authority}\r\nAuthorization: Bearer {key}\r\n"
        self._selector = DefaultSelector()
        self._later: list[tuple[float, int, bytes]] = []
        self._connections: dict[int, socket.socket] = {}
        self._has_ended = False
        self._thread = Thread(target=self._run, daemon=True)

    def follow(self, table: str, after: int, arrivals: dict[int, float] | None = None) -> None:
        """Let another client follow the events of *table* after the position *after*."""
        request = (
            f"GET /v1/tables/{table}/events?after={after} HTTP/1.1\r\n{self._head}Accept: text/event-stream\r\n\r\n"
        )
        self._add(request.encode(), _Stream(self, arrivals))

    def wait(self, table: str, after: int) -> None:
        """Let another client wait for an event of *table* after the position *after*, again and again.

        The first waits of the clients have different lengths, from 1 to 30 s, so that the later polls of the clients do
        not all begin at the same time.
        """
        first, request = (
            f"GET /v1/tables/{table}/events?after={after}&wait={seconds} HTTP/1.1\r\n{self._head}\r\n".encode()
            for seconds in (1 + len(self._connections) % _WAIT_SECONDS, _WAIT_SECONDS)
        )
        self._add(first, _Poll(self, request))

    def send_later(self, connection: socket.socket, request: bytes, seconds: float) -> None:
        """Send *request* after *seconds*."""
        heapq.heappush(self._later, (self.clock.monotonic() + seconds, connection.fileno(), request))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._has_ended = True
        self._thread.join()
        for connection in self._connections.values():
            connection.close()
        self._selector.close()

    def _add(self, request: bytes, client: _Stream | _Poll) -> None:
        connection = socket.create_connection(self._address, timeout=60)
        connection.sendall(request)
        connection.setblocking(False)  # noqa: FBT003 -- the parameter is positional-only
        self._connections[connection.fileno()] = connection
        self._selector.register(connection, EVENT_READ, client)

    def _run(self) -> None:
        while not self._has_ended:
            for key, _ in self._selector.select(_STEP_SECONDS):
                connection = self._connections[key.fd]
                try:
                    data = connection.recv(_MOST_BYTES)
                except BlockingIOError:
                    continue
                except OSError:
                    data = b""
                if data:
                    key.data.read(connection, data)
                else:
                    self._selector.unregister(connection)
            now = self.clock.monotonic()
            while self._later and self._later[0][0] <= now:
                _, descriptor, request = heapq.heappop(self._later)
                with suppress(OSError):  # the server has closed the connection; the loop above notices this
                    self._connections[descriptor].sendall(request)
