"""A dispute by forms alone, from the complaint to the correction; and the texts and forms that each viewer gets."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace
from werkzeug.test import TestResponse

from service.disputes.dispute_facts import TableFacts
from service.play.disputed_hands import DisputedHands
from tests.databases import Databases
from tests.dossier.made import FOR_CHIPS
from tests.http.disputes import Case
from tests.http.service import Person, accepted, running
from tests.web.pages import main_of, rows
from tests.web.world import Visitor

_HOSTILE = """<script>alert(1)</script> "quoted" 'so' <img src=x onerror=alert(2)> {{ 7 * 7 }}"""
_ESCAPED = "&lt;script&gt;alert(1)&lt;/script&gt;"


class Court:
    """A case, and a browser of each person who takes part."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.spectator = Visitor(case.service)
        self.complainant, self.opponent, self.host, self.auditor, self.approver = (
            self.visitor(person)
            for person in (case.complainant, case.opponent, case.table.host, case.auditor, case.approver)
        )
        self.everybody = (
            self.spectator,
            self.complainant,
            self.opponent,
            self.host,
            self.auditor,
            self.approver,
        )

    def visitor(self, person: Person) -> Visitor:
        return Visitor(self.case.service, person.token)

    def path(self, number: int) -> str:
        return f"/tables/{self.case.table.id}/disputes/{number}"

    def send(self, who: Visitor, page: str, action: str, **fields: str | list[str]) -> TestResponse:
        """Send the form of *page* whose action is *action*, with its hidden fields and *fields*."""
        form = main_of(who.page(page)).partition(f'action="{action}"')[2].partition("</form>")[0]
        assert form, f"There is no form for {action}."
        hidden = dict(re.findall('<input type="hidden" name="([^"]*)" value="([^"]*)">', form))
        return who.client.post(action, data={**hidden, **fields})

    def step(self, who: Visitor, number: int, step: str, **fields: str | list[str]) -> TestResponse:
        return self.send(who, self.path(number), f"{self.path(number)}/{step}", **fields)

    def do(self, who: Visitor, number: int, step: str, **fields: str | list[str]) -> None:
        response = self.step(who, number, step, **fields)
        assert response.status_code == 303, response.text
        assert response.location.startswith(f"{self.path(number)}#step-")

    def opened(self, who: Visitor, hand: int, **fields: str) -> int:
        page = f"/tables/{self.case.table.id}/hands/{hand}/dispute"
        response = self.send(who, page, page, **{"ground": "payout", "statement": "", **fields})
        assert response.status_code == 303, response.text
        return int(response.location.rpartition("/")[2])


@pytest.fixture(scope="module")
def court(all_databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Court]:
    folder = tmp_path_factory.mktemp("disputes")
    with all_databases.migrated("sqlite") as url, running(folder, url) as service:
        yield Court(Case(service))


def test_a_whole_dispute_by_forms_alone(court: Court) -> None:
    case = court.case
    number = court.opened(court.complainant, 1, statement="My hand\r\nwas better.")
    listed = main_of(court.auditor.page("/disputes"))
    assert court.path(number) in listed
    assert court.path(number) in main_of(court.opponent.page("/disputes"))
    court.do(court.opponent, number, "answer", statement="Look at rule 5.")
    court.do(court.auditor, number, "assignment")
    court.do(court.auditor, number, "question", question="When was that?", asked=[case.opponent.owner])
    court.do(court.opponent, number, "answer", statement="In the evening.")
    court.do(court.auditor, number, "return")
    court.do(court.auditor, number, "assignment")
    court.do(court.auditor, number, "decision", outcome="fault", rule="G.3", reason="There was an outage.")
    first = str(case.view(number)["evidence"]["first"])
    empty = ["", "", ""]
    correction = {
        "source": [case.opponent.owner, *empty],
        "target": [case.complainant.owner, *empty],
        "amount": ["5", *empty],
        "unit": ["chips"] * 4,
        "corrects": [first, *empty],
        "rule": ["G.3"] * 4,
    }
    court.do(court.auditor, number, "correction", **correction)
    court.do(court.approver, number, "refusal")
    court.do(court.auditor, number, "correction", **correction)
    court.do(court.approver, number, "approval")
    view = case.view(number)
    assert (view["status"], view["approver"]) == ("corrected", case.approver.owner)
    assert [(one["source"], one["target"], one["amount"]) for one in view["transfers"]] == [
        (case.opponent.owner, case.complainant.owner, 5)
    ]
    shown = main_of(court.auditor.page(court.path(number)))
    for text in ("My hand was better.", "Look at rule 5.", "In the evening.", "When was that?", "an outage"):
        assert text in shown
    assert "5 chips from seat 2 to seat 1, by G.3" in shown
    assert "<form" not in shown
    owed = rows(court.host.page(f"/tables/{case.table.id}/accounts"))
    assert {row[2] for row in owed if row[0].startswith("own_")} == {"+5", "\N{MINUS SIGN}5", "0"}
    again = court.opened(court.complainant, 1, follows=str(number))
    assert f'the correction of <a href="{court.path(number)}">' in court.complainant.page(court.path(again))
    court.do(court.complainant, again, "withdrawal")
    assert court.path(again) in court.complainant.page("/disputes?closed=true")


