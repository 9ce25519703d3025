"""The fixture of the visibility tests: whether a test sends all requests, or a random share of them."""

import pytest

from tests import seeds
from tests.tables.sweep import Sweep


@pytest.fixture(params=[pytest.param(False, id="a share"), pytest.param(True, id="all", marks=pytest.mark.full)])
def sweep(request: pytest.FixtureRequest) -> Sweep:
    """Return the sweep of this test: all requests, or a share that is drawn with the seed of the run."""
    return Sweep(seeds.chance(request.node.name), is_whole=request.param)
