"""Dossiers for the tests: hands of every game, as several viewers get them over HTTP."""

from random import Random
from typing import Any, NamedTuple

from service.dossier import archive, offline_check, verify
from service.dossier.kept_files import KeptFile
from service.games import CURRENT
from tests.http.service import Person, Service, Table, accepted
from tests.play.hearts import ALL_RULES, play_on

SEATS = 4
RULES: dict[str, dict[str, Any]] = {"insurance_hearts": {**ALL_RULES, "target": 100}}
Files = dict[str, bytes]


class Played(NamedTuple):
    """A *table* of a *game* at which two hands were settled, and which is in the third hand, and its dossiers."""

    game: str
    table: Table
    dossiers: dict[str, bytes]


class World(NamedTuple):
    """A *service* with a table of each game; *checkpoints* are earlier ones of its log, the oldest first."""

    service: Service
    played: tuple[Played, ...]
    checkpoints: tuple[str, ...]


def world(service: Service) -> World:
    """Play a table of each game, and get its dossiers."""
    tables = {name: Table(service, SEATS, game=name, **RULES.get(name, {})).started() for name in CURRENT}
    checkpoints = []
    for hands in (1, 3):
        for name, table in tables.items():
            stream_id = bytes.fromhex(table.id.removeprefix("tbl_"))
            play_on(service.parts, stream_id, Random(f"{name} {hands}"), lambda state: state.hand >= hands)  # noqa: B023 -- called before the loop goes on
            checkpoints.append(service.keep_log())
    return World(
        service, tuple(Played(name, table, dossiers(table)) for name, table in tables.items()), tuple(checkpoints)
    )


def dossiers(table: Table) -> dict[str, bytes]:
    """Return dossiers of a table by what they are about."""
    viewers = {"everybody": table.service.spectator, "seat 1": table.players[1], "seat 3": table.players[3]}
    found = {}
    for name, viewer in viewers.items():
        found[f"hand 1 for {name}"] = dossier(viewer, f"{table.path}/hands/1")
        found[f"the table for {name}"] = dossier(viewer, table.path)
    found["hand 3 for seat 3"] = dossier(table.players[3], f"{table.path}/hands/3")
    return found


def dossier(viewer: Person, path: str) -> bytes:
    return bytes(accepted(viewer.get(f"{path}/dossier")).data)


def files_of(data: bytes) -> Files:
    return dict(archive.unpacked(data))


def refusals(data: bytes, *kept: KeptFile) -> tuple[str, str]:
    """Return the place of the first failure by verify.py, and by the package; "": every check passed."""
    others = [(one.name, one.data) for one in kept]
    ours = next((one.place for one in verify.findings(data, others) if one.verdict == "FAILED"), "")
    failed = offline_check.Outcome.FAILED
    theirs = next((one.place for one in offline_check.check(data, kept).steps if one.outcome is failed), "")
    return ours, theirs


def must_be_refused(data: bytes, *kept: KeptFile) -> None:
    assert all(refusals(data, *kept)), refusals(data, *kept)


def must_pass(data: bytes, *kept: KeptFile) -> None:
    others = [(one.name, one.data) for one in kept]
    assert [one for one in verify.findings(data, others) if one.verdict != "ok"] == []
    report = offline_check.check(data, kept)
    assert [one for one in report.steps if one.outcome is not offline_check.Outcome.OK] == []
