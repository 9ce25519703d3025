"""Shows each worker of a server which streams have readers in the other workers, in memory that all workers share."""

# DECISIONS 137

import mmap
import os
from collections import Counter
from pathlib import Path
from typing import Final
from zlib import crc32

_PLACES: Final = 4096
_NOBODY, _SOMEBODY = 0, 1


class AwaitedStreams:
    """A file, mapped into memory, with a row of bytes for each worker.

    A stream's byte in the row of a worker is 1 if the worker has readers of the stream. Several streams share a byte,
    so a byte may be 1 although nobody awaits the stream. Only the worker of a row writes the row. A request sets the
    byte of its stream before it reads the stream, and a worker that commits an event reads the byte after the commit.
    So either the worker finds that the byte is 1, or the request finds the event.
    """

    def __init__(self, file: Path, rows: int, own: int) -> None:
        """Use the row with the number *own* in a file of *rows* rows.

        The row is cleared, because a killed worker may have left bytes in it. The space of the whole file is reserved
        here: otherwise, on a full disk, a later write to a row would kill the process.

        Raises:
            OSError: the file can't be opened, or the disk has no space for it.
        """
        opened = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            os.posix_fallocate(opened, 0, rows * _PLACES)
            self._bytes = mmap.mmap(opened, rows * _PLACES)
        finally:
            os.close(opened)
        self._own = own * _PLACES
        self._bytes[self._own : self._own + _PLACES] = bytes(_PLACES)
        self._counts: Counter[int] = Counter()

    def begin(self, stream_id: bytes) -> None:
        """Show that this worker has a reader of the stream. Not thread-safe: the caller must hold a lock."""
        place = _place(stream_id)
        self._counts[place] += 1
        self._bytes[self._own + place] = _SOMEBODY

    def end(self, stream_id: bytes) -> None:
        """Undo one call of `begin`. Not thread-safe: the caller must hold a lock."""
        place = _place(stream_id)
        self._counts[place] -= 1
        if not self._counts[place]:
            del self._counts[place]
            self._bytes[self._own + place] = _NOBODY

    def has_reader(self, row: int, stream_id: bytes) -> bool:
        """Return whether the worker of *row* may have a reader of the stream."""
        return self._bytes[row * _PLACES + _place(stream_id)] != _NOBODY

    def close(self) -> None:
        """Clear this worker's row, and give the memory back; a second call does nothing."""
        if not self._bytes.closed:
            self._bytes[self._own : self._own + _PLACES] = bytes(_PLACES)
            self._bytes.close()


def _place(stream_id: bytes) -> int:
    return crc32(stream_id) % _PLACES
