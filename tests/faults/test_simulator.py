"""Eight clients play all games against several processes while everything fails that can; all of it from one seed."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.databases import Databases
from tests.faults.simulator import mutants
from tests.faults.simulator.mutants import Plant
from tests.faults.simulator.scheduler import Stuck
from tests.faults.simulator.world import Broken, run

STEPS = {"sqlite": 2_500, "postgresql": 1_000}
SEEDS = {"sqlite": (1, 2, 3), "postgresql": (1, 2)}
LONG_STEPS = 20_000
MANY = range(100, 160)

Simulate = Callable[[str, int, int], tuple[str, Counter[str]]]


@pytest.fixture
def simulate(tmp_path: Path, all_databases: Databases) -> Simulate:
    """Return what runs a seed for so many steps on a new database of a kind."""

    def simulated(kind: str, seed: int, steps: int) -> tuple[str, Counter[str]]:
        folder = tmp_path / "simulated"
        with all_databases.migrated(kind) as url:
            found = run(folder, url, seed, steps)
        for path in folder.iterdir():
            path.unlink()
        return found

    return simulated


@pytest.mark.parametrize(("kind", "seed"), [(kind, seed) for kind, seeds in SEEDS.items() for seed in seeds])
def test_whatever_fails_nothing_is_lost_doubled_or_told_to_the_wrong(kind: str, seed: int, simulate: Simulate) -> None:
    _, happened = simulate(kind, seed, STEPS[kind])
    assert happened["POST 200"] > 10
    assert any(" failed" in what for what in happened)
    assert happened["tables"] >= 3


def test_it_all_happens(simulate: Simulate) -> None:
    """The faults that there are do strike, if not all of them in each run."""
    happened = sum((simulate("sqlite", seed, 2_000)[1] for seed in (8, 9, 10, 11)), Counter[str]())
    for what in (
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
    ):
        assert happened[what] > 0, what


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_the_same_seed_is_the_same_run(kind: str, simulate: Simulate) -> None:
    first, second, other = (simulate(kind, seed, 600) for seed in (11, 11, 12))
    assert first == second
    assert first[0] != other[0]


@pytest.mark.parametrize("plant", mutants.ALL, ids=lambda plant: str(plant.__name__))
def test_a_planted_defect_is_found(plant: Plant, simulate: Simulate, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch)
    said = next((said for seed in SEEDS["sqlite"] if (said := _found(simulate, seed))), "")
    assert "python -m tests.faults.simulator --seed" in said, "it is found, and says how to play it again"


def _found(simulate: Simulate, seed: int) -> str:
    """Return what the simulation from *seed* says that went wrong; "": nothing did."""
    try:
        simulate("sqlite", seed, STEPS["sqlite"])
    except (Broken, Stuck) as error:
        return "\n".join((str(error), *error.__notes__))
    return ""


@pytest.mark.full
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
@pytest.mark.parametrize("seed", MANY)
def test_many_more_seeds_find_nothing(kind: str, seed: int, simulate: Simulate) -> None:
    simulate(kind, seed, LONG_STEPS)
