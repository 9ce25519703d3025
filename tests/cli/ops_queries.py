"""Compares the queries of service/ops with a scrape: each metric and each label that they name exists."""

import json
import re
from collections import defaultdict
from collections.abc import Mapping
from typing import Final

from prometheus_client.parser import text_string_to_metric_families

from tests.house.tree import ROOT

_OPS: Final = ROOT / "service" / "ops"
_IN_A_QUERY: Final = re.compile(r"\b(chiptrail_\w+)(?:\{([^}]*)\})?")
_OF_PROMETHEUS: Final = frozenset({"job", "instance"})
_WITHOUT_SAMPLE: Final = frozenset({"chiptrail_disputes_decided"})
"""Metrics of which a server has no sample before its first decided dispute, so that their labels can't be compared."""


def must_name_existing_metrics(scrape: str) -> None:
    """Check that *scrape* has each metric and each label that a query of the alert rules or of the dashboard names.

    The labels of the metrics in `_WITHOUT_SAMPLE` are not checked.
    """
    found = _scraped(scrape)
    for name in ("alerts.yml", "dashboard.json"):
        named = 0
        for query in _queries(name):
            grouped = {label for by in re.findall(r"by \(([^)]*)\)", query) for label in by.split(", ")}
            for metric, selected in _IN_A_QUERY.findall(query):
                assert metric in found, (name, metric)
                labels = (set(re.findall(r"(\w+)\s*=", selected)) | grouped) - _OF_PROMETHEUS
                assert metric in _WITHOUT_SAMPLE or labels <= found[metric], (name, query, found[metric])
                named += 1
        assert named >= 10
    assert [metric for metric in _WITHOUT_SAMPLE if found[metric]] == []


def _queries(name: str) -> list[str]:
    text = (_OPS / name).read_text()
    if name.endswith(".yml"):
        return re.findall(r"^ {8}expr: (.*\n(?: {10}.*\n)*)", text, re.MULTILINE)
    return [target["expr"] for panel in json.loads(text)["panels"] for target in panel["targets"]]


def _scraped(text: str) -> Mapping[str, set[str]]:
    """Return the labels of each metric in a scrape; without a sample a metric has no labels."""
    labels: dict[str, set[str]] = defaultdict(set)
    for family in text_string_to_metric_families(text):
        labels[f"{family.name}_total" if family.type == "counter" else family.name] |= set()
        for sample in family.samples:
            labels[sample.name] |= set(sample.labels)
    return labels
