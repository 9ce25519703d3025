"""Schemathesis sends valid and invalid requests to the service, with keys of every kind.

All its checks are on, except one that is wrong for proofs (see `_proofs`). Schemathesis is seeded: the requests are the
same in every run until the document changes. The daily test sends a part of these requests; the run's seed
selects the part.
"""

# ruff: noqa: ANN401 -- JSON may be any value

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any, Final

import pytest
import schemathesis
from schemathesis.config import SchemathesisConfig
from schemathesis.engine import from_schema
from schemathesis.engine.events import FatalError, NonFatalError, ScenarioFinished

from service.api_keys.repository import SCOPES, Scope
from service.http import api
from tests import seeds
from tests.http.service import Person, Service, Table, accepted

SEED: Final = 20260714
ROLES: Final[dict[str, tuple[Scope, ...] | None]] = {
    "everything": SCOPES,
    "host": ("host",),
    "player": ("play",),
    "auditor": ("audit",),
    "spectator": None,
}
_EXPECTED: Final = ["2xx", 304, 401, 403, 404, 409]
_NEEDS_WHAT_IS_THERE: Final = [*_EXPECTED, 412, 422]
"""The statuses of writes and exports. The last two are for conditions that a schema can't express. 412: If-Match must
name the table's current position. 422: an owner must exist, a label must be printable, February has no 30th day, and
the end of an export's time must be after its beginning."""
FEWEST: Final = 50
"""Each operation with parameters must get at least this many requests. Schemathesis aims at 200 in one of its phases,
but looks for requests that are accepted, and gives up early if it finds no new ones: get_table got a total of 86."""
SHARE: Final = 0.12
"""The share of the requests at the bounds that the daily test sends."""
_BEYOND_SCHEMAS: Final = (
    *("open_table", "do_action", "take_seat", "make_key"),
    *("open_dispute", "answer_dispute", "request_answers", "decide_dispute", "propose_correction"),
    *("export_table", "export_tables"),
)


@pytest.fixture
def world(served: tuple[Service, str]) -> "World":
    return World(*served)


class World:
    """A service with a table that was played, and with a new table for each caller."""

    def __init__(self, service: Service, url: str) -> None:
        self.service = service
        self.url = url
        self.played = Table(service).dealt()
        while self.played.view()["hand"] < 2:
            first = accepted(self.played.due.get(f"{self.played.path}/actions")).json["items"][0]
            accepted(self.played.due.post(f"{self.played.path}/actions", first["action"]))
        accepted(self.played.host.post(f"{self.played.path}/disputes", {"hand": 1, "ground": "time"}), 201)
        service.keep_log()
        self.ended = [service.person("play"), service.person("host")]
        self.numbers = count(1)

    def caller(self, role: str) -> tuple[Person, Table]:
        """Return a caller with the scopes of *role*, and a new table, which the caller hosts or plays at if it may."""
        scopes = ROLES[role]
        who = self.service.person(*scopes) if scopes else self.service.spectator
        table = Table(self.service, 2)
        if scopes and "host" in scopes:
            opened = accepted(who.post("/v1/tables", {"game": "bankrupt", "seats": 3}), 201)
            table.path = opened.headers["Location"]
            table.id = table.path.rpartition("/")[2]
        if scopes and "play" in scopes:
            accepted(who.post(f"{table.path}/seats", {"chips": table.view(table.host)["options"]["buy_in"]}), 201)
        return who, table

    def run(self, role: str, examples: int, phases: set[str], share: float = 1.0) -> "Run":
        """Send the requests of Schemathesis: for each operation the first request, and *share* of the others."""
        who, own = self.caller(role)
        config = self._config(who, own, examples, phases)
        schema = schemathesis.openapi.from_url(f"{self.url}/openapi.json", config=config)
        with self._spared(who), _shared_out(share):
            return Run(schema)

    def _config(self, who: Person, own: Table, examples: int, phases: set[str]) -> SchemathesisConfig:
        """Return the configuration of Schemathesis: mostly real ids, and the statuses allowed for its requests."""
        values: dict[str, list[Any]] = {
            "path.table": [own.id, self.played.id],
            "path.key": [_key_of(one) for one in self.ended],
            "path.hand": [1, 2],
            "path.dispute": [1],
            "path.account": ["stack:1", "centre"],
            "path.game": ["bankrupt"],
            "path.level": [0],
            "path.tile": ["000.p/1", "000.p/9"],
            "path.old": [0, 1],
            "path.new": [1, 9],
            "query.at": [1, 5, self.played.position],
        }
        positive = {
            "positive_data_acceptance": {"expected-statuses": _EXPECTED},
            "negative_data_rejection": {"expected-statuses": [400, 401, 403, 404, 405, 409, 413, 415, 422]},
        }
        writing = {**positive, "positive_data_acceptance": {"expected-statuses": _NEEDS_WHAT_IS_THERE}}
        proving = {"ensure_resource_availability": {"enabled": False}}
        return SchemathesisConfig.from_dict(
            {
                "seed": SEED,
                **({"auth": {"openapi": {"key": {"bearer": who.token}}}} if who.token else {}),
                "generation": {"max-examples": examples, "deterministic": True, "database": "none"},
                "continue-on-failure": True,
                "dictionaries": {name.replace(".", "-"): {"values": known} for name, known in values.items()},
                "parameters": {
                    "query.wait": 0,  # a long poll would make the test wait
                    **{name: {"dictionary": name.replace(".", "-"), "probability": 0.8} for name in values},
                },
                "phases": {name: {"enabled": name in phases} for name in PHASES},
                "checks": positive,
                "operations": [
                    {"include-operation-id": list(_BEYOND_SCHEMAS), "checks": writing},
                    {"include-operation-id": _proofs(), "checks": proving},
                ],
            }
        )

    @contextmanager
    def _spared(self, who: Person) -> Iterator[None]:
        """Make each Idempotency-Key new, and keep the caller from ending its own key.

        Schemathesis can't generate from the pattern of If-Match: even for valid requests, its coverage phase sends the
        number 0. This hook removes that header.
        """

        def before_call(_: Any, case: Any, _kwargs: Any) -> None:
            headers = case.headers or {}
            sent = headers.get("Idempotency-Key")
            if case.meta.generation.mode.is_positive and headers.get("If-Match") == "0":
                del headers["If-Match"]
            if isinstance(sent, str) and re.fullmatch("[!-~]([ -~]{0,198}[!-~])?", sent):
                headers["Idempotency-Key"] = f"{sent[:180]}-{next(self.numbers)}"
            if who.token and (case.path_parameters or {}).get("key") == _key_of(who):
                case.path_parameters["key"] = _key_of(self.ended[0])

        schemathesis.hook("before_call")(before_call)
        yield
        schemathesis.hooks.unregister(before_call)


