"""Gauges of disputes: how many are open, how old the oldest open dispute is, and how many had which outcome."""

from collections.abc import Iterator
from datetime import datetime
from typing import Final

from msgspec import Struct
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from sqlalchemy import Engine, func, select
from sqlalchemy.exc import SQLAlchemyError

from service.clock import Clock
from service.database.engines import reading
from service.database.write_lock import WriteLockNotAcquired
from service.disputes.disputes_table import IS_WAITING, disputes
from service.ttl_cache import TtlCache

_READ_SECONDS: Final = 5.0


class _Found(Struct, frozen=True):
    """The figures of all disputes at one moment.

    *open*: the number of disputes in which a step can follow. *oldest*: when the oldest of these disputes was opened;
    "": there is none. *decided*: the number of decided disputes, by ground and outcome.
    """

    open: int
    oldest: str
    decided: tuple[tuple[str, str, int], ...]


class DisputeGauges(Collector):
    """Gauges of disputes, read at most once in `_READ_SECONDS`; the labels, ground and outcome, have few values."""

    def __init__(self, engine: Engine, clock: Clock) -> None:
        self._engine = engine
        self._clock = clock
        self._cached = TtlCache(self._read, _READ_SECONDS, clock)

    def collect(self) -> Iterator[Metric]:
        """Yield the gauges of disputes; yield none if the database can't be read."""
        found = self._cached.get()
        if found is None:
            return
        yield GaugeMetricFamily(
            "chiptrail_disputes_open", "Disputes that wait for a step of an auditor or an approver.", found.open
        )
        yield GaugeMetricFamily(
            "chiptrail_dispute_oldest_seconds",
            "Seconds since the oldest dispute that waits for a step was opened; 0: no dispute waits.",
            self._age(found.oldest),
        )
        decided = GaugeMetricFamily(
            "chiptrail_disputes_decided", "Decided disputes, by ground and outcome.", labels=["ground", "outcome"]
        )
        for ground, outcome, number in found.decided:
            decided.add_metric([ground, outcome], number)
        yield decided

    def _age(self, opened_at: str) -> float:
        if not opened_at:
            return 0.0
        now = datetime.fromisoformat(self._clock.now())
        return max(0.0, (now - datetime.fromisoformat(opened_at)).total_seconds())

    def _read(self) -> _Found | None:
        c = disputes.c
        waiting = select(func.count(), func.coalesce(func.min(c.opened_at), "")).where(IS_WAITING)
        outcomes = select(c.ground, c.outcome, func.count()).where(c.outcome != "").group_by(c.ground, c.outcome)
        try:
            with reading(self._engine) as connection:
                number, oldest = connection.execute(waiting).one()
                decided = tuple(
                    (ground, outcome, int(count))
                    for ground, outcome, count in connection.execute(outcomes.order_by(c.ground, c.outcome))
                )
        except (SQLAlchemyError, WriteLockNotAcquired):
            return None
        return _Found(int(number), str(oldest), decided)
