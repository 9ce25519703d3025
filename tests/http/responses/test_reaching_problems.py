"""The tests reach every problem that the document lists for an operation, and every problem of the catalogue."""

# ruff: noqa: ANN401 -- JSON may be any value

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import pytest
from msgspec.structs import force_setattr
from sqlalchemy import event as database_event, text
from sqlalchemy.exc import TimeoutError as NoConnection
from werkzeug.exceptions import ClientDisconnected
from werkzeug.test import TestResponse

from service.database.engines import administering
from service.dossier import archive
from service.event_store.codec import Codec
from service.exchange.import_batches import Logs
from service.exchange.importing import Importer
from service.games import EVENTS
from service.http import api
from service.http.operations import body_slots
from service.http.operations.readiness import Readiness
from service.http.problems.catalogue import CATALOGUE
from service.http.problems.problem import Problem
from service.http.request import parsing
from service.http.request.context import RequestContext
from service.transparency import checkpoint
from service.transparency.checkpoint import Checkpoint
from tests.damage import DROP, damage, forget
from tests.databases import Databases
from tests.http.disputes import Case
from tests.http.service import Person, Service, Table, accepted, refused, running
from tests.http.streams import LINES
from tests.lost_commits import failing_commits

OPERATIONS: Final[dict[str, tuple[str, str, Any]]] = {
    operation["operationId"]: (method.upper(), path, operation)
    for path, operations in api.document()["paths"].items()
    for method, operation in operations.items()
    if method != "parameters"
}


def _listed(operation: Any) -> list[str]:
    """Return the codes that the document lists for *operation*."""
    problems = [said["description"] for status, said in operation["responses"].items() if int(status) >= 400]
    return [line.split("`")[1] for description in problems for line in description.splitlines()]


@pytest.fixture
def elsewhere(tmp_path: Path, all_databases: Databases) -> Iterator[Service]:
    """Yield another service, with a low rate limit."""
    with (
        all_databases.migrated("sqlite") as url,
        running(tmp_path / "elsewhere", url, owner_requests_per_second=1) as made,
    ):
        yield made


def _afresh(service: Service) -> Readiness:
    """Return a `Readiness` without a cached result, so that it checks the database now."""
    return Readiness(service.parts.engine, service.parts.service_key, service.parts.clock)


