"""The server: granian, with the limits of the settings. For `chiptrail serve`, only this module imports granian."""

from multiprocessing.connection import Connection
from threading import Event
from typing import Any, Final

from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.log import LogLevels
from granian.server.mp import MPServer

from service.settings import BODY_SLOTS, EXPENSIVE_SLOTS, Settings

_BACKLOG: Final = 2048  # at each worker this many connections may wait to be accepted; the kernel's limit may be lower
_IDLE_SECONDS: Final = 5
"""An idle thread, which holds some 50 KB, ends after this time; granian allows no shorter time (DECISIONS 133)."""


class GranianServer(MPServer):
    """The server with its workers; the server sends the workers a message before it stops them."""

    def __init__(self, stop: Connection, settings: Settings, processes: int) -> None:
        """*settings* has the limits of each worker, *processes* is the number of workers, *stop* gets the message."""
        super().__init__("service.app", **_options(settings, processes))
        self._stop = stop
        self._drain_seconds = settings.drain_seconds

    def shutdown(self, exit_code: int = 0) -> None:
        """End all long polls, report "not ready", wait for the drain time, and stop.

        The wait gives proxies the time to see the report.
        """
        self._stop.send_bytes(b"stop")  # one message is enough: workers poll for a message, and none of them reads it
        Event().wait(self._drain_seconds)
        super().shutdown(exit_code)  # type: ignore[no-untyped-call]  # granian does not type this method


def _options(settings: Settings, processes: int) -> dict[str, Any]:
    return {
        "address": settings.host,
        "port": settings.port,
        "interface": Interfaces.WSGI,
        "workers": processes,
        "backlog": _BACKLOG,
        "backpressure": settings.connections,
        "blocking_threads": settings.threads + settings.waiting_places + BODY_SLOTS + EXPENSIVE_SLOTS,
        "blocking_threads_idle_timeout": _IDLE_SECONDS,
        "http": HTTPModes.http1,
        "http1_settings": HTTP1Settings(header_read_timeout=1000 * settings.idle_seconds),
        "websockets": False,
        "log_level": LogLevels.info if settings.log_level == "debug" else LogLevels.error,
        "respawn_failed_workers": True,
        "workers_kill_timeout": settings.grace_seconds,
    }
