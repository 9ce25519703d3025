"""A checker that was written from log_format.md alone accepts the dossiers of every game, and finds changes."""

import json
from contextlib import suppress

from service.canonical import canonical
from service.dossier import archive
from tests import seeds
from tests.dossier.changes import Changer
from tests.dossier.made import World, files_of
from tests.vectors.independent import dossiers
from tests.vectors.independent.texts import Refused

BY_THE_PROGRAM = {archive.README, archive.CASE, archive.PROGRAM}
"""verify.py, and the pages for people that verify.py computes; log_format.md does not define their content."""
CHANGES = 100


def test_the_other_checker_accepts_each_dossier_of_each_game(world: World) -> None:
    cards, fields = 0, 0
    for played in world.played:
        for data in played.dossiers.values():
            openings = dossiers.check(data).files[archive.OPENINGS]
            cards, fields = cards + openings.count(b'{"card":'), fields + openings.count(b'{"field":')
    assert cards
    assert fields


def test_the_other_checker_refuses_a_single_change_of_anything_that_the_page_defines(world: World) -> None:
    """The checker does not know the rules, and reads neither the case nor the README that a dossier has for people.

    So it accepts another hand number, or another range of events.

    It also accepts three further changes: a missing leaf of the service's own stream, missing leaves at the end of the
    table's disputes, and more or fewer texts of disputes. Who may read these texts depends on the viewer's key.
    """
    changer, accepted = Changer(world, seeds.chance("changes for another checker")), []
    for _ in range(CHANGES):
        change = changer.changed()
        with suppress(Refused):
            dossiers.check(change.data)
            accepted.append(change)
    known = [defined(files_of(data)) for played in world.played for data in played.dossiers.values()]
    passed = {change.what: defined(files_of(change.data)) for change in accepted}
    assert [what for what, one in passed.items() if not any(one <= other for other in known)] == []
    assert len(accepted) < CHANGES


def defined(files: dict[str, bytes]) -> set[tuple[str, bytes]]:
    """Return the files, or lines of files, that a checker can judge without the rules and without verify.py."""
    openings = files[archive.OPENINGS].partition(b"\n")[2]
    lines = [(archive.SERVICE, line) for line in files.get(archive.SERVICE, b"").splitlines()]
    steps = map(json.loads, files.get(archive.DISPUTES, b"").splitlines())
    lines += [(archive.DISPUTES, canonical({**step, "opening": ""})) for step in steps]
    rest = {**files, archive.OPENINGS: openings, archive.SERVICE: b"", archive.DISPUTES: b""}
    return {*lines, *((name, data) for name, data in rest.items() if name not in BY_THE_PROGRAM)}
