"""What the resources are given to work with."""

from collections.abc import Callable
from typing import Final, cast

from flask import Flask, current_app
from msgspec import Struct
from sqlalchemy import Engine

from service.api_keys.repository import KnownKeys
from service.clock import Clock
from service.event_store.store import Log
from service.http.operations.access_log import AccessLog
from service.http.operations.body_slots import Bodies
from service.http.operations.metrics import Metrics
from service.http.operations.queue import Queue
from service.http.operations.readiness import Readiness
from service.http.operations.traffic import Traffic
from service.http.operations.waiting import Waiting
from service.play.handler import Play
from service.secrets.derivation import Derivation
from service.secrets.keyring import ServiceKey
from service.secrets.receipts import Signer
from service.settings import Settings
from service.tables.cache import TableCache
from service.tables.sealed_store import SealedStore

_EXTENSION: Final = "chiptrail"


class Parts(Struct, frozen=True, kw_only=True):
    """One process's parts, wired once by `service.app`."""

    settings: Settings
    engine: Engine
    clock: Clock
    service_key: ServiceKey
    signer: Signer
    derivation: Derivation
    log: Log
    tables: TableCache
    vault: SealedStore
    play: Play
    waiting: Waiting
    bodies: Bodies
    traffic: Traffic
    dear: Queue
    known_keys: KnownKeys
    journal: AccessLog
    metrics: Metrics
    scrape: Callable[[], bytes]
    """Writes all metrics as Prometheus reads them."""
    readiness: Readiness

    def end(self) -> None:
        """Let nobody wait any more, and be ready for nothing new: a stop is under way."""
        self.readiness.end()
        self.waiting.end()


def hand_over(app: Flask, parts: Parts) -> None:
    """Give *parts* to the resources of *app*."""
    app.extensions[_EXTENSION] = parts


def here() -> Parts:
    """Return the parts of the app that answers this request."""
    return cast("Parts", current_app.extensions[_EXTENSION])
