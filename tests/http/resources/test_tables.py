"""Lists of tables, and views of a table now and in the past, for callers who may see it."""

from typing import Any

import pytest

from tests.http.service import Person, Service, Table, accepted, refused

UNSEEN = "??"


def test_only_its_host_and_its_players_and_auditors_know_a_private_table(service: Service) -> None:
    table = Table(service, 2, visibility="private")
    player = table.players[1]
    accepted(table.host.post(f"{table.path}/seats", {"chips": 12, "player": player.owner}), 201)
    for person in (table.host, player, service.person("audit")):
        for sub in ("", "/actions", "/events", "/balances", "/hands"):
            accepted(person.get(table.path + sub))
        assert [one["table"] for one in accepted(person.get("/v1/tables")).json["items"]] == [table.id]
    for person in (service.spectator, table.players[2], service.person("admin", "host", "play")):
        for sub in ("", "/actions", "/events", "/balances", "/hands", "/hands/1", "/accounts/house/postings"):
            refused(person.get(table.path + sub), 404, "table_must_exist")
        assert accepted(person.get("/v1/tables")).json["items"] == []
    refused(table.players[2].post(f"{table.path}/seats", {"chips": 12}), 404, "table_must_exist")
    refused(table.players[2].do(table.path, "leave_seat"), 404, "table_must_exist")


def test_everybody_sees_a_public_table_and_nobody_sees_the_cards_of_another_player(service: Service) -> None:
    table = Table(service).dealt()
    seats = [str(seat) for seat in table.players]
    for person in (service.spectator, table.host, service.person("audit", "play")):
        view = table.view(person)
        assert (view["you"], view["view"]["phase"]) == (0, "deciding")
        assert view["view"]["cards"] == {seat: [UNSEEN, UNSEEN] for seat in seats}
    for seat, player in table.players.items():
        cards = table.view(player)["view"]["cards"]
        assert UNSEEN not in cards.pop(str(seat))
        assert cards == {other: [UNSEEN, UNSEEN] for other in seats if other != str(seat)}


def test_the_upturned_card_is_seen_until_the_next_deal_and_in_no_view_of_the_past(service: Service) -> None:
    table = Table(service).started()
    assert table.view(service.spectator)["view"]["upturned"] not in {UNSEEN, ""}
    at = f"?at={table.position}"
    assert table.view(service.spectator, at)["view"]["upturned"] == UNSEEN
    accepted(table.due.do(table.path, "deal_hand"))
    assert table.view(service.spectator)["view"]["upturned"] == UNSEEN


def test_the_view_shows_the_seats_with_players_and_balances(service: Service) -> None:
    table = Table(service, 3).dealt()
    view = table.view()
    assert [(one["seat"], one["player"]) for one in view["seats"]] == [
        (seat, player.owner) for seat, player in table.players.items()
    ]
    assert [one["accounts"] for one in view["seats"]] == [{"ante": 9, "stack": 3}] * 3
    assert (view["hand"], view["hand_is_running"]) == (1, True)
    assert sum(view["balances"].values()) == 0
    assert view["deck"] == {"epoch": f"{table.id}/2", "reserve": f"{table.id}/3"}
    assert (view["game"], view["edition"], view["credit"]["title"], view["credit"]["year"]) == (
        "bankrupt",
        1,
        "Bankrupt",
        2011,
    )


def test_a_seat_that_is_free_is_shown_as_such(service: Service) -> None:
    view = Table(service, 2).view()
    assert view["seats"] == [{"seat": seat, "player": "", "accounts": {}} for seat in (1, 2)]


def test_every_position_of_the_past_can_be_seen_and_shows_no_card_before_its_time(service: Service) -> None:
    table = Table(service, 2, buy_in=1).started()
    while (view := table.view())["status"] == "playing":
        player = table.due
        items = accepted(player.get(f"{table.path}/actions")).json["items"]
        accepted(player.post(f"{table.path}/actions", items[0]["action"]))
    for person in (service.spectator, *table.players.values()):
        known = {UNSEEN, ""}
        for item in accepted(person.get(f"{table.path}/events?limit=1000")).json["items"]:
            known |= {one["face"] for one in item["openings"]} | _shown(item["leaf"])
            then = table.view(person, f"?at={item['leaf']['position']}")
            assert then["position"] == item["leaf"]["position"]
            seen = {face for cards in then["view"]["cards"].values() for face in cards}
            assert seen | set(then["view"]["discards"].values()) | {then["view"]["upturned"]} <= known
    details = refused(table.host.get(f"{table.path}?at={view['position'] + 1}"), 404, "position_must_exist")
    assert str(view["position"]) in details["detail"]


