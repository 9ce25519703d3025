"""`/metrics`: for a key that may read it, and at an address of its own without a key."""

from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any, Final

from flask import Blueprint, Response
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

from service.entropy import Entropy
from service.http.operations.metrics import Heads, Metrics
from service.http.request.caller import asker_with
from service.http.request.services import Parts, here
from service.ttl_cache import TtlCache

REMEMBERED_SECONDS: Final = 3.0
_AGAIN_SECONDS: Final = 2.0
_PATH: Final = "/metrics"

scrapes = Blueprint("scrapes", __name__)


@scrapes.get(_PATH)
def get_metrics() -> Response:
    """Tell Prometheus what was counted, and where the log stands."""
    asker_with("metrics", "admin")
    response = Response(here().scrape(), content_type=CONTENT_TYPE_PLAIN_0_0_4)
    response.headers.update({"Cache-Control": "no-store", "Vary": "Authorization"})
    return response


def remembered(metrics: Metrics, heads: Heads, entropy: Entropy) -> Callable[[], bytes]:
    """Return what answers scrapes: the text is written once in a few seconds, however often it is asked for."""
    return TtlCache(lambda: metrics.told(heads), REMEMBERED_SECONDS, entropy).get


def listen(parts: Parts) -> None:
    """Answer scrapes at the address that the settings name, if any, as long as this process lives.

    Of the processes of a server one does so. The others try again and again to be the next.
    """
    if parts.settings.metrics_port:
        Thread(target=_listen, args=(parts,), name="scrapes", daemon=True).start()


def _listen(parts: Parts) -> None:
    address = (parts.settings.metrics_host, parts.settings.metrics_port)
    while True:
        try:
            server = ThreadingHTTPServer(address, partial(_Handler, parts.scrape))
        except OSError:  # another process answers there
            Event().wait(_AGAIN_SECONDS)
        else:
            server.serve_forever()


class _Handler(BaseHTTPRequestHandler):
    """Answers one scrape, and closes the connection; one that sends nothing is closed soon."""

    timeout = 5

    def __init__(self, scrape: Callable[[], bytes], *rest: Any) -> None:  # noqa: ANN401 -- the library's own
        self._scrape = scrape
        super().__init__(*rest)

    def do_GET(self) -> None:
        """Answer with all metrics."""
        found = self.path == _PATH
        text = self._scrape() if found else b""
        self.send_response(HTTPStatus.OK if found else HTTPStatus.NOT_FOUND)
        self.send_header("Content-Type", CONTENT_TYPE_PLAIN_0_0_4)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_: Any) -> None:  # noqa: ANN401 -- the library's own
        """Write no line: scrapes come again and again."""
