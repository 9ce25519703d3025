"""Every single change to a dossier is refused, with its place, by verify.py and by the package."""

import pytest

from tests import seeds
from tests.dossier.changes import KINDS, Changer
from tests.dossier.made import World, refusals


@pytest.mark.parametrize(
    "number", [pytest.param(200, id="200"), pytest.param(10_000, id="10,000", marks=pytest.mark.full)]
)
def test_a_single_change_is_refused_and_its_place_is_named(world: World, number: int) -> None:
    changer = Changer(world, seeds.chance("changes of dossiers"))
    passed, kinds = [], set()
    for _ in range(number):
        change = changer.changed()
        kinds.add(change.what.split()[0])
        if not all(refusals(change.data)):
            passed.append((change.what, refusals(change.data)))
    assert passed == []
    assert kinds == {kind.__name__ for kind in KINDS}
