"""The service lists the actions that a caller may take, each ready to post; requests can wait for a turn."""

import random
from collections.abc import Callable
from threading import Thread
from time import monotonic
from typing import Any

import pytest
from msgspec.structs import replace
from sqlalchemy import Connection

from service import games
from service.games.bankrupt import BANKRUPT
from service.games.bankrupt.commands import HoldCards
from service.games.move import Moves
from service.http.operations.waiting import head_watcher
from service.http.request import available_actions
from service.http.request.available_actions import ActionList
from service.http.request.context import Caller
from service.tables.fold import TableAt
from tests.faults.servers import wait_until
from tests.http.service import Person, Service, Table, accepted, refused


def _types(person: Person, table: Table) -> list[str]:
    return [item["action"]["type"] for item in accepted(person.get(f"{table.path}/actions")).json["items"]]


def test_a_player_and_a_host_get_their_own_actions(service: Service) -> None:
    table = Table(service, 3)
    player = table.players[1]
    assert _types(table.host, table) == ["close_table", "invite_player"]
    assert _types(player, table) == []
    table.seated()
    assert _types(table.host, table) == ["start_game", "close_table", "invite_player"]
    assert _types(player, table) == ["leave_seat"]
    accepted(table.host.do(table.path, "start_game"))
    assert _types(table.host, table) == ["call_time"]
    assert _types(table.due, table) == ["deal_hand", "resign"]
    assert [_types(other, table) for other in table.others] == [["resign"], ["resign"]]
    assert _types(service.spectator, table) == []


def test_a_host_who_plays_gets_both_kinds_of_actions(service: Service) -> None:
    both = service.person("host", "play")
    path = accepted(both.post("/v1/tables", {"game": "bankrupt", "seats": 2}), 201).headers["Location"]
    accepted(both.post(f"{path}/seats", {"chips": 50}), 201)
    listed = accepted(both.get(f"{path}/actions")).json
    assert [item["action"]["type"] for item in listed["items"]] == ["leave_seat", "close_table", "invite_player"]
    assert (listed["due"], listed["status"], listed["position"]) == (["host"], "open", 3)


def test_a_key_gets_only_actions_within_its_scopes(service: Service) -> None:
    table = Table(service, 2)
    made = accepted(table.host.post("/v1/keys", {"owner": table.host.owner}), 201).json
    player = Person(service, table.host.owner, made["token"])
    accepted(player.post(f"{table.path}/seats", {"chips": 12}), 201)
    assert (_types(player, table), _types(table.host, table)) == (["leave_seat"], ["close_table", "invite_player"])
    refused(table.host.do(table.path, "leave_seat"), 403, "scope_must_be_granted")
    refused(player.do(table.path, "close_table"), 403, "scope_must_be_granted")
    assert _types(service.person("audit"), table) == []


def test_each_action_has_its_bounds_rule_and_ruling(service: Service) -> None:
    table = Table(service, 3, buy_in=50).dealt()
    items = accepted(table.due.get(f"{table.path}/actions")).json["items"]
    assert items[1] == {
        "action": {"type": "exchange_card", "card": 1},
        "bounds": [{"member": "card", "least": 1, "most": 2}],
        "choices": [],
        "rule": "11",
        "ruling": "B11.6",
        "to_fill": [],
    }


def test_all_that_is_listed_would_be_accepted_and_nothing_else(service: Service) -> None:
    table = Table(service, 4, buy_in=14).started()
    dice = random.Random(7)
    kinds = ("deal_hand", "hold_cards", "throw_in", "pass_upping", "accept_upping", "decline_upping", "resign")
    for _ in range(25):
        if table.view()["status"] != "playing":
            break
        for player in table.players.values():
            _must_be_exact(table, player, kinds)
        player = table.due
        items = accepted(player.get(f"{table.path}/actions")).json["items"]
        moves = [item["action"] for item in items if item["action"]["type"] != "resign"]
        accepted(player.post(f"{table.path}/actions", dice.choice(moves)))


