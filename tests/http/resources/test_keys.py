"""API keys: their owners, the callers who may make them, and their ends."""

from threading import Barrier, Thread
from typing import Any

import pytest
from sqlalchemy import Connection

from service.api_keys import repository
from service.api_keys.repository import SCOPES
from service.database import durability, engines
from service.database.engines import reading
from service.http.resources import keys
from tests.http.service import Person, Service, Table, accepted, refused


@pytest.fixture
def admin(service: Service) -> Person:
    """Return a person whose key has every scope."""
    return service.person(*SCOPES)


def _made(person: Person, **members: Any) -> Any:  # noqa: ANN401 -- the value may be any JSON
    return accepted(person.post("/v1/keys", members), 201).json


def test_every_caller_can_ask_for_its_own_identity(service: Service, admin: Person) -> None:
    told = accepted(admin.get("/v1/whoami")).json
    assert (told["owner"], told["scopes"]) == (admin.owner, ["admin", "approve", "audit", "host", "metrics", "play"])
    assert accepted(service.spectator.get("/v1/whoami")).json == {"owner": "", "scopes": [], "key": ""}


def test_an_admin_makes_a_key_that_works(service: Service, admin: Person) -> None:
    made = _made(admin, scopes=["host", "play"], label="Ann")
    key = made["key"]
    assert (key["scopes"], key["label"], key["made_by"]) == (["host", "play"], "Ann", admin.owner)
    assert (key["expires_at"], key["revoked_at"]) == ("", "")
    told = accepted(Person(service, "", made["token"]).get("/v1/whoami")).json
    assert (told["owner"], told["scopes"], told["key"]) == (key["owner"], key["scopes"], key["id"])
    more = _made(admin, scopes=["audit"], owner=key["owner"])
    assert (more["key"]["owner"], more["key"]["scopes"]) == (key["owner"], ["audit"])
    assert more["key"]["id"] != key["id"]


def test_only_a_hash_of_the_secret_is_kept(service: Service, admin: Person) -> None:
    made = _made(admin)
    _, name, secret = made["token"].split("_")
    with reading(service.parts.engine) as connection:
        key = repository.find(connection, bytes.fromhex(name))
    assert key is not None
    assert key.secret_hash == repository.hash_of(secret)
    assert secret not in repr(key)


