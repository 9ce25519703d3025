"""The file of an auditing witness: the log's entries (copies of its leaves), the heads of streams, and the findings."""

import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Final, NamedTuple

from service.audit.verdicts import Verdict
from service.event_store.entries import EMPTY, Head
from service.merkle import GrowingTree
from service.secrets.keyring import KeyFileError
from service.transparency import tiles

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS log (
    slot INTEGER PRIMARY KEY CHECK (slot = 1), origin TEXT NOT NULL, size INTEGER NOT NULL, subtrees BLOB NOT NULL,
    fork TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS entries (
    stream TEXT NOT NULL, position INTEGER NOT NULL, leaf BLOB NOT NULL, PRIMARY KEY (stream, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS streams (
    stream TEXT PRIMARY KEY, head INTEGER NOT NULL, hash BLOB NOT NULL, news INTEGER NOT NULL, judged INTEGER NOT NULL,
    verdict TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS findings (
    stream TEXT NOT NULL, position INTEGER NOT NULL, kind TEXT NOT NULL, detail TEXT NOT NULL, found_at TEXT NOT NULL,
    PRIMARY KEY (stream, position, kind, detail)
) STRICT, WITHOUT ROWID;
"""
_DUE: Final = """
SELECT stream, head FROM streams
WHERE (stream GLOB 'table/*' OR stream GLOB 'dispute/*' OR stream = 'service/log') AND head > judged
AND (news > 0 AND (verdict <> 'failed' OR head * 32 >= judged * 33) OR head * 4 >= judged * 5)
"""
"""The streams to judge: streams with news, and streams that have grown by a quarter since their last judgement.

A stream has news if it has a new entry that may change the verdict. A judgement of a failed table judges again all
commands from the failure on. A judgement of any other failed stream judges all events of the stream again. To bound
this work, a failed stream with news is due only after it has grown by a 32nd.
"""


class NewEntry(NamedTuple):
    """An entry to add: its place, its bytes, and whether the entry may change the verdict on its stream (*news*)."""

    stream: str
    head: Head
    leaf: bytes
    news: bool


class StoredFinding(NamedTuple):
    """A failed check of the *kind*, at a *position* of a stream."""

    stream: str
    position: int
    kind: str
    detail: str
    found_at: str


class AuditStore:
    """The SQLite file at *path*, with the entries of the log *origin*. Thread-safe.

    The file is a copy: if the file is lost, the witness reads the whole log again.
    """

    def __init__(self, path: Path, origin: str) -> None:
        """Open the file, or make it.

        Raises:
            KeyFileError: the file can't be used, or has the entries of another log.
        """
        self._lock = Lock()
        try:
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))  # The file has the leaves of private tables.
            self._connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.executescript(_SCHEMA)
            self._connection.execute("INSERT OR IGNORE INTO log VALUES (1, ?, 0, x'', '')", (origin,))
            (found,) = self._connection.execute("SELECT origin FROM log").fetchone()
        except (OSError, sqlite3.Error) as error:
            raise KeyFileError(f"The copy of the log {path} can't be used: {error}.") from error
        if found != origin:
            raise KeyFileError(f"{path} is a copy of the log {found}, not of {origin}.")

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def tree(self) -> GrowingTree:
        """Return the tree of the entries."""
        with self._lock:
            size, subtrees = self._connection.execute("SELECT size, subtrees FROM log").fetchone()
        return GrowingTree(size, tiles.split(subtrees))

    def fork(self) -> str:
        """Return the fork that was found, in words; "": none."""
        with self._lock:
            (found,) = self._connection.execute("SELECT fork FROM log").fetchone()
        return str(found)

    def head(self, stream: str) -> Head:
        """Return the head of a stream; `EMPTY`: the stream has no entry."""
        with self._lock:
            row = self._connection.execute("SELECT head, hash FROM streams WHERE stream = ?", (stream,)).fetchone()
        return Head(*row) if row else EMPTY

    def add(self, entries: Sequence[NewEntry], tree: GrowingTree, fork: str = "") -> None:
        """Add *entries*; *tree* is the tree of the checked entries, and *fork* the fork after *entries* ("": none)."""
        rows = [(one.stream, one.head.position, one.leaf) for one in entries]
        heads = [(one.stream, one.head.position, one.head.hash, int(one.news)) for one in entries]
        with self._writing() as connection:
            connection.executemany("INSERT INTO entries VALUES (?, ?, ?)", rows)
            connection.executemany(
                "INSERT INTO streams VALUES (?, ?, ?, ?, 0, '') ON CONFLICT (stream) DO UPDATE SET"
                " head = excluded.head, hash = excluded.hash, news = news + excluded.news",
                heads,
            )
            values = (tree.size, b"".join(tree.subtrees), fork)
            connection.execute("UPDATE log SET size = ?, subtrees = ?, fork = ?", values)

    def due(self) -> list[tuple[str, int]]:
        """Return the streams to judge, and their heads (see `_DUE`)."""
        with self._lock:
            return [(str(stream), int(head)) for stream, head in self._connection.execute(_DUE)]

    def leaves(self, stream: str, after: int, head: int) -> list[bytes]:
        """Return the leaves of a stream after the position *after*, up to the position *head*."""
        with self._lock:
            rows = self._connection.execute(
                "SELECT leaf FROM entries WHERE stream = ? AND position > ? AND position <= ? ORDER BY position",
                (stream, after, head),
            )
            return [leaf for (leaf,) in rows]

    def clean_up_to(self, stream: str) -> int:
        """Return the position up to which a stream was judged, if its last verdict is clean; otherwise 0."""
        clean = "SELECT judged FROM streams WHERE stream = ? AND verdict = ?"
        with self._lock:
            row = self._connection.execute(clean, (stream, Verdict.CLEAN.value)).fetchone()
        return int(row[0]) if row else 0

    def judge(self, stream: str, head: int, verdict: str, found: Sequence[StoredFinding]) -> None:
        """Store the *verdict* on a stream up to the position *head*; *found* replaces the stream's earlier findings.

        A finding that was found before keeps its earlier time.
        """
        with self._writing() as connection:
            old = connection.execute("SELECT * FROM findings WHERE stream = ?", (stream,)).fetchall()
            since = {row[:4]: row[4] for row in old}
            rows = [one._replace(found_at=since.get(one[:4], one.found_at)) for one in found]
            connection.execute("DELETE FROM findings WHERE stream = ?", (stream,))
            connection.executemany("INSERT OR IGNORE INTO findings VALUES (?, ?, ?, ?, ?)", rows)
            connection.execute(
                "UPDATE streams SET judged = ?, verdict = ?, news = CASE WHEN head = ? THEN 0 ELSE news END"
                " WHERE stream = ?",
                (head, verdict, head, stream),
            )

    def verdicts(self) -> Mapping[str, int]:
        """Return the number of streams by verdict; "": not judged yet."""
        with self._lock:
            return dict(self._connection.execute("SELECT verdict, count(*) FROM streams GROUP BY verdict"))

    def findings(self, most: int) -> list[StoredFinding]:
        """Return at most *most* findings, the earliest first."""
        with self._lock:
            rows = self._connection.execute(
                "SELECT * FROM findings ORDER BY found_at, stream, position LIMIT ?", (most,)
            )
            return [StoredFinding(*row) for row in rows]

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")