def test_the_verdict_of_the_service_stands_beside_that_of_the_person(court: Court) -> None:
    number = court.opened(court.opponent, 2)
    court.do(court.auditor, number, "assignment")
    for outcome, said in (("", "Not decided yet"), ("explained", "Explained, by 5")):
        if outcome:
            court.do(court.auditor, number, "decision", outcome=outcome, rule="5", reason="So it is.")
        for who in court.everybody:
            shown = main_of(who.page(court.path(number)))
            assert said in shown
            assert '<p class="said clean">Clean</p>' in shown


def test_statements_are_shown_to_those_who_may_read_them_and_run_nowhere(court: Court) -> None:
    number = court.opened(court.complainant, 3, statement=_HOSTILE)
    for who in (court.complainant, court.opponent, court.host, court.auditor):
        shown = main_of(who.page(court.path(number)))
        assert _ESCAPED in shown
        assert "<img" not in shown
        assert "<script" not in shown
    for who in (court.spectator, court.approver):
        shown = main_of(who.page(court.path(number)))
        assert "alert" not in shown
        assert "It has a text that you may not read" in shown
    court.do(court.complainant, number, "withdrawal")


def test_a_refused_form_says_why_and_keeps_what_was_typed(court: Court) -> None:
    case = court.case
    number = court.opened(court.complainant, 3, ground="rules")
    court.do(court.auditor, number, "assignment")
    before = len(case.view(number)["steps"])
    refused = court.step(court.auditor, number, "decision", outcome="fault", rule="99", reason=_HOSTILE)
    assert refused.status_code == 409
    assert 'role="alert"' in refused.text
    assert "Nothing was recorded." in refused.text
    assert _ESCAPED in refused.text
    assert 'value="fault" required checked' in refused.text
    assert 'value="99"' in refused.text
    long = court.step(court.auditor, number, "question", question="?" * 2_001)
    assert long.status_code == 422
    assert "<code>/question</code>" in long.text
    assert "?" * 2_001 in long.text
    assert len(case.view(number)["steps"]) == before
    court.do(court.auditor, number, "decision", outcome="fault", rule="", reason="A fault.")
    wrong = {"source": case.opponent.owner, "target": case.complainant.owner, "unit": "chips"}
    response = court.step(court.auditor, number, "correction", **wrong, amount="five", corrects="1", rule="")
    assert response.status_code == 422
    assert "<code>/transfers/0/amount</code>" in response.text
    assert 'value="five"' in response.text
    assert court.auditor.page(f"{court.path(number)}?rows={'9' * 5000}").count('name="amount"') == 4
    page = f"/tables/{case.table.id}/hands/1/dispute"
    unknown = court.send(court.host, page, page, ground="luck", statement="Unlucky.")
    assert unknown.status_code == 422
    assert "Unlucky." in unknown.text