@contextmanager
def _shared_out(share: float) -> Iterator[None]:
    """Keep the first request to each operation and a random *share* of the others."""
    met, chance = set[str](), seeds.chance("schemathesis")

    def filter_case(_: Any, case: Any) -> bool:
        is_first = case.operation.label not in met
        met.add(case.operation.label)
        return is_first or chance.random() < share

    schemathesis.hook("filter_case")(filter_case)
    yield
    schemathesis.hooks.unregister(filter_case)


class Run:
    """The result of a run: *failures* as texts; *statuses*: how often each operation answered with each status."""

    def __init__(self, schema: Any) -> None:
        self.failures: dict[str, str] = {}
        self.statuses: dict[str, Counter[int]] = defaultdict(Counter)
        for event in from_schema(schema).execute():
            match event:
                case ScenarioFinished(recorder=recorder):
                    self._count(recorder)
                    self.failures |= _failures(recorder)
                case NonFatalError(label=label, value=error):
                    self.failures[label] = repr(error)
                case FatalError(exception=error):
                    raise error
                case _:
                    pass

    def _count(self, recorder: Any) -> None:
        for name, interaction in recorder.interactions.items():
            operation = recorder.cases[name].value.operation.definition.raw["operationId"]
            self.statuses[operation][interaction.response.status_code] += 1

    def must_be_clean(self) -> None:
        assert not self.failures, "\n\n".join([f"With the seed {SEED}:", *self.failures.values()])
        assert not any(status >= 500 for statuses in self.statuses.values() for status in statuses)


def _failures(recorder: Any) -> Iterator[tuple[str, str]]:
    for checks in recorder.checks.values():
        for check in checks:
            if check.failure_info:
                failure = check.failure_info.failure
                said = f"{failure.operation}: {failure.title}\n{failure.message}\n{check.failure_info.code_sample}"
                yield f"{failure.operation} {failure.title}", said


def _key_of(person: Person) -> str:
    return f"key_{person.token.split('_')[1]}"


PHASES: Final = ("examples", "coverage", "fuzzing", "stateful")
OPERATIONS: Final[dict[str, Any]] = {
    operation["operationId"]: operation
    for operations in api.document()["paths"].values()
    for method, operation in operations.items()
    if method != "parameters"
}


def test_requests_at_all_bounds_are_answered_as_documented(world: World) -> None:
    """The coverage phase finds the most faults for its time; it makes over 4,000 requests, at and beyond each bound."""
    print(f"seed {SEED}")  # noqa: T201 -- pytest shows this if the test fails
    run = world.run("everything", 1, {"coverage"}, SHARE)
    run.must_be_clean()
    assert run.statuses.keys() == OPERATIONS.keys()
    assert sum(sum(statuses.values()) for statuses in run.statuses.values()) > 400


@pytest.mark.full
@pytest.mark.parametrize("role", ROLES)
def test_many_generated_requests_are_answered_as_documented(world: World, role: str) -> None:
    print(f"seed {SEED}")  # noqa: T201 -- pytest shows this if the test fails
    is_first = role == "everything"
    run = world.run(role, 200 if is_first else 40, {*PHASES})
    run.must_be_clean()
    asked = {name: sum(statuses.values()) for name, statuses in run.statuses.items()}
    never = {name for name, statuses in run.statuses.items() if not any(status < 400 for status in statuses)}
    assert not (is_first and never), "These have never been accepted."
    few = {name for name, number in asked.items() if number < FEWEST and _takes_anything(name)}
    assert not (is_first and few), asked


def _proofs() -> list[str]:
    """Return the operations that prove events, and that answer 404 until a signed checkpoint covers these events.

    The check `ensure_resource_availability` counts a 404 for a new table as a fault, so it is off for these operations.
    It stays on for operations that answer 404 if a hand, a dispute or a position does not exist: it looks only at
    requests with values from an earlier response, and a hand that a response names must exist.
    """
    return [name for name, operation in OPERATIONS.items() if "proof_must_exist" in _problems(operation, "404")]


def _problems(operation: Any, status: str) -> Any:
    """Return the documented problems of *operation* with *status*, by code."""
    content = operation["responses"].get(status, {}).get("content", {})
    return content.get("application/problem+json", {}).get("examples", {})


def _takes_anything(name: str) -> bool:
    """Return whether the operation has any parameter, so that its requests can differ."""
    path = next(path for path, operations in api.document()["paths"].items() if OPERATIONS[name] in operations.values())
    return "{" in path or bool(OPERATIONS[name].get("parameters"))
