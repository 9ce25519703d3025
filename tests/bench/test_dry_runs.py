"""A dry run executes the same lines whatever the hidden facts are, and reads none of these facts."""

import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import pytest
from sqlalchemy import Engine

from service.bench import databases
from service.bench.databases import SQLITE, TemporaryDatabases, folder
from service.bench.games import HIDDEN_FACTS
from service.bench.trials import HiddenFact
from service.entropy import Entropy
from service.play import handler

every_fact = pytest.mark.parametrize("attack", HIDDEN_FACTS.values(), ids=HIDDEN_FACTS)


@pytest.fixture
def engine() -> Iterator[Engine]:
    with (
        folder() as home,
        TemporaryDatabases(home, "", Entropy()) as temporary,
        temporary.create(SQLITE) as url,
        databases.opened(url) as engine,
    ):
        yield engine


class Unasked:
    """A `Known` that must never be used: reading any attribute raises an error."""

    def __init__(self, *_: object) -> None: ...

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 -- any access is an error
        raise AssertionError(f"the rules asked for {name}")


@every_fact
def test_a_dry_run_takes_the_same_steps_whatever_is_hidden(engine: Engine, attack: HiddenFact) -> None:
    sides = attack(engine)
    for side in sides:
        side()  # The first call of a side puts its table into the caches.
    there, here = map(steps, sides)
    assert there == here
    assert len(there) > 50


@every_fact
def test_a_dry_run_asks_for_nothing_hidden(engine: Engine, attack: HiddenFact, monkeypatch: pytest.MonkeyPatch) -> None:
    sides = attack(engine)
    monkeypatch.setattr(handler, "LiveKnown", Unasked)
    for side in sides:
        side()


def steps(work: Callable[[], None]) -> list[tuple[str, int]]:
    """Return every line of service/ that *work* runs, in order."""
    found: list[tuple[str, int]] = []

    def follow(frame: FrameType, event: str, _value: object) -> Any:  # noqa: ANN401 -- the result is a trace function
        if "/service/" not in frame.f_code.co_filename:
            return None
        if event == "line":
            found.append((frame.f_code.co_filename, frame.f_lineno))
        return follow

    before = sys.gettrace()
    sys.settrace(follow)
    try:
        work()
    finally:
        sys.settrace(before)
    return found