def _must_be_exact(table: Table, player: Person, kinds: tuple[str, ...]) -> None:
    path = f"{table.path}/actions"
    items = accepted(player.get(path)).json["items"]
    for item in items:
        accepted(player.post(f"{path}?dry_run=true", item["action"]))
        for bound in item["bounds"]:
            accepted(player.post(f"{path}?dry_run=true", {**item["action"], bound["member"]: bound["most"]}))
            over = player.post(f"{path}?dry_run=true", {**item["action"], bound["member"]: bound["most"] + 1})
            assert over.status_code in {409, 422}
    listed = {item["action"]["type"] for item in items}
    for kind in set(kinds) - listed:
        assert player.post(f"{path}?dry_run=true", {"type": kind}).status_code == 409


def test_a_wait_ends_as_soon_as_the_callers_decision_is_due(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(head_watcher, "_SHORTEST_PAUSE_SECONDS", 60)
    monkeypatch.setattr(head_watcher, "_LONGEST_PAUSE_SECONDS", 60)
    table = Table(service).dealt()
    first, second = table.due, table.players[table.due_seat % 3 + 1]
    answer = _while_waiting(
        Person(service, second.owner, second.token),
        f"{table.path}/actions?wait=30",
        lambda: accepted(first.do(table.path, "hold_cards")),
    )
    assert answer.json["due"] == [f"seat:{table.view(second)['you']}"]
    assert answer.json["items"][0]["action"]["type"] == "hold_cards"


def test_actions_are_listed_only_for_a_waiting_player_who_must_decide(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = Table(service).dealt()
    first, second, third = (table.players[(table.due_seat + after - 1) % 3 + 1] for after in range(3))
    listed, action_list = list[str](), available_actions.action_list

    def counted(connection: Connection, table_at: TableAt, caller: Caller) -> ActionList:
        listed.append(caller.owner)
        return action_list(connection, table_at, caller)

    monkeypatch.setattr(available_actions, "action_list", counted)

    def act() -> None:
        accepted(first.do(table.path, "hold_cards"))
        accepted(second.do(table.path, "hold_cards"))

    answer = _while_waiting(Person(service, third.owner, third.token), f"{table.path}/actions?wait=30", act)
    assert answer.json["due"] == [f"seat:{table.view(third)['you']}"]
    assert listed == [third.owner] * 2  # once before the wait, and once after it


def test_a_wait_ends_when_no_decision_can_be_due_any_more(service: Service) -> None:
    table = Table(service, 2).seated()
    answer = _while_waiting(
        table.players[1],
        f"{table.path}/actions?wait=30",
        lambda: accepted(table.host.do(table.path, "close_table")),
    )
    assert (answer.json["status"], answer.json["items"]) == ("closed", [])


def test_a_request_does_not_wait_if_the_caller_is_due_already(service: Service) -> None:
    table = Table(service).dealt()
    service.parts.long_polls.end()  # so that a request that would wait is refused
    accepted(table.due.get(f"{table.path}/actions?wait=30"))


def test_a_caller_without_a_part_in_a_table_does_not_wait(quick_service: Service) -> None:
    table = Table(quick_service).dealt()
    quick_service.parts.long_polls.end()  # so that a request that would wait is refused
    for person in (quick_service.spectator, quick_service.person("play", "host"), quick_service.person("audit")):
        assert accepted(person.get(f"{table.path}/actions?wait=30")).json["items"] == []


def _while_waiting(person: Person, path: str, act: Callable[[], object]) -> Any:  # noqa: ANN401 -- the value may be any JSON
    """Send a request of *person* in a thread, call *act* once the request waits, and return the response."""
    answers: list[Any] = []
    thread = Thread(target=lambda: answers.append(person.get(path)))
    thread.start()
    wait_until(lambda: person.service.parts.long_polls.slots_taken == 1)
    assert not answers
    started = monotonic()
    act()
    thread.join()
    assert monotonic() - started < 25, "it waited to its end"
    return accepted(answers[0])


def test_an_action_of_another_game_is_refused_clearly(quick_service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    moves = Moves(*(move for move in BANKRUPT.moves if move.command is not HoldCards))
    monkeypatch.setitem(vars(games)["GAMES"], ("bankrupt", 1), replace(BANKRUPT, moves=moves))
    table = Table(quick_service).dealt()
    details = refused(table.due.do(table.path, "hold_cards"), 409, "action_must_belong_to_the_game")
    assert details["ruling"] == "G.2"
    assert details["actions"]
