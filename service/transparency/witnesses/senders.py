"""Sends checkpoints to all configured witnesses from one process of the service; each witness has its own thread."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Event, Thread
from typing import Final

import structlog
from sqlalchemy import Engine

from service.clock import Clock
from service.database.exclusive import WITNESSING, WorkUnderWay, exclusive_work
from service.transparency.signed_note import VerifierKey
from service.transparency.witnesses.sender import WitnessSender
from service.transparency.witnesses.witness_client import Witness, WitnessClient

_LOG: Final = structlog.get_logger("service.witnesses")
_EVERY_SECONDS: Final = 0.2
_LEADER_SECONDS: Final = 5.0
_FIRST_PAUSE_SECONDS: Final = 1.0
_LONGEST_PAUSE_SECONDS: Final = 60.0


class WitnessSenders:
    """Sends new checkpoints to *witnesses*; each has a thread, so a slow witness does not delay the others.

    Several processes may have senders for one database: one of them leads. Two leaders would do no harm.
    """

    def __init__(self, engine: Engine, log_key: VerifierKey, witnesses: Sequence[Witness], clock: Clock) -> None:
        self._engine = engine
        self._log_key = log_key
        self._witnesses = witnesses
        self._clock = clock

    def start(self) -> Callable[[], None]:
        """Start the threads if there are witnesses; return the function that lets the threads end."""
        ended = Event()
        if self._witnesses:
            Thread(target=self._run, args=(ended,), name="witnesses", daemon=True).start()
        return ended.set

    def _run(self, ended: Event) -> None:
        while not ended.is_set():
            with suppress(WorkUnderWay):  # Another process leads.
                try:
                    with exclusive_work(self._engine, WITNESSING):
                        self._lead(ended)
                except WorkUnderWay:
                    raise
                except Exception as error:  # noqa: BLE001  # The database may be back at the next attempt.
                    report(error)
            ended.wait(_LEADER_SECONDS)

    def _lead(self, ended: Event) -> None:
        for witness in self._witnesses:
            sender = WitnessSender(self._engine, self._log_key, witness, WitnessClient(witness.url), self._clock)
            Thread(target=keep_sending, args=(sender, ended), name=f"witness {witness.key.name}", daemon=True).start()
        ended.wait()


def keep_sending(sender: WitnessSender, ended: Event) -> None:
    """Look for new checkpoints until *ended* is set; after each failure double the pause, up to a minute."""
    pause_seconds = wait_seconds = 0.0
    while not ended.wait(wait_seconds):
        try:
            is_cosigned = sender.look()
        except Exception as error:  # noqa: BLE001  # The database may be back at the next attempt.
            report(error)
            is_cosigned = False
        pause_seconds = (
            0.0 if is_cosigned else min(max(2 * pause_seconds, _FIRST_PAUSE_SECONDS), _LONGEST_PAUSE_SECONDS)
        )
        wait_seconds = pause_seconds or _EVERY_SECONDS


def report(error: Exception) -> None:
    """Log *error* without its message, which could quote values of the database."""
    with suppress(OSError, ValueError):  # The log's output may be closed.
        _LOG.error("checkpoint_not_sent", error=type(error).__name__)
