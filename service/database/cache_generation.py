"""The generation of what a process remembers of its database: another one as soon as that may be another database."""

import sqlite3
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any, Final

from sqlalchemy import Engine, event

from service.database.engines import on_disconnect

_SERVER: Final = (
    "SELECT pg_postmaster_start_time()::text, oid::bigint FROM pg_database WHERE datname = current_database()"
)


class Generation:
    """A number that everything remembered carries: what was remembered under an earlier one counts as forgotten.

    A failover or a restored copy can lose commits. Whatever was read before it, or was decided on that, may be about
    events that the database does not have.
    """

    def __init__(self) -> None:
        self.number = 0
        self._lock = Lock()
        self._known: object = None

    def end(self) -> None:
        """Begin the next generation: the database may be another one now."""
        with self._lock:
            self.number += 1

    def watch(self, engine: Engine) -> None:
        """End it whenever *engine* finds a connection cut, or opens one to another server, database or file.

        Both, because the first to reach a standby may be a thread that opens a connection, while those that were cut
        have not been used since.
        """
        on_disconnect(engine, self.end)
        event.listen(engine, "connect", self._connected)

    def _connected(self, driver: Any, _record: object) -> None:  # noqa: ANN401 -- either driver's connection
        found = _identity(driver)
        known, self._known = self._known, found
        if known is not None and found != known:
            self.end()


def _identity(driver: Any) -> object:  # noqa: ANN401
    """Return what differs between two databases that answer under the same address."""
    if isinstance(driver, sqlite3.Connection):
        _, _, name = driver.execute("PRAGMA database_list").fetchone()
        with suppress(OSError):
            found = Path(name).stat()
            return found.st_dev, found.st_ino
        return name
    server = driver.execute(_SERVER, prepare=False).fetchone()
    driver.rollback()
    return server
