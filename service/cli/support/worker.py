"""A process that answers requests and keeps time; it does not outlive the process that started it."""

import gc
import multiprocessing
import os
import signal
from collections.abc import Callable
from functools import partial
from multiprocessing.connection import Connection
from threading import Event, Thread, Timer
from typing import Final
from wsgiref.types import WSGIApplication

import structlog
from sqlalchemy import Engine

from service.database.engines import require_file, require_same_file
from service.database.sqlite_file import DatabaseFile, DatabaseWasReplaced
from service.play.timekeeper import Timekeeper
from service.settings import Settings

_GRACE_SECONDS = 5.0
_LOOK_SECONDS = 0.5
_LOG: Final = structlog.get_logger("service.worker")


def loader(settings: Settings, stopping: Connection, file: DatabaseFile | None) -> Callable[[], WSGIApplication]:
    """Return what makes the app in a worker, which lets nobody wait any more once it is *stopping*."""
    return partial(_load, settings, stopping, file)


def _load(settings: Settings, stopping: Connection, file: DatabaseFile | None) -> WSGIApplication:
    Thread(target=_end_with_parent, name="end-with-parent", daemon=True).start()
    # No other command needs the web, which takes long to import.
    from service import app  # noqa: PLC0415
    from service.http.operations import connections  # noqa: PLC0415
    from service.http.resources import metrics_page  # noqa: PLC0415

    parts = app.build(settings)
    if file is not None:
        require_file(parts.engine, file)
    each = 0 if settings.proxies else settings.connections_per_address  # behind a proxy all come from its address
    connections.watch(
        settings.port, connections.ConnectionLimits(each, settings.body_seconds), parts.in_flight, parts.clock
    )
    Timekeeper(parts.engine, parts.play, parts.tables, parts.clock).start()
    Thread(target=_end_with_database, args=(parts.engine,), name="end-with-database", daemon=True).start()
    Thread(target=_end_when, args=(stopping, parts.end), name="end-when-stopping", daemon=True).start()
    made = app.create_app(parts)
    metrics_page.listen(parts)
    _look_for_garbage_rarely()
    return made


def _look_for_garbage_rarely() -> None:
    """Spare the collector what never ends, and what ends by itself, which is nearly all that a request makes."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 50, 100)


def _end_when(stopping: Connection, end: Callable[[], None]) -> None:
    stopping.poll(None)  # an Event of multiprocessing's would hang its setter once a worker that waits was killed
    end()


def _end_with_database(engine: Engine) -> None:
    """Have the whole server stop once the file of its database is another one: it may be a backup put back."""
    while not Event().wait(_LOOK_SECONDS):
        try:
            require_same_file(engine)
        except DatabaseWasReplaced as error:
            _LOG.error("database_replaced", cause=str(error))
            parent = multiprocessing.parent_process()
            os.kill(parent.pid if parent and parent.pid else os.getpid(), signal.SIGTERM)
            return


def _end_with_parent() -> None:
    """Wait for the parent's end, then stop as if asked to, and soon after in any case.

    A worker left alone by a kill would go on answering beside the one that is started next.
    """
    parent = multiprocessing.parent_process()
    if parent is None:
        return
    parent.join()
    ending = Timer(_GRACE_SECONDS, os._exit, (1,))
    ending.daemon = True
    ending.start()
    os.kill(os.getpid(), signal.SIGTERM)
