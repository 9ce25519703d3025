"""The worker process of a witness: answers requests, and ends with its parent process."""

from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Final

from service.cli.support.server_process import end_with_parent
from service.clock import Clock
from service.witness import witness_file
from service.witness.cosigner import Answer, Cosigner, Logs
from service.witness.witness_app import WitnessApp
from service.witness.witness_file import WitnessFile

LOCK_SECONDS: Final = 10.0
"""How long a witness waits for its file: a worker whose parent was killed ends within this time."""
_HELD: Final = ExitStack()


def loader(file: Path, logs: Logs) -> Callable[[], WitnessApp]:
    """Return the function that makes the worker's application."""
    return partial(_load, file, logs)


def _load(file: Path, logs: Logs) -> WitnessApp:
    Thread(target=end_with_parent, name="end-with-parent", daemon=True).start()
    _HELD.enter_context(witness_file.exclusively(file, LOCK_SECONDS))  # until the process ends
    cosigner = Cosigner(WitnessFile(file), logs, Clock())
    return WitnessApp({"/add-checkpoint": cosigner.add_checkpoint}, {"/readyz": _ready})


def _ready() -> Answer:
    return Answer(200, b'{"status":"ready"}\n', "application/json")
