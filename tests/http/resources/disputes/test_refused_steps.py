"""Each step of a dispute is taken by the right person only, in the right order, and once."""

# ruff: noqa: ANN401 -- JSON may be any value

import ast
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from service.disputes.dispute_conditions import PRECEDENCE
from service.disputes.dispute_rulings import DISPUTE_RULINGS
from service.play.disputed_hands import DisputedHands
from tests.http.disputes import Case
from tests.http.service import Person, Service, Table, accepted, refused

RULED = 409


def by_the_rules(answer: Any, code: str) -> Any:
    """Check that the rules refuse the step with *code*, and cite a ruling that everybody can read."""
    details = refused(answer, RULED, code)
    assert details["type"] == "/problems/refused_by_the_rules"
    assert details["ruling"] in DISPUTE_RULINGS
    return details


@pytest.fixture(scope="module")
def case(shared_service: Service) -> Case:
    return Case(shared_service)


def test_only_a_player_of_a_hand_that_was_played_or_the_host_opens_a_dispute(case: Case) -> None:
    by_the_rules(case.open(hand=99), "disputed_hand_must_exist")
    by_the_rules(case.open(case.service.person("play")), "complainant_must_be_party")
    refused(case.open(case.auditor), 403, "scope_must_be_granted")
    refused(case.open(case.service.spectator), 401, "key_must_be_given")
    by_the_rules(case.open(follows=1), "followed_dispute_must_be_corrected")


def test_an_owner_disputes_a_hand_three_times_one_after_the_other(case: Case) -> None:
    who = case.table.players[3]
    for _ in range(3):
        number = case.opened(who, hand=2)
        by_the_rules(case.open(who, hand=2), "earlier_dispute_must_be_closed")
        case.do(number, who, "withdrawal")
    by_the_rules(case.open(who, hand=2), "hand_must_be_disputed_less_often")


def test_a_party_answers_once_and_again_when_asked(case: Case) -> None:
    number = case.opened(hand=3)
    by_the_rules(
        case.step(number, case.service.person("play"), "answer", statement="I saw it."), "answerer_must_be_party"
    )
    case.do(number, case.opponent, "answer", statement="No.")
    by_the_rules(case.step(number, case.opponent, "answer", statement="No!"), "answer_must_be_asked_for")
    case.do(number, case.auditor, "assignment")
    stranger = case.service.person("play").owner
    by_the_rules(
        case.step(number, case.auditor, "question", question="Why?", asked=[stranger]), "answerer_must_be_party"
    )
    case.do(number, case.auditor, "question", question="Why?", asked=[case.opponent.owner])
    case.do(number, case.opponent, "answer", statement="Because.")
    case.do(number, case.auditor, "decision", outcome="explained", reason="So it is.")
    by_the_rules(case.step(number, case.table.host, "answer", statement="Late."), "dispute_must_not_be_decided")


def test_only_the_complainant_withdraws_and_only_before_the_decision(case: Case) -> None:
    who = case.table.players[4]
    number = case.decided("unprovable", who=who, hand=3)
    by_the_rules(case.step(number, case.opponent, "withdrawal"), "withdrawer_must_have_opened")
    by_the_rules(case.step(number, who, "withdrawal"), "dispute_must_not_be_decided")


def test_an_auditor_neither_plays_nor_hosts_and_only_one_has_the_dispute(case: Case) -> None:
    number = case.opened(case.table.players[3], hand=3)
    playing = case.service.person("audit", owner=case.opponent.owner)
    hosting = case.service.person("audit", owner=case.table.host.owner)
    by_the_rules(case.step(number, playing, "assignment"), "auditor_must_not_play")
    by_the_rules(case.step(number, hosting, "assignment"), "auditor_must_not_host")
    refused(case.step(number, case.complainant, "assignment"), 403, "scope_must_be_granted")
    decision = {"outcome": "no_fault", "reason": "So it is."}
    by_the_rules(case.step(number, case.auditor, "decision", **decision), "auditor_must_have_taken")
    case.do(number, case.auditor, "assignment")
    by_the_rules(case.step(number, case.other_auditor, "assignment"), "dispute_must_be_free")
    by_the_rules(case.step(number, case.other_auditor, "decision", **decision), "auditor_must_have_taken")
    by_the_rules(case.step(number, case.other_auditor, "return"), "auditor_must_have_taken")
    case.do(number, case.auditor, "return")
    case.do(number, case.other_auditor, "assignment")
    case.do(number, case.other_auditor, "decision", **decision)
    by_the_rules(case.step(number, case.other_auditor, "decision", **decision), "dispute_must_not_be_decided")
    by_the_rules(case.step(number, case.other_auditor, "return"), "dispute_must_await_its_auditor")


