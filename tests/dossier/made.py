"""Dossiers for the tests: hands and tables of every game, as several viewers get them over HTTP."""

from itertools import count
from random import Random
from typing import Any, NamedTuple

from msgspec.structs import replace

from service.database.engines import administering, reading
from service.dossier import archive, offline_check, verify
from service.dossier.kept_files import KeptFile
from service.games import CURRENT
from service.games.common_commands import CallTime, CommitSeed, LeaveSeat
from service.games.game import HOST, Action, Command, acting_seat, seat_actor
from service.play.orders import ANYWHERE, Order
from service.service_log.service_log import ServiceLog
from service.tables.fold import TableAt
from service.tables.sealed_store import TableUnsealer
from service.tables.visibility import SeatViewpoint
from tests.disputes.complaints import Desk
from tests.games.players_seeds import with_seed
from tests.games.random_play import filled
from tests.http.service import Person, Service, Table, accepted
from tests.play.hearts import ALL_RULES
from tests.play.signed_orders import signed

SEATS = 4
RULES: dict[str, dict[str, Any]] = {"insurance_hearts": {**ALL_RULES, "target": 100}}
FOR_CHIPS: dict[str, Any] = {"buy_in": 200}  # so that no game ends within three hands
Files = dict[str, bytes]


class Played(NamedTuple):
    """A *table* of a *game*, at which some hands were played, and the *dossiers* of the table."""

    game: str
    table: Table
    dossiers: dict[str, bytes]


class Manners(NamedTuple):
    """How the players behave: seat 1 never sends the command *withheld*, so the host calls time for this seat.

    The seat *leaver* leaves once a seat has committed to a seed, and so ends a batch of decks. If *signs* is True,
    every seat has a signing key, and signs its decisions.
    """

    withheld: type[Command] | None = None
    leaver: int = 0
    signs: bool = False


POLITE = Manners()


class World(NamedTuple):
    """A *service* with a table of each game; *checkpoints* are earlier checkpoints of the log, the oldest first."""

    service: Service
    played: tuple[Played, ...]
    checkpoints: tuple[str, ...]


def world(service: Service) -> World:
    """Play a table of each game, dispute a hand at two of them, and get the dossiers."""
    start(service)
    tables = {name: Table(service, SEATS, game=name, **RULES.get(name, FOR_CHIPS)).started() for name in CURRENT}
    checkpoints = []
    for hands in (1, 3):
        for name, table in tables.items():
            play(service, table, hands, Random(f"{name} {hands}"))
            checkpoints.append(service.keep_log())
        start(service, f"{hands}.0")
    Desk(tables["bankrupt"]).opened()
    Desk(tables["insurance_hearts"], unit="points").corrected()
    service.keep_log()
    played = (Played(name, table, dossiers(table)) for name, table in tables.items())
    return World(service, tuple(played), tuple(checkpoints))


def start(service: Service, release: str = "") -> None:
    """Record in the service's own stream that a server starts, perhaps with another *release*."""
    own = service.parts.service_log
    if release:
        own = ServiceLog(own.log, lambda: replace(service.parts.service_log.identity(), release=release))
    with administering(service.parts.engine) as connection:
        own.record_start(connection)


def play(service: Service, table: Table, hands: int, chance: Random, manners: Manners = POLITE) -> None:
    """Play at random until the hand number *hands* is dealt, or the game is over; nobody resigns or sits out."""
    stream_id, parts = bytes.fromhex(table.id.removeprefix("tbl_")), service.parts
    for number in count(1):
        with reading(parts.engine) as connection:
            table_at = parts.tables.current(connection, stream_id)
            assert table_at
            state = table_at.state
            is_settled = manners.withheld is not None or not table_at.seeds_awaited
            if (state.hand >= hands and table_at.opened and is_settled) or not table_at.due:
                return
            unsealer = TableUnsealer(parts.sealed_store, lambda: connection, table_at)
            command = with_seed(_chosen(table_at, unsealer, chance, manners))
        caller = state.host if command.by == HOST else state.players[acting_seat(command.by)]
        key = f"move-{hands}-{number}"
        order = Order(stream_id=stream_id, caller=caller, key=key, command=command, if_match=ANYWHERE)
        parts.play.do(signed(parts, table_at, order) if manners.signs and command.by != HOST else order)


def _chosen(table_at: TableAt, unsealer: TableUnsealer, chance: Random, manners: Manners) -> Command:
    """Return the next command of a player who leaves, is due or owes a seed; else the host's command to call time."""
    game, state = table_at.game, table_at.state

    def listed(actor: str) -> list[Action]:
        return list(game.actions(state, actor, SeatViewpoint(table_at, acting_seat(actor), unsealer)))

    def listed_of(actor: str, kind: type[Command]) -> list[Command]:
        return [one.command for one in listed(actor) if isinstance(one.command, kind)]

    if manners.leaver in state.players and state.hand and listed_of(seat_actor(manners.leaver), LeaveSeat):
        if any(not one.is_ended and (one.is_ready or one.commitments) for one in state.batches.values()):
            return listed_of(seat_actor(manners.leaver), LeaveSeat)[0]
        if commitments := [one for actor in table_at.seeds_awaited for one in listed_of(actor, CommitSeed)]:
            return commitments[0]
    actors = [*table_at.due, *table_at.seeds_awaited]
    for actor in chance.sample(actors, len(actors)):
        usual = [one for one in listed(actor) if not one.command.IS_RARE and not getattr(one.command, "foot", False)]
        if manners.withheld and actor == seat_actor(1):
            usual = [one for one in usual if not isinstance(one.command, manners.withheld)]
        if usual:
            return filled(chance, chance.choice(usual))
    return CallTime(by=HOST)


def dossiers(table: Table) -> dict[str, bytes]:
    """Return dossiers of a table, each by a text that names its hand and its viewer."""
    viewers = {"everybody": table.service.spectator, "seat 1": table.players[1], "seat 3": table.players[3]}
    found = {}
    for name, viewer in viewers.items():
        found[f"hand 1 for {name}"] = dossier(viewer, f"{table.path}/hands/1")
        found[f"the table for {name}"] = dossier(viewer, table.path)
    if table.view()["hand"] > 2:
        found["hand 3 for seat 3"] = dossier(table.players[3], f"{table.path}/hands/3")
    return found


def dossier(viewer: Person, path: str) -> bytes:
    return bytes(accepted(viewer.get(f"{path}/dossier")).data)


def files_of(data: bytes) -> Files:
    return dict(archive.unpacked(data))


def refusals(data: bytes, *kept: KeptFile) -> tuple[str, str]:
    """Return the place of the first flaw that verify.py finds, and of the first that the package finds; "": none."""
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
    wrong = [(one.step, one.place, one.text) for one in report.steps if one.outcome is not offline_check.Outcome.OK]
    assert wrong == [], wrong
