"""What `chiptrail play` keeps of the log: opens the file, and checks the log at the end."""

# DECISIONS 119

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Event
from typing import Final

from service.cli.support.exit_codes import CommandFailed, ExitCode
from service.client.client import Client
from service.client.kept_log import KeptLog
from service.clock import Clock

_TRIES: Final = 20
_PAUSE_SECONDS: Final = 0.5
"""A checkpoint usually covers an event after one or two seconds."""


@contextmanager
def kept_log(path: Path | None, log_key: str, receipt_keys: Sequence[str]) -> Iterator[KeptLog | None]:
    """Yield what is kept in the file *path*; yield None without a path."""
    if path is None:
        yield None
        return
    with closing(KeptLog(path, Clock(), log_key=log_key, receipt_keys=receipt_keys)) as kept:
        yield kept


def check(kept: KeptLog, url: str, key: str, patience_seconds: float) -> str:
    """Check that the log has each event that was acknowledged, wait for a checkpoint, and return what is proven.

    Raises:
        CommandFailed: the server does not show a table to the owner of *key*, who has opened all tables.
        LogContradiction, KeptFileError, Problem, ServerGone: as for `KeptLog.check`.
    """
    with closing(Client(url, key, Clock(), patience_seconds=patience_seconds)) as client:
        checked = kept.check(client)
        for _ in range(_TRIES):
            if not checked.waiting or checked.hidden:
                break
            Event().wait(_PAUSE_SECONDS)
            checked = kept.check(client)
    if checked.hidden:
        tables = ", ".join(checked.hidden)
        why = f"The server has acknowledged events of {tables}, which it does not show any more."
        raise CommandFailed(ExitCode.VERIFICATION_FAILED, why)
    if checked.waiting:
        return f"kept: {checked.waiting} receipts still wait for a checkpoint; the next run checks them"
    return f"kept: the log of {checked.size:,} leaves has every acknowledged event"