def test_a_form_that_is_sent_twice_takes_effect_once(court: Court) -> None:
    page = f"/tables/{court.case.table.id}/hands/4/dispute"
    hidden = dict(re.findall('name="([^"]*)" value="([^"]*)"', main_of(court.host.page(page))))
    sent = {**hidden, "ground": "time", "statement": "Once."}
    first, second = (court.host.client.post(page, data=sent) for _ in range(2))
    assert (first.status_code, second.status_code) == (303, 303)
    assert first.location == second.location
    hand = accepted(court.case.table.host.get(f"{court.case.table.path}/hands/4")).json
    assert len(hand["disputes"]) == 1


def test_only_the_steps_of_the_viewer_have_forms(court: Court) -> None:
    number = court.opened(court.opponent, 4)
    expected = {
        court.spectator: set[str](),
        court.complainant: {"answer"},
        court.opponent: {"answer", "withdrawal"},
        court.host: {"answer"},
        court.auditor: {"assignment"},
        court.approver: set[str](),
    }
    for who, steps in expected.items():
        found = set(re.findall(f'action="{court.path(number)}/([a-z]+)"', who.page(court.path(number))))
        assert found == steps
    court.do(court.auditor, number, "assignment")
    shown = court.auditor.page(court.path(number))
    assert set(re.findall(f'action="{court.path(number)}/([a-z]+)"', shown)) == {"question", "decision", "return"}


def test_no_form_is_sent_without_its_token_or_without_rights(court: Court) -> None:
    page = f"/tables/{court.case.table.id}/hands/5/dispute"
    sent = {"ground": "time", "idempotency_key": "forged"}
    assert court.host.client.post(page, data=sent).status_code == 403
    assert court.host.post(page, ground="time").status_code == 400
    assert court.spectator.post(page, **sent).status_code == 401
    assert court.auditor.post(page, **sent).status_code == 403
    assert court.host.post(f"{court.path(1)}/nothing").status_code == 404
    hand = accepted(court.case.table.host.get(f"{court.case.table.path}/hands/5")).json
    assert not hand["disputes"]
    assert "<form" not in main_of(court.spectator.page(page))
    assert "the scope <code>play</code>" in main_of(court.auditor.page(page))


def test_a_decision_against_a_failed_verdict_must_declare_it(court: Court, monkeypatch: pytest.MonkeyPatch) -> None:
    number = court.opened(court.opponent, 3)
    court.do(court.auditor, number, "assignment")
    usual = DisputedHands.facts

    def failed(*arguments: Any) -> TableFacts:  # noqa: ANN401 -- passed on
        facts = usual(*arguments)
        assert facts.hand
        return replace(facts, hand=replace(facts.hand, evidence=replace(facts.hand.evidence, verdict="failed")))

    monkeypatch.setattr(DisputedHands, "facts", failed)
    monkeypatch.setattr("service.http.resources.disputes.dispute_items.machine_verdict", lambda *_: "failed")
    decision = {"outcome": "no_fault", "reason": "A damaged disk."}
    refused = court.step(court.auditor, number, "decision", **decision)
    assert refused.status_code == 409
    assert 'name="contradicts" value="true">' in refused.text
    court.do(court.auditor, number, "decision", **decision, contradicts="true")
    shown = main_of(court.spectator.page(court.path(number)))
    assert '<p class="said failed">Failed</p>' in shown
    assert "The auditor decided otherwise, and knew the verdict." in shown
    assert "No fault" in shown


def test_a_player_who_has_left_a_private_table_disputes_a_hand(court: Court) -> None:
    case = Case(court.case.service, hands=1, game="insurance", visibility="private", **FOR_CHIPS)
    private = Court(case)
    page = f"/tables/{case.table.id}/hands/1/dispute"
    assert private.spectator.get(page).status_code == 404
    case.leave(case.complainant)
    assert private.complainant.get(f"/tables/{case.table.id}/hands/1").status_code == 404
    number = private.opened(private.complainant, 1, statement="I was paid too little.")
    assert "I was paid too little." in private.complainant.page(private.path(number))
    assert private.path(number) in private.complainant.page("/disputes")
    assert f"Dispute {number}" in main_of(private.complainant.page(page))
    assert court.opponent.get(private.path(number)).status_code == 404
