"""A small client of the public API: one key, one connection, and commands that are safe to repeat."""

from collections.abc import Iterator
from contextlib import closing
from math import inf
from threading import Event
from typing import Final, Protocol, TypeVar

import msgspec
from urllib3 import BaseHTTPResponse, HTTPConnectionPool
from urllib3.exceptions import HTTPError

from service.client.client_errors import (
    AnswerTooLong,
    AnswerTooSlow,
    NotTheApi,
    Problem,
    ProblemBody,
    ServerGone,
)
from service.client.connection import request_parts
from service.client.connection.sent_messages import SentMessage, SentMessages
from service.client.connection.timed_answers import Times, TooSlow, connections
from service.clock import Clock

T = TypeVar("T")

_SILENT_SECONDS: Final = 60.0  # longer than any long poll may last
_MOST_SECONDS: Final = 300.0
_SILENT_STREAM_SECONDS: Final = 15.0  # The server sends a heartbeat every two seconds.
_BUSY: Final = frozenset({502, 503, 504})
"""A busy server answers 503; a proxy answers 502 or 504 if it can't reach the server, for example during a restart."""
_CLOCK: Final = Clock()
_TOO_OFTEN: Final = 429
NO_WAITING_SLOT: Final = "place_must_be_free"
"""The problem code if no waiting slot is free at the server. The client may send the request without `wait` instead."""
_LONGEST_WAIT_SECONDS: Final = 60.0
_FIRST_PAUSE_SECONDS: Final = 0.05
_LONGEST_PAUSE_SECONDS: Final = 1.0
_MOST_BYTES: Final = 64 * 1024**2
_PIECE: Final = 64 * 1024
_STREAM: Final = "text/event-stream"
_OK: Final = 200


class Keeps(Protocol):
    """Keeps the receipts that a server gives."""

    def keep(self, client: "Client", path: str, data: bytes, idempotency_key: str) -> None:
        """Keep the receipt in *data*, the response to a POST to *path* with *idempotency_key*."""


