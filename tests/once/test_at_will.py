"""Many concurrent clients with random commands: no acknowledged event is lost, recorded twice or out of order."""

import json
from collections.abc import Sequence
from functools import partial
from typing import Final

import pytest

from tests.cli.commands import Served
from tests.once.actors import Actor, must_hold_what_was_acknowledged
from tests.once.clients import Crowd, at_once

CLIENTS: Final = 32
PLAYERS: Final = 17
lengths = pytest.mark.parametrize(
    "deeds", [pytest.param(12, id="some"), pytest.param(400, id="many", marks=pytest.mark.full)]
)


@lengths
def test_many_clients_at_one_table_lose_and_double_and_reorder_no_event(
    served: Served, crowd: Crowd, deeds: int
) -> None:
    players = [crowd.person("play") for _ in range(PLAYERS)]
    host = Actor(crowd.person("host"), "host", 0)
    spare = [crowd.person("play", owner=player.owner) for player in players[: CLIENTS - PLAYERS - 1]]
    actors = [Actor(person, f"client {seed}", seed) for seed, person in enumerate((*players, *spare), start=1)]
    body = {"game": "bankrupt", "seats": PLAYERS, "options": {"buy_in": 200}}
    table = host.post("/v1/tables", body, "open").headers["Location"]
    at_once([partial(actor.sit, table, 200) for actor in actors])
    host.post(f"{table}/actions", {"type": "start_game"}, "start")
    everybody = [host, *actors]
    assert len(everybody) == CLIENTS
    at_once([partial(actor.act, table, deeds) for actor in everybody])
    decisions = must_hold_what_was_acknowledged(table, everybody)
    assert decisions > PLAYERS + 2  # more than the decisions before the first hand
    assert sum(actor.refused for actor in everybody) > deeds
    _must_be_clean(served, [table])


@lengths
def test_no_table_has_the_commands_of_another(served: Served, crowd: Crowd, deeds: int) -> None:
    actors = [Actor(crowd.person("host", "play"), f"client {seed}", seed) for seed in range(CLIENTS)]
    others = [Actor(crowd.person("play"), f"other {seed}", CLIENTS + seed) for seed in range(CLIENTS)]
    pairs = list(zip(actors, others, strict=True))
    tables = at_once([partial(_play_a_table, one, other, deeds) for one, other in pairs])
    assert len(set(tables)) == CLIENTS
    for table, pair in zip(tables, pairs, strict=True):
        assert must_hold_what_was_acknowledged(table, pair) >= 4
    _must_be_clean(served, tables)


def _play_a_table(one: Actor, other: Actor, deeds: int) -> str:
    """Open a table for two players and play at it; return the table's path."""
    body = {"game": "bankrupt", "seats": 2, "options": {"buy_in": 200}}
    table = one.post("/v1/tables", body, "open").headers["Location"]
    one.sit(table, 200)
    other.sit(table, 200)
    one.post(f"{table}/actions", {"type": "start_game"}, "start")
    for _ in range(deeds // 2):
        one.act(table, 1)
        other.act(table, 1)
    return table


def _must_be_clean(served: Served, tables: Sequence[str]) -> None:
    """Check with `verify` that no table fails; `verify` decides every decision again and compares the stored data."""
    said = served.instance.run("verify", "--json")
    assert said.code == 0, said.out
    assert json.loads(said.out)["tables"].get("failed", 0) == 0
    assert len(tables) <= sum(json.loads(said.out)["tables"].values())
