"""Steps that are taken at the same time at a real server, and a failure in the middle of a step."""

# ruff: noqa: ANN401 -- JSON may be any value

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from http.client import HTTPConnection
from threading import Barrier
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest

from service.disputes import disputes_table
from tests.http.disputes import Case
from tests.http.service import Person, Service, accepted, refused


class Answer(NamedTuple):
    status: int
    body: Any
    is_replayed: bool


@pytest.fixture
def case(served: tuple[Service, str]) -> Case:
    return Case(served[0])


@pytest.fixture
def post(served: tuple[Service, str]) -> Callable[..., Answer]:
    return partial(_post, served[1])


def _post(url: str, who: Person, path: str, body: Any, key: str) -> Answer:
    connection = HTTPConnection(urlsplit(url).netloc, timeout=30)
    headers = {
        "Authorization": f"Bearer {who.token}",
        "Content-Type": "application/json",
        "Idempotency-Key": key,
    }
    connection.request("POST", path, json.dumps(body), headers)
    answer = connection.getresponse()
    found = Answer(answer.status, json.loads(answer.read()), answer.headers.get("Idempotent-Replayed") == "true")
    connection.close()
    return found


def _at_once(*requests: Callable[[], Answer]) -> list[Answer]:
    """Send the requests at the same time, and return the answers, sorted by status."""
    start = Barrier(len(requests))

    def send(request: Callable[[], Answer]) -> Answer:
        start.wait()
        return request()

    with ThreadPoolExecutor(len(requests)) as pool:
        return sorted(pool.map(send, requests), key=lambda answer: answer.status)


def test_if_two_auditors_take_a_dispute_at_once_only_one_succeeds(case: Case, post: Callable[..., Answer]) -> None:
    path = f"{case.path}/{case.opened()}/assignment"
    won, lost = _at_once(*(partial(post, who, path, {}, "take") for who in (case.auditor, case.other_auditor)))
    assert (won.status, lost.status, lost.body["code"]) == (200, 409, "dispute_must_be_free")
    assert case.view(1)["auditor"] == won.body["dispute"]["auditor"]


def test_a_proposal_is_either_approved_or_refused(case: Case, post: Callable[..., Answer]) -> None:
    number, proposal = case.proposed()
    won, lost = _at_once(
        *(
            partial(post, who, f"{case.path}/{number}/{step}", {"proposal": proposal}, "last word")
            for who, step in ((case.approver, "approval"), (case.other_approver, "refusal"))
        )
    )
    assert (won.status, lost.status, lost.body["code"]) == (200, 409, "correction_must_be_proposed")
    view = case.view(number)
    assert view["status"] == won.body["dispute"]["status"]
    assert bool(view["transfers"]) == (view["status"] == "corrected")


def test_a_step_that_is_sent_twice_at_once_is_recorded_once(case: Case, post: Callable[..., Answer]) -> None:
    body = {"hand": 1, "ground": "time", "statement": "Too early."}
    one, other = _at_once(*[partial(post, case.complainant, case.path, body, "once")] * 2)
    assert (one.status, other.status) == (201, 201)
    assert one.body == other.body
    assert {one.is_replayed, other.is_replayed} == {True, False}
    assert len(accepted(case.auditor.get(case.path)).json["items"]) == 1


def test_disputes_that_are_opened_at_once_have_numbers_in_a_row(case: Case, post: Callable[..., Answer]) -> None:
    people = (*case.table.players.values(), case.table.host)
    body = {"hand": 1, "ground": "rules"}
    answers = _at_once(*(partial(post, who, case.path, body, "mine") for who in people))
    assert sorted(answer.body["dispute"]["dispute"] for answer in answers) == [1, 2, 3, 4, 5]


def test_a_failure_in_the_middle_of_a_step_records_nothing_and_the_repeat_records_it(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = case.opened()
    events = case.service.events()

    def fail(*_: Any) -> None:
        raise ConnectionError("gone")

    with monkeypatch.context() as patch:
        patch.setattr(disputes_table, "write_row", fail)
        refused(case.step(number, case.auditor, "assignment", "take"), 500, "service_must_not_fail")
    assert case.service.events() == events
    assert case.view(number)["status"] == "open"
    accepted(case.step(number, case.auditor, "assignment", "take"))
    again = accepted(case.step(number, case.auditor, "assignment", "take"))
    assert again.headers["Idempotent-Replayed"] == "true"
    assert case.service.events() == events + 1
    case.do(number, case.auditor, "return")
    late = accepted(case.step(number, case.auditor, "assignment", "take"))
    assert late.json == again.json, "A repeat gets the earlier result, whatever has happened since."
