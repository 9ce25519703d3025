"""The figures on the page of operations, read from metrics in the text format of Prometheus."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Final

from msgspec import Struct
from prometheus_client.parser import text_string_to_metric_families

_COMMANDS: Final = "chiptrail_commands_total"
_ANSWERS: Final = "chiptrail_answers_total"
_SECONDS: Final = "chiptrail_request_seconds"
_DECIDED: Final = "chiptrail_disputes_decided"
_COSIGNS: Final = "chiptrail_witness_cosigns"
_WITNESSED: Final = "chiptrail_witness_checkpoint_size"
_MOST_ROUTES: Final = 12
_MOST_SHARE: Final = 0.95
_BAR: Final = 420

Labels = tuple[tuple[str, str], ...]


class Bar(Struct, frozen=True, kw_only=True):
    """A *number* with its *label*, and the *width* of its bar."""

    label: str
    number: int
    width: float


class RouteFigures(Struct, frozen=True, kw_only=True):
    """The requests of a route; 95 of 100 took at most *most_ms* (0: longer than the metric's largest bound)."""

    route: str
    method: str
    count: int
    mean_ms: float
    most_ms: float


class WitnessFigures(Struct, frozen=True, kw_only=True):
    """A witness. *is_cosigning* says whether it cosigned the last checkpoint that it was asked to cosign.

    *size* is the size of the largest checkpoint that it has cosigned. *lag* is the number of leaves by which the
    service's newest checkpoint is larger.
    """

    name: str
    is_cosigning: bool
    size: int
    lag: int


class MetricFigures(Struct, frozen=True, kw_only=True):
    """The figures: single figures by name, and lists of figures."""

    single: Mapping[str, float]
    version: str
    commands: tuple[Bar, ...]
    answers: tuple[Bar, ...]
    routes: tuple[RouteFigures, ...]
    witnesses: tuple[WitnessFigures, ...]
    decided: tuple[tuple[str, str, int], ...]

    def get(self, name: str) -> int | None:
        """Return the whole number of the metric `chiptrail_<name>`; None: the service does not report the metric."""
        found = self.single.get(f"chiptrail_{name}")
        return None if found is None else int(found)

    @property
    def totals(self) -> Mapping[str, int]:
        """The totals from which a script computes rates."""
        return {
            "commands": sum(bar.number for bar in self.commands),
            "requests": sum(bar.number for bar in self.answers),
            "events": self.get("log_events") or 0,
        }


def metric_figures(text: str) -> MetricFigures:
    """Return the figures in *text*."""
    samples: dict[str, dict[Labels, float]] = defaultdict(dict)
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            samples[sample.name][tuple(sorted(sample.labels.items()))] = sample.value
    built = next(iter(samples["chiptrail_build_info"]), ())
    signed = int(samples["chiptrail_log_checkpoint_size"].get((), 0))
    return MetricFigures(
        single={name: found[()] for name, found in samples.items() if () in found},
        version=dict(built).get("version", ""),
        commands=_bars(_sums(samples[_COMMANDS], "outcome")),
        answers=_bars(_sums(samples[_ANSWERS], "status")),
        routes=tuple(_routes(samples)),
        witnesses=tuple(_witnesses(samples, signed)),
        decided=tuple(
            (dict(labels)["ground"], dict(labels)["outcome"], int(number))
            for labels, number in sorted(samples[_DECIDED].items())
        ),
    )


def _sums(samples: Mapping[Labels, float], label: str) -> Mapping[str, int]:
    sums: dict[str, int] = defaultdict(int)
    for labels, number in samples.items():
        sums[dict(labels)[label]] += int(number)
    return sums


def _bars(sums: Mapping[str, int]) -> tuple[Bar, ...]:
    most = max(sums.values(), default=0) or 1
    return tuple(
        Bar(label=label, number=number, width=round(max(_BAR * number / most, 1), 1) if number else 0)
        for label, number in sorted(sums.items())
    )


def _routes(samples: Mapping[str, Mapping[Labels, float]]) -> Iterable[RouteFigures]:
    counts = samples.get(f"{_SECONDS}_count", {})
    largest = sorted(counts, key=lambda labels: (-counts[labels], labels))[:_MOST_ROUTES]
    bounds: dict[Labels, list[tuple[float, float]]] = defaultdict(list)
    for labels, number in samples.get(f"{_SECONDS}_bucket", {}).items():
        of_route = tuple(pair for pair in labels if pair[0] != "le")
        bounds[of_route].append((float(dict(labels)["le"]), number))
    for labels in largest:
        count, named = counts[labels], dict(labels)
        if not count:
            continue
        most = next((bound for bound, number in sorted(bounds[labels]) if number >= _MOST_SHARE * count), 0.0)
        yield RouteFigures(
            route=named["route"] or "no route",
            method=named["method"],
            count=int(count),
            mean_ms=round(1000 * samples[f"{_SECONDS}_sum"][labels] / count, 1),
            most_ms=0.0 if most == float("inf") else round(1000 * most, 1),
        )


def _witnesses(samples: Mapping[str, Mapping[Labels, float]], signed: int) -> Iterable[WitnessFigures]:
    for labels, is_cosigning in sorted(samples.get(_COSIGNS, {}).items()):
        size = int(samples[_WITNESSED].get(labels, 0))
        name = dict(labels)["witness"]
        yield WitnessFigures(name=name, is_cosigning=bool(is_cosigning), size=size, lag=max(0, signed - size))
