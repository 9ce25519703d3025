"""Gauges of the witnesses: whether each cosigns, and the newest checkpoint that it cosigned."""

from collections.abc import Iterator, Sequence
from typing import Final

from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from service.clock import Clock
from service.database.engines import reading
from service.database.write_lock import WriteLockNotAcquired
from service.transparency.witnesses import cosigned
from service.transparency.witnesses.witness_client import Witness
from service.ttl_cache import TtlCache

_READ_SECONDS: Final = 5.0


class WitnessGauges(Collector):
    """Gauges of the configured *witnesses*, read at most once every `_READ_SECONDS`."""

    def __init__(self, engine: Engine, witnesses: Sequence[Witness], origin: str, clock: Clock) -> None:
        self._engine = engine
        self._witnesses = witnesses
        self._origin = origin
        self._cached = TtlCache(self._read, _READ_SECONDS, clock)

    def collect(self) -> Iterator[Metric]:
        """Yield two gauges with a value for each witness; without witnesses, or without the database, yield none."""
        if not self._witnesses or (found := self._cached.get()) is None:
            return
        cosigns = GaugeMetricFamily(
            "chiptrail_witness_cosigns",
            "1: the witness cosigned the last checkpoint that it was asked for; 0: it did not. 0 for minutes is an "
            "alarm: the log lines `witness_does_not_cosign` and `chiptrail doctor` have the cause.",
            labels=["witness"],
        )
        size = GaugeMetricFamily(
            "chiptrail_witness_checkpoint_size",
            "The number of leaves of the largest checkpoint that the witness has cosigned.",
            labels=["witness"],
        )
        for name, is_cosigning, newest in found:
            cosigns.add_metric([name], int(is_cosigning))
            size.add_metric([name], newest)
        yield cosigns
        yield size

    def _read(self) -> list[tuple[str, bool, int]] | None:
        try:
            with reading(self._engine) as connection:
                reports = cosigned.reports(connection)
                return [
                    (
                        one.key.name,
                        (report := reports.get(str(one.key))) is not None and not report.problem,
                        cosigned.newest_size(connection, self._origin, one.key),
                    )
                    for one in self._witnesses
                ]
        except (SQLAlchemyError, WriteLockNotAcquired):
            return None