@pytest.fixture
def barriers(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Return a list that gets, for each wait at the durability barrier, whether the transaction is administering."""
    seen: list[bool] = []

    def barrier(connection: Connection) -> None:
        durability.durability_barrier(connection)
        seen.append(connection.get_execution_options()[engines.MODE] == "administering")

    monkeypatch.setattr(keys, "durability_barrier", barrier)
    monkeypatch.setattr(repository, "durability_barrier", barrier)
    return seen


def test_a_repeat_is_answered_once_the_first_commit_is_durable(admin: Person, barriers: list[bool]) -> None:
    accepted(admin.post("/v1/keys", {"label": "Ann"}, key="ann"), 201)
    assert barriers == [], "a commit that adds a key waits by itself"
    again = accepted(admin.post("/v1/keys", {"label": "Ann"}, key="ann"), 201)
    assert again.headers["Idempotent-Replayed"] == "true"
    assert barriers == [True]
    path = f"/v1/keys/{again.json['key']['id']}"
    for waited in ([True], [True, True]):
        accepted(admin.send("DELETE", path, headers={}), 204)
        assert barriers == waited


def test_the_same_request_shows_the_same_key_again(service: Service, admin: Person) -> None:
    body = {"scopes": ["play", "host"], "label": "Ann", "expires_at": "2099-01-01T00:00:00Z"}
    first = accepted(admin.post("/v1/keys", body, key="ann"), 201)
    again = accepted(admin.post("/v1/keys", {**body, "scopes": ["host", "play"]}, key="ann"), 201)
    assert (again.data, again.headers["Idempotent-Replayed"]) == (first.data, "true")
    assert "Idempotent-Replayed" not in first.headers
    for member, value in (("label", "Bob"), ("scopes", ["play"]), ("expires_at", ""), ("owner", admin.owner)):
        details = refused(admin.post("/v1/keys", {**body, member: value}, key="ann"), 422, _KEY)
        assert details["errors"][0]["pointer"] == f"/{member}"
    other = service.person("admin")
    assert accepted(other.post("/v1/keys", body, key="ann"), 201).json["key"]["id"] != first.json["key"]["id"]


@pytest.mark.walk
def test_the_same_request_by_many_at_once_makes_one_key(service: Service, admin: Person) -> None:
    answers: list[Any] = []
    barrier = Barrier(4)

    def make() -> None:
        person = Person(service, admin.owner, admin.token)
        barrier.wait()
        answers.append(person.post("/v1/keys", {"label": "one"}, key="one"))

    threads = [Thread(target=make) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({accepted(answer, 201).json["token"] for answer in answers}) == 1
    assert ["Idempotent-Replayed" in answer.headers for answer in answers].count(False) == 1


def test_a_host_makes_play_keys_for_new_owners_for_its_own_and_for_itself(service: Service, admin: Person) -> None:
    host = service.person("host")
    player = _made(host)["key"]
    assert (player["scopes"], player["made_by"]) == (["play"], host.owner)
    assert _made(host, owner=player["owner"])["key"]["owner"] == player["owner"]
    assert _made(host, owner=host.owner)["key"]["scopes"] == ["play"]
    for scopes in (["host"], ["admin"], ["audit"], ["host", "play"]):
        refused(host.post("/v1/keys", {"scopes": scopes}), 403, _POWER)
    strangers = (admin.owner, _made(admin)["key"]["owner"], _made(service.person("host"))["key"]["owner"])
    for owner in (*strangers, "own_" + "0" * 32):
        refused(host.post("/v1/keys", {"owner": owner}), 403, _POWER)


def test_a_player_or_an_auditor_makes_no_keys(service: Service) -> None:
    for person in (service.person("play"), service.person("audit"), service.person("play", "audit")):
        details = refused(person.post("/v1/keys", {}), 403, "scope_must_be_granted")
        assert details["scope"] == "host"


def test_an_admin_makes_keys_for_existing_owners(admin: Person) -> None:
    details = refused(admin.post("/v1/keys", {"owner": "own_" + "0" * 32}), 422, _SHAPE)
    assert details["errors"][0]["pointer"] == "/owner"


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("scopes", []),
        ("scopes", ["root"]),
        ("scopes", "play"),
        ("scopes", ["play", "play"]),
        ("label", "x" * 101),
        ("label", "two\nlines"),
        ("label", 7),
        ("owner", "Ann"),
        ("owner", "own_" + "0" * 32 + "\n"),
        ("expires_at", "tomorrow"),
        ("expires_at", "2026-02-30T00:00:00Z"),
        ("expires_at", "2026-01-01T00:00:00+01:00"),
        ("secret", "mine"),
    ],
)
def test_a_key_has_only_valid_members(admin: Person, member: str, value: Any) -> None:  # noqa: ANN401 -- the value may be any JSON
    details = refused(admin.post("/v1/keys", {member: value}), 422, _SHAPE)
    assert {error["pointer"].split("/")[1] for error in details["errors"]} == {member}


def test_a_key_expires_to_the_millisecond(service: Service, admin: Person) -> None:
    past = service.person("play", expires_at="2026-01-01T00:00:00.500Z")
    refused(past.get("/v1/whoami"), 401, "key_must_be_valid")
    future = _made(admin, expires_at="2999-12-31T23:59:59.5Z")
    assert future["key"]["expires_at"] == "2999-12-31T23:59:59.500Z"
    accepted(Person(service, "", future["token"]).get("/v1/whoami"))


@pytest.mark.walk
def test_a_caller_lists_the_keys_that_the_caller_owns_or_made(service: Service, admin: Person) -> None:
    host = service.person("host")
    player = _made(host, label="Ann")
    other = _made(admin)
    assert player["key"]["id"] in _listed(host)
    assert other["key"]["id"] not in _listed(host)
    assert _listed(Person(service, "", player["token"])) == {player["key"]["id"]}
    assert _listed(admin) >= _listed(host) | {other["key"]["id"]}
    answer = accepted(admin.get("/v1/keys"))
    assert player["token"].rpartition("_")[2].encode() not in answer.data


def _listed(person: Person) -> set[str]:
    found: list[str] = []
    path = "/v1/keys?limit=1"
    while path:
        answer = accepted(person.get(path))
        found += [key["id"] for key in answer.json["items"]]
        path = answer.headers["Link"].partition(">")[0].lstrip("<") if "Link" in answer.headers else ""
    assert len(found) == len(set(found))
    return set(found)


def test_a_key_is_revoked_by_its_owner_its_maker_or_an_admin_and_nobody_else(service: Service, admin: Person) -> None:
    host, stranger = service.person("host"), service.person("host", "play", "audit")
    for revoker in ("owner", "maker", "admin"):
        made = _made(host)
        path = f"/v1/keys/{made['key']['id']}"
        player = Person(service, "", made["token"])
        refused(stranger.send("DELETE", path, headers={}), 404, "key_must_exist")
        refused(service.spectator.send("DELETE", path, headers={}), 401, "key_must_be_given")
        accepted(player.get("/v1/whoami"))
        by = {"owner": player, "maker": host, "admin": admin}[revoker]
        answer = accepted(by.send("DELETE", path, headers={}), 204)
        assert answer.data == b""
        refused(player.get("/v1/whoami"), 401, "key_must_be_valid")
        accepted(host.send("DELETE", path, headers={}), 204)
    (revoked,) = [one for one in accepted(host.get("/v1/keys")).json["items"] if one["id"] == made["key"]["id"]]
    assert revoked["revoked_at"]


def test_an_unknown_key_cannot_be_revoked(admin: Person) -> None:
    for name in ("key_" + "0" * 32, "key_00", "key_x", "ctk_" + "0" * 32):
        refused(admin.send("DELETE", f"/v1/keys/{name}", headers={}), 404, "key_must_exist")


def test_the_last_admin_key_stays(service: Service, admin: Person) -> None:
    mine = accepted(admin.get("/v1/whoami")).json["key"]
    service.person("admin", expires_at="2026-01-01T00:00:00.000Z")
    refused(admin.send("DELETE", f"/v1/keys/{mine}", headers={}), 409, "last_admin_key_must_stay")
    other = _made(admin, scopes=["admin"])
    accepted(admin.send("DELETE", f"/v1/keys/{mine}", headers={}), 204)
    heir = Person(service, "", other["token"])
    refused(heir.send("DELETE", f"/v1/keys/{other['key']['id']}", headers={}), 409, "last_admin_key_must_stay")


def test_an_ended_key_gets_no_secret_again(service: Service, admin: Person) -> None:
    host = service.person("host")
    accepted(host.post("/v1/keys", {}, key="ann"), 201)
    name = accepted(host.get("/v1/whoami")).json["key"]
    accepted(admin.send("DELETE", f"/v1/keys/{name}", headers={}), 204)
    refused(host.post("/v1/keys", {}, key="ann"), 401, "key_must_be_valid")
    refused(host.post("/v1/keys", {}, key="bob"), 401, "key_must_be_valid")


def test_keys_of_one_owner_play_at_one_seat(service: Service) -> None:
    table = Table(service, 2)
    host = service.person("host")
    first = _made(host)
    second = _made(host, owner=first["key"]["owner"])
    accepted(Person(service, "", first["token"]).post(f"{table.path}/seats", {"chips": 12}), 201)
    assert table.view(Person(service, "", second["token"]))["you"] == 1


_KEY = "idempotency_key_must_be_new"
_POWER = "key_must_be_within_your_power"
_SHAPE = "request_must_have_its_shape"


def test_a_host_may_name_the_scope_of_the_new_key(service: Service) -> None:
    host = service.person("host")
    assert _made(host, scopes=["play"], label="Ann")["key"]["scopes"] == ["play"]


def test_a_repeat_shows_no_caller_a_key_that_the_caller_could_not_make(service: Service, admin: Person) -> None:
    accepted(admin.post("/v1/keys", {"scopes": ["admin"]}, key="boss"), 201)
    weaker = _made(admin, scopes=["host"], owner=admin.owner)
    asking = Person(service, admin.owner, weaker["token"])
    refused(asking.post("/v1/keys", {"scopes": ["admin"]}, key="boss"), 403, "key_must_be_within_your_power")


def test_no_key_ends_a_key_that_has_more_rights(service: Service, admin: Person) -> None:
    lent = _made(admin, scopes=["play"], owner=admin.owner)
    bot = Person(service, admin.owner, lent["token"])
    boss = accepted(admin.get("/v1/whoami")).json["key"]
    refused(bot.send("DELETE", f"/v1/keys/{boss}", headers={}), 403, "key_must_be_within_your_power")
    accepted(bot.send("DELETE", f"/v1/keys/{lent['key']['id']}", headers={}), 204)


@pytest.mark.parametrize("moment", ["0500-01-01T00:00:00Z", "2026-01-01T00:00:00.5Z"])
def test_a_key_that_has_ended_is_not_made(admin: Person, moment: str) -> None:
    details = refused(admin.post("/v1/keys", {"expires_at": moment}), 422, _SHAPE)
    (error,) = details["errors"]
    assert (error["pointer"], error["code"]) == ("/expires_at", "value_must_be_within_its_range")


def test_a_repeat_returns_the_made_key_even_after_its_end(
    service: Service, admin: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = {"expires_at": "2999-12-31T23:59:59Z"}
    made = accepted(admin.post("/v1/keys", body, key="ann"), 201)
    monkeypatch.setattr(service.parts.clock, "now", lambda: "3000-01-01T00:00:00.000Z")
    assert accepted(admin.post("/v1/keys", body, key="ann"), 201).json == made.json