class Client:
    """Sends requests to one server with one *key* ("": without a key, as a spectator). Not thread-safe.

    The client repeats a request if no response arrives, the server is busy, or a proxy can't reach the server. If this
    lasts for *patience_seconds*, the client raises `ServerGone`. It waits at most a minute for the next bytes of a
    response. A repeated command keeps its Idempotency-Key, so the server records the command at most once, even if a
    response was lost. Above a rate limit the client waits as long as the server asks, but at most a minute, and then
    repeats the request. If no waiting slot is free, the client raises `Problem`. An answer may have at most
    *most_bytes*, and must be complete *most_seconds* after its first byte. The wait of a long poll is before the first
    byte, so it does not count.

    *kept* keeps the receipt of each command before the response is returned, and checks the log (`KeptLog`).
    """

    def __init__(  # noqa: PLR0913 -- the settings of a client have defaults
        self,
        url: str,
        key: str,
        clock: Clock = _CLOCK,
        *,
        patience_seconds: float = 10.0,
        most_bytes: int = _MOST_BYTES,
        most_seconds: float = _MOST_SECONDS,
        kept: Keeps | None = None,
    ) -> None:
        """Take the address of the server, such as ``http://127.0.0.1:8000``, and the key.

        Raises:
            ClientMisused: the address or the key is malformed.
        """
        self.url: Final = request_parts.address(url)
        request_parts.must_be_key(key)
        self._headers = {"Accept": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
        self._clock = clock
        self._kept = kept
        self._patience_seconds = patience_seconds
        self._most_bytes = most_bytes
        self._most_seconds = most_seconds
        self._pool = connections(self.url, Times(_SILENT_SECONDS, most_seconds), clock)

    def get(self, path: str, kind: type[T], **query: str | int | None) -> T:
        """Return the response to GET *path*, decoded as *kind*; members of *query* that are None are not sent.

        Raises:
            Problem: the server refused the request.
            ServerGone: the server did not respond, or was busy; or its answer is not the API's (`NotTheApi`), too long
                (`AnswerTooLong`), or too slow (`AnswerTooSlow`).
        """
        data = self._data("GET", request_parts.with_query(path, query), None, {})
        return self._decoded(path, data, kind)

    def download(self, path: str) -> bytes:
        """Return the response to GET *path*, a file.

        Raises:
            Problem, ServerGone: as for `get`.
        """
        return self._data("GET", path, None, {"Accept": "*/*"})

    def post(self, path: str, kind: type[T], body: object, *, idempotency_key: str = "") -> T:
        """Return the response to POST *path* with *body*, decoded as *kind*.

        The request has the Idempotency-Key *idempotency_key* ("": a new key); a repeated request has the same key.

        Raises:
            Problem: the server refused the request; or the command was recorded, but the server refused the request of
                *kept* for the keys of the log.
            ClientMisused: *idempotency_key* can't be sent; nothing was sent.
            ServerGone: as for `get`. If the command was recorded, a later call with the same *idempotency_key* returns
                its result.
            LogContradiction: the server accepted the command, but contradicts what it has acknowledged (`KeptLog`).
            KeptFileError: the server accepted the command, but the file of receipts can't be used, or is damaged.
        """
        key = idempotency_key or self.new_key()
        request_parts.must_be_idempotency_key(key)
        headers = {"Content-Type": "application/json", "Idempotency-Key": key}
        data = self._data("POST", path, msgspec.json.encode(body), headers)
        if self._kept:
            self._kept.keep(self, path, data, key)
        return self._decoded(path, data, kind)

    def stream(self, path: str, last_id: str = "", **query: str | int | None) -> Iterator[SentMessage]:
        """Yield the Server-Sent Events of GET *path*, until the response ends or the connection is lost.

        *last_id* is sent as Last-Event-ID. The response has a connection of its own, so the client may send other
        requests meanwhile. The connection counts as lost if the server, which sends heartbeats, is silent for 15
        seconds. The limits of an answer apply to each message.

        Raises:
            Problem, ServerGone: as for `get`.
        """
        path = request_parts.with_query(path, query)
        headers = self._headers | {"Accept": _STREAM} | ({"Last-Event-ID": last_id} if last_id else {})
        times = Times(_SILENT_SECONDS, self._most_seconds)
        with closing(connections(self.url, times, self._clock)) as pool:
            response, data = self._answered(pool, "GET", path, None, headers, is_stream=True)
            with closing(response):
                _must_be_accepted(response, data)
                if response.status == _OK and not _is_stream(response):
                    raise NotTheApi(f"{self.url}{path} gave an answer that is no stream of events of Chiptrail's API.")
                times.silent_seconds, times.most_seconds = _SILENT_STREAM_SECONDS, inf
                yield from self._messages(path, response)

    def new_key(self) -> str:
        """Return a new Idempotency-Key."""
        return self._clock.new_id("try")

    def close(self) -> None:
        """Close the connection."""
        self._pool.close()

    def _decoded(self, path: str, data: bytes, kind: type[T]) -> T:
        try:
            return msgspec.json.decode(data, type=kind)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise NotTheApi(f"{self.url}{path} gave an answer that is not from Chiptrail's API: {error}") from error

    def _data(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> bytes:
        response, data = self._answered(self._pool, method, path, body, self._headers | headers)
        _must_be_accepted(response, data)
        return data

    def _answered(  # noqa: PLR0913 -- these are the parts of a request
        self,
        pool: HTTPConnectionPool,
        method: str,
        path: str,
        body: bytes | None,
        headers: dict[str, str],
        *,
        is_stream: bool = False,
    ) -> tuple[BaseHTTPResponse, bytes]:
        """Return the answer and its body, but not the body of a stream.

        While the server is silent, is busy or limits the rate, repeat the request; but if no waiting slot is free,
        return the answer that says so.

        Raises:
            ServerGone: as for `get`.
        """
        silent_since: float | None = None
        pause_seconds = _FIRST_PAUSE_SECONDS
        while True:
            try:
                response = pool.urlopen(method, path, body=body, headers=headers, preload_content=False)
                data = b"" if is_stream and _is_stream(response) else self._read(path, response)
                if response.status == _TOO_OFTEN:
                    Event().wait(_retry_after(response))
                    silent_since = None  # the server answered, so the silence is over
                    continue
                if response.status not in _BUSY or _problem(data).code == NO_WAITING_SLOT:
                    return response, data
                why = f"it is busy ({response.status})"
            except TooSlow as error:
                raise self._too_slow(path) from error
            except HTTPError as error:
                why = str(error)
            now = self._clock.monotonic()
            silent_since = now if silent_since is None else silent_since
            if now - silent_since >= self._patience_seconds:
                raise ServerGone(f"{self.url} gave no answer for {self._patience_seconds:g} seconds: {why}")
            Event().wait(pause_seconds)
            pause_seconds = min(2 * pause_seconds, _LONGEST_PAUSE_SECONDS)

    def _read(self, path: str, response: BaseHTTPResponse) -> bytes:
        """Return the body of *response*.

        Raises:
            AnswerTooLong: the body is longer than the client accepts; its rest is not read.
            TooSlow: the body did not come to its end in time.
            HTTPError: the connection ended, or was silent for too long, before the end of the body.
        """
        data = bytearray()
        for piece in response.stream(_PIECE):
            data += piece
            if len(data) > self._most_bytes:
                response.close()
                response.release_conn()
                raise AnswerTooLong(
                    f"{self.url}{path} gave an answer of more than {self._most_bytes:,} bytes, the most that this "
                    "client accepts. If an answer may be that long, give the client a greater `most_bytes`."
                )
        return bytes(data)

    def _messages(self, path: str, response: BaseHTTPResponse) -> Iterator[SentMessage]:
        """Yield the messages of *response*.

        Raises:
            AnswerTooSlow: a message did not come to its end in time.
            AnswerTooLong: a message is longer than the client accepts.
        """
        messages, since = SentMessages(self._most_bytes), self._clock.monotonic()
        try:
            while piece := response.read1(_PIECE):
                has_found = False
                for message in messages.found(piece):
                    has_found = True
                    yield message
                now = self._clock.monotonic()
                if has_found or not messages.is_amid:
                    since = now
                elif now - since > self._most_seconds:
                    raise self._too_slow(path)
        except HTTPError:
            return  # The connection is lost.

    def _too_slow(self, path: str) -> AnswerTooSlow:
        return AnswerTooSlow(
            f"{self.url}{path} gave an answer that was not complete {self._most_seconds:g} seconds after its first"
            " byte. If an answer may take that long, give the client more `most_seconds`."
        )


def _must_be_accepted(response: BaseHTTPResponse, data: bytes) -> None:
    if response.status >= 400:  # noqa: PLR2004  # statuses from 400 on are errors
        raise Problem(response.status, _problem(data))


def _is_stream(response: BaseHTTPResponse) -> bool:
    return response.status == _OK and response.headers.get("Content-Type", "").startswith(_STREAM)


def _retry_after(response: BaseHTTPResponse) -> float:
    """Return the seconds to wait: the number in Retry-After, but at most a minute, and at least a short pause."""
    text = response.headers.get("Retry-After", "")
    asked = min(float(text), _LONGEST_WAIT_SECONDS) if text.isascii() and text.isdigit() else 0.0
    return max(asked, _FIRST_PAUSE_SECONDS)


def _problem(data: bytes) -> ProblemBody:
    try:
        return msgspec.json.decode(data, type=ProblemBody)
    except msgspec.DecodeError:
        return ProblemBody(title=data[:200].decode(errors="replace"))