class World:
    """A service with a running hand, an open table, and a caller for each operation."""

    def __init__(self, service: Service, elsewhere: Service, monkeypatch: pytest.MonkeyPatch) -> None:
        self.service = service
        self.elsewhere = elsewhere
        readiness = service.parts.readiness
        monkeypatch.setattr(readiness, "check", lambda: Readiness.check(_afresh(service)))
        self.monkeypatch = monkeypatch
        self.table = Table(service).dealt()
        self.admin = service.person("admin")
        self.ended = service.person("play")
        self.checkpoint: list[str] = []
        self.case: Case | None = None
        self.number, self.proposal, self.hand = 0, 0, 0
        self.hands = iter(range(1, 4))

    @cached_property
    def open(self) -> Table:
        """The open table, which few operations need."""
        return Table(self.service, 2)

    def ask(self, name: str, who: Person | None = None, /, **more: Any) -> TestResponse:
        """Send the usual request of the operation *name*, changed by *more*: headers, data, query, parts of paths."""
        method, path, _ = OPERATIONS[name]
        caller, body, parts = more.pop("usual", None) or self.usual(name)
        headers = {"Idempotency-Key": f"key-{next(self.service.numbers)}", **more.pop("headers", {})}
        sent: dict[str, Any] = {}
        if method == "POST":
            data = more.pop("data", None)
            sent = {"data": data, "content_type": "application/json"} if data is not None else {"json": body}
            sent |= {key: more.pop(key) for key in ("content_type", "json") if key in more}
        query = more.pop("query", "")
        headers = {key: value for key, value in headers.items() if value is not None}
        return (who or caller).send(method, path.format(**{**parts, **more}) + query, headers=headers, **sent)

    def usual(self, name: str) -> tuple[Person, Any, dict[str, Any]]:
        """Return the caller, the body and the parts of the path with which the operation *name* succeeds."""
        parts = {
            "table": self.table.id,
            "hand": 1,
            "dispute": 1,
            "position": 1,
            "account": "stack:1",
            "game": "bankrupt",
            "key": f"key_{self.ended.token.split('_')[1]}",
            "level": 0,
            "tile": "000.p/1",
            "old": 1,
            "new": 2,
        }
        match name:
            case "open_table":
                return self.service.person("host"), {"game": "bankrupt"}, parts
            case "take_seat":
                return self.service.person("play"), {"chips": 12}, {**parts, "table": self.open.id}
            case "get_me":
                return self.table.due, None, parts
            case "do_action":
                return self.table.due, {"type": "hold_cards"}, parts
            case "make_key":
                return self.service.person("host"), {}, parts
            case "get_entries" | "audit_players":
                return self.service.person("audit"), None, parts
            case "list_service_events" | "get_service_event_proof":
                with administering(self.service.parts.engine) as connection:
                    self.service.parts.service_log.open_if_needed(connection)
                return self.admin, None, parts
            case "publish_checkpoint":
                if not self.checkpoint:
                    self.checkpoint = self.service.keep_log().splitlines()
                return self.admin, {"checkpoint": self.checkpoint}, parts
            case _ if "/disputes" in OPERATIONS[name][1]:
                return self._about_a_dispute(name, parts)
            case _:
                return self.admin, None, parts

    def _about_a_dispute(self, name: str, parts: dict[str, Any]) -> tuple[Person, Any, dict[str, Any]]:
        """Return the usual request about a dispute; if `number` is 0, a new dispute is made ready for the request."""
        case = self.case = self.case or Case(self.service)
        transfers: list[Any] = []
        if not self.number:
            self.hand = next(self.hands)
            whose: dict[str, Any] = {"who": case.table.players[4], "hand": self.hand}
            match name:
                case "return_dispute" | "request_answers" | "decide_dispute":
                    self.number = case.taken(**whose)
                case "propose_correction":
                    self.number = case.decided(**whose)
                case "approve_correction" | "refuse_correction":
                    self.number, self.proposal = case.proposed(**whose)
                case _:
                    self.number = case.opened(**whose)
        if name == "propose_correction":
            transfers = [case.transfer(self.number)]
        who, body = {
            "open_dispute": (case.complainant, {"hand": self.hand, "ground": "rules"}),
            "answer_dispute": (case.table.host, {"statement": "No."}),
            "withdraw_dispute": (case.table.players[4], {}),
            "take_dispute": (case.auditor, {}),
            "return_dispute": (case.auditor, {}),
            "request_answers": (case.auditor, {"question": "Why?"}),
            "decide_dispute": (case.auditor, {"outcome": "fault", "reason": "So it is."}),
            "propose_correction": (case.auditor, {"transfers": transfers}),
            "approve_correction": (case.approver, {"proposal": self.proposal}),
            "refuse_correction": (case.approver, {"proposal": self.proposal}),
        }.get(name, (case.auditor, None))
        return who, body, {**parts, "table": case.table.id, "dispute": self.number}


@contextmanager
def _failing(world: World) -> Iterator[None]:
    """Let the database fail before each statement while the block runs."""
    engine = world.service.parts.engine

    def fail(*_: object) -> None:
        raise NoConnection

    database_event.listen(engine, "before_cursor_execute", fail)
    yield
    database_event.remove(engine, "before_cursor_execute", fail)


def _with_a_defect(world: World, name: str) -> TestResponse:
    def fail() -> None:
        raise ValueError

    usual = world.usual(name)
    before = world.service.app.before_request_funcs[None]
    before.append(fail)
    answer = world.ask(name, usual=usual)
    before.remove(fail)
    return answer


def _without_a_database(world: World, name: str) -> TestResponse:
    stranger = world.service.person("play", "host")  # a key that is not cached yet must be read from the database
    usual = world.usual(name)
    with _failing(world):
        return world.ask(name, stranger, usual=usual)


def _without_an_answer_to_the_commit(world: World, name: str) -> TestResponse:
    usual = world.usual(name)
    accepted(usual[0].get("/v1/whoami"))
    with failing_commits(world.service.parts.engine, world.monkeypatch):
        return world.ask(name, usual=usual)


