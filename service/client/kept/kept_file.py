"""The file in which a client keeps the keys of a log, its newest checkpoint, and the receipts of its commands."""

# DECISIONS 119

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any, Final

from msgspec import Struct

from service.client.client_errors import KeptFileError, LogContradiction
from service.clock import Clock
from service.entropy import Entropy
from service.secrets import keyring
from service.secrets.receipts import Receipt

_APPLICATION: Final = 0x43485431
"""The application id in the header of the file (`CHT1`), by which the file is recognised."""
_PATIENCE_SECONDS: Final = 30.0
_DISPUTES: Final = """
CREATE TABLE IF NOT EXISTS disputes (stream TEXT PRIMARY KEY, table_id TEXT NOT NULL) STRICT, WITHOUT ROWID;
"""
"""The card table of each stream of disputes; a file of an earlier version gets this SQL table when it is opened."""
_SCHEMA: Final = f"""
PRAGMA application_id = {_APPLICATION};
CREATE TABLE log (
    slot INTEGER PRIMARY KEY CHECK (slot = 1), origin TEXT NOT NULL, log_key TEXT NOT NULL, receipt_key TEXT NOT NULL,
    digest TEXT NOT NULL, checkpoint TEXT NOT NULL
) STRICT;
CREATE TABLE receipts (
    stream TEXT NOT NULL, position INTEGER NOT NULL, leaf_hash TEXT NOT NULL, cmd TEXT NOT NULL,
    signature TEXT NOT NULL, kept_at TEXT NOT NULL, is_proven INTEGER NOT NULL, PRIMARY KEY (stream, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE secrets (slot INTEGER PRIMARY KEY CHECK (slot = 1), seeds TEXT NOT NULL) STRICT;
CREATE TABLE findings (
    number INTEGER PRIMARY KEY, found_at TEXT NOT NULL, code TEXT NOT NULL, detail TEXT NOT NULL, evidence TEXT NOT NULL
) STRICT;
{_DISPUTES}
"""
_MEMBERS: Final = ("stream", "position", "leaf_hash", "cmd", "signature")
_RECEIPT: Final = "SELECT stream, position, leaf_hash, cmd, signature, kept_at, is_proven FROM receipts"


class LogKeys(Struct, frozen=True):
    """The name of a log (*origin*), and the public keys that verify its checkpoints and its receipts."""

    origin: str
    log_key: str
    receipt_key: str

    @property
    def digest(self) -> str:
        """The hash of the keys, by which a damaged file is recognised."""
        return sha256(f"{self.origin}\n{self.log_key}\n{self.receipt_key}".encode()).hexdigest()


class KeptReceipt(Struct, frozen=True):
    """A receipt; *kept_at* is the time of the response; *is_proven*: a checked checkpoint covers its event."""

    receipt: Receipt
    kept_at: str
    is_proven: bool


class Finding(Struct, frozen=True):
    """A contradiction that was found; *evidence* has the signed texts that contradict each other."""

    found_at: str
    code: str
    detail: str
    evidence: str


