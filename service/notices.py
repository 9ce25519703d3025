"""Notices: the process's log lines, written to standard error as JSON; standard output is for results."""

import logging
import sys
from collections.abc import Mapping, MutableMapping
from contextlib import suppress
from typing import Any

import msgspec
import structlog

from service.clock import Clock


class StandardError:
    """Writes lines to `sys.stderr`."""

    def msg(self, line: str) -> None:
        """Write one line. Ignore an OSError, such as a full disk: no request may fail because of a notice."""
        with suppress(OSError):
            sys.stderr.write(f"{line}\n")

    debug = info = warning = error = critical = msg


def configuration(lowest_level: int, clock: Clock) -> dict[str, Any]:
    """Return a configuration of structlog that turns notices of *lowest_level* and above into lines of JSON."""

    def with_time(_logger: object, _method: str, notice: MutableMapping[str, Any]) -> Mapping[str, Any]:
        return {"at": clock.now(), **notice}

    return {
        "processors": [structlog.processors.add_log_level, with_time, _as_json],
        "wrapper_class": structlog.make_filtering_bound_logger(lowest_level),
    }


def to_standard_error(clock: Clock, lowest_level: int = logging.WARNING) -> None:
    """Configure this process to write its notices of *lowest_level* and above to standard error."""
    structlog.configure(**configuration(lowest_level, clock), logger_factory=lambda *_: StandardError())


def line(notice: Mapping[str, Any]) -> str:
    """Return *notice* as one line of JSON."""
    return msgspec.json.encode(notice).decode()


def _as_json(_logger: object, _method: str, notice: MutableMapping[str, Any]) -> str:
    return line(notice)
