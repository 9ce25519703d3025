"""The line that `chiptrail play` prints about the receipts that it keeps (DECISIONS 119)."""

from contextlib import closing
from typing import Final

from service.cli.support.exit_codes import CommandFailed, ExitCode
from service.client.client import Client
from service.client.kept.kept_log import KeptLog
from service.clock import Clock

_WAIT_SECONDS: Final = 30.0
"""The longest wait for a checkpoint; usually a checkpoint covers an event after one or two seconds."""


def line(kept: KeptLog, url: str, key: str, patience_seconds: float) -> str:
    """Check that the log has each event that was acknowledged, and return the result as a line.

    Raises:
        CommandFailed: the server does not show a table to the owner of *key*, who has opened all tables.
        LogContradiction, KeptFileError, Problem, ServerGone: see `KeptLog.check`.
    """
    with closing(Client(url, key, Clock(), patience_seconds=patience_seconds)) as client:
        checked = kept.check(client, wait_seconds=_WAIT_SECONDS)
    if checked.hidden:
        why = f"The server has acknowledged events of {', '.join(checked.hidden)}, but does not show them any more."
        raise CommandFailed(ExitCode.VERIFICATION_FAILED, why)
    if checked.waiting:
        return f"kept: {checked.waiting} receipts still wait for a checkpoint; the next run checks them"
    return f"kept: the log of {checked.size:,} leaves has every acknowledged event"
