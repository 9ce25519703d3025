"""Partitions: ranges of streams, each handled by a separate process (DECISIONS 40)."""

import multiprocessing
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection as Pipe, wait
from typing import Any, Final, NamedTuple

from sqlalchemy import Engine, text

from service import notices
from service.clock import Clock
from service.database.engines import reading
from service.database.metadata import LAST_TABLE, SERVICE_STREAM

_PROCESSES: Final = multiprocessing.get_context("spawn")  # A fork would copy open connections and held locks.


class Partition(NamedTuple):
    """The streams of tables whose ids are greater than *after* and at most *last*."""

    after: bytes
    last: bytes


ALL_TABLES: Final = Partition(SERVICE_STREAM, LAST_TABLE)


def split_streams(engine: Engine, number: int) -> tuple[Partition, ...]:
    """Return at most *number* partitions that cover every possible stream of a table.

    The partitions have about the same number of events, unless a single stream has more events than that.
    """
    with reading(engine) as connection:
        heads = [(bytes(row.stream_id), row.head) for row in connection.execute(_HEADS, ALL_TABLES._asdict())]
    total, counted = sum(head for _, head in heads), 0
    ends: list[bytes] = []
    for stream_id, head in heads:
        counted += head
        if counted * number >= total * (len(ends) + 1):
            ends.append(stream_id)
    ends = [*ends[: number - 1], ALL_TABLES.last]
    return tuple(Partition(after, last) for after, last in zip((ALL_TABLES.after, *ends[:-1]), ends, strict=True))


def run_in_processes(work: Callable[..., None], each: Sequence[tuple[Any, ...]]) -> Iterator[tuple[int, Any]]:
    """For each tuple of *each*, run `work(pipe, *arguments)` in a process of its own, with the tuple as *arguments*.

    Yield each message that a process sends, with the index of the process's tuple in *each*.

    *work* must be a function at the top level of a module. Its process ends when *work* returns or fails, or when the
    caller ends the iteration or exits; if the caller is killed, the process ends at its next message. If the caller
    must know that *work* returned, *work* must send a last message.
    """
    pipes: dict[Any, int] = {}
    processes = []
    try:
        for index, arguments in enumerate(each):
            ours, theirs = _PROCESSES.Pipe(duplex=False)
            process = _PROCESSES.Process(target=_work, args=(work, theirs, *arguments), daemon=True)
            process.start()
            theirs.close()
            processes.append(process)
            pipes[ours] = index
        yield from _messages(pipes)
    finally:
        for pipe in pipes:
            pipe.close()
        for process in processes:
            process.terminate()
            process.join()


def _work(work: Callable[..., None], pipe: Pipe, *arguments: object) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # The parent process handles an interrupt, and ends this process.
    notices.to_standard_error(Clock())
    with suppress(BrokenPipeError):  # The parent process has ended.
        work(pipe, *arguments)


def _messages(pipes: dict[Any, int]) -> Iterator[tuple[int, Any]]:
    open_ = list(pipes)
    while open_:
        for pipe in wait(open_):
            assert isinstance(pipe, Pipe)  # noqa: S101  # mypy can't infer this.
            try:
                yield pipes[pipe], pipe.recv()
            except (EOFError, OSError):  # OSError: the process ended in the middle of a message
                open_.remove(pipe)


_HEADS: Final = text(
    "SELECT stream_id, head FROM streams WHERE stream_id > :after AND stream_id <= :last ORDER BY stream_id"
)
