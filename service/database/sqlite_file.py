"""The file of an SQLite database: checks that the open file is still the file at the database's path (DECISIONS 70)."""

import os
from contextlib import suppress
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from sqlalchemy import URL, make_url

from service.database.write_lock import WriteLockNotAcquired

_NO_FILE: Final = "none"
_OVERWRITTEN: Final = "overwritten"


class DatabaseWasReplaced(WriteLockNotAcquired):
    """The file at the database's path was removed, replaced or overwritten: writes to the open file would be lost."""


class DatabaseFile:
    """The database file that this process has opened at *path*, identified by device and inode.

    Without VACUUM, SQLite never makes the file shorter, so a shorter file was overwritten: `cp` empties a file before
    it writes to it. A backup that is copied over the file, and is not shorter than the file, is noticed only while the
    copy runs.
    """

    def __init__(self, path: Path) -> None:
        self._path: Final = path
        self._bytes = 0
        self.opened = ""

    def open(self) -> None:
        """Remember the file that the first connection opened; check that each later connection opened the same file.

        Raises:
            DatabaseWasReplaced: as for `require_same_file`.
        """
        if self.opened:
            self.require_same_file()
        at_path, self._bytes = self._at_path()
        self.opened = "" if at_path == _NO_FILE else at_path

    def expect(self, other: "DatabaseFile") -> None:
        """Expect the file that *other* remembers, which another process of the same server opened."""
        self.opened = other.opened

    def require_same_file(self) -> None:
        """Check that the path still has the file that was opened; if no file was opened yet, do nothing.

        Raises:
            DatabaseWasReplaced: the path has another file, a shorter file, or no file.
        """
        # `_bytes` is read before `stat`. After this `stat` the file may grow, and another thread may store the new
        # length. Compared with that length, the file would seem to be shorter.
        most_bytes = self._bytes
        at_path, found_bytes = self._at_path()
        if self.opened not in {"", at_path}:
            raise DatabaseWasReplaced(f"{self._path} was replaced or removed while it was open: nothing is written")
        if self.opened and found_bytes < most_bytes:
            self.opened = _OVERWRITTEN  # The file may become longer than before while the copy goes on.
            raise DatabaseWasReplaced(f"{self._path} was overwritten while it was open: nothing is written")
        self._bytes = found_bytes

    def _at_path(self) -> tuple[str, int]:
        """Return the device and inode of the file at the path, and its length in bytes.

        If there is no file, return `_NO_FILE` and 0.
        """
        try:
            found = self._path.stat()
        except FileNotFoundError:
            return _NO_FILE, 0
        return f"{found.st_dev}/{found.st_ino}", found.st_size


def current(url: str) -> DatabaseFile | None:
    """Return the current file of the SQLite database at *url*, or None if the database is not SQLite."""
    parsed = make_url(url)
    if parsed.get_backend_name() != "sqlite":
        return None
    file = DatabaseFile(sqlite_path(parsed))
    file.open()
    return file


def sqlite_path(url: URL) -> Path:
    """Return the resolved path of the file that SQLite opens for *url*; the `-wal` file is beside this file."""
    name = url.database or ""
    if "uri" in url.query:
        name = unquote(urlsplit(name).path)
    return Path(name).resolve()


def make_private(url: URL) -> None:
    """Create the file of an SQLite database if there is none: an empty database that only its owner may use.

    SQLite makes the files beside it with the same permissions. If the file can't be made, SQLite says why later.
    """
    with suppress(OSError):
        os.close(os.open(sqlite_path(url), os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
