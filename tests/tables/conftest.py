"""What tests of visibility ask for: how much of all that there is to ask they ask."""

import pytest

from tests import seeds
from tests.tables.sweep import Sweep


@pytest.fixture(params=[pytest.param(False, id="a share"), pytest.param(True, id="all", marks=pytest.mark.full)])
def sweep(request: pytest.FixtureRequest) -> Sweep:
    """Return the sweep of this test: a share that the run's seed draws, or all."""
    return Sweep(seeds.chance(request.node.name), is_whole=request.param)
