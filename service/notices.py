"""Notices: the process's log lines, written to standard error as JSON; standard output is for results."""

import logging
import sys
from collections import deque
from collections.abc import Iterator, Mapping, MutableMapping
from contextlib import suppress
from threading import Event, Thread
from typing import Any, Final

import msgspec
import structlog

from service.clock import Clock

_PAUSE_SECONDS: Final = 0.05
_MOST_BYTES: Final = 4096
"""A write of up to this many bytes to a pipe is not mixed with the writes of other processes (PIPE_BUF of Linux)."""
_MOST_LINES: Final = 10_000
"""If this many lines wait because nobody reads standard error, each thread writes its further lines itself, and so
waits until somebody reads."""


class StandardError:
    """Writes lines to `sys.stderr`."""

    def msg(self, line: str) -> None:
        """Write *line*, which may be several lines.

        Ignore an OSError, such as that of a full disk: no notice may make a request fail.
        """
        if sys.stderr is not None:  # It is None in a process that was started without standard error.
            with suppress(OSError):
                sys.stderr.write(f"{line}\n")

    debug = info = warning = error = critical = msg


class LineBatch:
    """Collects lines for the output *to*, and writes them a moment later, several with one write.

    Fewer writes are faster: each write releases the interpreter lock, and its thread must wait for the lock again
    (DECISIONS 137).
    """

    def __init__(self, to: StandardError, pause_seconds: float = _PAUSE_SECONDS) -> None:
        self._to = to
        self._pause_seconds = pause_seconds
        self._lines: deque[str] = deque()
        self._has_lines = Event()
        self._ended = Event()

    def start(self) -> None:
        """Start the thread that writes the collected lines."""
        Thread(target=self._write_forever, name="write-lines", daemon=True).start()

    def msg(self, line: str) -> None:
        """Write *line* soon; write it immediately once `end` was called, or if too many lines wait already."""
        if self._ended.is_set() or len(self._lines) >= _MOST_LINES:
            self._to.msg(line)
            return
        self._lines.append(line)
        if not self._has_lines.is_set():
            self._has_lines.set()

    def end(self) -> None:
        """Write all collected lines; `msg` writes later lines immediately, because the process is about to stop."""
        self._ended.set()
        self._write()

    def _write_forever(self) -> None:
        while True:
            self._has_lines.wait()
            self._ended.wait(self._pause_seconds)
            self._has_lines.clear()
            self._write()

    def _write(self) -> None:
        for lines in self._batches():
            self._to.msg(lines)

    def _batches(self) -> Iterator[str]:
        batch: list[str] = []
        size = 0
        with suppress(IndexError):  # another thread may have taken the last line
            while self._lines:
                line = self._lines.popleft()
                added = len(line.encode()) + 1
                if batch and size + added > _MOST_BYTES:
                    yield "\n".join(batch)
                    batch, size = [], 0
                batch.append(line)
                size += added
        if batch:
            yield "\n".join(batch)


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
