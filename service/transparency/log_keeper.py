"""The log keeper: runs the sequencer and publishes checkpoints, in one process of the service (DECISIONS 97)."""

from collections.abc import Callable
from contextlib import suppress
from threading import Event, Thread
from typing import Final

import structlog
from sqlalchemy import Engine

from service.clock import Clock
from service.database.exclusive import SEQUENCING, WorkUnderWay, exclusive_work
from service.transparency import published
from service.transparency.log_signer import AnotherWasSigned, HeadFileError, LogSigner, TreeMustContinue
from service.transparency.published import OtherLogKey
from service.transparency.sequencer import MOST_LEAVES, Sequencer
from service.transparency.tree import TreeDamaged

_LOG: Final = structlog.get_logger("service.log_keeper")
_EVERY_SECONDS: Final = 0.2
_CHECKPOINT_SECONDS: Final = 1.0
_RETRY_SECONDS: Final = 5.0
OWN_ERRORS: Final = (TreeMustContinue, HeadFileError, TreeDamaged, OtherLogKey)
"""Errors whose messages may be logged; the message of another error could quote values of the database."""


class LogKeeper:
    """Gives new leaves their indexes five times a second, and publishes a checkpoint at most once a second.

    Several processes may run a log keeper for one database: one of them leads, and another takes the lead within
    seconds after the leader has ended. Without a leader the tree would still be right, but several processes would do
    the same work. If there is no signer, the checkpoints are signed on another machine.
    """

    def __init__(self, engine: Engine, signer: LogSigner | None, clock: Clock) -> None:
        self._engine = engine
        self._signer = signer
        self._clock = clock
        self._sequencer = Sequencer(engine)
        self._published = float("-inf")
        self._last_error: type[Exception] | None = None

    def look(self) -> int:
        """Do one round of the sequencer, and publish a checkpoint if one is due; return how many leaves got an index.

        One look does only one round: otherwise no checkpoint would be published while leaves arrive as fast as they get
        indexes.

        Raises:
            Exception: anything that the sequencer, the signer or the database raises; a later look may succeed.
        """
        count = self._sequencer.round()
        now = self._clock.monotonic()
        if self._signer and now - self._published >= _CHECKPOINT_SECONDS:
            with suppress(AnotherWasSigned):
                published.publish(self._engine, self._signer)
            self._published = now
        return count

    def finish(self, seconds: float) -> None:
        """Give the remaining leaves their indexes, for at most *seconds*, and publish a checkpoint.

        A server does this after its workers have ended, so that a checkpoint covers the events that the workers
        acknowledged.

        Raises:
            Exception: as for `look`.
        """
        end = self._clock.monotonic() + seconds
        while self._sequencer.round() and self._clock.monotonic() < end:
            pass
        if self._signer:
            with suppress(AnotherWasSigned):
                published.publish(self._engine, self._signer)

    def start(self) -> Callable[[], None]:
        """Start the thread that keeps the log; return the function that ends the thread."""
        ended = Event()
        thread = Thread(target=self._run, args=(ended,), name="log-keeper", daemon=True)
        thread.start()

        def end() -> None:
            ended.set()
            thread.join()

        return end

    def _run(self, ended: Event) -> None:
        wait_seconds = 0.0
        while not ended.wait(wait_seconds):
            wait_seconds = _RETRY_SECONDS
            try:
                with exclusive_work(self._engine, SEQUENCING):
                    self._lead(ended)
            except WorkUnderWay:
                pass  # Another process leads.
            except Exception as error:  # noqa: BLE001  # The database may be back at the next attempt.
                self._report(error)

    def _lead(self, ended: Event) -> None:
        wait_seconds = 0.0
        while not ended.wait(wait_seconds):
            wait_seconds = _EVERY_SECONDS
            try:
                if self.look() >= MOST_LEAVES:
                    wait_seconds = 0.0  # More leaves may wait.
            except Exception as error:  # noqa: BLE001  # The next look begins from the start, and may succeed.
                self._report(error)
            else:
                self._last_error = None

    def _report(self, error: Exception) -> None:
        """Log *error*, unless the last logged error had the same type: messages may change with each new leaf."""
        if type(error) is not self._last_error:
            self._last_error = type(error)
            with suppress(OSError, ValueError):  # The log's output may be closed.
                cause = {"cause": str(error)} if isinstance(error, OWN_ERRORS) else {}
                _LOG.error("log_not_kept", error=type(error).__name__, **cause)
