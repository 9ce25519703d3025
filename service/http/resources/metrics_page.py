"""Serves `/metrics`: to keys with the scope metrics or admin; without a key at a separate address (DECISIONS 51)."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import SHUT_RDWR, socket
from threading import BoundedSemaphore, Event, Thread, Timer
from typing import Any, Final

from flask import Blueprint, Response
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.registry import Collector

from service.clock import Clock
from service.http.operations.metrics import Metrics
from service.http.request.authentication import caller_with_scope
from service.http.request.services import Services, services
from service.ttl_cache import TtlCache

CACHE_SECONDS: Final = 3.0
_AGAIN_SECONDS: Final = 2.0
_PATH: Final = "/metrics"
CONNECTIONS: Final = 16
CONNECTION_SECONDS: Final = 5.0

scrapes = Blueprint("scrapes", __name__)


@scrapes.get(_PATH)
def get_metrics() -> Response:
    """Return all metrics in the text format of Prometheus."""
    caller_with_scope("metrics", "admin")
    response = Response(services().scrape(), content_type=CONTENT_TYPE_PLAIN_0_0_4)
    response.headers.update({"Cache-Control": "no-store", "Vary": "Authorization"})
    return response


def cached_scrape(metrics: Metrics, gauges: Sequence[Collector], clock: Clock) -> Callable[[], bytes]:
    """Return a function that returns *metrics* and *gauges* as text; the text is kept for `CACHE_SECONDS`."""
    return TtlCache(lambda: metrics.rendered(gauges), CACHE_SECONDS, clock).get


def listen(services: Services) -> None:
    """Start a thread that answers scrapes at the metrics port in the settings; do nothing if this port is 0.

    Only one process of a server can listen at this port, and the other processes keep trying. When the process that
    listens ends, another process takes over.
    """
    if services.settings.metrics_port:
        Thread(target=_listen, args=(services,), name="scrapes", daemon=True).start()


def _listen(services: Services) -> None:
    address = (services.settings.metrics_host, services.settings.metrics_port)
    while True:
        try:
            listening = server(address, services.scrape)
        except OSError:  # usually because another process listens at this port
            Event().wait(_AGAIN_SECONDS)
        else:
            listening.serve_forever()


def server(address: tuple[str, int], scrape: Callable[[], bytes]) -> ThreadingHTTPServer:
    """Return a server that listens at *address* and answers with *scrape*; the caller starts its loop.

    Raises:
        OSError: the server can't listen at *address*.
    """
    return _Server(address, partial(_Handler, scrape))


class _Server(ThreadingHTTPServer):
    """Keeps at most `CONNECTIONS` connections open, each for at most `CONNECTION_SECONDS`."""

    def __init__(self, *arguments: Any) -> None:  # noqa: ANN401 -- the library types them so
        self._slots = BoundedSemaphore(CONNECTIONS)
        super().__init__(*arguments)

    def process_request(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 -- the library types them so
        """Answer the request in a new thread, or close its connection if too many others are open."""
        if self._slots.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 -- the library types them so
        """Answer the request; end the connection after `CONNECTION_SECONDS`, even if the client is slow."""
        end = Timer(CONNECTION_SECONDS, _shut_down, (request,))
        end.daemon = True
        end.start()
        try:
            super().process_request_thread(request, client_address)
        finally:
            end.cancel()
            self._slots.release()


def _shut_down(connection: socket) -> None:
    with suppress(OSError):  # the connection is closed already
        connection.shutdown(SHUT_RDWR)


class _Handler(BaseHTTPRequestHandler):
    """Answers one scrape and closes the connection."""

    def __init__(self, scrape: Callable[[], bytes], *rest: Any) -> None:  # noqa: ANN401 -- the library types them so
        self._scrape = scrape
        super().__init__(*rest)

    def do_GET(self) -> None:
        """Send all metrics if the path is `/metrics`, and otherwise status 404."""
        is_known = self.path == _PATH
        text = self._scrape() if is_known else b""
        self.send_response(HTTPStatus.OK if is_known else HTTPStatus.NOT_FOUND)
        self.send_header("Content-Type", CONTENT_TYPE_PLAIN_0_0_4)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_: Any) -> None:  # noqa: ANN401 -- the library types them so
        """Write no log line: scrapes are frequent."""
