"""A proxy that loses requests and responses, doubles and delays requests, and sends copies of some requests later."""

import random
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from enum import Enum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from typing import Any, Final, NamedTuple

import urllib3
from urllib3 import BaseHTTPResponse

from tests.once.clients import Person

LATE_COPIES: Final = 20  # at most this many copies wait: if there is one more, the proxy sends a random copy
LONGEST_DELAY_SECONDS: Final = 0.2

_OF_THE_WAY: Final = frozenset({"connection", "content-length", "transfer-encoding", "date", "server"})


class Fate(Enum):
    """The ways in which the proxy treats a request."""

    PASSED = "passed"
    LOST = "lost"
    ANSWER_LOST = "its answer lost"
    DOUBLED = "doubled"
    DELAYED = "delayed"
    COPIED = "sent again much later"


_WEIGHTS: Final = {Fate.PASSED: 10, **dict.fromkeys(set(Fate) - {Fate.PASSED}, 2)}


class _Request(NamedTuple):
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class Careless:
    """Passes requests on to *server*; *chance* draws the fate of each request, and `fates` counts these fates."""

    def __init__(self, server: str, chance: random.Random) -> None:
        self.fates: Counter[Fate] = Counter()
        self.wrong: list[str] = []
        self._chance = chance
        self._lock = Lock()
        self._copies: list[tuple[_Request, bytes]] = []
        self._pool = urllib3.connection_from_url(server, maxsize=32, retries=False, timeout=60.0)
        self._threads = ThreadPoolExecutor(32)
        self._listener = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self.url = f"http://127.0.0.1:{self._listener.server_address[1]}"
        Thread(target=self._listener.serve_forever, daemon=True).start()

    def close(self) -> None:
        """Send all waiting copies, then stop the proxy."""
        for request, first in self._copies:
            self._send_copy(request, first)
        self._listener.shutdown()
        self._listener.server_close()
        self._threads.shutdown()
        self._pool.close()

    def pass_on(self, request: _Request) -> BaseHTTPResponse | None:
        """Draw the fate of *request* and act on it; return the response for the client, or None for no response."""
        with self._lock:
            fate = self._chance.choices(list(_WEIGHTS), list(_WEIGHTS.values()))[0]
            delay_seconds = self._chance.uniform(0, LONGEST_DELAY_SECONDS)
            self.fates[fate] += 1
        if fate is Fate.LOST:
            return None
        if fate is Fate.DELAYED:
            Event().wait(delay_seconds)
        if fate is Fate.DOUBLED:
            # Another client may act between the two requests, so that only one is accepted: return its response.
            answers = list(self._threads.map(self._send, [request, request]))
            return min(answers, key=lambda one: one.status)
        answer = self._send(request)
        if fate is Fate.COPIED and request.method == "POST" and answer.status in {200, 201}:
            self._copy_later(request, answer.data)
        return None if fate is Fate.ANSWER_LOST else answer

    def _send(self, request: _Request) -> BaseHTTPResponse:
        return self._pool.urlopen(request.method, request.path, body=request.body, headers=request.headers)

    def _copy_later(self, request: _Request, first: bytes) -> None:
        """Keep a copy of *request*; if too many copies wait, send a random copy."""
        with self._lock:
            self._copies.append((request, first))
            if len(self._copies) <= LATE_COPIES:
                return
            late = self._copies.pop(self._chance.randrange(len(self._copies)))
        self._send_copy(*late)

    def _send_copy(self, request: _Request, first: bytes) -> None:
        answer = self._send(request)
        while answer.status == 503:
            Event().wait(0.05)
            answer = self._send(request)
        if answer.data != first or "Idempotent-Replayed" not in answer.headers:
            self.wrong.append(f"{request}: {first!r}, and later {answer.data!r}")


@contextmanager
def careless(server: str, chance: random.Random) -> Iterator[Careless]:
    """Yield a proxy to *server*; fail unless each late copy of a command gets a replay of the first response."""
    made = Careless(server, chance)
    try:
        yield made
    finally:
        made.close()
    assert made.wrong == []


class Doubtful(Person):
    """A client that accepts a replay as the response to any request, since the proxy may have doubled the request."""

    def _ask(self, *asked: Any) -> Any:  # noqa: ANN401 -- the arguments are only passed on
        self.in_doubt += 1
        return super()._ask(*asked)


def _handler(proxy: Careless) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._answer()

        def do_POST(self) -> None:
            self._answer()

        def log_message(self, *_: object) -> None:
            pass

        def _answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            headers = {name: value for name, value in self.headers.items() if name.lower() not in _OF_THE_WAY}
            answer = proxy.pass_on(_Request(self.command, self.path, headers, body))
            if answer is None:
                self.close_connection = True
                return
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                if name.lower() not in _OF_THE_WAY:
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(answer.data)))
            self.end_headers()
            self.wfile.write(answer.data)

    return Handler
