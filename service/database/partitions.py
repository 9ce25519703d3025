"""Work on many streams shared out among processes: each has a range of them."""

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

_PROCESSES: Final = multiprocessing.get_context("spawn")  # nothing of ours, threads and connections, is copied


class Partition(NamedTuple):
    """The streams above *after* and not above *last*."""

    after: bytes
    last: bytes


ALL_STREAMS: Final = Partition(b"", b"\xff" * 16)


def split_streams(engine: Engine, number: int) -> tuple[Partition, ...]:
    """Return ranges, at most *number*, that hold every stream there will ever be and about as many events each."""
    with reading(engine) as connection:
        heads = [(bytes(row.stream_id), row.head) for row in connection.execute(_HEADS)]
    total, seen = sum(head for _, head in heads), 0
    ends: list[bytes] = []
    for stream_id, head in heads:
        seen += head
        if seen * number >= total * (len(ends) + 1):
            ends.append(stream_id)
    ends = [*ends[: number - 1], ALL_STREAMS.last]
    return tuple(Partition(after, last) for after, last in zip((ALL_STREAMS.after, *ends[:-1]), ends, strict=True))


def run_in_processes(work: Callable[..., None], each: Sequence[tuple[Any, ...]]) -> Iterator[tuple[int, Any]]:
    """Run `work(pipe, *arguments)` in a process for each arguments of *each*; yield what they send, and whose it is.

    *work* is a function of a module. It ends where it fails, or where we do; whoever must know that all
    was done has it sent as the last word.
    """
    pipes: dict[Any, int] = {}
    processes = []
    try:
        for number, arguments in enumerate(each):
            ours, theirs = _PROCESSES.Pipe(duplex=False)
            process = _PROCESSES.Process(target=_work, args=(work, theirs, *arguments), daemon=True)
            process.start()
            theirs.close()
            processes.append(process)
            pipes[ours] = number
        yield from _heard(pipes)
    finally:
        for pipe in pipes:
            pipe.close()
        for process in processes:
            process.terminate()
            process.join()


def _work(work: Callable[..., None], pipe: Pipe, *arguments: object) -> None:
    signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # Whoever interrupts means the one who started us, and that one ends us.
    notices.to_standard_error(Clock())
    with suppress(BrokenPipeError):  # That one is gone.
        work(pipe, *arguments)


def _heard(pipes: dict[Any, int]) -> Iterator[tuple[int, Any]]:
    open_ = list(pipes)
    while open_:
        for pipe in wait(open_):
            assert isinstance(pipe, Pipe)  # noqa: S101  # for mypy
            try:
                yield pipes[pipe], pipe.recv()
            except (EOFError, OSError):  # OSError: it ended in the middle of a message
                open_.remove(pipe)


_HEADS: Final = text("SELECT stream_id, head FROM streams ORDER BY stream_id")
