"""Disputes are shown in the hand, in its adjudication, in balances, and in the metrics."""

from typing import Any

import pytest

from tests.http.disputes import Case
from tests.http.operations.test_metrics import scraped
from tests.http.service import Person, Service, accepted


@pytest.fixture(scope="module")
def case(shared_service: Service) -> Case:
    return Case(shared_service, worth={"currency": "EUR", "minor": 10})


def _owners(case: Case, query: str = "") -> dict[str, Any]:
    owners = accepted(case.auditor.get(f"{case.table.path}/balances{query}")).json["owners"]
    return {one["owner"]: one for one in owners}


def test_a_statement_has_winnings_adjustments_and_their_sum(case: Case) -> None:
    before = _owners(case)
    assert set(before) == {player.owner for player in case.table.players.values()}
    stacks = {seat: case.table.view()["seats"][seat - 1]["accounts"] for seat in case.table.players}
    for seat, player in case.table.players.items():
        assert before[player.owner]["winnings"] == sum(stacks[seat].values()) - case.table.buy_in
    assert all(one["adjustments"] == 0 for one in before.values())
    number, proposal = case.proposed(hand=1)
    assert _owners(case) == before, "A proposal moves nothing."
    case.do(number, case.approver, "approval", proposal=proposal)
    after = _owners(case)
    for person, amount in ((case.complainant, 5), (case.opponent, -5)):
        mine, earlier = after[person.owner], before[person.owner]
        assert (mine["winnings"], mine["adjustments"]) == (earlier["winnings"], amount)
        assert mine["owed"] == earlier["winnings"] + amount
        assert (mine["owed_minor"], mine["currency"]) == (str(10 * mine["owed"]), "EUR")
    assert sum(one["adjustments"] for one in after.values()) == 0
    at = case.view(number)["evidence"]["first"]
    assert all(one["adjustments"] == 0 for one in _owners(case, f"?at={at}").values()), "It was not approved yet."


def test_a_statement_at_the_beginning_has_no_winnings(case: Case) -> None:
    seated = 1 + len(case.table.players)
    assert {one["winnings"] for one in _owners(case, f"?at={seated}").values()} == {0}


def test_a_hand_names_its_disputes_with_the_services_verdict_beside_the_outcome(case: Case) -> None:
    hand, adjudication = (f"{case.table.path}/hands/2{rest}" for rest in ("", "/adjudication"))
    assert accepted(case.auditor.get(hand)).headers["ETag"]
    number = case.decided("no_fault", hand=2)
    for path in (hand, adjudication):
        answer = accepted(case.service.spectator.get(path))
        assert "ETag" not in answer.headers, "A dispute changes the response at the same position of the table."
        assert answer.json["disputes"] == [
            {"dispute": number, "status": "decided", "outcome": "no_fault", "verdict": "clean", "verdict_now": "clean"}
        ]
    assert accepted(case.service.spectator.get(f"{case.table.path}/hands/3")).json["disputes"] == []


def test_metrics_count_open_disputes_and_outcomes_by_ground(quick_service: Service) -> None:
    case = Case(quick_service)
    case.decided("no_fault", hand=1, ground="time")
    case.opened(hand=2, ground="deck")
    case.opened(case.opponent, hand=2, ground="deck")
    samples = scraped(quick_service)
    assert samples["chiptrail_disputes_open",] == 2
    assert samples["chiptrail_dispute_oldest_seconds",] >= 0
    assert samples["chiptrail_disputes_decided", "time", "no_fault"] == 1
    assert samples["chiptrail_streams",] == 1, "The stream of the disputes is no table."


def test_days_to_dispute_are_the_tables_own(quick_service: Service) -> None:
    host = quick_service.person("host")

    def days(**more: int) -> int:
        path = accepted(host.post("/v1/tables", {"game": "bankrupt", **more}), 201).headers["Location"]
        return int(accepted(host.get(path)).json["dispute_days"])

    assert (days(), days(dispute_days=1), days(dispute_days=365)) == (30, 1, 365)
    for wrong in (0, 366):
        assert host.post("/v1/tables", {"game": "bankrupt", "dispute_days": wrong}).status_code == 422


def test_a_failed_hand_is_shown_as_failed_beside_each_outcome(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    number = case.decided("no_fault", hand=3)
    monkeypatch.setattr("service.http.resources.disputes.dispute_items.machine_verdict", lambda *_: "failed")
    whoever: tuple[Person, ...] = (case.auditor, case.service.spectator)
    for person in whoever:
        shown = [
            accepted(person.get(f"{case.path}/{number}")).json,
            *(one for one in accepted(person.get(case.path)).json["items"] if one["dispute"] == number),
            *accepted(person.get(f"{case.table.path}/hands/3")).json["disputes"],
        ]
        assert [(one["outcome"], one["verdict_now"]) for one in shown] == [("no_fault", "failed")] * 3
    listed = accepted(case.auditor.get("/v1/disputes?closed=true")).json["items"]
    assert {one["verdict_now"] for one in listed} == {"failed"}
