"""A small client of the public API: one key, one kept connection, and commands that are safe to repeat."""

from threading import Event
from typing import Final, TypeVar
from urllib.parse import urlencode

import msgspec
import urllib3
from msgspec import Struct
from urllib3 import BaseHTTPResponse
from urllib3.exceptions import HTTPError

from service.clock import Clock

T = TypeVar("T")

_TIMEOUT_SECONDS: Final = 60.0  # above the longest wait that a long poll may ask for
_BUSY: Final = 503
_TOO_OFTEN: Final = 429
NO_WAITING_SLOT: Final = "place_must_be_free"
"""The code of the problem that all places for those who wait are taken: what is there now may be asked for."""
_LONGEST_WAIT_SECONDS: Final = 60.0
_FIRST_PAUSE_SECONDS: Final = 0.05
_LONGEST_PAUSE_SECONDS: Final = 1.0


class ServerGone(Exception):
    """The server has given no answer for as long as this client is patient."""


class Problem(Exception):
    """The server refused: *status* and *code* say how, *detail* why, *rule* by which rule of the game."""

    def __init__(self, status: int, body: "ProblemBody") -> None:
        wrong = "".join(f" {one.message}" for one in body.errors)
        super().__init__(f"{status} {body.code}: {body.detail or body.title}{wrong}")
        self.status = status
        self.code = body.code
        self.detail = body.detail
        self.rule = body.rule


class ErrorItem(Struct, frozen=True):
    """One thing that is wrong with a request."""

    message: str = ""


class ProblemBody(Struct, frozen=True):
    """The members of problem details that a program acts on, or tells."""

    code: str = ""
    title: str = ""
    detail: str = ""
    rule: str = ""
    errors: tuple[ErrorItem, ...] = ()


class Client:
    """Asks one server under one *key*; "" asks as a spectator. It is used by one thread at a time.

    A request that got no answer, or was told that the server is busy, is made again, a command under
    the same Idempotency-Key: so it happens once, whatever was lost on the way. After *patience_seconds*
    without an answer `ServerGone` is raised. Told to ask less often, it waits as long as it is told to.
    """

    def __init__(self, url: str, key: str, clock: Clock, *, patience_seconds: float = 10.0) -> None:
        self.url: Final = url.rstrip("/")
        self._headers = {"Accept": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
        self._clock = clock
        self._patience_seconds = patience_seconds
        self._pool = urllib3.connection_from_url(
            self.url, maxsize=1, block=True, retries=False, timeout=urllib3.Timeout(_TIMEOUT_SECONDS)
        )

    def get(self, path: str, kind: type[T], **query: str | int | None) -> T:
        """Read *path* as a *kind*; a query member that is None is left out.

        Raises:
            Problem: the server refused.
            ServerGone: it gave no answer.
        """
        asked = {name: value for name, value in query.items() if value is not None}
        return self._ask("GET", path + (f"?{urlencode(asked)}" if asked else ""), kind)

    def post(self, path: str, kind: type[T], body: object, *, idempotency_key: str = "") -> T:
        """Have *body* done at *path*, once, under the *idempotency_key* or a fresh one.

        Raises:
            Problem: the server refused; nothing has happened.
            ServerGone: it gave no answer; the same call, made again later, finds out what happened.
        """
        headers = {
            "Content-Type": "application/json",
            "Idempotency-Key": idempotency_key or self._clock.new_id("try"),
        }
        return self._ask("POST", path, kind, msgspec.json.encode(body), headers)

    def close(self) -> None:
        """Let the connection go."""
        self._pool.close()

    def _ask(
        self, method: str, path: str, kind: type[T], body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> T:
        response = self._answered(method, path, body, self._headers | (headers or {}))
        if response.status >= 400:  # noqa: PLR2004  # HTTP's own number.
            raise Problem(response.status, _problem(response.data))
        return msgspec.json.decode(response.data, type=kind)

    def _answered(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> BaseHTTPResponse:
        silent_since: float | None = None
        pause_seconds = _FIRST_PAUSE_SECONDS
        while True:
            try:
                response = self._pool.urlopen(method, path, body=body, headers=headers)
                if response.status == _TOO_OFTEN:
                    Event().wait(_asked_to_wait(response))
                    silent_since = None  # it did answer, and says when it will do more
                    continue
                if response.status != _BUSY or _problem(response.data).code == NO_WAITING_SLOT:
                    return response
                why = f"it is busy ({response.status})"
            except HTTPError as error:
                why = str(error)
            now = self._clock.monotonic()
            silent_since = now if silent_since is None else silent_since
            if now - silent_since >= self._patience_seconds:
                raise ServerGone(f"{self.url} gave no answer for {self._patience_seconds:g} seconds: {why}")
            Event().wait(pause_seconds)
            pause_seconds = min(2 * pause_seconds, _LONGEST_PAUSE_SECONDS)


def _asked_to_wait(response: BaseHTTPResponse) -> float:
    """Return the seconds that Retry-After asks for, within reason."""
    text = response.headers.get("Retry-After", "")
    return min(float(text), _LONGEST_WAIT_SECONDS) if text.isascii() and text.isdigit() else _FIRST_PAUSE_SECONDS


def _problem(data: bytes) -> ProblemBody:
    try:
        return msgspec.json.decode(data, type=ProblemBody)
    except msgspec.DecodeError:
        return ProblemBody(title=data[:200].decode(errors="replace"))
