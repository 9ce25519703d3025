"""A closed catalogue lists the problems; each problem has a page, and no problem shows a secret."""

import ast
import json
from typing import Any

import pytest

from service.database.write_lock import WriteLockNotAcquired
from service.http.openapi import refusal_catalogue
from service.http.problems.catalogue import CATALOGUE
from service.http.request.fields import FIELD_ERRORS
from service.play.orders import TooManyRaces
from tests.house import tree
from tests.http.service import Service, Table, accepted, refused


@pytest.mark.parametrize("code", CATALOGUE)
def test_every_problem_has_a_page(quick_service: Service, code: str) -> None:
    answer = quick_service.spectator.get(f"/problems/{code}")
    assert (answer.status_code, answer.mimetype) == (200, "text/html")
    assert CATALOGUE[code].title.replace("'", "&#x27;") in answer.get_data(as_text=True)
    assert f"/problems/{code}" in quick_service.spectator.get("/problems").get_data(as_text=True)


def test_every_code_that_a_client_may_get_has_a_page(quick_service: Service) -> None:
    refused_somewhere = {one.code for refused in refusal_catalogue.by_game().values() for one in refused}
    assert "turn_must_be_yours" in refused_somewhere
    for code in sorted(refused_somewhere | set(FIELD_ERRORS)):
        answer = quick_service.spectator.get(f"/problems/{code}")
        assert (answer.status_code, answer.mimetype) == (200, "text/html"), code
        assert code in answer.get_data(as_text=True)


def test_the_page_of_a_refusal_shows_the_condition_and_the_citations(quick_service: Service) -> None:
    text = quick_service.spectator.get("/problems/dealer_must_deal").get_data(as_text=True)
    assert "Bankrupt. Only the dealer may deal the round. Cites rule 5, ruling B8.1." in text


def test_an_unknown_problem_has_no_page(quick_service: Service) -> None:
    refused(quick_service.spectator.get("/problems/bad_luck"), 404, "resource_must_exist")


@pytest.mark.parametrize("code", CATALOGUE)
def test_a_problem_shows_the_condition_and_the_advice(code: str) -> None:
    kind = CATALOGUE[code]
    assert "_must" in code or code == "refused_by_the_rules"
    assert kind.title.endswith(".")
    assert kind.advice.endswith(".")
    assert 400 <= kind.status < 600


def test_every_problem_of_the_catalogue_is_raised_and_no_other() -> None:
    named = set()
    for path, module in tree.modules("service/http").items():
        if path.endswith("problems/problem.py"):
            continue
        for node in ast.walk(module):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Problem":
                named |= {one.value for one in ast.walk(node.args[0]) if isinstance(one, ast.Constant)}
    assert named | {"request_must_have_its_shape"} == set(CATALOGUE) | {"host"}


def test_only_the_catalogue_has_statuses() -> None:
    """`failures` knows a few statuses of werkzeug's exceptions, because these exceptions differ in nothing else."""
    known = {
        path
        for path, module in tree.modules("service/http").items()
        for node in ast.walk(module)
        if isinstance(node, ast.Constant) and type(node.value) is int and 400 <= node.value < 600
    }
    in_problems = {"service/http/problems/catalogue.py", "service/http/problems/problem.py"}
    assert known == in_problems | {"service/http/responses/failures.py"}


def test_an_unexpected_error_is_reported_without_its_message(
    quick_service: Service, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    table = Table(quick_service)

    def fail(*_: object) -> None:
        raise ValueError("the queen of spades is next")

    monkeypatch.setattr(quick_service.parts.play, "do", fail)
    answer = table.host.do(table.path, "close_table", key="secret-key")
    details = refused(answer, 500, "service_must_not_fail")
    assert "queen" not in answer.get_data(as_text=True)
    assert details["detail"] == ""
    line = json.loads(capsys.readouterr().err.splitlines()[-1])
    assert (line["event"], line["error"], line["request_id"]) == ("failed", "ValueError", details["request_id"])
    assert "queen" not in json.dumps(line)
    monkeypatch.undo()
    accepted(table.host.do(table.path, "close_table", key="secret-key"))


@pytest.mark.parametrize("error", [TooManyRaces("x"), WriteLockNotAcquired("x")])
def test_a_service_that_is_too_busy_asks_for_a_later_repeat(
    quick_service: Service, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    table = Table(quick_service)

    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(quick_service.parts.play, "do", fail)
    answer = table.host.do(table.path, "close_table")
    refused(answer, 503, "database_must_answer")
    assert answer.headers["Retry-After"] == "1"


def test_rulings_that_refusals_cite_can_be_read(quick_service: Service) -> None:
    table = Table(quick_service).dealt()
    details: Any = refused(table.others[0].do(table.path, "hold_cards"), 409, "turn_must_be_yours")
    assert details["ruling"] in accepted(table.host.get("/v1/games/bankrupt")).json["rulings"]
