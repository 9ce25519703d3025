"""Dossiers for the tests: hands of every game, as several viewers get them over HTTP."""

from itertools import count
from random import Random
from typing import Any, NamedTuple

from service.database.engines import reading
from service.dossier import archive, offline_check, verify
from service.dossier.kept_files import KeptFile
from service.games import CURRENT
from service.games.game import acting_seat
from service.play.orders import ANYWHERE, Order
from service.tables.sealed_store import TableUnsealer
from service.tables.visibility import SeatViewpoint
from tests.games.random_play import filled
from tests.http.service import Person, Service, Table, accepted
from tests.play.hearts import ALL_RULES

SEATS = 4
RULES: dict[str, dict[str, Any]] = {"insurance_hearts": {**ALL_RULES, "target": 100}}
FOR_CHIPS: dict[str, Any] = {"buy_in": 200}  # so that no game ends within three hands
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
    tables = {name: Table(service, SEATS, game=name, **RULES.get(name, FOR_CHIPS)).started() for name in CURRENT}
    checkpoints = []
    for hands in (1, 3):
        for name, table in tables.items():
            _play(service, table, hands, Random(f"{name} {hands}"))
            checkpoints.append(service.keep_log())
    played = (Played(name, table, dossiers(table)) for name, table in tables.items())
    return World(service, tuple(played), tuple(checkpoints))


def _play(service: Service, table: Table, hands: int, chance: Random) -> None:
    """Play at random until the hand number *hands* is dealt; nobody leaves, resigns or sits out."""
    stream_id, parts = bytes.fromhex(table.id.removeprefix("tbl_")), service.parts
    for number in count(1):
        with reading(parts.engine) as connection:
            table_at = parts.tables.current(connection, stream_id)
            assert table_at
            if table_at.state.hand >= hands and table_at.opened:
                return
            actor = chance.choice(table_at.game.due(table_at.state))
            seat = acting_seat(actor)
            unsealer = TableUnsealer(parts.sealed_store, lambda: connection, table_at)
            listed = table_at.game.actions(table_at.state, actor, SeatViewpoint(table_at, seat, unsealer))
        usual = [one for one in listed if not one.command.IS_RARE and not getattr(one.command, "foot", False)]
        command, key = filled(chance, chance.choice(usual)), f"move-{hands}-{number}"
        caller = table_at.state.players[seat]
        parts.play.do(Order(stream_id=stream_id, caller=caller, key=key, command=command, if_match=ANYWHERE))


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
