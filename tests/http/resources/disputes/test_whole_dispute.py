"""A dispute over HTTP, from the complaint to an approved correction."""

import pytest

from tests.http.disputes import Case
from tests.http.resources.test_event_proofs import read
from tests.http.service import Service, accepted, refused


@pytest.fixture(scope="module")
def case(shared_service: Service) -> Case:
    return Case(shared_service)


def test_a_dispute_runs_from_the_complaint_to_a_correction_and_the_log_proves_each_step(case: Case) -> None:
    opened = accepted(case.open(statement="I won that."), 201)
    number = opened.json["dispute"]["dispute"]
    assert opened.headers["Location"] == f"{case.path}/{number}"
    case.do(number, case.table.host, "answer", statement="Look at rule 5.")
    case.do(number, case.auditor, "assignment")
    case.do(number, case.auditor, "question", question="When?", asked=[case.opponent.owner])
    case.do(number, case.opponent, "answer", statement="At noon.")
    case.do(number, case.auditor, "decision", outcome="fault", rule="G.3", reason="An outage.")
    done = case.do(number, case.auditor, "correction", transfers=[case.transfer(number)])
    assert done["dispute"]["status"] == "proposed"
    case.do(number, case.approver, "refusal", proposal=done["position"])
    done = case.do(number, case.auditor, "correction", transfers=[case.transfer(number, amount=3)])
    approved = case.do(number, case.approver, "approval", proposal=done["position"])
    assert approved["dispute"]["status"] == "corrected"
    view = case.view(number)
    assert (view["outcome"], view["verdict"], view["verdict_now"]) == ("fault", "clean", "clean")
    assert view["approver"] == case.approver.owner
    assert [one["amount"] for one in view["transfers"]] == [3]
    assert [one["leaf"]["by"] for one in view["steps"]] == [
        "player", "host", "auditor", "auditor", "player", "auditor", "auditor", "approver", "auditor", "approver",
    ]  # fmt: skip
    texts = [field["value"] for step in view["steps"] for field in step["fields"]]
    assert texts == ["I won that.", "Look at rule 5.", "When?", "At noon.", "An outage."]
    listed = accepted(case.auditor.get("/v1/disputes?closed=true")).json["items"]
    assert [(one["dispute"], one["outcome"], one["verdict_now"]) for one in listed] == [(number, "fault", "clean")]
    refused(case.auditor.get(f"{case.path}/99"), 404, "dispute_must_exist")
    refused(case.auditor.get(f"{case.path}/events/1/proof"), 404, "proof_must_exist")
    case.service.keep_log()
    for caller in (case.service.spectator, case.complainant, case.auditor):
        for step in view["steps"]:
            proof = read(caller, f"{case.path}/events/{step['leaf']['position']}/proof")
            assert proof.includes(step["leaf"])
            assert not proof.includes({**step["leaf"], "at": "2026-01-01T00:00:00.000Z"})
    for position in (0, len(view["steps"]) + 1, 2**31 - 1):
        refused(case.auditor.get(f"{case.path}/events/{position}/proof"), 404, "position_must_exist")
