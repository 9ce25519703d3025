"""What a client keeps of a log, and the checks that the log still has everything that the server acknowledged."""

# DECISIONS 119

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from threading import Event, Lock
from typing import Final

import msgspec
from msgspec import Struct, structs

from service import merkle
from service.client.client import Client
from service.client.client_errors import Problem, ServerGone
from service.client.kept.acknowledgement import TABLES, Acknowledgement, KnownCommands, recorded_in
from service.client.kept.kept_checkpoint import KeptCheckpoint
from service.client.kept.kept_file import KeptFile, LogKeys
from service.client.kept.stream_checks import StreamChecks, as_text
from service.clock import Clock
from service.secrets import receipts
from service.secrets.receipts import Receipt
from service.transparency import log_key, signed_note
from service.transparency.signed_note import NoteMustBeGenuine

_PAUSE_SECONDS: Final = 0.5
_LONG_WAIT: Final = timedelta(minutes=5)
_CLOCK: Final = Clock()
_LOG: Final = logging.getLogger("service.client")
_NO_TABLE: Final = "table_must_exist"
"""The problem code if the client may not see a table, and is a party in none of its disputes."""
_NO_EVENT: Final = "position_must_exist"
"""The problem code if the client may not see the dispute of an event."""


class Checked(Struct, frozen=True):
    """The result of a check that found no contradiction.

    The newest checkpoint covers *size* leaves (0: there is no checkpoint yet).

    *waiting* is the number of receipts whose events are not proven yet; a later check tries to prove them. *hidden* has
    the tables that the server does not show to this client, and the tables whose disputes it does not show. The
    receipts for hidden events can't be checked; they count as waiting, too. *waiting_since* is the time of the oldest
    waiting receipt for an event that is not hidden ("": there is none).
    """

    size: int
    waiting: int = 0
    hidden: tuple[str, ...] = ()
    waiting_since: str = ""


