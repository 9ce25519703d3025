"""Short runs of the soak, `python -m tests.faults.soak`: each incident once, a killed run, the record, the figures."""

import fcntl
import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.commands import Instance, environment
from tests.databases import SQLITE, Databases
from tests.faults.servers import wait_until
from tests.faults.soak.incidents import WEIGHTS, another_command, drawn, rebuild
from tests.faults.soak.leftovers import remove_leftovers
from tests.faults.soak.memory import Life, Memory
from tests.faults.soak.record import NOTES, RECORD, Head, Record
from tests.faults.soak.world import World, figures
from tests.once.clients import Answer


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
    assert world.record.happened["tables checked at the end"] >= 2


def _empty(world: World, folder: Path) -> Instance:
    """Return a migrated instance without events."""
    with world.place(folder / "empty") as instance:
        assert instance.run("migrate").code == 0
        return instance


@pytest.mark.full
def test_a_soak_goes_on_after_a_kill_and_misses_what_was_acknowledged_before_it(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    request.addfinalizer(lambda: remove_leftovers(tmp_path, place=1))
    record, notes = tmp_path / RECORD, tmp_path / NOTES
    with _soak(tmp_path, minutes=60) as killed:
        try:
            wait_until(lambda: killed.poll() is not None or (record.exists() and notes.stat().st_size > 0))
        finally:
            killed.kill()
    assert killed.returncode == -signal.SIGKILL
    acknowledged = notes.read_text()

    notes.write_text(f"{acknowledged}{16 * 'ab'} 1 {32 * 'ab'}\n")  # no table has this id
    kept = record.read_bytes()
    with _soak(tmp_path) as failing:
        assert "No row was found" in failing.communicate()[0]
    assert failing.returncode == 1

    notes.write_text(acknowledged)
    record.write_bytes(kept)
    with _soak(tmp_path) as second:
        said = second.communicate()[0]
    assert second.returncode == 0, said
    assert "runs: 2, " in said.splitlines()[-1]
    with (tmp_path / "lock").open() as lock:  # only one run at a time may play there
        fcntl.flock(lock, fcntl.LOCK_EX)
        with _soak(tmp_path) as other:
            assert "another run is playing" in other.communicate()[0]


def _soak(folder: Path, minutes: float = 0) -> "subprocess.Popen[str]":
    """Start a run of the soak in *folder*, which plays at least one round."""
    return subprocess.Popen(
        [sys.executable, "-m", "tests.faults.soak", "--keep", str(folder), "--minutes", str(minutes)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment(),
    )


def test_a_later_run_has_the_record_of_a_killed_run(tmp_path: Path) -> None:
    killed = Record(tmp_path)
    killed.happened.update(kill=2)
    killed.memory.sample([os.getpid()], 5)
    killed.retire([Head("aa", 9, "f9")])
    for position in (3, 4):
        killed.note(_receipt("bb", position))
    killed.note(_receipt("cc", 1))
    killed.close()
    with (tmp_path / NOTES).open("a") as notes:
        notes.write("dd 1")  # a line that was being written
    later = Record(tmp_path)
    assert later.retired == [Head("aa", 9, "f9")]
    assert set(later.noted()) == {Head("bb", 4, "f4"), Head("cc", 1, "f1")}
    assert later.happened == {"kill": 2}
    assert later.memory.longest.played == 5
    later.retire(later.noted())
    assert later.noted() == []
    later.close()
    last = Record(tmp_path)
    last.close()
    assert {head.stream for head in last.retired} == {"aa", "bb", "cc"}


def _receipt(table: str, position: int) -> Answer:
    receipt = {"stream": f"table/tbl_{table}", "position": position, "leaf_hash": f"f{position}"}
    return Answer(200, {}, json.dumps({"receipt": receipt}).encode())


def test_each_incident_is_drawn_and_so_is_a_command_that_is_given() -> None:
    names = {drawn(random.Random(seed), {"doctor": rebuild})[0] for seed in range(300)}
    assert names == {incident.__name__ for incident in WEIGHTS} | {"doctor"}


def test_the_memory_of_a_worker_is_followed_over_its_life() -> None:
    memory = Memory(0, Life(0, 0))
    memory.sample([os.getpid()], 5)
    memory.sample([os.getpid()], 7)
    assert memory.longest.played == 12
    assert memory.most >= memory.longest.first > 2**20
    memory.sample([2**30], 1)  # a process that has ended
    assert memory.longest.played == 12