def _another_command_under_the_same_key(world: World, name: str) -> TestResponse:
    bodies = {
        "open_table": {"game": "bankrupt", "seats": 3},
        "take_seat": {"chips": 13},
        "do_action": {"type": "throw_in"},
        "make_key": {"label": "Ann"},
        "open_dispute": {"hand": 1, "ground": "deck"},
        "answer_dispute": {"statement": "Yes."},
        "request_answers": {"question": "When?"},
        "decide_dispute": {"outcome": "no_fault", "reason": "So it is."},
        "propose_correction": {"transfers": [_ADJUSTMENT]},
        "approve_correction": {"proposal": 99},
        "refuse_correction": {"proposal": 99},
    }
    usual = caller, _, _ = world.usual(name)
    headers = {"Idempotency-Key": f"the same {name}"}
    world.ask(name, caller, headers=headers)
    if "/disputes" in OPERATIONS[name][1]:
        world.number = 0  # The next request needs another dispute.
    if name not in bodies:  # The body is empty: the commands differ in their disputes.
        return world.ask(name, caller, usual=usual, headers=headers, dispute=99)
    if "/disputes" in OPERATIONS[name][1]:
        return world.ask(name, caller, usual=usual, headers=headers, json=bodies[name])
    return world.ask(name, caller, headers=headers, json=bodies[name])


_ADJUSTMENT: Final = {
    "source": "own_" + "0" * 32,
    "target": "own_" + "1" * 32,
    "amount": 1,
    "unit": "chips",
    "corrects": 1,
    "rule": "",
}


def _by_a_stranger(world: World, name: str) -> TestResponse:
    stranger = world.service.person("host", "play")
    if name == "take_seat":
        theirs = world.service.person("play", made_by=stranger.owner)
        return world.ask(name, stranger, json={"chips": 12, "player": theirs.owner})
    return world.ask(name, stranger, json={"type": "start_game"})


def _for_somebody_elses_player(world: World, name: str) -> TestResponse:
    return world.ask(name, world.open.host, json={"chips": 12, "player": world.ended.owner})


def _against_the_rules(world: World, name: str) -> TestResponse:
    if name == "take_seat":
        return world.ask(name, json={"chips": 11})
    if name == "open_table":
        return world.ask(name, json={"game": "insurance_hearts", "worth": {"currency": "EUR", "minor": 10}})
    if "/disputes" in OPERATIONS[name][1]:
        return _a_step_against_the_rules(world, name)
    return world.ask(name, world.table.others[0])


def _a_step_against_the_rules(world: World, name: str) -> TestResponse:
    assert world.case or world.usual(name)
    case = world.case
    assert case
    match name:
        case "open_dispute":
            return world.ask(name, json={"hand": 99, "ground": "rules"})
        case "answer_dispute" | "withdraw_dispute":
            return world.ask(name, world.service.person("play"))
        case "take_dispute":
            return world.ask(name, world.service.person("audit", owner=case.opponent.owner))
        case "approve_correction" | "refuse_correction":
            return world.ask(name, json={"proposal": 99})
        case _:
            return world.ask(name, case.other_auditor)


def _beyond_ones_power(world: World, name: str) -> TestResponse:
    if name == "make_key":
        return world.ask(name, json={"scopes": ["admin"]})
    player = world.service.person("play")
    more = accepted(world.admin.post("/v1/keys", {"scopes": ["play", "host"], "owner": player.owner}), 201).json
    return world.ask(name, player, key=more["key"]["id"])


def _at_another_schema(world: World, name: str) -> TestResponse:
    def at(version: str) -> str:
        with administering(world.service.parts.engine) as connection:
            was = connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one()
            connection.execute(text("UPDATE alembic_version SET version_num = :version"), {"version": version})
        return str(was)

    was = at("0001")
    answer = world.ask(name)
    at(was)
    return answer


def _where_all_places_are_taken(world: World, name: str) -> TestResponse:
    with ExitStack() as places:
        for holder in range(world.service.parts.settings.waiting_places + 1):
            try:
                places.enter_context(world.service.parts.long_polls.slot(f"somebody {holder}"))
            except Problem:
                break
        if name in {"export_table", "export_tables"}:
            return world.ask(name, world.service.person("audit"))
        return world.ask(name, world.table.others[0], query=f"?wait=1{'&after=1000' * (name == 'list_events')}")


def _where_nobody_ends_a_body(world: World, name: str) -> TestResponse:
    with ExitStack() as places, world.monkeypatch.context() as patch:
        patch.setattr(body_slots, "PATIENCE_SECONDS", 0.0)
        for holder in range(body_slots.LIMITS.in_all):
            places.enter_context(world.service.parts.body_slots.slot(f"somebody {holder}"))
        return world.ask(name)


def _with_a_body_that_does_not_come(world: World, name: str) -> TestResponse:
    def cut_off(_: RequestContext) -> bytes:
        raise ClientDisconnected

    settings = world.service.parts.settings
    with world.monkeypatch.context() as patch:
        patch.setattr(parsing, "_read", cut_off)
        seconds = settings.body_seconds
        force_setattr(settings, "body_seconds", 0)
        answer = world.ask(name)
        force_setattr(settings, "body_seconds", seconds)
        return answer


