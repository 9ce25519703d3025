"""The composition root: wires the parts of one process."""

import os
from collections.abc import Callable, Sequence
from functools import partial

from flask import Flask
from sqlalchemy import Engine

from service import deck
from service.api_keys.browser_sessions import BrowserSessions
from service.api_keys.key_cache import KeyCache
from service.audit.machine_verdict import machine_verdict
from service.database.cache_generation import Generation
from service.database.engines import Limits as DatabaseLimits, make_engine, reading
from service.deck import Shuffle
from service.disputes.dispute_events import DISPUTE_CODEC
from service.entropy import Entropy
from service.event_store.codec import Codec
from service.event_store.quarantine import Quarantine
from service.event_store.store import Log
from service.games import EVENTS
from service.http import api
from service.http.operations.access_log import AccessLog
from service.http.operations.body_slots import BodySlots
from service.http.operations.bulkhead import Limits
from service.http.operations.expensive_queue import ExpensiveQueue
from service.http.operations.in_flight import InFlightRequests
from service.http.operations.long_polls import LongPolls
from service.http.operations.metrics import LogGauges, Metrics
from service.http.operations.readiness import Readiness
from service.http.operations.waiting.head_watcher import HeadWatcher
from service.http.operations.waiting.readers import Readers
from service.http.operations.waiting.shared_steps import SharedSteps
from service.http.operations.waiting_heads import WaitingHeads
from service.http.operations.witness_gauges import WitnessGauges
from service.http.request.services import Services
from service.http.resources import metrics_page
from service.http.resources.disputes.dispute_gauges import DisputeGauges
from service.play.dispute_desk import DisputeDesk
from service.play.disputed_hands import DisputedHands
from service.play.handler import Play
from service.secrets import keyring, receipts
from service.secrets.derivation import Derivation
from service.secrets.encryption import Sealer
from service.secrets.key_check import bound_to
from service.secrets.keyring import ServiceKey
from service.secrets.receipts import Signer
from service.service_log.service_events import SERVICE_CODEC
from service.service_log.service_log import LogIdentity, ServiceLog
from service.settings import EXPENSIVE_SLOTS, Settings, load
from service.tables.cache import TableCache
from service.tables.sealed_store import SealedStore
from service.transparency.log_key import parse_public
from service.transparency.log_signer import LogSigner, load_or_make
from service.transparency.published import PublishedSize
from service.transparency.signed_note import VerifierKey
from service.transparency.witnesses import witness_client
from service.transparency.witnesses.witness_client import Witness
from service.web import pages_app
from service.web.asking.api_caller import ApiCaller
from service.web.asking.shared_drawings import SharedDrawings
from service.web.asking.viewer import PageParts
from service.web.front_door import FrontDoor


