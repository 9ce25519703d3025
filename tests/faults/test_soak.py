"""The soak, which `python -m tests.faults.soak` runs for hours: each of its incidents once, and its figures."""

import os
import random
from pathlib import Path

import pytest

from tests.cli.commands import Instance
from tests.databases import SQLITE, Databases
from tests.faults.soak.incidents import WEIGHTS, another_command, drawn, rebuild
from tests.faults.soak.memory import Memory
from tests.faults.soak.world import World, figures


@pytest.mark.full
def test_no_incident_of_the_soak_loses_an_acknowledged_event(
    all_databases: Databases, tmp_path: Path, chance: random.Random
) -> None:
    world = World(all_databases, SQLITE, tmp_path, chance, {})
    try:
        for incident in (*WEIGHTS, another_command("rebuild --processes 1")):
            world.round((incident.__name__, incident))
        world.finish()
        with pytest.raises(Exception, match="No row was found"):  # the check would notice a lost event
            world.must_have_all_retired(_empty(world, tmp_path))
    finally:
        world.close()
    assert f"rounds: {len(WEIGHTS) + 1}, " in figures(world)
    assert world.happened["tables checked at the end"] >= 2


def _empty(world: World, folder: Path) -> Instance:
    """Return a migrated instance without events."""
    with world.place(folder / "empty") as instance:
        assert instance.run("migrate").code == 0
        return instance


def test_each_incident_is_drawn_and_so_is_a_command_that_is_given() -> None:
    names = {drawn(random.Random(seed), {"doctor": rebuild})[0] for seed in range(300)}
    assert names == {incident.__name__ for incident in WEIGHTS} | {"doctor"}


def test_the_memory_of_a_worker_is_followed_over_its_life() -> None:
    memory = Memory()
    memory.sample([os.getpid()], 5)
    memory.sample([os.getpid()], 7)
    assert memory.longest.played == 12
    assert memory.most >= memory.longest.first > 2**20
    memory.sample([2**30], 1)  # a process that has ended
    assert memory.longest.played == 12
