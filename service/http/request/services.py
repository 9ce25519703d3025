"""The services that requests use, such as the log, the write path and the access log."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, cast

import structlog
from flask import Flask, current_app
from msgspec import Struct
from sqlalchemy import Engine

from service.api_keys.browser_sessions import BrowserSessions
from service.api_keys.key_cache import KeyCache
from service.clock import Clock
from service.event_store.codec import RecordedEvent
from service.event_store.store import Log
from service.http.operations.access_log import AccessLog
from service.http.operations.body_slots import BodySlots
from service.http.operations.expensive_queue import ExpensiveQueue
from service.http.operations.in_flight import InFlightRequests
from service.http.operations.long_polls import LongPolls
from service.http.operations.metrics import Metrics
from service.http.operations.readiness import Readiness
from service.http.operations.waiting import worker_hints
from service.http.operations.waiting.shared_steps import SharedSteps
from service.http.operations.waiting.worker_hints import HintSockets, WorkerHints
from service.play.dispute_desk import DisputeDesk
from service.play.handler import Play
from service.secrets.derivation import Derivation
from service.secrets.keyring import ServiceKey
from service.secrets.receipts import Signer
from service.service_log.service_log import ServiceLog
from service.settings import Settings
from service.tables.cache import TableCache
from service.tables.sealed_store import SealedStore
from service.transparency.log_signer import LogSigner
from service.transparency.published import PublishedSize
from service.transparency.signed_note import VerifierKey
from service.transparency.witnesses.witness_client import Witness

_EXTENSION: Final = "chiptrail"
_LOG: Final = structlog.get_logger("service.http.hints")


class Services(Struct, frozen=True, kw_only=True):
    """The services of one process, wired once by `service.app`."""

    settings: Settings
    engine: Engine
    clock: Clock
    service_key: ServiceKey
    signer: Signer
    log_key: VerifierKey
    """The public key that verifies checkpoints."""
    log_signer: LogSigner | None
    """None: checkpoints are signed on another machine."""
    published_size: PublishedSize
    witnesses: tuple[Witness, ...]
    derivation: Derivation
    log: Log
    service_log: ServiceLog
    tables: TableCache
    sealed_store: SealedStore
    play: Play
    desk: DisputeDesk
    """The write path of disputes."""
    long_polls: LongPolls
    shared_steps: SharedSteps
    body_slots: BodySlots
    in_flight: InFlightRequests
    expensive: ExpensiveQueue
    browser_sessions: BrowserSessions
    key_cache: KeyCache
    access_log: AccessLog
    metrics: Metrics
    scrape: Callable[[], bytes]
    """Returns all metrics in the text format of Prometheus."""
    readiness: Readiness

    def share_hints(self, name: str, workers: int, folder: Path) -> None:
        """Let this process exchange hints of new events with the other workers of its server.

        *workers* is the number of workers of the server, this process included. No other server has *name*, and only
        the workers of this server use *folder*. If hints are impossible here, for example because *folder* is on a full
        disk, each process polls for the events of the others.
        """
        if not worker_hints.can_be_sent():
            return
        try:
            hints = WorkerHints(HintSockets(name, workers, folder / "awaited"), self.long_polls.readers.hear)
        except OSError as error:
            _LOG.warning("hints_not_shared", folder=str(folder), cause=error.strerror)
            return
        hints.start()
        self.long_polls.readers.share(hints)

    def committed(self, stream_id: bytes, recorded: Sequence[RecordedEvent]) -> None:
        """Notify the readers of the stream of *recorded*, the events that this process has committed."""
        if self.long_polls.readers.has_readers(stream_id):
            self.shared_steps.add(stream_id, recorded)
        self.long_polls.readers.notify(stream_id, recorded[-1].position)

    def end(self) -> None:
        """Prepare the process to stop: report not ready, end long polls and event streams, and write the access log."""
        self.readiness.end()
        self.long_polls.end()
        self.access_log.end()  # the last step, because it waits if nobody reads standard error


def attach_services(app: Flask, services: Services) -> None:
    """Attach *services* to *app*."""
    app.extensions[_EXTENSION] = services


def services() -> Services:
    """Return the services of the app that answers this request."""
    app: Flask = current_app._get_current_object()  # type: ignore[attr-defined]  # noqa: SLF001 -- werkzeug's name
    return cast("Services", app.extensions[_EXTENSION])
