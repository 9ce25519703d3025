"""The worker process of a witness: answers requests, and ends with its parent process."""

import os
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Final

from msgspec import Struct

from service import notices
from service.cli.support.server_process import end_with_parent, has_lost_parent
from service.clock import Clock
from service.event_store.codec import Codec
from service.games import EVENTS
from service.witness import cosigner, witness_file
from service.witness.auditing.audit_store import AuditStore
from service.witness.auditing.auditor import Auditor
from service.witness.auditing.log_source import LogSource
from service.witness.auditing.table_judge import TableJudge
from service.witness.cosigner import Answer, Cosigner, Logs, Look
from service.witness.witness_app import Get, WitnessApp
from service.witness.witness_file import WitnessFile

LOCK_SECONDS: Final = 10.0
"""The seconds for which a witness waits for its file: a worker whose parent was killed ends within this time."""
_HELD: Final = ExitStack()


class Audited(Struct, frozen=True):
    """The log *origin* to audit: its service at *url*, a *token* with the scope `audit`, the file *copy* for leaves."""

    origin: str
    url: str
    token: str
    copy: Path

    def __repr__(self) -> str:
        return f"Audited({self.origin!r}, {self.url!r})"


def loader(file: Path, logs: Logs, audited: Audited | None) -> Callable[[], WitnessApp]:
    """Return the function that makes the worker's application."""
    return partial(_load, file, logs, audited)


def _load(file: Path, logs: Logs, audited: Audited | None) -> WitnessApp:
    Thread(target=end_with_parent, name="end-with-parent", daemon=True).start()
    _HELD.enter_context(witness_file.exclusively(file, LOCK_SECONDS))  # until the process ends
    notices.to_standard_error(Clock())
    pages: dict[str, Get] = {"/readyz": _ready}
    look: Look = cosigner.look_at_nothing
    if audited:
        source, store = LogSource(audited.url, audited.token), AuditStore(audited.copy, audited.origin)
        judge = TableJudge(source, store, Codec(EVENTS), Clock())
        judge.start()
        pages["/findings"], look = judge.page, Auditor(source, store, Clock()).look
    if has_lost_parent():
        os._exit(1)  # This worker must not begin to listen: the next witness may use the port already.
    witness = Cosigner(WitnessFile(file), logs, Clock(), look)
    return WitnessApp({"/add-checkpoint": witness.add_checkpoint}, pages)


def _ready() -> Answer:
    return Answer(200, b'{"status":"ready"}\n', "application/json")
