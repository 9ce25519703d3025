"""The access log: one line of JSON for each request, with the id that the response has in X-Request-Id."""

# DECISIONS 26

import logging
import traceback
from typing import Any, Final

import structlog
from flask import Flask, Response
from sqlalchemy.exc import DBAPIError

from service import notices
from service.api_keys import repository
from service.clock import Clock
from service.http.request.context import RequestContext, request_context
from service.settings import LogLevel

_QUIET: Final = frozenset({"/healthz", "/readyz", "/metrics"})
"""Routes whose requests are logged at level debug, because monitoring sends such requests all the time."""


class AccessLog:
    """Writes a line for each request, unless the level of the line is below the configured level.

    No line has a key's secret, a body or a card.
    """

    def __init__(self, level: LogLevel, clock: Clock) -> None:
        self._clock = clock
        self._least: Final = logging.getLevelNamesMapping()[level.upper()]
        self._lines: notices.StandardError | notices.LineBatch = notices.StandardError()
        self._log: Any = structlog.wrap_logger(self._lines, **notices.configuration(self._least, clock)).bind()

    def log_other_modules(self) -> None:
        """Write the log lines of all other modules in the same form; lines below the configured level are left out."""
        notices.to_standard_error(self._clock, self._least)

    def write_later(self) -> None:
        """From now on collect the lines of requests for a moment, and write several lines together."""
        self._lines = notices.LineBatch(notices.StandardError())
        self._lines.start()

    def end(self) -> None:
        """Write the collected lines, and from now on write each line immediately: the process is about to stop."""
        if isinstance(self._lines, notices.LineBatch):
            self._lines.end()

    def init_app(self, app: Flask) -> None:
        """Log the requests of *app*."""
        app.before_request(self._begin)
        app.after_request(self._end)

    def failed(self, error: Exception, code: str) -> None:
        """Log the type of *error* and where it was raised, but not its message, which may quote a secret.

        If the database driver raised the error, the first line of the driver's message is logged too. Otherwise the
        type of the exception that caused *error*, if any, is logged.
        """
        self._log.error(
            "failed",
            request_id=request_context().request_id,
            code=code,
            error=type(error).__name__,
            cause=_cause(error),
            where=[
                f"{frame.filename}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(error.__traceback__)
            ],
        )

    def alarm(self, hand: int, position: int) -> None:
        """Log that the verdict on a hand is `failed`.

        *position* is the position of the first difference or, if no difference is known, of the hand's first event. The
        difference itself is left out, because it may be a card.
        """
        now = request_context()
        self._log.error("audit_failed", request_id=now.request_id, table=now.table, hand=hand, position=position)

    def _begin(self) -> None:
        now = request_context()
        now.request_id = self._clock.new_id("req")
        now.started = self._clock.monotonic()

    def _end(self, response: Response) -> Response:
        now = request_context()
        # A page may pass on a response of the API, with the id of the request to the API: replace this id.
        response.headers["X-Request-Id"] = now.request_id
        route = now.url_rule.rule if now.url_rule else ""
        level, name = (logging.DEBUG, "debug") if route in _QUIET else (logging.INFO, "info")
        if level >= self._least:
            fields = self._fields(now, route, response) | {"event": "request", "level": name}
            self._lines.msg(notices.line(fields))  # this writes the line that structlog would write, at a lower cost
        return response

    def _fields(self, now: RequestContext, route: str, response: Response) -> dict[str, Any]:
        fields: dict[str, Any] = {
            "at": self._clock.now(),
            "request_id": now.request_id,
            "method": now.method,
            "route": route,
            "status": response.status_code,
            "ms": round(1000 * (self._clock.monotonic() - now.started), 1),
        }
        if now.caller and now.caller.owner:
            fields |= {"owner": now.caller.owner, "key": repository.key_name(now.caller.key_id)}
        if now.table:
            fields["table"] = now.table
        if now.first:
            fields["first"] = now.first
        if now.position:
            fields["position"] = now.position
        return fields


def _cause(error: Exception) -> str:
    if isinstance(error, DBAPIError):
        return str(error.orig).partition("\n")[0]  # the next lines may quote a row
    return type(error.__cause__).__name__ if error.__cause__ else ""
