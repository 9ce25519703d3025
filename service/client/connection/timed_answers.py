"""Connections to a server; a connection breaks off an answer that takes too long, even if its bytes keep coming."""

# DECISIONS 140

from http.client import HTTPResponse
from io import BufferedReader, RawIOBase
from math import inf
from socket import socket
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from urllib3 import HTTPConnectionPool, Timeout, connection_from_url
from urllib3.connection import HTTPConnection, HTTPSConnection

from service.clock import Clock

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


class TooSlow(Exception):
    """An answer did not come to its end in time."""


class Times(Struct):
    """How many seconds a server may be silent, and how many seconds an answer may take from its first byte on.

    A changed number applies from the next bytes of the answer on.
    """

    silent_seconds: float
    most_seconds: float


def connections(url: str, times: Times, clock: Clock) -> HTTPConnectionPool:
    """Return a pool of one connection to the server at *url*.

    Until the first byte of an answer only `silent_seconds` counts, so the wait of a long poll is no part of
    `most_seconds`. Reading an answer that is too slow raises `TooSlow`, and breaks the connection off.
    """

    class Answer(HTTPResponse):
        def __init__(self, sock: socket, *args: Any, **more: Any) -> None:  # noqa: ANN401 -- the library passes these
            super().__init__(sock, *args, **more)
            self.fp = BufferedReader(_TimedBytes(self.fp.detach(), sock, times, clock))

    class Plain(HTTPConnection):
        response_class = Answer

    class Secure(HTTPSConnection):
        response_class = Answer

    pool = connection_from_url(url, maxsize=1, block=True, retries=False, timeout=Timeout(times.silent_seconds))
    pool.ConnectionCls = Secure if pool.scheme == "https" else Plain
    return pool


class _TimedBytes(RawIOBase):
    """The bytes of one answer, as *raw* reads them from the connection *connected*."""

    def __init__(self, raw: RawIOBase, connected: socket, times: Times, clock: Clock) -> None:
        self._raw = raw
        self._connected = connected
        self._times = times
        self._clock = clock
        self._first_at: float | None = None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer", /) -> int | None:
        silent_seconds, left = self._times.silent_seconds, inf
        if self._first_at is not None:
            left = self._first_at + self._times.most_seconds - self._clock.monotonic()
        if left <= 0:
            raise TooSlow
        self._connected.settimeout(min(left, silent_seconds))
        try:
            count = self._raw.readinto(buffer)
        except TimeoutError as error:
            if left <= silent_seconds:
                raise TooSlow from error
            raise
        self._connected.settimeout(silent_seconds)  # for the next request over this connection
        if self._first_at is None:
            self._first_at = self._clock.monotonic()
        return count

    def close(self) -> None:
        self._raw.close()
        super().close()