def test_between_two_decks_no_face_is_shown(quick_service: Service) -> None:
    table = Table(quick_service, 17, buy_in=60).dealt()
    for number in range(17):
        accepted(table.due.post(f"{table.path}/actions", _EXCHANGE if number < 6 else {"type": "hold_cards"}))
    assert table.view()["view"]["exposed"]
    while table.view()["hand_is_running"]:
        accepted(table.due.do(table.path, "pass_upping"))
    items = accepted(table.host.get(f"{table.path}/events?limit=1000")).json["items"]
    retired = [item["leaf"]["position"] for item in items if item["leaf"]["type"] == "deck_revealed"][-1]
    view = table.view(table.players[1], f"?at={retired}")
    assert view["deck"]["epoch"] == ""
    assert {face for cards in view["view"]["cards"].values() for face in cards} <= {UNSEEN}


_EXCHANGE = {"type": "exchange_card", "card": 1}


def _shown(leaf: dict[str, Any]) -> set[str]:
    match leaf["type"]:
        case "cards_shown":
            return {card["face"] for card in leaf["pub"]["cards"]}
        case "upturned_exposed":
            return {leaf["pub"]["face"]}
        case _:
            return set()


def test_a_table_that_has_not_moved_is_not_sent_again(service: Service) -> None:
    table = Table(service).seated()
    first = accepted(table.host.get(table.path))
    assert first.headers["ETag"] == f'"{first.json["position"]}"'
    for tag in (first.headers["ETag"], f"W/{first.headers['ETag']}", f'"1", {first.headers["ETag"]}', "*"):
        again = accepted(table.host.get(table.path, If_None_Match=tag), 304)
        assert (again.data, again.headers["ETag"]) == (b"", first.headers["ETag"])
    accepted(table.host.do(table.path, "start_game"))
    moved = accepted(table.host.get(table.path, If_None_Match=first.headers["ETag"]))
    assert moved.json["position"] > first.json["position"]


def test_each_answer_has_the_cache_headers_of_its_viewer(service: Service) -> None:
    table = Table(service).seated()
    for person, cache in ((table.players[1], "no-store"), (service.spectator, "no-cache")):
        for sub in ("", "/actions", "/events", "/balances"):
            answer = accepted(person.get(table.path + sub))
            assert (answer.headers["Vary"].split(", ")[0], answer.headers["Cache-Control"]) == ("Authorization", cache)
    answer = service.person("play").do(table.path, "hold_cards")
    refused(answer, 403, "asker_must_be_a_player")
    assert answer.headers["Cache-Control"] == "no-store"


@pytest.mark.walk
def test_tables_are_listed_newest_first_page_by_page(service: Service) -> None:
    tables = [Table(service, 2).id for _ in range(5)]
    path: str = "/v1/tables?limit=2"
    found: list[str] = []
    pages = 0
    while path:
        answer = accepted(service.spectator.get(path))
        found += [one["table"] for one in answer.json["items"]]
        assert answer.json["has_more"] is ("Link" in answer.headers)
        path = answer.headers["Link"].partition(">")[0].lstrip("<") if "Link" in answer.headers else ""
        pages += 1
    assert sorted(found) == sorted(tables)
    assert pages == 3
    opened = [one["opened_at"] for one in accepted(service.spectator.get("/v1/tables")).json["items"]]
    assert opened == sorted(opened, reverse=True)


def test_a_listed_table_has_the_time_of_its_last_event(quick_service: Service) -> None:
    table = Table(quick_service, 2).started()
    last = accepted(table.host.get(f"{table.path}/events/{table.position}")).json
    (listed,) = accepted(table.host.get("/v1/tables")).json["items"]
    assert listed["last_at"] == last["leaf"]["at"]


@pytest.mark.walk
def test_tables_are_found_by_status_and_game_and_owner(service: Service) -> None:
    table, other = Table(service, 2).started(), Table(service, 2)

    def found(person: Person, query: str) -> list[str]:
        return [one["table"] for one in accepted(person.get(f"/v1/tables?{query}")).json["items"]]

    assert found(service.spectator, "status=playing") == [table.id]
    assert found(service.spectator, "status=open&game=bankrupt") == [other.id]
    assert found(service.spectator, "game=insurance") == []
    assert found(table.players[1], "mine=true") == [table.id]
    assert found(other.host, "mine=true") == [other.id]
    assert found(service.spectator, "mine=true") == []
    (listed,) = accepted(service.spectator.get("/v1/tables?status=playing")).json["items"]
    assert (listed["seats"], listed["seats_taken"], listed["host"]) == (2, 2, table.host.owner)
    assert listed["credit"]["author"] == "Aidan-B. Howard"


def test_an_invented_cursor_is_refused(service: Service) -> None:
    details = refused(service.spectator.get("/v1/tables?after=yesterday"), 422, "request_must_have_its_shape")
    assert details["errors"][0]["parameter"] == "after"


def test_head_answers_like_get_without_a_body(service: Service) -> None:
    table = Table(service)
    answer = accepted(table.host.send("HEAD", table.path, headers={}))
    assert (answer.data, answer.headers["ETag"]) == (b"", '"2"')