def build(settings: Settings, entropy: Entropy | None = None, shuffle: Shuffle = deck.shuffle) -> Services:
    """Wire the parts of one process, and return them. Tests pass their own *entropy* and *shuffle*.

    `build` makes missing key files. It connects to the database only if the service key was rotated (DECISIONS 121).

    Raises:
        KeyFileError, HeadFileError: a key file, or the file of the last checkpoint, can't be used or made.
        ValueError: the database is neither an SQLite file nor PostgreSQL, or a public key is malformed or given twice.
    """
    chance = entropy or Entropy()
    service_key = _service_key(settings, chance)
    engine, (log_signer, log_key) = make_engine(settings.database_url, DatabaseLimits()), _log_keys(settings, chance)
    witnesses, origin = witness_client.parse_all(settings.witnesses), log_key.name
    signer, derivation, metrics = Signer(service_key, origin), Derivation(service_key), Metrics(chance)
    (generation := Generation()).watch(engine)
    log = Log(Codec(EVENTS), Sealer(service_key), chance, Quarantine(metrics.damaged_tables.set, generation))
    tables, sealed_store = TableCache(log), SealedStore(log, shuffle)
    play = Play(engine, log, tables, sealed_store, chance, signer, derivation, metrics.command)
    in_flight, access_log = InFlightRequests(settings.threads, chance), _access_log(settings, chance)
    shared_steps, heads = SharedSteps(engine, log, tables, sealed_store, chance), WaitingHeads(engine, log)
    watcher = HeadWatcher(Readers(shared_steps.read_on), heads.read)
    return Services(
        settings=settings,
        engine=engine,
        clock=chance,
        service_key=service_key,
        signer=signer,
        log_key=log_key,
        log_signer=log_signer,
        witnesses=witnesses,
        published_size=PublishedSize(engine, origin, chance),
        derivation=derivation,
        log=log,
        service_log=_service_log(service_key, chance, log.quarantine, log_key),
        tables=tables,
        sealed_store=sealed_store,
        play=play,
        desk=_desk(engine, log, tables, chance, signer, derivation, Sealer(service_key)),
        long_polls=_long_polls(settings, watcher, metrics, in_flight, chance),
        shared_steps=shared_steps,
        body_slots=BodySlots(chance),
        in_flight=in_flight,
        expensive=ExpensiveQueue(Limits(EXPENSIVE_SLOTS, EXPENSIVE_SLOTS // 8), in_flight.without_slot),
        browser_sessions=BrowserSessions(engine, derivation, chance),
        key_cache=KeyCache(engine, chance, generation),
        access_log=access_log,
        metrics=metrics,
        scrape=_scrape(settings, engine, tables, witnesses, origin, metrics, chance),
        readiness=Readiness(engine, service_key, chance),
    )


def _service_key(settings: Settings, chance: Entropy) -> ServiceKey:
    newest = keyring.load_or_make(settings.key_file, chance)
    if not newest.others:
        return newest
    engine = make_engine(settings.database_url)  # Only this one read uses the engine, so no `Generation` watches it.
    try:
        with reading(engine) as connection:
            return keyring.load_or_make(settings.key_file, chance, bound_to(connection))
    finally:
        engine.dispose()


def _long_polls(
    settings: Settings, watcher: HeadWatcher, metrics: Metrics, in_flight: InFlightRequests, chance: Entropy
) -> LongPolls:
    limits = Limits(settings.waiting_places, settings.waiting_places_each, keyless=settings.waiting_places // 2)
    count = metrics.waiting_slots_taken.set
    return LongPolls(limits, watcher, chance, count=count, waiting=in_flight.waiting)


def _access_log(settings: Settings, chance: Entropy) -> AccessLog:
    made = AccessLog(settings.log_level, chance)
    made.log_other_modules()
    return made


def _scrape(  # noqa: PLR0913 -- the gauges need all of these parts
    settings: Settings,
    engine: Engine,
    tables: TableCache,
    witnesses: Sequence[Witness],
    origin: str,
    metrics: Metrics,
    chance: Entropy,
) -> Callable[[], bytes]:
    of_log = LogGauges(engine, tables, chance, settings.waiting_places, origin)
    gauges = of_log, WitnessGauges(engine, witnesses, origin, chance), DisputeGauges(engine, chance)
    return metrics_page.cached_scrape(metrics, gauges, chance)


def _desk(  # noqa: PLR0913 -- the write path of disputes needs all of these parts
    engine: Engine,
    log: Log,
    tables: TableCache,
    chance: Entropy,
    signer: Signer,
    derivation: Derivation,
    sealer: Sealer,
) -> DisputeDesk:
    of_disputes = Log(DISPUTE_CODEC, sealer, chance, log.quarantine)
    hands = DisputedHands(log, tables, partial(machine_verdict, log, tables))
    return DisputeDesk(engine, of_disputes, tables, hands, chance, signer, derivation)


def _service_log(service_key: ServiceKey, chance: Entropy, quarantine: Quarantine, key: VerifierKey) -> ServiceLog:
    log, receipt_key = Log(SERVICE_CODEC, Sealer(service_key), chance, quarantine), receipts.public_key(service_key)
    identity = LogIdentity(origin=key.name, log_key=str(key), receipt_key=receipt_key)
    return ServiceLog(log, lambda: identity)


def _log_keys(settings: Settings, entropy: Entropy) -> tuple[LogSigner | None, VerifierKey]:
    """Return the signer of the log, or None if another machine signs, and the public key of the log."""
    if settings.log_vkey:
        return None, parse_public(settings.log_vkey)
    signer = load_or_make(settings.log_key_file, settings.log_head_file, entropy)
    return signer, signer.key.public


def create_app(services: Services) -> Flask:
    """Return the Flask app of the API and of the pages, which uses the parts in *services*."""
    app = api.make(services)
    shared_drawings, proxies = SharedDrawings(services.clock), services.settings.proxies
    page_parts = PageParts(ApiCaller(app.wsgi_app), services.browser_sessions, shared_drawings, proxies)
    pages = pages_app.make(page_parts)
    api.watch_pages(pages, services)
    app.wsgi_app = FrontDoor(app.wsgi_app, pages.wsgi_app)  # type: ignore[method-assign]  # as Flask's documentation says
    return app


def make(settings: Settings) -> Flask:
    """Wire the parts of a process, and return only its app.

    Raises:
        KeyFileError, HeadFileError, ValueError: as `build`.
    """
    return create_app(build(settings))


def application() -> Flask:
    """Return the app with the settings of the environment variables; a WSGI server may call this factory.

    Raises:
        SettingsError: an environment variable has a value that is not allowed.
        KeyFileError, HeadFileError, ValueError: as `build`.
    """
    return make(load(os.environ))
