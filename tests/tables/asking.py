"""Sends the same requests of a viewer about a table in two worlds; the responses must be equal."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from service.games import CURRENT
from service.http import api
from service.transparency.sequencer import Sequencer
from tests.games.facts import facts_of
from tests.tables.games import asked, situation_of
from tests.tables.sweep import Sweep
from tests.tables.worlds import EVENTS, HOST, LINES, Request, World, answer_parts

_ACTIONS: Final = api.document()["paths"]["/v1/tables/{table}/actions"]["post"]
DECISIONS: Final[tuple[Mapping[str, Any], ...]] = (
    *(example["value"] for example in _ACTIONS["requestBody"]["content"]["application/json"]["examples"].values()),
    *(action for game in CURRENT for action in facts_of(game).tried),
)
"""The decisions that viewers try: the example of each action, and what the facts of each game add."""
DAILY_DECISIONS: Final = 8
"""The number of decisions that each viewer tries in a partial sweep."""
STEP: Final = 7
"""In a whole sweep, each viewer requests views of the past at every seventh position."""
DAILY_STEPS: Final = 5
"""In a partial sweep, each viewer requests views of the past at one in five of these positions."""


def must_see_the_same(
    one: World, other: World, viewer: str, table: str, script: Sequence[Request], sweep: Sweep
) -> None:
    """Send the same requests of *viewer* in both worlds; check that the masked responses are equal.

    *sweep* chooses the positions of views of the past, and the decisions that are tried.
    """
    for path, headers in questions(one, table, sweep):
        assert answer_parts(one.get(viewer, path, **headers)) == answer_parts(other.get(viewer, path, **headers)), path
    last = situation_of(one, table).position
    streams = [world.stream(viewer, f"/v1/tables/{table}/events", EVENTS, last) for world in (one, other)]
    assert streams[0] == streams[1]
    for request, headers in _writes(viewer, table, script, sweep):
        answers = [world.post(request, **headers) for world in (one, other)]
        assert answer_parts(answers[0]) == answer_parts(answers[1]), request


def must_be_fed_the_same(one: World, other: World, viewer: str) -> list[Any]:
    """Read the feed of *viewer* in both worlds; check that the masked responses are equal, and return the items."""
    for world in (one, other):
        while Sequencer(world.parts.engine).round():
            pass
    for headers in ({}, {"Accept": LINES}):
        answers = [answer_parts(world.get(viewer, "/v1/feed?limit=1000", **headers)) for world in (one, other)]
        assert answers[0] == answers[1]
    return list(one.get(viewer, "/v1/feed?limit=1000").get_json()["items"])


def questions(world: World, table: str, sweep: Sweep) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield paths and headers of requests for the table and for lists; *sweep* chooses positions of the past."""
    base = f"/v1/tables/{table}"
    for path in ("/v1/games", "/v1/tables", base, f"{base}/me", f"{base}/actions", f"{base}/balances"):
        yield path, {}
    yield f"{base}/events?limit=1000", {}
    for form in ("text", "hledger"):
        yield f"{base}/export?format={form}", {}
    position = situation_of(world, table).position
    yield f"{base}/events", {"Accept": LINES}
    for at in sweep.every(range(1, position + 1, STEP), DAILY_STEPS):
        yield f"{base}/events?after={at}", {"Accept": LINES}
        for path in (f"{base}?at={at}", f"{base}/balances?at={at}", f"{base}/events?after={at}&limit=3"):
            yield path, {}
    for path in (f"{base}?at={position}", f"{base}?at={position - 1}", f"{base}/hands"):
        yield path, {}
    for account in asked(world, HOST, f"{base}/balances")["balances"]:
        yield f"{base}/accounts/{account}/postings", {}
    for hand in range(1, situation_of(world, table).state.hand + 2):
        yield f"{base}/hands/{hand}", {}
        yield f"{base}/hands/{hand}/adjudication", {}


def _writes(
    viewer: str, table: str, script: Sequence[Request], sweep: Sweep
) -> Iterator[tuple[Request, dict[str, str]]]:
    """Yield writes that record nothing: repeats of *viewer*'s commands, dry runs, and refused or stale commands."""
    path = f"/v1/tables/{table}/actions"
    yield from ((request, {}) for request in script if request.who == viewer)
    for decision in sweep.some(DECISIONS, DAILY_DECISIONS):
        yield Request(viewer, f"{path}?dry_run=true", decision, "tried"), {}
    for body in facts_of(script[0].body["game"]).illegal:
        yield Request(viewer, path, body, "refused"), {}
        for missed in ("3", "20"):
            yield Request(viewer, path, body, "stale"), {"If-Match": f'"{missed}"'}
