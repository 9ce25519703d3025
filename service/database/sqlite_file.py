"""The file of an SQLite database: whether the one that is open is still the one at its path."""

from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from sqlalchemy import URL, make_url

from service.database.write_lock import WriteLockNotAcquired

_NONE: Final = "none"


class DatabaseWasReplaced(WriteLockNotAcquired):
    """The file at the database's path is gone, or another one: what was written to the open one would be lost."""


class DatabaseFile:
    """The file at *path*, by its device and its number there, as a process has opened it."""

    def __init__(self, path: Path) -> None:
        self._path: Final = path
        self.opened = ""

    def open(self) -> None:
        """Remember the file that the first connection has opened; each later one must have opened the same.

        Raises:
            DatabaseWasReplaced: it has not.
        """
        if self.opened:
            self.require_same_file()
        now = self._now()
        self.opened = "" if now == _NONE else now

    def expect(self, other: "DatabaseFile") -> None:
        """Have it be the file that *other* remembers: another process of the same server opened it before."""
        self.opened = other.opened

    def require_same_file(self) -> None:
        """Pass while the file that was opened is at its path; also before any was opened.

        Raises:
            DatabaseWasReplaced: it is not.
        """
        if self.opened not in {"", self._now()}:
            raise DatabaseWasReplaced(f"{self._path} was replaced or removed while it was open: nothing is written")

    def _now(self) -> str:
        try:
            found = self._path.stat()
        except FileNotFoundError:
            return _NONE
        return f"{found.st_dev}/{found.st_ino}"


def current(url: str) -> DatabaseFile | None:
    """Return the file of the SQLite database at *url* as it is now; None: it is no file."""
    parsed = make_url(url)
    if parsed.get_backend_name() != "sqlite":
        return None
    file = DatabaseFile(sqlite_path(parsed))
    file.open()
    return file


def sqlite_path(url: URL) -> Path:
    """Return the one path of the file that SQLite will open, by whatever name: its journal lies beside that, too."""
    name = url.database or ""
    if "uri" in url.query:
        name = unquote(urlsplit(name).path)
    return Path(name).resolve()