def _with_another_root(world: World, name: str) -> TestResponse:
    key = world.service.signer.key
    forged = checkpoint.signed(Checkpoint(key.origin, 1, bytes(32)), key.private_key)
    return world.ask(name, json={"checkpoint": str(forged).splitlines()})


def _at_a_table_played_elsewhere(world: World, name: str) -> TestResponse:
    table = Table(world.elsewhere, 2)
    lines = world.elsewhere.spectator.get(f"{table.path}/events", Accept=LINES).data.splitlines(keepends=True)
    parts = world.service.parts
    list(Importer(parts.engine, Logs(parts.log, parts.service_log), Codec(EVENTS), parts.clock).import_tables(lines))
    return world.ask(name, table=table.id)


_FOR_AUDITORS = frozenset(
    {
        "audit_players",
        "export_tables",
        "get_entries",
        "list_service_events",
        "get_service_event_proof",
        "list_all_disputes",
        "take_dispute",
    }
    | {"return_dispute", "request_answers", "decide_dispute", "propose_correction"}
)


def _at_a_damaged_table(world: World, name: str) -> TestResponse:
    caller, body, parts = world.usual(name)
    headers = {"Idempotency-Key": "damaged"}
    table = parts["table"]
    if name == "get_entries":  # An entry bundle shows a leaf that was altered, but can't show a missing leaf.
        world.service.keep_log()
        damage(world.service, table, 1, DROP)
        return world.ask(name, caller, tile="000.p/3")  # the missing leaf is one of the first three
    if name == "list_service_events":
        world.usual(name)  # This call opens the stream.
        damage(world.service, "tbl_" + "0" * 32, 1, DROP)
        return world.ask(name)
    if name == "open_table":
        table = accepted(caller.post("/v1/tables", body, key="damaged"), 201).json["table"]
    damage(world.service, table, 1)
    forget(world.service)
    query = f"?table={table}" if name == "audit_players" else ""
    return world.ask(name, caller, usual=(caller, body, parts), headers=headers, query=query)


def _too_often(world: World, name: str) -> TestResponse:
    somebody = world.elsewhere.person("admin", "host", "play")
    for _ in range(100):  # the window of the rate limit may end meanwhile
        answer = world.ask(name, somebody)
        if answer.status_code == CATALOGUE["requests_must_be_fewer"].status:
            break
    return answer


_LIMITED: Final = {
    "make_key": ("keys_per_owner", "/v1/keys"),
    "open_table": ("tables_per_owner", "/v1/tables"),
    "take_seat": ("seats_per_owner", ""),
}


def _with_one_at_most(world: World, name: str) -> TestResponse:
    parts = world.service.parts
    caller, body, _ = world.usual(name)
    place = f"{Table(world.service, 2).path}/seats" if name == "take_seat" else _LIMITED[name][1]
    accepted(caller.post(place, body), 201)
    limit = _LIMITED[name][0]
    was = getattr(parts.settings, limit)
    force_setattr(parts.settings, limit, 1)
    answer = world.ask(name, caller)
    force_setattr(parts.settings, limit, was)
    return answer


def _with_a_malformed_position(world: World, name: str) -> TestResponse:
    if name in {"list_events", "get_feed"}:
        return world.ask(name, headers={"Last-Event-ID": "x", "Accept": "text/event-stream"})
    return world.ask(name, headers={"If-Match": "x"})


def _of_a_table_too_large(world: World, name: str) -> TestResponse:
    world.service.keep_log()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(archive, "MOST_BYTES", 1)
        return world.ask(name)