class KeptFile:
    """The SQLite file at *path*. Thread-safe; several processes may use the file at the same time.

    Each change is one transaction, which is durable when the method returns. So a killed process leaves an undamaged
    file.
    """

    def __init__(self, path: Path, clock: Clock) -> None:
        """Open the file, or make it.

        Raises:
            KeptFileError: the file can't be used, is damaged, or is no file of a client.
        """
        self.path: Final = path
        self._clock = clock
        self._lock = Lock()
        with self._named():
            if not path.exists():
                keyring.make_private_file(path, _empty(), clock)  # Others may not read it: the file has a secret.
            self._connection = sqlite3.connect(
                path.absolute(), isolation_level=None, check_same_thread=False, timeout=_PATIENCE_SECONDS
            )
        try:
            self._must_be_whole()
        except BaseException:
            self._connection.close()
            raise

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def keys(self) -> LogKeys | None:
        """Return the keys of the log; None: no keys were kept yet."""
        rows = self._rows("SELECT origin, log_key, receipt_key, digest FROM log")
        if not rows:
            return None
        *members, digest = rows[0]
        keys = LogKeys(*members)
        if keys.digest != digest:
            raise self._damaged("its keys were changed")
        return keys

    def keep_keys(self, keys: LogKeys) -> LogKeys:
        """Keep *keys*, unless the file has keys already; return the keys that the file has now."""
        values = (keys.origin, keys.log_key, keys.receipt_key, keys.digest)
        self._write("INSERT OR IGNORE INTO log VALUES (1, ?, ?, ?, ?, '')", values)
        return self.keys() or keys

    def seeds_secret(self) -> bytes:
        """Return the secret from which the player's seeds follow.

        The secret was drawn when the file was made, and never changes.
        """
        return bytes.fromhex(self._rows("SELECT seeds FROM secrets")[0][0])

    def checkpoint(self) -> str:
        """Return the newest checkpoint, a signed note; "": none was kept yet."""
        rows = self._rows("SELECT checkpoint FROM log")
        return str(rows[0][0]) if rows else ""

    def replace_checkpoint(self, old: str, new: str) -> bool:
        """Replace the checkpoint *old* by *new*; return False if *old* is not the kept checkpoint any more."""
        return self._write("UPDATE log SET checkpoint = ? WHERE checkpoint = ?", (new, old)) == 1

    def add(self, receipt: Receipt) -> Receipt:
        """Keep *receipt*, and return it; if another receipt is kept for this position, return the kept receipt."""
        place = (receipt.stream, receipt.position)
        values = (*place, receipt.leaf_hash, receipt.cmd, receipt.signature, self._clock.now())
        self._write("INSERT OR IGNORE INTO receipts VALUES (?, ?, ?, ?, ?, ?, 0)", values)
        return self._receipts(f"{_RECEIPT} WHERE stream = ? AND position = ?", place)[0].receipt

    def keep_disputes(self, stream: str, table: str) -> None:
        """Record that *stream* is the stream of the disputes of *table*."""
        self._write("INSERT OR IGNORE INTO disputes VALUES (?, ?)", (stream, table))

    def table_of(self, stream: str) -> str:
        """Return the table that *stream* is about; "": it is a stream of disputes whose table was not kept."""
        if stream.startswith("table/"):
            return stream.removeprefix("table/")
        rows = self._rows("SELECT table_id FROM disputes WHERE stream = ?", (stream,))
        return str(rows[0][0]) if rows else ""

    def waiting(self) -> Sequence[str]:
        """Return the streams that have a receipt whose event is not proven yet."""
        return [str(row[0]) for row in self._rows("SELECT DISTINCT stream FROM receipts WHERE is_proven = 0")]

    def receipts(self, stream: str) -> Sequence[KeptReceipt]:
        """Return the receipts of a stream, in the order of their positions."""
        return self._receipts(f"{_RECEIPT} WHERE stream = ? ORDER BY position", (stream,))

    def prove(self, stream: str, position: int, bound: Sequence[int]) -> None:
        """Mark the receipt at *position* as proven.

        Remove the receipts at the positions in *bound* that are before *position*.
        """
        with self._transaction() as connection:
            before = [(stream, one) for one in bound if one < position]
            connection.executemany("DELETE FROM receipts WHERE stream = ? AND position = ?", before)
            connection.execute(
                "UPDATE receipts SET is_proven = 1 WHERE stream = ? AND position = ?", (stream, position)
            )

    def contradiction(self, code: str, why: str, evidence: str) -> LogContradiction:
        """Keep a contradiction with its evidence, unless it is kept already; return the exception to raise.

        If the file can't be written, the message of the exception has the evidence.
        """
        values = (self._clock.now(), code, why, evidence)
        try:
            self._write(
                "INSERT INTO findings (found_at, code, detail, evidence) SELECT ?1, ?2, ?3, ?4"
                " WHERE NOT EXISTS (SELECT 1 FROM findings WHERE code = ?2 AND detail = ?3)",
                values,
            )
        except KeptFileError as error:
            return LogContradiction(code, f"{why} The evidence could not be kept: {error}\n{evidence}")
        return LogContradiction(code, f"{why} The evidence is in {self.path}.")

    def findings(self) -> Sequence[Finding]:
        """Return the contradictions that were found so far."""
        rows = self._rows("SELECT found_at, code, detail, evidence FROM findings ORDER BY number")
        return [Finding(*row) for row in rows]

    def _must_be_whole(self) -> None:
        with self._lock, self._named():
            (application,) = self._connection.execute("PRAGMA application_id").fetchone()
            if application != _APPLICATION:
                raise KeptFileError(f"{self.path} is no file of a client, or was emptied. {_REMEDY}")
            self._connection.execute("PRAGMA synchronous = FULL")
            (verdict,) = self._connection.execute("PRAGMA quick_check(1)").fetchone()
            if verdict == "ok":
                self._connection.execute(_DISPUTES)
        if verdict != "ok":
            raise self._damaged(verdict)
        self.keys()

    def _receipts(self, statement: str, values: Sequence[object]) -> Sequence[KeptReceipt]:
        keys = self.keys()
        origin = keys.origin if keys else ""
        found = []
        for *members, kept_at, is_proven in self._rows(statement, values):
            receipt = Receipt(**dict(zip(_MEMBERS, members, strict=True)), origin=origin)
            found.append(KeptReceipt(receipt, kept_at, bool(is_proven)))
        return found

    def _rows(self, statement: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        with self._lock, self._named():
            return self._connection.execute(statement, values).fetchall()

    def _write(self, statement: str, values: Sequence[object]) -> int:
        with self._transaction() as connection:
            return connection.execute(statement, values).rowcount

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._lock, self._named():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:  # SQLite itself rolls back after some errors, such as a full disk.
                    self._connection.execute("ROLLBACK")
                raise

    @contextmanager
    def _named(self) -> Iterator[None]:
        """Raise an error of the file as a `KeptFileError`, which names the file."""
        try:
            yield
        except (OSError, sqlite3.OperationalError) as error:
            raise KeptFileError(f"{self.path}, where this client keeps receipts, can't be used: {error}.") from error
        except sqlite3.DatabaseError as error:
            raise self._damaged(str(error)) from error

    def _damaged(self, why: str) -> KeptFileError:
        return KeptFileError(f"{self.path}, where this client keeps receipts, is damaged: {why}. {_REMEDY}")


_REMEDY: Final = (
    "Restore a copy, or name a new file; with a new file the client can't check what it kept in the old one."
)


def _empty() -> bytes:
    """Return the content of a new file."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(_SCHEMA)
        connection.execute("INSERT INTO secrets VALUES (1, ?)", (Entropy().secret().hex(),))
        connection.commit()
        return connection.serialize()
