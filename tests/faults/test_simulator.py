"""Eight clients play all games against several processes while faults happen everywhere; one seed determines a run."""

import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from tests.databases import Databases
from tests.faults.simulator import mutants, scheduler, world
from tests.faults.simulator.mutants import Plant
from tests.faults.simulator.world import Broken, run

STEPS = {"sqlite": 1_500, "postgresql": 1_000}
SEEDS = {"sqlite": (8, 9, 4), "postgresql": (1,)}
LONG_STEPS = 20_000
MANY = range(100, 160)
MORE_SEEDS = range(10, 20)
"""The seeds that are run only while some kind of fault has not happened yet."""
FAULTS = frozenset(
    {
        "a request was lost",
        "a request was doubled",
        "a request came late, too",
        "an answer was lost",
        "a statement failed",
        "a commit failed before it took effect",
        "a commit failed after it took effect",
        "a process was killed",
        "a race for a position was lost",
        "commands were recorded together",
        "the clock jumped",
        "projections were rebuilt",
        "POST 409",
        "POST 412",
        "POST 503",
    }
)
"""The kinds of faults and of responses that the runs must contain."""

Simulate = Callable[[str, int, int], tuple[str, Counter[str]]]


@pytest.fixture
def simulate(tmp_path: Path, all_databases: Databases) -> Simulate:
    """Return a function that simulates a seed for a number of steps on a new database of a kind."""
    return _simulator(tmp_path, all_databases)


def _simulator(folder: Path, all_databases: Databases) -> Simulate:
    def simulated(kind: str, seed: int, steps: int) -> tuple[str, Counter[str]]:
        simulated_in = folder / "simulated"
        with all_databases.migrated(kind) as url:
            found = run(simulated_in, url, seed, steps)
        for path in simulated_in.iterdir():
            path.unlink()
        return found

    return simulated


class Runs(dict[tuple[str, int], Counter[str]]):
    """The results of runs, by kind of database and seed; each run is made once."""

    def __init__(self, simulate: Simulate) -> None:
        self._simulate = simulate

    def __missing__(self, run: tuple[str, int]) -> Counter[str]:
        kind, seed = run
        self[run] = self._simulate(kind, seed, STEPS[kind])[1]
        return self[run]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory, all_databases: Databases) -> Runs:
    """Return the runs that several tests share."""
    return Runs(_simulator(tmp_path_factory.mktemp("runs"), all_databases))


@pytest.mark.parametrize(("kind", "seed"), [(kind, seed) for kind, seeds in SEEDS.items() for seed in seeds])
def test_under_all_faults_nothing_is_lost_doubled_or_shown_to_the_wrong_client(
    kind: str, seed: int, runs: Runs
) -> None:
    happened = runs[kind, seed]
    assert happened["POST 200"] > 10
    assert any(" failed" in what for what in happened)
    assert happened["tables"] >= 3


def test_it_all_happens(runs: Runs) -> None:
    """Each kind of fault and of response in `FAULTS` happens in some run.

    A new game changes the runs of all seeds, so more seeds may be needed.
    """
    missing = FAULTS
    for seed in (*SEEDS["sqlite"], *MORE_SEEDS):
        missing -= {what for what, times in runs["sqlite", seed].items() if times}
        if not missing:
            break
    assert missing == set()


@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgresql", marks=pytest.mark.full)])
def test_the_same_seed_gives_the_same_run(kind: str, simulate: Simulate) -> None:
    first, second, other = (simulate(kind, seed, 400) for seed in (11, 11, 12))
    assert first == second
    assert first[0] != other[0]


@pytest.mark.parametrize("plant", mutants.ALL, ids=lambda plant: str(plant.__name__))
def test_a_planted_defect_is_found(plant: Plant, simulate: Simulate, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch)
    said = next((said for seed in SEEDS["sqlite"] if (said := _found(simulate, seed))), "")
    assert "python -m tests.faults.simulator --seed" in said, "the error says how to repeat the run"


def _found(simulate: Simulate, seed: int) -> str:
    """Return the error that the simulation of *seed* found; "": none."""
    try:
        simulate("sqlite", seed, STEPS["sqlite"])
    except (Broken, scheduler.Stuck) as error:
        return "\n".join((str(error), *error.__notes__))
    return ""


def test_a_command_that_is_not_settled_at_the_end_is_an_error(
    simulate: Simulate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(world, "ROUNDS", 0)
    with pytest.raises(Broken, match=r"these commands are unsettled after 0 rounds: .*/v1/tables"):
        simulate("sqlite", 8, 20)


def test_a_task_that_waits_for_an_unknown_lock_is_named_with_the_place_of_its_wait(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(scheduler, "STEP_SECONDS", 0.1)
    lock = threading.Lock()

    def waits() -> None:
        with lock:
            pass

    simulation = scheduler.Scheduler(Random(1))
    simulation.start("the waiting task", waits)
    with lock, pytest.raises(scheduler.Stuck, match=r"(?s)the waiting task waits.*with lock:"):
        simulation.drain()


@pytest.mark.full
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
@pytest.mark.parametrize("seed", MANY)
def test_many_more_seeds_find_no_defect(kind: str, seed: int, simulate: Simulate) -> None:
    simulate(kind, seed, LONG_STEPS)
