"""Keys of one owner: the response to a repeat has no data that the repeating key may not read."""

import pytest

from tests.http.hearts import Hearts
from tests.http.service import Person, Service, accepted, refused

SLIP = {"type": "write_slip", "insurance": 4, "foot": False}


def _another(table: Hearts, person: Person, scope: str = "play") -> Person:
    """Make another key for the owner of *person*."""
    admin = table.service.person("admin")
    made = accepted(admin.post("/v1/keys", {"owner": person.owner, "scopes": [scope]}), 201).json
    return Person(table.service, person.owner, made["token"])


def _end(table: Hearts, person: Person) -> None:
    name = accepted(person.get("/v1/whoami")).json["key"]
    accepted(table.service.person("admin").send("DELETE", f"/v1/keys/{name}", headers={}), 204)


@pytest.mark.parametrize("insurance", [0, 4], ids=["another number", "the same number"])
def test_an_ended_key_learns_nothing_about_commands_by_another_key_of_its_owner(
    service: Service, insurance: int
) -> None:
    table = Hearts(service)
    table.dealt()
    lost = table.players[1]
    new = _another(table, lost)
    _end(table, lost)
    accepted(new.post(f"{table.path}/actions", SLIP, key="at 20"))
    guess = {**SLIP, "insurance": insurance}
    for key in ("at 20", "at 21"):
        refused(lost.post(f"{table.path}/actions", guess, key=key), 401, "key_must_be_valid")


def test_an_ended_key_repeats_commands_from_before_its_end(service: Service) -> None:
    table = Hearts(service)
    table.dealt()
    first = accepted(table.players[1].post(f"{table.path}/actions", SLIP, key="slip"))
    _end(table, table.players[1])
    assert accepted(table.players[1].post(f"{table.path}/actions", SLIP, key="slip")).data == first.data


def test_a_key_without_play_gets_no_value_sealed_under_its_idempotency_key(service: Service) -> None:
    table = Hearts(service)
    table.dealt()
    accepted(table.players[1].post(f"{table.path}/actions", SLIP, key="at 20"))
    host = _another(table, table.players[1], "host")
    answer = refused(
        host.post(f"{table.path}/actions", {"type": "call_time"}, key="at 20"), 422, "idempotency_key_must_be_new"
    )
    assert "write_slip" not in str(answer)
    assert "4" not in answer["errors"][0]["message"]
