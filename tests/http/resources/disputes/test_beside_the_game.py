"""A dispute changes neither the view nor the position of its table, and blocks no decision there."""

from functools import partial

import pytest

from service.games import CURRENT
from tests.dossier.made import FOR_CHIPS, RULES, SEATS
from tests.http.disputes import Case
from tests.http.operations.test_metrics import scraped
from tests.http.service import Service, accepted, refused


def test_a_dispute_about_a_running_hand_changes_nothing_for_the_next_decision(quick_service: Service) -> None:
    case = Case(quick_service, hands=1)
    case.table.due.do(case.table.path, "deal_hand")
    before = accepted(case.table.host.get(case.table.path))
    number = case.opened()
    case.do(number, case.auditor, "assignment")
    after = accepted(case.table.host.get(case.table.path))
    assert (after.json, after.headers["ETag"]) == (before.json, before.headers["ETag"])
    assert case.view(number)["evidence"]["last"] == 0, "The hand is running."
    assert case.view(number)["verdict"] == "pending"
    (first, *_) = accepted(case.table.due.get(f"{case.table.path}/actions")).json["items"]
    moved = case.table.due.post(f"{case.table.path}/actions", first["action"], If_Match=before.headers["ETag"])
    accepted(moved)


@pytest.mark.parametrize("game", CURRENT)
def test_a_hand_of_every_game_can_be_disputed(quick_service: Service, game: str) -> None:
    case = Case(quick_service, hands=2, players=SEATS, game=game, **RULES.get(game, FOR_CHIPS))
    number = case.opened(ground="deck", statement="The order was known.")
    view = case.view(number)
    assert (view["status"], view["verdict"]) == ("open", view["verdict_now"])
    assert {party["player"] for party in view["parties"]} == {one.owner for one in case.table.players.values()}


def test_a_key_belongs_to_one_step(quick_service: Service) -> None:
    case = Case(quick_service)
    number = case.opened()
    accepted(case.step(number, case.opponent, "answer", "mine", statement="No."))
    other = case.step(number, case.opponent, "answer", "mine", statement="Yes.")
    details = refused(other, 422, "idempotency_key_must_be_new")
    assert details["errors"][0]["pointer"] == "/statement"
    assert "Yes" not in other.get_data(as_text=True)
    refused(case.open(case.opponent, key="mine"), 422, "idempotency_key_must_be_new")
    missing = case.opponent.send("POST", f"{case.path}/{number}/withdrawal", headers={}, json={})
    refused(missing, 400, "idempotency_key_must_be_given")


def test_a_key_that_has_ended_only_repeats_its_steps(quick_service: Service) -> None:
    case = Case(quick_service)
    number = case.opened()
    done = accepted(case.step(number, case.auditor, "assignment", "take"))
    name = f"key_{case.auditor.token.split('_')[1]}"
    assert quick_service.person("admin").send("DELETE", f"/v1/keys/{name}", headers={}).status_code == 204
    quick_service.parts.key_cache.forget()
    assert accepted(case.step(number, case.auditor, "assignment", "take")).json == done.json
    refused(case.step(number, case.auditor, "return"), 401, "key_must_be_valid")
    refused(case.auditor.get(f"{case.path}/{number}"), 401, "key_must_be_valid")


def test_the_stream_of_disputes_is_no_table(quick_service: Service) -> None:
    case = Case(quick_service, hands=1)
    stream = case.view(case.opened())["stream"].removeprefix("dispute/dsp_")
    for rest in ("", "/events", "/disputes", "/disputes/1", "/hands/1", "/me"):
        refused(case.complainant.get(f"/v1/tables/tbl_{stream}{rest}"), 404, "table_must_exist")
    refused(case.complainant.do(f"/v1/tables/tbl_{stream}", "resign"), 404, "table_must_exist")
    assert scraped(quick_service)["chiptrail_damaged_tables",] == 0
    case.view(1)


def test_lists_are_paged_oldest_first(quick_service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    case = Case(quick_service)
    other = Case(quick_service)
    opened: list[tuple[str, int]] = []
    for minute, (one, who, hand) in enumerate(
        (
            (case, case.complainant, 2),
            (other, other.complainant, 1),
            (other, other.opponent, 2),
            (case, case.opponent, 1),
            (case, case.complainant, 3),
        )
    ):
        monkeypatch.setattr(quick_service.parts.clock, "now", partial("3000-01-01T00:0{}:00.000Z".format, minute))
        opened.append((one.table.id, one.opened(who, hand)))
    case.decided("no_fault", who=case.table.host, hand=1)
    found, path = [], "/v1/disputes?limit=1"
    while True:
        answer = accepted(case.auditor.get(path))
        found += [(one["table"], one["dispute"]) for one in answer.json["items"]]
        if not answer.json["has_more"]:
            break
        path = answer.headers["Link"].removeprefix("<").partition(">")[0]
    assert found == opened
    whole = accepted(case.auditor.get("/v1/disputes")).json["items"]
    assert [(one["table"], one["dispute"]) for one in whole] == found
    closed = accepted(case.auditor.get("/v1/disputes?closed=true")).json["items"]
    assert [(one["table"], one["dispute"]) for one in closed] == [(case.table.id, 4)]
    first = accepted(case.complainant.get(f"{case.path}?limit=2"))
    rest = accepted(case.complainant.get(first.headers["Link"].removeprefix("<").partition(">")[0]))
    assert [one["dispute"] for page in (first, rest) for one in page.json["items"]] == [1, 2, 3, 4]
    refused(case.complainant.get("/v1/disputes"), 403, "scope_must_be_granted")
    for who, of in ((case.opponent, case), (case.table.host, case), (other.complainant, other)):
        mine = accepted(who.get("/v1/disputes?mine=true")).json["items"]
        assert {one["table"] for one in mine} == {of.table.id}
    assert not accepted(case.auditor.get("/v1/disputes?mine=true")).json["items"]
    refused(quick_service.spectator.get("/v1/disputes?mine=true"), 401, "key_must_be_given")
