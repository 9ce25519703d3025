"""`/v1/log/events`: auditors and admins read the service's own stream, and prove its events."""

from base64 import b64decode

import pytest

from service import merkle
from service.canonical import canonical
from service.event_store.leaf import leaf_hash
from service.transparency import checkpoint, signed_note
from tests.damage import damage
from tests.http.service import Service, Table, accepted, refused

PATH = "/v1/log/events"


@pytest.mark.walk
def test_an_auditor_reads_the_makers_and_the_ends_of_keys(service: Service) -> None:
    auditor, host = service.person("audit"), service.person("host")
    assert accepted(auditor.get(PATH)).json == {"items": [], "has_more": False, "next": 0, "position": 0}
    made = accepted(host.post("/v1/keys", {"label": "Ann", "expires_at": "2030-01-01T06:00:00Z"}), 201).json["key"]
    accepted(host.send("DELETE", f"/v1/keys/{made['id']}", headers={}), 204)
    answer = accepted(service.person("admin").get(PATH)).json
    leaves = [item["leaf"] for item in answer["items"]]
    assert [leaf["type"] for leaf in leaves][:4] == ["log_opened", "key_adopted", "key_adopted", "key_made"]
    keys = accepted(service.spectator.get("/v1/log/key")).json
    assert {name: leaves[0]["pub"][name] for name in ("origin", "log_key", "receipt_key")} == keys
    assert leaves[3]["pub"] == {
        "key": made["id"],
        "owner": made["owner"],
        "scopes": ["play"],
        "secret_hash": leaves[3]["pub"]["secret_hash"],
        "made_by": host.owner,
        "made_at": made["made_at"],
        "expires_at": "2030-01-01T06:00:00.000Z",
    }
    assert leaves[4]["type"] == "key_ended"
    assert (leaves[4]["pub"]["key"], leaves[4]["pub"]["ended_by"]) == (made["id"], host.owner)
    assert "Ann" not in str(answer)


def test_pages_run_on_and_name_their_hashes(quick_service: Service) -> None:
    host, auditor = quick_service.person("host"), quick_service.person("audit")
    for _ in range(5):
        accepted(host.post("/v1/keys", {}), 201)
    items, after, has_more = [], 0, True
    while has_more:
        page = accepted(auditor.get(f"{PATH}?after={after}&limit=3")).json
        items += page["items"]
        after, has_more = page["next"], page["has_more"]
    assert after == page["position"] == len(items) == quick_service.service_events()
    prev = "0" * 64
    for position, item in enumerate(items, start=1):
        assert (item["leaf"]["position"], item["leaf"]["prev"]) == (position, prev)
        assert (item["leaf"]["stream"], item["leaf"]["by"]) == ("service/log", "service")
        prev = item["hash"]
        assert leaf_hash(canonical(item["leaf"])).hex() == prev


def test_nobody_else_reads_this_resource(quick_service: Service) -> None:
    for path in (PATH, f"{PATH}/1/proof"):
        refused(quick_service.spectator.get(path), 401, "key_must_be_given")
        refused(quick_service.person("play", "host", "metrics").get(path), 403, "scope_must_be_granted")


def test_an_event_is_proved_under_the_newest_checkpoint(quick_service: Service) -> None:
    host, auditor = quick_service.person("host"), quick_service.person("audit")
    accepted(host.post("/v1/keys", {}), 201)
    refused(auditor.get(f"{PATH}/1/proof"), 404, "proof_must_exist")
    quick_service.keep_log()
    item = accepted(auditor.get(f"{PATH}?after=1&limit=1")).json["items"][0]
    proof = accepted(auditor.get(f"{PATH}/2/proof")).get_data(as_text=True)
    head, _, note = proof.partition("\n\n")
    form, index, *path = head.splitlines()
    assert form == "c2sp.org/tlog-proof@v1"
    vkey = signed_note.parse_key(accepted(auditor.get("/v1/log/key")).json["log_key"])
    signed, _ = checkpoint.opened(note.encode(), vkey)
    hashes = [b64decode(one) for one in path]
    number = int(index.removeprefix("index "))
    assert merkle.is_included(bytes.fromhex(item["hash"]), number, signed.size, hashes, signed.root)
    for position in (0, quick_service.service_events() + 1):
        refused(auditor.get(f"{PATH}/{position}/proof"), 404, "position_must_exist")


def test_no_table_has_the_id_of_the_stream(quick_service: Service) -> None:
    admin = quick_service.person("admin", "audit", "host")
    accepted(admin.post("/v1/keys", {}), 201)
    for path in ("", "/events", "/events/1", "/events/1/proof", "/balances", "/hands", "/actions"):
        refused(admin.get(f"/v1/tables/tbl_{'0' * 32}{path}"), 404, "table_must_exist")


def test_a_damaged_stream_is_read_up_to_its_damage_and_keys_are_still_made(quick_service: Service) -> None:
    host, auditor = quick_service.person("host"), quick_service.person("audit")
    for _ in range(3):
        accepted(host.post("/v1/keys", {}), 201)
    damage(quick_service, "tbl_" + "0" * 32, 4)
    page = accepted(auditor.get(PATH)).json
    assert ([item["leaf"]["position"] for item in page["items"]], page["has_more"], page["next"]) == (
        [1, 2, 3],
        True,
        3,
    )
    answer = refused(auditor.get(f"{PATH}?after={page['next']}"), 409, "table_must_be_intact")
    assert answer["position"] == 4
    assert accepted(auditor.get(f"{PATH}?limit=2")).json["items"] == page["items"][:2]
    accepted(host.post("/v1/keys", {}), 201)


def test_the_feed_of_an_auditor_does_not_have_the_services_own_stream(quick_service: Service) -> None:
    auditor = quick_service.person("audit")
    table = Table(quick_service, 2)
    accepted(table.host.post("/v1/keys", {}), 201)
    quick_service.keep_log()
    items = accepted(auditor.get("/v1/feed")).json["items"]
    assert {item["table"] for item in items} == {table.id}
    assert len(items) == quick_service.events()