REACH: Final[dict[str, Callable[[World, str], TestResponse]]] = {
    "account_must_exist": lambda world, name: world.ask(name, account="stack:52"),
    "asker_must_be_a_player": lambda world, name: world.ask(name, world.service.person("play")),
    "asker_must_be_the_host": _by_a_stranger,
    "body_must_be_json": lambda world, name: world.ask(name, data=b"{"),
    "body_must_be_small": lambda world, name: world.ask(name, data=b" " * 2**20),
    "body_must_come_in_time": _with_a_body_that_does_not_come,
    "body_must_find_a_place": _where_nobody_ends_a_body,
    "checkpoint_must_be_genuine": lambda world, name: world.ask(name, json={"checkpoint": ["not signed"]}),
    "checkpoint_must_be_of_the_tree": _with_another_root,
    "checkpoint_must_exist": lambda world, name: world.ask(name),
    "content_type_must_be_json": lambda world, name: world.ask(name, data=b"{}", content_type="text/plain"),
    "cursor_must_be_of_this_log": lambda world, name: world.ask(name, query=f"?after=1-{'0' * 16}"),
    "database_must_answer": _without_a_database,
    "dispute_must_exist": lambda world, name: world.ask(name, dispute=99),
    "dossier_must_be_small": _of_a_table_too_large,
    "game_must_exist": lambda world, name: world.ask(name, game="poker"),
    "hand_must_exist": lambda world, name: world.ask(name, hand=999, query="?hand=999" if name == "get_flows" else ""),
    "idempotency_key_must_be_given": lambda world, name: world.ask(name, headers={"Idempotency-Key": None}),
    "idempotency_key_must_be_new": _another_command_under_the_same_key,
    "key_must_be_given": lambda world, name: world.ask(name, world.service.spectator),
    "key_must_be_valid": lambda world, name: world.ask(name, headers={"Authorization": "Bearer nobody's"}),
    "key_must_be_within_your_power": _beyond_ones_power,
    "key_must_exist": lambda world, name: world.ask(name, key=f"key_{0:032x}"),
    "keys_must_be_fewer": _with_one_at_most,
    "last_admin_key_must_stay": lambda world, name: world.ask(name, key=f"key_{world.admin.token.split('_')[1]}"),
    "outcome_must_be_known": _without_an_answer_to_the_commit,
    "place_must_be_free": _where_all_places_are_taken,
    "player_must_be_yours_to_seat": _for_somebody_elses_player,
    "position_must_be_well_formed": _with_a_malformed_position,
    "position_must_exist": lambda world, name: (
        world.ask(name, position=2**31 - 1) if "event" in name else world.ask(name, query="?at=2147483647")
    ),
    "proof_must_exist": lambda world, name: world.ask(name),
    "position_must_match": lambda world, name: world.ask(name, headers={"If-Match": '"1000"'}),
    "refused_by_the_rules": _against_the_rules,
    "request_must_have_its_shape": lambda world, name: world.ask(name, query="?stray=1"),
    "requests_must_be_fewer": _too_often,
    "scope_must_be_granted": lambda world, name: world.ask(
        name, world.service.person("play" if name in _FOR_AUDITORS else "audit")
    ),
    "seats_must_be_fewer": _with_one_at_most,
    "service_must_be_ready": _at_another_schema,
    "service_must_not_fail": _with_a_defect,
    "tables_must_be_fewer": _with_one_at_most,
    "table_must_be_intact": _at_a_damaged_table,
    "table_must_be_played_here": _at_a_table_played_elsewhere,
    "table_must_exist": lambda world, name: world.ask(
        name, table=f"tbl_{0:032x}", query=f"?table=tbl_{0:032x}" if name == "audit_players" else ""
    ),
    "tile_must_exist": lambda world, name: world.ask(name, tile="001"),
}
NO_OPERATIONS: Final = {"method_must_be_allowed", "resource_must_exist"}
"""The problems of requests without an operation: tests/http/request/test_every_route.py reaches them."""


@pytest.mark.parametrize("name", OPERATIONS)
def test_the_listed_problems_of_an_operation_are_exactly_the_possible_problems(
    quick_service: Service, elsewhere: Service, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    world = World(quick_service, elsewhere, monkeypatch)
    lasting = {"last_admin_key_must_stay", "table_must_be_intact"}  # after these, no other problem can be reached
    for code in sorted(_listed(OPERATIONS[name][2]), key=lambda code: code in lasting):
        answer = REACH[code](world, name)
        told = answer.get_json(silent=True) or {}
        assert told.get("type") == f"/problems/{code}", (code, answer.status_code, told)
        own_code = told["code"] if code == "refused_by_the_rules" else code
        refused(answer, CATALOGUE[code].status, own_code)
        if answer.status_code == 503:
            assert answer.headers["Retry-After"]
        page = quick_service.spectator.get(told["type"])
        assert (page.status_code, page.mimetype) == (200, "text/html")
        assert str(CATALOGUE[code].status) in page.get_data(as_text=True)


def test_every_problem_of_the_catalogue_is_listed_somewhere() -> None:
    listed = {code for _, _, operation in OPERATIONS.values() for code in _listed(operation)}
    assert listed | NO_OPERATIONS == set(CATALOGUE)
    assert listed == set(REACH)
