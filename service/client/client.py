"""A small client of the public API: one key, one connection, and commands that are safe to repeat."""

import re
from threading import Event
from typing import Final, Protocol, TypeVar
from urllib.parse import urlencode, urlsplit

import msgspec
import urllib3
from urllib3 import BaseHTTPResponse
from urllib3.exceptions import HTTPError

from service.client.client_errors import AnswerTooLong, ClientMisused, NotTheApi, Problem, ProblemBody, ServerGone
from service.clock import Clock

T = TypeVar("T")

_TIMEOUT_SECONDS: Final = 60.0  # longer than any long poll may last
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
_IDEMPOTENCY_KEY: Final = re.compile("[!-~]([ -~]{0,198}[!-~])?", re.ASCII)  # which the server demands


class Keeps(Protocol):
    """Keeps the receipts that a server gives."""

    def keep(self, client: "Client", path: str, data: bytes, idempotency_key: str) -> None:
        """Keep the receipt in *data*, the response to a POST to *path* with *idempotency_key*."""


class Client:
    """Sends requests to one server with one *key* ("": without a key, as a spectator). Not thread-safe.

    The client repeats a request if no response arrives, the server is busy, or a proxy can't reach the server. After
    *patience_seconds* without another response it raises `ServerGone`; it waits for each part of a response for a
    minute at most. A repeated command keeps its Idempotency-Key, so the server records the command at most once, even
    if a response was lost. Above a rate limit the client waits as long as the server asks, but at most a minute, and
    then repeats the request. If no waiting slot is free, the client raises `Problem`. It reads at most *most_bytes*
    of an answer.

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
        kept: Keeps | None = None,
    ) -> None:
        """Take the address of the server, such as ``http://127.0.0.1:8000``, and the key.

        Raises:
            ClientMisused: the address or the key is malformed.
        """
        self.url: Final = _address(url)
        _must_be_key(key)
        self._headers = {"Accept": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
        self._clock = clock
        self._kept = kept
        self._patience_seconds = patience_seconds
        self._most_bytes = most_bytes
        self._pool = urllib3.connection_from_url(
            self.url, maxsize=1, block=True, retries=False, timeout=urllib3.Timeout(_TIMEOUT_SECONDS)
        )

    def get(self, path: str, kind: type[T], **query: str | int | None) -> T:
        """Return the response to GET *path*, decoded as *kind*; members of *query* that are None are not sent.

        Raises:
            Problem: the server refused the request.
            ServerGone: the server did not respond, or was busy; its answer is not the API's (`NotTheApi`), or too long
                (`AnswerTooLong`).
        """
        given = {name: value for name, value in query.items() if value is not None}
        data = self._data("GET", path + (f"?{urlencode(given)}" if given else ""), None, {})
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
            Problem: the server refused the request, or *kept* could not get the keys of the log.
            ClientMisused: *idempotency_key* can't be sent; nothing was sent.
            ServerGone: as for `get`. If the command was recorded, a later call with the same *idempotency_key* returns
                its result.
            LogContradiction: the command was recorded, but the server contradicts what it has acknowledged (`KeptLog`).
            KeptFileError: the command was recorded, but its receipt can't be kept.
        """
        key = idempotency_key or self.new_key()
        if not _IDEMPOTENCY_KEY.fullmatch(key):
            raise ClientMisused("An Idempotency-Key must be 1 to 200 ASCII characters, without a space at either end.")
        headers = {"Content-Type": "application/json", "Idempotency-Key": key}
        data = self._data("POST", path, msgspec.json.encode(body), headers)
        if self._kept:
            self._kept.keep(self, path, data, key)
        return self._decoded(path, data, kind)

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
        status, data = self._answered(method, path, body, self._headers | headers)
        if status >= 400:  # noqa: PLR2004  # statuses from 400 on are errors
            raise Problem(status, _problem(data))
        return data

    def _answered(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> tuple[int, bytes]:
        """Return the status and the body of the answer, once the server is neither silent nor busy."""
        silent_since: float | None = None
        pause_seconds = _FIRST_PAUSE_SECONDS
        while True:
            try:
                response = self._pool.urlopen(method, path, body=body, headers=headers, preload_content=False)
                data = self._read(path, response)
                if response.status == _TOO_OFTEN:
                    Event().wait(_retry_after(response))
                    silent_since = None  # the server answered, so the silence is over
                    continue
                if response.status not in _BUSY or _problem(data).code == NO_WAITING_SLOT:
                    return response.status, data
                why = f"it is busy ({response.status})"
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
            HTTPError: the body did not come to its end.
        """
        data = bytearray()
        for piece in response.stream(_PIECE):
            data += piece
            if len(data) > self._most_bytes:
                response.close()
                response.release_conn()
                raise AnswerTooLong(
                    f"{self.url}{path} gave an answer of more than {self._most_bytes:,} bytes, the most that this "
                    "client accepts. If an answer may be as long, give the client a greater `most_bytes`."
                )
        return bytes(data)


def _address(url: str) -> str:
    """Return *url* without a slash at its end. Refuse a path: at the bare address another service could get the key."""
    try:
        parts = urlsplit(url.rstrip("/"))
        is_address = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError:
        is_address = False
    if not is_address or "@" in parts.netloc or parts.path or parts.query:
        raise ClientMisused(
            "The address of a server must be http://HOST:PORT or https://HOST, without a path or a user."
        )
    return url.rstrip("/")


def _must_be_key(key: str) -> None:
    """Check that *key* can be sent in a header. The message does not have the key."""
    if not all("!" <= character <= "~" for character in key):
        raise ClientMisused("A key must be one word of ASCII characters. Remove spaces and line ends around it.")


def _retry_after(response: BaseHTTPResponse) -> float:
    """Return the seconds to wait: the value of Retry-After, but at most a minute; without it, a short pause."""
    text = response.headers.get("Retry-After", "")
    asked = min(float(text), _LONGEST_WAIT_SECONDS) if text.isascii() and text.isdigit() else 0.0
    return max(asked, _FIRST_PAUSE_SECONDS)


def _problem(data: bytes) -> ProblemBody:
    try:
        return msgspec.json.decode(data, type=ProblemBody)
    except msgspec.DecodeError:
        return ProblemBody(title=data[:200].decode(errors="replace"))
