"""Files that appear under their names only when they are complete and durable, and that replace no other file."""

# DECISIONS 65

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class CannotWriteFile(Exception):
    """The file can't be written, or exists already. The message names the reason."""


@contextmanager
def new_file(target: Path) -> Iterator[Path]:
    """Yield a temporary file that only its owner may read; at the end of the block it gets the name *target*, durably.

    If the block raises an error, the temporary file is removed.

    Raises:
        CannotWriteFile: the file can't be written, or *target* exists.
    """
    try:
        descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
        os.close(descriptor)
    except OSError as error:
        raise CannotWriteFile(f"{target} can't be written: {error.strerror}.") from error
    part = Path(name)
    try:
        yield part
        _sync(part)
        _link(part, target)
    except OSError as error:
        other = f" ({error.filename})" if error.filename not in {None, name} else ""  # such as a file that is copied
        raise CannotWriteFile(f"{target} can't be written: {error.strerror}{other}.") from error
    finally:
        part.unlink(missing_ok=True)


def _link(part: Path, target: Path) -> None:
    """Give *part* the name *target* too, durably; if that fails, *part* does not have this name."""
    try:
        os.link(part, target)  # Unlike a rename, a link overwrites nothing.
    except FileExistsError as error:
        raise CannotWriteFile(f"{target} exists already; it is not overwritten.") from error
    try:
        _sync(target.parent)
    except OSError:
        target.unlink()
        raise


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