class KeptLog:
    """Keeps the keys of a log, its newest checkpoint and the receipts in the file at *path*. Thread-safe.

    A client with this object keeps the receipt of each command at a table, before it returns the response. The object
    also checks the log at the first such command, and at a later one if *check_seconds* have passed since the last
    check.
    """

    def __init__(
        self,
        path: Path,
        clock: Clock = _CLOCK,
        *,
        log_key: str = "",
        receipt_keys: Sequence[str] = (),
        check_seconds: float = 60.0,
    ) -> None:
        """Open the file, or make it; *log_key* is the key that the log must have ("": the key that it had at first).

        *receipt_keys* are further public keys that may verify receipts; each rotation of the service key makes one.

        Raises:
            KeptFileError: the file can't be used, is damaged, or is no file of a client.
        """
        self.file: Final = KeptFile(path, clock)
        self._clock = clock
        self._log_key = log_key
        self._receipt_keys = tuple(receipt_keys)
        self._check_seconds = check_seconds
        self._hidden = set[str]()
        self._commands = KnownCommands()
        self._due_at: float | None = None
        self._due = Lock()

    @property
    def seeds_secret(self) -> bytes:
        """The secret from which the seeds of this player follow; `play` needs it."""
        return self.file.seeds_secret()

    def close(self) -> None:
        """Close the file."""
        self.file.close()

    def keep(self, client: Client, path: str, data: bytes, idempotency_key: str) -> None:
        """Keep the receipt in *data*, the response to a POST to *path*; check the log if a check is due.

        Each *idempotency_key* needs its own receipt. Otherwise the server could record nothing, and answer with the
        receipt of an earlier command.

        Raises:
            LogContradiction: the response or the log contradicts what the server has acknowledged.
            KeptFileError: the file can't be used, or is damaged.
            Problem, ServerGone: the server did not give its keys, so the receipt is not kept.
        """
        if not path.startswith(TABLES) or "dry_run=true" in path:
            return  # These requests record no event of a table.
        keys = self._keys(client)
        try:
            answer = msgspec.json.decode(data, type=Acknowledgement)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            why = f"The response to {path} must have a receipt: {error}."
            raise self.file.contradiction("receipt_must_be_given", why, data.decode(errors="replace")) from error
        if answer.receipt.origin != keys.origin or not self._is_signed(answer.receipt, keys):
            self._keys(client, is_check=True)  # raises LogContradiction if the service has changed its keys
        self._must_be_of(path, answer, keys)
        if not self._commands.is_of(answer.receipt, idempotency_key):
            why = f"The receipt for {path} is the receipt of an earlier command."
            raise self.file.contradiction("receipt_must_be_genuine", why, as_text(answer.receipt))
        stream, table = recorded_in(path, answer)
        if not stream.startswith("table/"):
            self.file.keep_disputes(stream, table)
        kept = self.file.add(answer.receipt)
        if structs.replace(kept, signature="") != structs.replace(answer.receipt, signature=""):  # DECISIONS 121
            why = f"The server has acknowledged two events at position {kept.position} of {kept.stream}."
            raise self.file.contradiction("history_must_be_one", why, as_text(kept, answer.receipt))
        if self._is_due():
            try:
                self._warn(self.check(client))
            except (Problem, ServerGone) as error:  # The command is recorded, and its receipt is kept.
                _LOG.warning("The log could not be checked; the next command checks it. %s", error)
                self._due_at = None

    def check(self, client: Client, *, wait_seconds: float = 0.0) -> Checked:
        """Check that the log continues the kept checkpoint, and that it has the event of each kept receipt.

        While receipts wait for a checkpoint and the server hides no table, repeat the check for at most *wait_seconds*.

        Raises:
            LogContradiction: the log contradicts what the server has acknowledged.
            KeptFileError: the file can't be used, or is damaged.
            Problem, ServerGone: the server refused a request, or did not answer.
        """
        end = self._clock.monotonic() + wait_seconds
        while (checked := self._check(client)).waiting and not checked.hidden and self._clock.monotonic() < end:
            Event().wait(_PAUSE_SECONDS)
        return checked

    def save(self, folder: Path, table: str) -> Sequence[Path]:
        """Write what is kept of *table* into *folder*, as files for `--kept` of `chiptrail verify --dossier`.

        The files are the keys of the log, the newest checkpoint and the receipts; return their paths.
        """
        keys = self.file.keys()
        contents = {"log-keys.json": msgspec.json.encode(keys)} if keys else {}
        if note := self.file.checkpoint():
            contents["checkpoint"] = note.encode()
        for one in self.file.receipts(f"table/{table}"):
            contents[f"receipt-{one.receipt.position}.json"] = msgspec.json.encode(one.receipt)
        for name, content in contents.items():
            (folder / name).write_bytes(content)
        return [folder / name for name in contents]

    def check_dispute(self, client: Client, table: str, number: int) -> Checked:
        """Check that the log has each event of a dispute, no matter who took the step.

        In the result, `waiting` is the number of the dispute's events that are not proven yet.

        Raises:
            LogContradiction: the log does not have an event that the server shows, or contradicts what was kept.
            KeptFileError, Problem, ServerGone: as for `check`.
        """
        checks = self._checks(client, self._keys(client, is_check=True))
        waiting = checks.check_dispute(table, number)
        return Checked(checks.size, waiting)

    def _check(self, client: Client) -> Checked:
        keys = self._keys(client, is_check=True)
        checks, hidden = self._checks(client, keys), set[str]()
        for stream in self._waiting():
            try:
                checks.check(stream)
            except Problem as problem:
                if problem.code != _NO_TABLE and (problem.code != _NO_EVENT or stream.startswith("table/")):
                    raise
                hidden.add(stream)
        waiting = [
            (stream, one) for stream in self._waiting() for one in self.file.receipts(stream) if not one.is_proven
        ]
        shown = [one.kept_at for stream, one in waiting if stream not in hidden]
        tables = tuple(sorted({self.file.table_of(stream) for stream in hidden}))
        return Checked(checks.size, len(waiting), tables, min(shown, default=""))

    def _warn(self, checked: Checked) -> None:
        """Warn if receipts wait for too long; warn once about each hidden table."""
        if hidden := set(checked.hidden) - self._hidden:
            self._hidden |= hidden
            _LOG.warning("The server has acknowledged events of %s, but does not show them any more.", sorted(hidden))
        since, now = checked.waiting_since, datetime.fromisoformat(self._clock.now())
        if since and now - datetime.fromisoformat(since) > _LONG_WAIT:
            _LOG.warning("Since %s no checkpoint covers what the server acknowledged. Ask the operator why.", since)

    def _waiting(self) -> Sequence[str]:
        """Return the streams that have receipts to prove.

        A stream of disputes is left out if its receipts are from an earlier version, which did not keep the table.
        """
        return [stream for stream in self.file.waiting() if self.file.table_of(stream)]

    def _checks(self, client: Client, keys: LogKeys) -> StreamChecks:
        """Renew the kept checkpoint, and return the checks against it."""
        newest = KeptCheckpoint(self.file, signed_note.parse_key(keys.log_key))
        newest.renew(client)
        return StreamChecks(self.file, client, newest, lambda receipt: self._is_signed(receipt, keys))

    def _is_due(self) -> bool:
        now = self._clock.monotonic()
        with self._due:
            if self._due_at is not None and now < self._due_at:
                return False
            self._due_at = now + self._check_seconds
            return True

    def _keys(self, client: Client, *, is_check: bool = False) -> LogKeys:
        """Return the kept keys of the log; if there are none, keep the keys that the server returns.

        For a check, compare the kept keys with the keys that the server returns now.
        """
        kept = self.file.keys()
        if kept and not is_check:
            return kept
        asked = client.get("/v1/log/key", LogKeys)
        wanted = self._log_key or (kept.log_key if kept else asked.log_key)
        if asked.log_key != wanted:
            why = (
                f"The log has the key {asked.log_key}, and not {wanted}: this is another log, or the operator has begun"
                " a new one, which can't be compared with what the old one acknowledged."
            )
            raise self.file.contradiction("log_key_must_stay", why, f"{asked}")
        try:
            log_key.parse_public(wanted)
        except NoteMustBeGenuine as error:
            why = f"The key of the log is malformed. {error}"
            raise self.file.contradiction("log_key_must_stay", why, f"{asked}") from error
        keys = kept or self.file.keep_keys(asked)
        if asked.receipt_key not in {keys.receipt_key, *self._receipt_keys}:
            why = f"The service signs receipts with the key {asked.receipt_key}, no longer with {keys.receipt_key}."
            raise self.file.contradiction("receipt_key_must_stay", why, f"{asked}")
        return keys

    def _is_signed(self, receipt: Receipt, keys: LogKeys) -> bool:
        return any(receipts.verify(receipt, key) for key in (keys.receipt_key, *self._receipt_keys))

    def _must_be_of(self, path: str, answer: Acknowledgement, keys: LogKeys) -> None:
        """Check that the receipt is genuine, and is the receipt of this response."""
        receipt, (stream, _) = answer.receipt, recorded_in(path, answer)
        if receipt.origin != keys.origin or not self._is_signed(receipt, keys):
            why = f"The receipt for {path} is not signed by the service's key {keys.receipt_key}."
        elif (receipt.position, receipt.stream) != (answer.position, stream):
            why = f"The receipt for {path} names position {receipt.position} of {receipt.stream}."
        elif not answer.events or merkle.leaf_hash(bytes(answer.events[-1].leaf)).hex() != receipt.leaf_hash:
            why = f"The receipt for {path} has another hash than the last event of the response."
        else:
            return
        raise self.file.contradiction("receipt_must_be_genuine", why, as_text(receipt))
