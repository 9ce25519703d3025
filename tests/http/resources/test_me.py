"""`/me`: a caller's seat, and the caller's command secret, which nobody else can learn."""

import hmac
from hashlib import sha256
from typing import Any

import pytest

from tests.http.service import Service, Table, accepted, refused


def secret_of(person: Any, table: Table) -> str:  # noqa: ANN401 -- callers are of several types
    found: str = accepted(person.get(f"{table.path}/me")).json["command_secret"]
    return found


def cmd(secret: str, key: str) -> str:
    return hmac.new(bytes.fromhex(secret), f"chiptrail/cmd/v1\n{key}\n".encode(), "sha256").hexdigest()


def cmds(service: Service, table: Table) -> set[str]:
    events = service.spectator.get(f"{table.path}/events?limit=1000").get_json()["items"]
    return {one["leaf"]["cmd"] for one in events if "cmd" in one["leaf"]}


def test_a_caller_computes_the_ids_of_its_own_commands(quick_service: Service) -> None:
    table = Table(quick_service, 2)
    player = table.players[1]
    receipt = accepted(player.post(f"{table.path}/seats", {"chips": 12}, key="sit down"), 201).json["receipt"]
    found = accepted(player.get(f"{table.path}/me"))
    assert found.json == {
        "table": table.id,
        "owner": player.owner,
        "seat": 1,
        "command_secret": found.json["command_secret"],
        "signing_key": "",
    }
    assert (found.headers["Cache-Control"], found.headers["ETag"]) == ("no-store", '"3"')
    assert receipt["cmd"] == cmd(found.json["command_secret"], "sit down")


def test_a_secret_belongs_to_one_owner_at_one_table(quick_service: Service) -> None:
    tables = [Table(quick_service, 2), Table(quick_service, 2)]
    people = [quick_service.person("play"), quick_service.person("play")]
    secrets = {secret_of(person, table) for person in people for table in tables}
    assert len(secrets) == 4
    again = quick_service.person("play", owner=people[0].owner)
    assert secret_of(again, tables[0]) == secret_of(people[0], tables[0])
    assert accepted(people[0].get(f"{tables[0].path}/me")).json["seat"] == 0


def test_no_other_answer_has_the_secret(quick_service: Service) -> None:
    table = Table(quick_service, 2).dealt()
    own, other = table.players[1], table.players[2]
    secret = secret_of(own, table)
    paths = ("", "/me", "/actions", "/events?limit=1000", "/balances", "/hands", "/hands/1", "/hands/1/adjudication")
    for person in (other, table.host, quick_service.spectator, quick_service.person("audit", "admin", "host")):
        assert all(secret not in person.get(table.path + path).get_data(as_text=True) for path in paths)
    elsewhere = [path for path in (*paths, "/../whoami") if path != "/me"]
    assert all(secret not in own.get(table.path + path).get_data(as_text=True) for path in elsewhere)


def test_nobody_recomputes_a_command_id_from_public_data(quick_service: Service) -> None:
    """Once, an attacker could compute 212 of 231 ids, from owners' ids and well-guessed Idempotency-Keys."""
    table = Table(quick_service, 2)
    for number, player in table.players.items():
        accepted(player.post(f"{table.path}/seats", {"chips": 12, "seat": number}, key=f"sit {number}"), 201)
    accepted(table.host.do(table.path, "start_game", key="start"))
    recorded = cmds(quick_service, table)
    owners = [table.host.owner, *(player.owner for player in table.players.values()), "service", "host"]
    keys = ["start", "sit 1", "sit 2", *(f"key-{number}" for number in range(200)), *(f"time/{at}" for at in range(40))]
    guesses = {sha256(f"chiptrail/cmd/v1\n{owner}\n{key}\n".encode()).hexdigest() for owner in owners for key in keys}
    assert len(recorded) == 4
    assert not recorded & guesses
    spy = quick_service.person("play")
    assert not recorded & {cmd(secret_of(spy, table), key) for key in keys}
    assert cmd(secret_of(table.players[1], table), "sit 1") in recorded


def test_a_tables_id_does_not_follow_from_public_data(quick_service: Service) -> None:
    host = quick_service.person("host")
    opened = accepted(host.post("/v1/tables", {"game": "bankrupt"}, key="table 1"), 201).json["table"]
    old = sha256(f"chiptrail/id/v1\ntable\n{host.owner}\ntable 1\n".encode()).hexdigest()[:32]
    assert opened != f"tbl_{old}"
    assert accepted(host.post("/v1/tables", {"game": "bankrupt"}, key="table 1"), 201).json["table"] == opened
    key = accepted(host.post("/v1/keys", {}, key="key 1"), 201).json["key"]["id"]
    assert key != "key_" + sha256(f"chiptrail/id/v1\nkey\n{host.owner}\nkey 1\n".encode()).hexdigest()[:32]


@pytest.mark.parametrize("scopes", [("host",), ("audit",), ("admin",)])
def test_a_key_without_play_does_not_get_its_owners_secret(quick_service: Service, scopes: Any) -> None:  # noqa: ANN401
    table = Table(quick_service, 2)
    weaker = quick_service.person(*scopes, owner=table.players[1].owner)
    refused(weaker.get(f"{table.path}/me"), 403, "scope_must_be_granted")
