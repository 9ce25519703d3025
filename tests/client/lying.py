"""A service over HTTP that lies: it changes its own responses before a client gets them."""

# ruff: noqa: ANN401 -- WSGI has no types

import re
import shutil
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from tests.http.service import Service, Table, running, serving

Lie = Callable[[bytes], bytes | tuple[int, bytes]]
"""Returns another body instead of a response's body, or another status and another body."""


class Liar:
    """Changes each successful response of *app* to a request whose method and path match a pattern in `lies`."""

    def __init__(self, app: Any) -> None:
        self._app = app
        self.lies: dict[str, Lie] = {}
        self.answered: list[tuple[str, str]] = []
        """The method and path of each POST, and its Idempotency-Key."""

    def __call__(self, environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        began: list[Any] = []
        body = b"".join(self._app(environ, lambda *given: began.extend(given)))
        status, headers = began[:2]
        asked = f"{environ['REQUEST_METHOD']} {environ['PATH_INFO']}"
        if asked.startswith("POST"):
            self.answered.append((asked, environ.get("HTTP_IDEMPOTENCY_KEY", "")))
        lie = next((lie for pattern, lie in self.lies.items() if re.search(pattern, asked)), None)
        if lie and status.startswith("2"):
            said = lie(body)
            status, body = (f"{said[0]} LIE", said[1]) if isinstance(said, tuple) else (status, said)
            headers = [(name, value) for name, value in headers if name.lower() != "content-length"]
            headers.append(("Content-Length", str(len(body))))
        start(status, headers)
        return [body]


@contextmanager
def lying(service: Service) -> Iterator[tuple[Liar, str]]:
    """Serve *service*; yield the `Liar` that changes its responses, and its URL."""
    app: Any = service.app
    honest = app.wsgi_app
    app.wsgi_app = liar = Liar(honest)
    try:
        with serving(service) as url:
            yield liar, url
    finally:
        app.wsgi_app = honest


def grow(service: Service) -> None:
    """Add a table without players to the log, and publish a checkpoint."""
    Table(service, 2)
    service.keep_log()


def copied(service: Service, folder: Path, to: Path) -> Path:
    """Copy the files and the database of *service* from *folder* to the new folder *to*, and return this folder."""
    shutil.copytree(folder, to)
    path = service.parts.settings.database_url.removeprefix("sqlite:///")
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(to / "copy.db")) as copy:
        source.backup(copy)
    return to


@contextmanager
def restored(folder: Path) -> Iterator[Service]:
    """Run the copy of a service in *folder*."""
    with running(folder, f"sqlite:///{folder / 'copy.db'}") as service:
        yield service
