"""The access log: a line of JSON for each request, with the id that ties it to its answer and to its events."""

import logging
import traceback
from typing import Any, Final

import structlog
from flask import Flask, Response
from sqlalchemy.exc import DBAPIError

from service import notices
from service.api_keys import repository
from service.clock import Clock
from service.http.request.context import Visit, visit
from service.settings import LogLevel

_QUIET: Final = frozenset({"/healthz", "/readyz", "/metrics"})


class AccessLog:
    """Writes what happens, from a level on. It knows no key, no body and no card."""

    def __init__(self, level: LogLevel, clock: Clock) -> None:
        self._clock = clock
        self._least: Final = logging.getLevelNamesMapping()[level.upper()]
        self._lines: Final = notices.StandardError()
        self._log: Any = structlog.wrap_logger(self._lines, **notices.configuration(self._least, clock)).bind()

    def speak_for_all(self) -> None:
        """Have whatever else this process has to say written in the same form, and from the same level on."""
        notices.to_standard_error(self._clock, self._least)

    def keep(self, app: Flask) -> None:
        """Keep the journal of *app*'s requests."""
        app.before_request(self._begin)
        app.after_request(self._end)

    def failed(self, error: Exception, code: str) -> None:
        """Tell where *error* came from; not its message, which may quote what must not be told."""
        self._log.error(
            "failed",
            request_id=visit().request_id,
            code=code,
            error=type(error).__name__,
            cause=_cause(error),
            where=[f"{one.filename}:{one.lineno} {one.name}" for one in traceback.extract_tb(error.__traceback__)],
        )

    def alarm(self, hand: int, position: int) -> None:
        """Tell that a hand of the request's table was decided again, and is not what was recorded from *position* on.

        What differs is not told here: it may be a card.
        """
        now = visit()
        self._log.error("audit_failed", request_id=now.request_id, table=now.table, hand=hand, position=position)

    def _begin(self) -> None:
        now = visit()
        now.request_id = self._clock.new_id("req")
        now.started = self._clock.monotonic()

    def _end(self, response: Response) -> Response:
        now = visit()
        response.headers.add("X-Request-Id", now.request_id)
        route = now.url_rule.rule if now.url_rule else ""
        level, name = (logging.DEBUG, "debug") if route in _QUIET else (logging.INFO, "info")
        if level >= self._least:
            said = self._said(now, route, response) | {"event": "request", "level": name}
            self._lines.msg(notices.line(said))  # as structlog would write it, and cheaper
        return response

    def _said(self, now: Visit, route: str, response: Response) -> dict[str, Any]:
        said: dict[str, Any] = {
            "at": self._clock.now(),
            "request_id": now.request_id,
            "method": now.method,
            "route": route,
            "status": response.status_code,
            "ms": round(1000 * (self._clock.monotonic() - now.started), 1),
        }
        if now.caller and now.caller.owner:
            said |= {"owner": now.caller.owner, "key": repository.key_name(now.caller.key_id)}
        if now.table:
            said["table"] = now.table
        if now.first:
            said["first"] = now.first
        if now.position:
            said["position"] = now.position
        return said


def _cause(error: Exception) -> str:
    if isinstance(error, DBAPIError):
        return str(error.orig).partition("\n")[0]  # the lines below may quote a row
    return type(error.__cause__).__name__ if error.__cause__ else ""
