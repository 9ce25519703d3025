"""The cache generation: a number that increases whenever another database may have replaced the database."""

# DECISIONS 71

import sqlite3
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any, Final

from sqlalchemy import Engine, ExceptionContext, event

_SERVER: Final = (
    "SELECT pg_postmaster_start_time()::text, oid::bigint FROM pg_database WHERE datname = current_database()"
)


class Generation:
    """The *number* of the current cache generation; cache entries of an earlier generation are invalid.

    A failover or a restored backup can lose commits, so a cache may contain events that the database no longer has.
    """

    def __init__(self) -> None:
        self.number = 0
        self._lock = Lock()
        self._known: object = None

    def end(self) -> None:
        """End this generation and begin the next."""
        with self._lock:
            self.number += 1

    def watch(self, engine: Engine) -> None:
        """End the generation when another database may have replaced the database of *engine*.

        The generation ends when a connection is cut, or when a new connection reaches another server, database or file.
        Both checks are needed: after a failover a thread may reach the standby over a new connection before any thread
        uses one of the cut connections.
        """
        self.end_at_disconnect(engine)
        event.listen(engine, "connect", self._connected)

    def end_at_disconnect(self, engine: Engine) -> None:
        """End the generation whenever *engine* finds that a connection was cut: another database may answer next."""

        def failed(context: ExceptionContext) -> None:
            if context.is_disconnect:
                self.end()

        event.listen(engine, "handle_error", failed)

    def _connected(self, driver: Any, _record: object) -> None:  # noqa: ANN401 -- each driver has its own type
        found = _identity(driver)
        known, self._known = self._known, found
        if known is not None and found != known:
            self.end()


def _identity(driver: Any) -> object:  # noqa: ANN401
    """Return a value that differs between two databases at the same address."""
    if isinstance(driver, sqlite3.Connection):
        _, _, name = driver.execute("PRAGMA database_list").fetchone()
        with suppress(OSError):
            found = Path(name).stat()
            return found.st_dev, found.st_ino
        return name
    server = driver.execute(_SERVER, prepare=False).fetchone()
    driver.rollback()
    return server