def test_a_decision_names_a_rule_of_the_game_and_no_false_contradiction(case: Case) -> None:
    number = case.taken(who=case.table.players[4], hand=2)
    decision = {"outcome": "no_fault", "reason": "So it is."}
    by_the_rules(case.step(number, case.auditor, "decision", **decision, rule="99"), "rule_must_be_the_games")
    by_the_rules(
        case.step(number, case.auditor, "decision", **decision, contradicts=True), "contradiction_must_be_declared"
    )
    refused(case.step(number, case.auditor, "decision", outcome="guilty", reason="x"), 422, _SHAPE)
    refused(case.step(number, case.auditor, "decision", outcome="fault", reason=""), 422, _SHAPE)
    refused(case.step(number, case.auditor, "decision", outcome="fault", reason="x" * 2_001), 422, _SHAPE)
    case.do(number, case.auditor, "decision", **decision, rule="B4.1")
    first = {"transfers": [case.transfer(number)]}
    by_the_rules(case.step(number, case.auditor, "correction", **first), "fault_must_be_found")


_SHAPE = "request_must_have_its_shape"


def test_a_dispute_about_a_hand_with_a_hidden_deck_waits_for_its_decision(case: Case) -> None:
    number = case.taken(hand=case.table.view()["hand"])
    decision = {"outcome": "no_fault", "reason": "So it is."}
    by_the_rules(case.step(number, case.auditor, "decision", **decision), "decks_must_be_revealed")
    assert case.view(number)["verdict_now"] == "pending"


