"""Notices of what happens in a process: a line of JSON each, on standard error; standard output is for results."""

import logging
import sys
from collections.abc import Mapping, MutableMapping
from contextlib import suppress
from typing import Any

import msgspec
import structlog

from service.clock import Clock


class StandardError:
    """Where lines go: what standard error is at the moment."""

    def msg(self, line: str) -> None:
        """Write one line, if it can be written: the disk it goes to may be full, and nothing fails for that."""
        with suppress(OSError):
            sys.stderr.write(f"{line}\n")

    debug = info = warning = error = critical = msg


def form(least: int, clock: Clock) -> dict[str, Any]:
    """Return structlog's configuration for lines of JSON, of the level *least* and above."""

    def with_time(_logger: object, _method: str, said: MutableMapping[str, Any]) -> Mapping[str, Any]:
        return {"at": clock.now(), **said}

    return {
        "processors": [structlog.processors.add_log_level, with_time, _as_json],
        "wrapper_class": structlog.make_filtering_bound_logger(least),
    }


def to_standard_error(clock: Clock, least: int = logging.WARNING) -> None:
    """Have whatever this process logs written there, of the level *least* and above."""
    structlog.configure(**form(least, clock), logger_factory=lambda *_: StandardError())


def line(said: Mapping[str, Any]) -> str:
    """Return what is *said* as a line."""
    return msgspec.json.encode(said).decode()


def _as_json(_logger: object, _method: str, said: MutableMapping[str, Any]) -> str:
    return line(said)
