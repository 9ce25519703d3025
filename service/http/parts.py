"""What the resources are given to work with."""

from collections.abc import Callable
from typing import Final, cast

from flask import Flask, current_app
from msgspec import Struct
from sqlalchemy import Engine

from service.entropy import Entropy
from service.http.bodies import Bodies
from service.http.journal import Journal
from service.http.keybook import KnownKeys
from service.http.metrics import Metrics
from service.http.queue import Queue
from service.http.readiness import Readiness
from service.http.traffic import Traffic
from service.http.waiting import Waiting
from service.log.derivation import Derivation
from service.log.keyring import ServiceKey
from service.log.signer import Signer
from service.log.store import Log
from service.play import Play
from service.projections.kept import Situations
from service.projections.vault import Vault
from service.settings import Settings

_EXTENSION: Final = "chiptrail"


class Parts(Struct, frozen=True, kw_only=True):
    """One process's parts, wired once by `service.app`."""

    settings: Settings
    engine: Engine
    entropy: Entropy
    service_key: ServiceKey
    signer: Signer
    derivation: Derivation
    log: Log
    tables: Situations
    vault: Vault
    play: Play
    waiting: Waiting
    bodies: Bodies
    traffic: Traffic
    dear: Queue
    known_keys: KnownKeys
    journal: Journal
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
