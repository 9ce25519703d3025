"""A worker process: answers requests, runs the timekeeper and the log keeper, and ends with its parent process."""

import gc
import multiprocessing
import os
import signal
from collections.abc import Callable
from contextlib import suppress
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
from service.transparency.log_keeper import LogKeeper

_GRACE_SECONDS = 5.0
_CHECK_SECONDS = 0.5
_LOG: Final = structlog.get_logger("service.worker")


def loader(settings: Settings, stopping: Connection, file: DatabaseFile | None) -> Callable[[], WSGIApplication]:
    """Return the function that makes a worker's app.

    When a message arrives on *stopping*, the worker ends all long polls and reports that it is not ready.
    """
    return partial(_load, settings, stopping, file)


def _load(settings: Settings, stopping: Connection, file: DatabaseFile | None) -> WSGIApplication:
    Thread(target=_end_with_parent, name="end-with-parent", daemon=True).start()
    # The import of the HTTP modules takes long, and only a worker needs these modules.
    from service import app  # noqa: PLC0415
    from service.http.operations import connections  # noqa: PLC0415
    from service.http.resources import metrics_page  # noqa: PLC0415

    parts = app.build(settings)
    if file is not None:
        require_file(parts.engine, file)
    each = (
        0 if settings.proxies else settings.connections_per_address
    )  # behind a proxy all connections have the proxy's address
    connections.watch(
        settings.port, connections.ConnectionLimits(each, settings.body_seconds), parts.in_flight, parts.clock
    )
    Timekeeper(parts.engine, parts.play, parts.tables, parts.clock).start()
    LogKeeper(parts.engine, parts.log_signer, parts.clock).start()
    Thread(target=_end_with_database, args=(parts.engine,), name="end-with-database", daemon=True).start()
    Thread(target=_end_on_message, args=(stopping, parts.end), name="end-when-stopping", daemon=True).start()
    application = app.create_app(parts)
    metrics_page.listen(parts)
    _look_for_garbage_rarely()
    if _has_lost_parent():
        os._exit(1)  # It must not begin to listen: the next server may have found the port free already.
    return application


def _look_for_garbage_rarely() -> None:
    """Let the garbage collector run rarely: reference counts free nearly all objects of a request."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 50, 100)


def _end_on_message(stopping: Connection, end: Callable[[], None]) -> None:
    # This is a pipe, because the `set` of a multiprocessing Event hangs after a waiting worker was killed.
    stopping.poll(None)
    end()


def _end_with_database(engine: Engine) -> None:
    """Stop the whole server when its database file is removed or replaced, for example by a restored backup."""
    while not Event().wait(_CHECK_SECONDS):
        try:
            require_same_file(engine)
        except DatabaseWasReplaced as error:
            _LOG.error("database_replaced", cause=str(error))
            with suppress(ProcessLookupError):  # If the parent is gone already, `_end_with_parent` ends this process.
                os.kill(_parent_pid() or os.getpid(), signal.SIGTERM)
            return


def _end_with_parent() -> None:
    """Wait until the parent ends, then stop this process gracefully; after a grace period end it immediately.

    Without this, a worker whose parent was killed would go on answering requests beside the next server's workers.
    """
    if _parent_pid() is None:
        return
    # The parent's sentinel of multiprocessing is no help: a later worker holds a copy of the pipe's other end, so that
    # the sentinel stays silent while that worker hangs or is slow to end.
    while not _has_lost_parent():
        Event().wait(_CHECK_SECONDS)
    ending = Timer(_GRACE_SECONDS, os._exit, (1,))
    ending.daemon = True
    ending.start()
    os.kill(os.getpid(), signal.SIGTERM)


def _parent_pid() -> int | None:
    """Return the id of the process that started this worker, or None if this process is no worker."""
    parent = multiprocessing.parent_process()
    return parent.pid if parent else None


def _has_lost_parent() -> bool:
    """Return whether this process is a worker whose parent has ended."""
    return _parent_pid() not in {None, os.getppid()}
