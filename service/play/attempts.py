"""Attempts: after which errors a command is decided again, and how often (DECISIONS 85)."""

from collections.abc import Iterator
from types import TracebackType
from typing import Final

from service.database.cache_generation import Generation
from service.event_store.quarantine import StreamReplaced
from service.event_store.store import CommandRecorded, NoSuchStream, NotSealed, StalePosition, StreamExists
from service.play.orders import CallerMustBe, NoSuchTable, PositionMustMatch, Refused
from service.projections.swap_guard import ProjectionsWereSwapped
from service.secrets.openings import OpeningMustMatch
from service.tables.cache import TableCache

_MOST_RACES: Final = 1_000
_MOST_LOST: Final = 3
"""How often, at most, a command is decided again because the database was replaced by a database with fewer events."""


class Attempts:
    """The attempts to carry out one command at a table: `for attempt in attempts: with attempt: …`.

    If an attempt succeeds, the caller returns from the block. If the attempt fails with an error that allows another
    attempt, the loop continues, up to a limit; any other error is raised. The first attempt decides on the cached
    table, if the table is cached. Every later attempt reads the stream.

    *reads_stream*: whether this attempt reads the stream. *generation*: the cache generation in which this attempt
    began.
    """

    def __init__(self, tables: TableCache, generation: Generation, stream_id: bytes) -> None:
        self._tables = tables
        self._generation = generation
        self._stream_id = stream_id
        self._lost = 0
        self.reads_stream = tables.cached(stream_id) is None
        self.generation = generation.number

    def __iter__(self) -> Iterator["Attempts"]:
        for _ in range(_MOST_RACES):
            self.generation = self._generation.number
            yield self
            if self._lost > _MOST_LOST:
                return

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, _kind: type[BaseException] | None, error: BaseException | None, _traceback: TracebackType | None
    ) -> bool:
        if not self._allows_another(error):
            return False
        self.reads_stream = True
        return True

    def _allows_another(self, error: BaseException | None) -> bool:
        match error:
            case StalePosition() | StreamExists() | CommandRecorded() | ProjectionsWereSwapped():
                # Another command was recorded first, this command is a repeat, or the projections were swapped.
                return True
            case NoSuchStream() | StreamReplaced():
                self._tables.drop(self._stream_id)
                self._lost += 1
                return True  # A database with fewer events may have taken over.
            case NotSealed() | OpeningMustMatch():
                # The value may have been erased meanwhile, or the database replaced.
                return not self.reads_stream or self.generation != self._generation.number
            case NoSuchTable() | CallerMustBe() | Refused() | PositionMustMatch():
                return not self.reads_stream  # A refusal counts only if this attempt has read the stream.
            case _:
                return False