def test_an_auditor_without_a_fault_in_a_failed_hand_must_declare_it(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = case.taken(who=case.table.players[4], hand=1)
    usual = DisputedHands.facts

    def failed(*arguments: Any) -> Any:
        facts: Any = usual(*arguments)
        return replace(facts, hand=replace(facts.hand, evidence=replace(facts.hand.evidence, verdict="failed")))

    monkeypatch.setattr(DisputedHands, "facts", failed)
    decision = {"outcome": "no_fault", "reason": "A damaged disk."}
    by_the_rules(case.step(number, case.auditor, "decision", **decision), "contradiction_must_be_declared")
    done = case.do(number, case.auditor, "decision", **decision, contradicts=True)
    assert (done["dispute"]["outcome"], done["dispute"]["verdict"]) == ("no_fault", "failed")


def test_a_correction_is_about_the_hand_and_between_its_players_and_can_be_booked(case: Case) -> None:
    number = case.decided(who=case.opponent, hand=3)

    def proposed(**more: Any) -> Any:
        return case.step(number, case.auditor, "correction", transfers=[case.transfer(number, **more)])

    by_the_rules(proposed(source=case.complainant.owner), "adjustment_must_be_between_players")
    by_the_rules(proposed(source=case.table.host.owner), "adjustment_must_be_between_players")
    by_the_rules(proposed(unit="points"), "adjustment_must_be_in_the_tables_unit")
    by_the_rules(proposed(corrects=1), "adjustment_must_correct_the_hand")
    by_the_rules(proposed(rule="99"), "rule_must_be_the_games")
    refused(proposed(amount=0), 422, _SHAPE)
    refused(proposed(amount=2**53), 422, _SHAPE)
    refused(case.step(number, case.auditor, "correction", transfers=[]), 422, _SHAPE)
    most = [case.transfer(number, amount=2**53 - less) for less in (1, 2)]
    by_the_rules(case.step(number, case.auditor, "correction", transfers=most), "adjustments_must_stay_countable")
    by_the_rules(
        case.step(number, case.other_auditor, "correction", transfers=[case.transfer(number)]),
        "auditor_must_have_taken",
    )
    done = accepted(proposed()).json
    by_the_rules(proposed(), "proposal_must_be_decided")
    case.do(number, case.approver, "refusal", proposal=done["position"])
    case.do(number, case.auditor, "correction", transfers=[case.transfer(number, amount=1)])


def test_somebody_else_approves_the_open_proposal_once(case: Case) -> None:
    number, proposal = case.proposed(hand=2)

    def approval(who: Person, position: int = proposal) -> Any:
        return case.step(number, who, "approval", proposal=position)

    def scoped(person: Person) -> Person:
        return case.service.person("approve", owner=person.owner)

    refused(approval(case.auditor), 403, "scope_must_be_granted")
    by_the_rules(approval(scoped(case.auditor)), "approver_must_be_another")
    by_the_rules(approval(scoped(case.opponent)), "approver_must_not_be_party")
    by_the_rules(approval(scoped(case.table.host)), "approver_must_not_be_party")
    by_the_rules(approval(case.approver, proposal - 1), "correction_must_be_proposed")
    accepted(approval(case.approver))
    by_the_rules(approval(case.approver), "correction_must_be_proposed")
    by_the_rules(case.step(number, case.approver, "refusal", proposal=proposal), "correction_must_be_proposed")
    again = {"transfers": [case.transfer(number)]}
    by_the_rules(case.step(number, case.auditor, "correction", **again), "fault_must_be_found")


def test_an_event_is_corrected_again_only_in_a_dispute_that_follows(case: Case) -> None:
    number, proposal = case.proposed(hand=1)
    case.do(number, case.approver, "approval", proposal=proposal)
    other = case.decided(hand=1, who=case.opponent)
    assert case.view(other)["corrected_before"] == [{"position": case.transfer(number)["corrects"], "dispute": number}]
    again = {"transfers": [case.transfer(other)]}
    by_the_rules(case.step(other, case.auditor, "correction", **again), "earlier_correction_must_be_named")
    following = case.decided(hand=1, who=case.table.players[3], follows=number)
    assert case.view(following)["follows"] == number
    case.do(following, case.auditor, "correction", transfers=[case.transfer(following, amount=1)])


def test_after_the_game_a_hand_is_disputed_for_the_tables_days_only(
    quick_service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = Case(quick_service, hands=2, players=2)
    while (view := case.table.view())["hand_is_running"]:
        who = case.table.players[int(view["due"][0].removeprefix("seat:"))]
        (first, *_) = accepted(who.get(f"{case.table.path}/actions")).json["items"]
        accepted(who.post(f"{case.table.path}/actions", first["action"]))
    accepted(case.opponent.do(case.table.path, "resign"))
    assert case.table.view()["status"] == "finished"
    case.do(case.opened(), case.auditor, "assignment")
    monkeypatch.setattr(quick_service.parts.desk, "_clock", Later())
    by_the_rules(case.open(case.opponent), "dispute_must_be_in_time")


class Later:
    """A clock far in the future."""

    def now(self) -> str:
        return "2099-01-01T00:00:00.000Z"


def test_the_disputes_and_the_paths_of_others_are_not_found(case: Case) -> None:
    for step, who, body in (
        ("answer", case.opponent, {"statement": "No."}),
        ("withdrawal", case.opponent, {}),
        ("assignment", case.auditor, {}),
        ("approval", case.approver, {"proposal": 1}),
    ):
        refused(case.step(999, who, step, **body), 404, "dispute_must_exist")
        refused(case.step(0, who, step, **body), 404, "dispute_must_exist")
    elsewhere = Table(case.service, 2)
    refused(case.auditor.post(f"{elsewhere.path}/disputes/1/assignment", {}), 404, "dispute_must_exist")
    refused(case.auditor.get(f"{case.path}/2147483648"), 404, "resource_must_exist")


def test_this_module_meets_every_refusal_of_every_step() -> None:
    """Three codes are left out: the service alone erases values, and two codes are problems with their own types."""
    calls = [node for node in ast.walk(ast.parse(Path(__file__).read_text())) if isinstance(node, ast.Call)]
    met = {ast.literal_eval(call.args[-1]) for call in calls if getattr(call.func, "id", "") == "by_the_rules"}
    conditions = {condition.code for checked in PRECEDENCE.values() for condition in checked}
    elsewhere = {"dispute_value_must_be_sealed", "table_must_be_played_here", "dispute_must_exist"}
    assert conditions - elsewhere == met
