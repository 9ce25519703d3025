"""Figures of work on a whole database: a rebuild, the totals of all accounts, and `verify`."""

import os
from collections.abc import Iterator
from random import Random
from typing import Final

from service.audit.log_audit import Workers, verify
from service.bench import databases, filling, headless
from service.bench.databases import TemporaryDatabases
from service.bench.figures import Figure
from service.bench.stopwatch import rate
from service.clock import Clock
from service.database.engines import reading
from service.event_store.codec import Codec
from service.games import EVENTS
from service.projections.rebuild.projection_rebuild import rebuild
from service.projections.totals import totals
from service.secrets.keyring import derive

EVENTS_FILLED: Final = 200_000
TABLES: Final = 8
# `verify` is measured on played tables: it fails on copies by `filling`, because their decks are another table's.
MOVES: Final = 6_000  # at all tables together


def measure(temporary: TemporaryDatabases, kind: str, clock: Clock) -> Iterator[Figure]:
    """Measure on databases of *kind* the rates of rebuilding projections, summing balances and verifying tables."""
    processes = os.cpu_count() or 1
    with temporary.create(kind) as url, databases.opened(url) as engine:
        filled = filling.fill(engine, EVENTS_FILLED)
        log = headless.HeadlessService(engine).log

        def build() -> int:
            return rebuild(engine, log, clock, processes=processes).events

        measured = rate(build, 0, clock.monotonic)
        about = f"{filled.events:,} events, {filled.streams:,} tables, {processes} processes"
        yield Figure(f"bulk.{kind}.rebuilt_events_per_second", measured.per_second, f"{about}; {measured.spread}")

        def sum_up() -> int:
            with reading(engine) as connection:
                return sum(total.postings for total in totals(connection))

        measured = rate(sum_up, 0, clock.monotonic)
        about = f"of {filled.postings:,} postings; {measured.spread}"
        yield Figure(f"bulk.{kind}.postings_summed_per_second", measured.per_second, about)
    with temporary.create(kind) as url, databases.opened(url) as engine:
        service = headless.HeadlessService(engine)
        tables = [headless.Table(service, number, headless.OPTIONS) for number in range(1, TABLES + 1)]
        playing = [table.play_at_random(Random(number)) for number, table in enumerate(tables)]
        for turn in range(MOVES):
            next(playing[turn % TABLES], None)
        workers = Workers(processes, derive("0" * 32, bytes(32)))

        def check() -> int:
            report = verify(engine, service.log, Codec(EVENTS), workers=workers)
            if report.has_failed:
                raise AssertionError(str(report.findings[:1]))
            return report.events

        measured = rate(check, 0, clock.monotonic)
        yield Figure(f"bulk.{kind}.verified_events_per_second", measured.per_second, f"every check; {measured.spread}")
