"""The file of an SQLite database: checks that the open file is still the file at the database's path (DECISIONS 70)."""

from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from sqlalchemy import URL, make_url

from service.database.write_lock import WriteLockNotAcquired

_NO_FILE: Final = "none"


class DatabaseWasReplaced(WriteLockNotAcquired):
    """The file at the database's path was removed or replaced: writes to the open file would be lost."""


class DatabaseFile:
    """The database file that this process has opened at *path*, identified by device and inode."""

    def __init__(self, path: Path) -> None:
        self._path: Final = path
        self.opened = ""

    def open(self) -> None:
        """Remember the file that the first connection opened; check that each later connection opened the same file.

        Raises:
            DatabaseWasReplaced: a later connection opened another file.
        """
        if self.opened:
            self.require_same_file()
        at_path = self._at_path()
        self.opened = "" if at_path == _NO_FILE else at_path

    def expect(self, other: "DatabaseFile") -> None:
        """Expect the file that *other* remembers, which another process of the same server opened."""
        self.opened = other.opened

    def require_same_file(self) -> None:
        """Check that the path still has the file that was opened; if no file was opened yet, do nothing.

        Raises:
            DatabaseWasReplaced: the path has another file, or no file.
        """
        if self.opened not in {"", self._at_path()}:
            raise DatabaseWasReplaced(f"{self._path} was replaced or removed while it was open: nothing is written")

    def _at_path(self) -> str:
        try:
            found = self._path.stat()
        except FileNotFoundError:
            return _NO_FILE
        return f"{found.st_dev}/{found.st_ino}"


def current(url: str) -> DatabaseFile | None:
    """Return the current file of the SQLite database at *url*, or None if the database is not SQLite."""
    parsed = make_url(url)
    if parsed.get_backend_name() != "sqlite":
        return None
    file = DatabaseFile(sqlite_path(parsed))
    file.open()
    return file


def sqlite_path(url: URL) -> Path:
    """Return the resolved path of the file that SQLite opens for *url*, beside which it puts the `-wal` file."""
    name = url.database or ""
    if "uri" in url.query:
        name = unquote(urlsplit(name).path)
    return Path(name).resolve()
