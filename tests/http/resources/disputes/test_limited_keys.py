"""Keys of auditors and approvers that are limited to tables or to disputes."""

import pytest

from tests.http.disputes import Case
from tests.http.service import Person, Service, accepted, refused


class Limited:
    """Two private tables, each with two disputes, and a public table with a dispute."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.admin = service.person("admin")
        self.own, self.other = (Case(service, hands=9, visibility="private") for _ in range(2))
        self.public = Case(service, hands=2)
        for case in (self.own, self.other):
            case.opened(statement="the first secret")
            case.opened(case.opponent, statement="the second secret")
        self.public.opened(statement="a secret elsewhere")
        service.keep_log()

    def key(self, *scopes: str, **limits: list[str]) -> Person:
        body = {"scopes": list(scopes), **limits}
        made = accepted(self.admin.post("/v1/keys", body), 201).json
        assert {name: made["key"][name] for name in limits} == limits
        return Person(self.service, made["key"]["owner"], made["token"])


@pytest.fixture(scope="module")
def limited(shared_service: Service) -> Limited:
    return Limited(shared_service)


def test_a_key_for_a_table_sees_this_private_table_and_no_other(limited: Limited) -> None:
    auditor = limited.key("audit", tables=[limited.own.table.id])
    for rest in ("", "/events", "/hands/1", "/balances", "/disputes", "/disputes/1", "/dossier"):
        accepted(auditor.get(f"{limited.own.table.path}{rest}"))
        refused(auditor.get(f"{limited.other.table.path}{rest}"), 404, "table_must_exist")
    listed = {one["table"] for one in accepted(auditor.get("/v1/tables?limit=1000")).json["items"]}
    assert listed >= {limited.own.table.id, limited.public.table.id}
    assert limited.other.table.id not in listed
    fed = accepted(auditor.get("/v1/feed?limit=1000")).json["items"]
    assert {one["table"] for one in fed} == {limited.own.table.id}
    assert len(fed) == limited.own.table.view()["position"]
    found = accepted(auditor.get("/v1/disputes")).json["items"]
    assert [(one["table"], one["dispute"]) for one in found] == [(limited.own.table.id, 1), (limited.own.table.id, 2)]
    for about_all in ("/v1/log/tile/entries/000.p/1", "/v1/log/events", "/v1/log/events/1/proof"):
        refused(auditor.get(about_all), 403, "scope_must_be_granted")
    measured = accepted(auditor.get("/v1/audit/players?limit=100")).json["tables"]
    assert limited.own.table.id in measured
    assert limited.other.table.id not in measured
    me = accepted(auditor.get("/v1/whoami")).json
    assert me["scopes"] == ["audit"]


def test_a_key_for_a_table_judges_and_reads_the_disputes_of_this_table_alone(limited: Limited) -> None:
    auditor = limited.key("audit", tables=[limited.own.table.id])
    assert "the first secret" in _texts(limited.own, 1, auditor)
    assert _texts(limited.public, 1, auditor) == []
    refused(limited.public.step(1, auditor, "assignment"), 403, "scope_must_be_granted")
    refused(limited.other.step(1, auditor, "assignment"), 404, "table_must_exist")
    limited.own.do(1, auditor, "assignment")
    limited.own.do(1, auditor, "return")


def test_a_key_for_a_dispute_judges_and_reads_this_dispute_alone(limited: Limited) -> None:
    auditor = limited.key("audit", disputes=[f"{limited.own.table.id}/2"])
    assert _texts(limited.own, 2, auditor) == ["the second secret"]
    assert _texts(limited.own, 1, auditor) == []
    refused(limited.own.step(1, auditor, "assignment"), 403, "scope_must_be_granted")
    limited.own.do(2, auditor, "assignment")
    limited.own.do(2, auditor, "return")
    found = accepted(auditor.get("/v1/disputes")).json["items"]
    assert [(one["table"], one["dispute"]) for one in found] == [(limited.own.table.id, 2)]
    dossier = accepted(auditor.get(f"{limited.own.table.path}/dossier")).data
    assert b"first secret" not in dossier


def test_an_approvers_key_can_also_be_limited(limited: Limited) -> None:
    approver = limited.key("approve", tables=[limited.own.table.id])
    number, proposal = limited.own.proposed(who=limited.own.table.players[3])
    other, at = limited.other.proposed(who=limited.other.table.players[3])
    refused(limited.other.step(other, approver, "approval", proposal=at), 404, "table_must_exist")
    limited.own.do(number, approver, "approval", proposal=proposal)


def test_only_keys_for_audits_can_be_limited(limited: Limited) -> None:
    for scopes in (["play"], ["audit", "host"], ["admin"]):
        answer = limited.admin.post("/v1/keys", {"scopes": scopes, "tables": [limited.own.table.id]})
        assert refused(answer, 422, "request_must_have_its_shape")["errors"][0]["pointer"] == "/scopes"
    for wrong in ({"tables": ["tbl_1"]}, {"disputes": [limited.own.table.id]}, {"disputes": ["tbl_1/1"]}):
        answer = limited.admin.post("/v1/keys", {"scopes": ["audit"], **wrong})
        refused(answer, 422, "request_must_have_its_shape")


def test_a_limited_key_ends_no_wider_key_of_its_owner(limited: Limited) -> None:
    narrow = limited.key("audit", tables=[limited.own.table.id])
    wide = limited.service.person("audit", owner=narrow.owner)
    answer = narrow.send("DELETE", f"/v1/keys/key_{wide.token.split('_')[1]}", headers={})
    refused(answer, 403, "key_must_be_within_your_power")
    assert wide.send("DELETE", f"/v1/keys/key_{narrow.token.split('_')[1]}", headers={}).status_code == 204


def test_a_repeat_makes_the_same_limited_key_and_other_limits_need_another_request(limited: Limited) -> None:
    body = {"scopes": ["audit"], "tables": [limited.own.table.id]}
    made = accepted(limited.admin.post("/v1/keys", body, key="limited"), 201).json
    assert accepted(limited.admin.post("/v1/keys", body, key="limited"), 201).json == made
    answer = limited.admin.post("/v1/keys", {"scopes": ["audit"]}, key="limited")
    assert refused(answer, 422, "idempotency_key_must_be_new")["errors"][0]["pointer"] == "/tables"


def test_the_service_records_limits_and_leaves_out_none(quick_service: Service) -> None:
    admin = quick_service.person("admin")
    table = "tbl_" + "1" * 32
    for limits in ({}, {"tables": [table], "disputes": [f"{table}/2"]}):
        accepted(admin.post("/v1/keys", {"scopes": ["audit"], **limits}), 201)
    items = accepted(admin.get("/v1/log/events")).json["items"]
    unlimited, limited = (one["leaf"]["pub"] for one in items[-2:])
    assert "limits" not in unlimited
    assert limited["limits"] == [table, f"{table}/2"]


def _texts(case: Case, number: int, who: Person) -> list[str]:
    return [field["value"] for step in case.view(number, who)["steps"] for field in step["fields"]]
