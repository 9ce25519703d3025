"""A worker process: answers requests, runs the background threads, and ends with its parent process."""

import gc
import os
import signal
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Event, Thread
from typing import Final
from wsgiref.types import WSGIApplication

import structlog
from sqlalchemy import Engine

from service.cli.support.server_process import end_with_parent, has_lost_parent, parent_pid
from service.clock import Clock
from service.database.engines import require_file, require_same_file
from service.database.sqlite_file import DatabaseFile, DatabaseWasReplaced
from service.play.timekeeper import Timekeeper
from service.secrets.key_check import OtherServiceKey
from service.settings import Settings
from service.tables.missing_snapshots import SnapshotFiller
from service.transparency.log_keeper import LogKeeper
from service.transparency.witnesses.senders import WitnessSenders

_CHECK_SECONDS = 0.5
_LOG: Final = structlog.get_logger("service.worker")


def loader(
    settings: Settings, stopping: Connection, file: DatabaseFile | None, shared: Path | None
) -> Callable[[], WSGIApplication]:
    """Return the function that makes a worker's app.

    When a message arrives on *stopping*, the worker ends all long polls and reports that it is not ready. *shared* is
    the folder of the files that the workers share; None: there is only one worker. All workers get the name of their
    server, which no other server has; the names of the workers' sockets contain it.
    """
    return partial(_load, settings, stopping, file, shared, Clock().new_id("server"))


def _load(
    settings: Settings, stopping: Connection, file: DatabaseFile | None, shared: Path | None, server_name: str
) -> WSGIApplication:
    # A forked worker has the signal handlers of its parent, and these would ignore the signal to stop.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    Thread(target=end_with_parent, name="end-with-parent", daemon=True).start()
    gc.disable()  # until all lasting objects are made: see `_look_for_garbage_rarely`
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
    if shared is not None:
        parts.share_hints(server_name, settings.workers, shared)
    parts.access_log.write_later()
    Timekeeper(parts.engine, parts.play, parts.tables, parts.clock, parts.committed).start()
    SnapshotFiller(parts.engine, parts.log, parts.tables.missing_snapshots).start()
    LogKeeper(parts.engine, parts.log_signer, parts.clock).start()
    WitnessSenders(parts.engine, parts.log_key, parts.witnesses, parts.clock).start()
    own_key = parts.readiness.require_own_key
    Thread(target=end_with_database, args=(parts.engine, own_key), name="end-with-database", daemon=True).start()
    Thread(target=_end_on_message, args=(stopping, parts.end), name="end-when-stopping", daemon=True).start()
    application = app.create_app(parts)
    metrics_page.listen(parts)
    _look_for_garbage_rarely()
    if has_lost_parent():
        os._exit(1)  # This worker must not begin to listen: the next server may use the port already.
    return application


def _look_for_garbage_rarely() -> None:
    """Let the garbage collector run rarely: reference counts free nearly all objects of a request."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 50, 100)
    gc.enable()


def _end_on_message(stopping: Connection, end: Callable[[], None]) -> None:
    # *stopping* is a pipe, because the `set` of a multiprocessing Event hangs after a waiting worker was killed.
    stopping.poll(None)
    end()


def end_with_database(engine: Engine, require_own_key: Callable[[], None]) -> None:
    """Stop the whole server when its database file is removed or replaced, for example by a restored backup.

    Stop the server also when the database is bound to another service key, such as after a rotation (DECISIONS 121).
    """
    while not Event().wait(_CHECK_SECONDS):
        try:
            require_same_file(engine)
            require_own_key()
        except DatabaseWasReplaced as error:
            _LOG.error("database_replaced", cause=str(error))
        except OtherServiceKey as error:
            _LOG.error("service_key_replaced", cause=str(error))
        else:
            continue
        with suppress(ProcessLookupError):  # If the parent is gone already, `end_with_parent` ends this process.
            os.kill(parent_pid() or os.getpid(), signal.SIGTERM)
        return
