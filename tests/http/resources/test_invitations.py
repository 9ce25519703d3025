"""Invitations over HTTP: no stranger can seat an owner, and invitations count against no limit of the invited owner."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from werkzeug.test import TestResponse

from service.audit.log_audit import verify
from service.event_store.codec import Codec
from service.games import EVENTS
from service.games.common_commands import TakeSeat
from service.games.seating import MOST_SEATINGS
from service.play.orders import Order
from service.projections.rebuild.projection_rebuild import rebuild
from tests.http.service import Person, Service, Table, accepted, refused, running

NOBODY = "own_" + "e" * 32


@pytest.fixture
def narrow(tmp_path: Path, database_url: str) -> Iterator[Service]:
    """Yield a service with a limit of one seat for each owner."""
    with running(tmp_path, database_url, seats_per_owner=1) as made:
        yield made


def _tables(person: Person, query: str = "") -> list[Any]:
    items: list[Any] = accepted(person.get(f"/v1/tables{query}")).json["items"]
    return items


def _sit(person: Person, table: Table, player: str = "") -> TestResponse:
    return person.post(f"{table.path}/seats", {"chips": table.buy_in, "player": player})


def _invite(table: Table, *guests: Person) -> None:
    for guest in guests:
        accepted(table.host.do(table.path, "invite_player", player=guest.owner))


def _types(person: Person, table: Table) -> list[str]:
    return [item["action"]["type"] for item in accepted(person.get(f"{table.path}/actions")).json["items"]]


def test_a_host_seats_no_stranger_and_does_not_learn_whether_the_owner_exists(service: Service) -> None:
    table, victim = Table(service, 2, visibility="private"), service.person("play")
    told = [refused(_sit(table.host, table, player=player), 403, "player_must_be_yours_to_seat")
            for player in (victim.owner, NOBODY)]  # fmt: skip
    assert [{**one, "request_id": ""} for one in told] == [{**told[0], "request_id": ""}] * 2
    assert table.position == 2


def test_invitations_of_a_host_lock_nobody_out_of_other_tables(narrow: Service) -> None:
    victim = narrow.person("play")
    for _ in range(5):
        table = Table(narrow, 2, visibility="private")
        _invite(table, victim)
        for player in table.players.values():
            accepted(_sit(table.host, table, player=player.owner), 201)
        accepted(table.host.do(table.path, "start_game"))
        refused(victim.get(table.path), 404, "table_must_exist")  # the start of the game ended the invitation
    assert _tables(victim, "?invited=true") == _tables(victim, "?mine=true") == []
    elsewhere = Table(narrow, 2)
    _invite(Table(narrow, 2, visibility="private"), victim)
    accepted(_sit(victim, elsewhere), 201)


def test_an_invitation_lets_its_holder_see_a_private_table_and_sit_down(service: Service) -> None:
    table, guest = Table(service, 2, visibility="private"), service.person("play")
    refused(guest.get(table.path), 404, "table_must_exist")
    refused(_sit(guest, table), 404, "table_must_exist")
    _invite(table, guest)
    assert table.view(guest)["invited"] == [guest.owner]
    assert _types(guest, table) == ["decline_invitation"]
    (listed,) = _tables(guest, "?invited=true")
    assert (listed["table"], listed["is_invited"], listed["seats_taken"]) == (table.id, True, 0)
    assert [one["is_invited"] for one in _tables(table.host)] == [False]
    assert _tables(guest, "?mine=true") == []
    accepted(_sit(guest, table), 201)
    assert (table.view(guest)["invited"], table.view(guest)["you"]) == ([], 1)
    assert _types(guest, table) == ["leave_seat"]
    assert [one["is_invited"] for one in _tables(guest)] == [False]


@pytest.mark.parametrize("how", ["declined", "withdrawn", "sat and left", "closed"])
def test_the_end_of_an_invitation_hides_a_private_table_again(service: Service, how: str) -> None:
    table, guest = Table(service, 2, visibility="private"), service.person("play")
    _invite(table, guest)
    if how == "declined":
        event = accepted(guest.do(table.path, "decline_invitation")).json["events"][0]["leaf"]
        assert (event["by"], event["pub"]) == ("player", {"player": guest.owner})
    elif how == "withdrawn":
        accepted(table.host.do(table.path, "withdraw_invitation", player=guest.owner))
    elif how == "closed":
        accepted(table.host.do(table.path, "close_table"))
    else:
        accepted(_sit(guest, table), 201)
        accepted(guest.do(table.path, "leave_seat"))
    for path in ("", "/actions", "/events", "/balances", "/hands"):
        refused(guest.get(table.path + path), 404, "table_must_exist")
    refused(_sit(guest, table), 404, "table_must_exist")
    refused(guest.do(table.path, "decline_invitation"), 404, "table_must_exist")
    assert _tables(guest) == []


def test_nobody_but_the_invited_declines_and_nobody_but_the_host_invites(service: Service) -> None:
    table, guest, other = Table(service, 2), service.person("play"), service.person("play", "host")
    _invite(table, guest)
    refused(other.do(table.path, "decline_invitation"), 409, "player_must_be_invited")
    refused(other.do(table.path, "invite_player", player=guest.owner), 403, "asker_must_be_the_host")
    refused(other.do(table.path, "withdraw_invitation", player=guest.owner), 403, "asker_must_be_the_host")
    told = refused(guest.do(table.path, "decline_invitation", player=other.owner), 422, "request_must_have_its_shape")
    assert told["errors"][0]["code"] == "member_must_be_known"


def test_inviting_is_a_command_like_any_other(service: Service) -> None:
    table, guest = Table(service, 2), service.person("play")
    path, body = f"{table.path}/actions", {"type": "invite_player", "player": guest.owner}
    assert accepted(table.host.post(f"{path}?dry_run=true", body, key="once")).json == {"accepted": True}
    refused(table.host.post(path, body, If_Match='"1"'), 412, "position_must_match")
    first = accepted(table.host.post(path, body, key="once", If_Match='"2"'))
    again = accepted(table.host.post(path, body, key="once", If_Match='"2"'))
    assert (again.data, again.headers["Idempotent-Replayed"]) == (first.data, "true")
    refused(table.host.post(path, {**body, "player": NOBODY}, key="once"), 422, "idempotency_key_must_be_new")
    refused(table.host.post(path, body), 409, "player_must_not_be_invited_twice")
    declined = accepted(guest.do(table.path, "decline_invitation", "mine"))
    assert accepted(guest.do(table.path, "decline_invitation", "mine")).data == declined.data


def test_a_hosts_listed_actions_may_be_posted_and_mark_example_values(service: Service) -> None:
    table, guest = Table(service, 2), service.person("play")
    _invite(table, guest)
    items = {item["action"]["type"]: item for item in accepted(table.host.get(f"{table.path}/actions")).json["items"]}
    assert items["invite_player"]["to_fill"] == ["player"]
    assert items["withdraw_invitation"]["action"]["player"] == guest.owner
    for item in items.values():
        accepted(table.host.post(f"{table.path}/actions?dry_run=true", item["action"]))
    accepted(table.host.post(f"{table.path}/actions", items["invite_player"]["action"]))
    accepted(table.host.post(f"{table.path}/actions?dry_run=true", items["withdraw_invitation"]["action"]))


def test_the_repeat_of_an_earlier_seating_of_a_stranger_gets_its_result(service: Service) -> None:
    table, stranger = Table(service, 2), service.person("play")
    command = TakeSeat(by="", player=stranger.owner, chips=12)
    stream_id = bytes.fromhex(table.id.removeprefix("tbl_"))
    service.parts.play.do(Order(stream_id=stream_id, caller=table.host.owner, key="before", command=command))
    again = accepted(table.host.post(f"{table.path}/seats", {"chips": 12, "player": stranger.owner}, key="before"), 201)
    assert again.headers["Idempotent-Replayed"] == "true"


def test_sitting_down_and_leaving_at_a_strangers_table_is_limited(service: Service) -> None:
    table, guest = Table(service, 2), service.person("play")
    for _ in range(MOST_SEATINGS):
        accepted(_sit(guest, table), 201)
        accepted(guest.do(table.path, "leave_seat"))
    told = refused(_sit(guest, table), 409, "seat_must_be_taken_less_often")
    assert (told["ruling"], table.position) == ("G.11", 2 + 2 * MOST_SEATINGS)
    accepted(_sit(service.person("play"), table), 201)


@pytest.mark.walk
def test_a_table_with_invitations_is_verified_and_rebuilt_like_any_other(service: Service) -> None:
    table, *guests = Table(service, 3, visibility="private"), *(service.person("play") for _ in range(4))
    _invite(table, *guests)
    accepted(_sit(guests[0], table), 201)
    accepted(guests[1].do(table.path, "decline_invitation"))
    accepted(table.host.do(table.path, "withdraw_invitation", player=guests[2].owner))
    for _ in ("as recorded", "as rebuilt"):
        report = verify(service.parts.engine, service.parts.log, Codec(EVENTS))
        assert report.findings == ()
        assert [one["table"] for one in _tables(guests[3], "?invited=true")] == [table.id]
        rebuild(service.parts.engine, service.parts.log, service.parts.clock)
