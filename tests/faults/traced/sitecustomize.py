"""Traces SQLite's files: Python imports this module when a process starts with this folder on its path."""

import os
from pathlib import Path

from tests.faults.vfs import FAILING, TRACE, Tracer

PAGES_BEFORE_A_CHECKPOINT = 60
"""Far fewer than SQLite's default of 1,000, so that a short trace has checkpoints."""


def _change_connections(loose: Path) -> None:
    from sqlalchemy import event  # noqa: PLC0415 -- the import takes long, and only a traced process needs it
    from sqlalchemy.pool import Pool  # noqa: PLC0415

    def check_out(driver: object, *_: object) -> None:
        driver.execute(f"PRAGMA wal_autocheckpoint={PAGES_BEFORE_A_CHECKPOINT}")  # type: ignore[attr-defined]
        if loose.exists():
            driver.execute("PRAGMA synchronous=NORMAL")  # type: ignore[attr-defined]

    event.listen(Pool, "checkout", check_out)


if TRACE in os.environ:
    Tracer(Path(os.environ[TRACE]), Path(os.environ[FAILING])).start()
    _change_connections(Path(os.environ[FAILING]).with_name("loose"))
