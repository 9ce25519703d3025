"""Commands over HTTP: receipts, repeats, positions, dry runs."""

# ruff: noqa: ANN401 -- JSON may be any value

from threading import Barrier, Thread
from typing import Any

import pytest
from sqlalchemy import event as database_event

from service.api_keys import repository
from service.database.engines import administering
from service.secrets.receipts import Receipt, verify
from tests.http.service import Person, Service, Table, accepted, refused
from tests.lost_commits import failing_commits


def test_a_write_answers_with_its_events_and_a_receipt_that_anybody_can_check(service: Service) -> None:
    table = Table(service, 2)
    player = table.players[1]
    done = accepted(player.post(f"{table.path}/seats", {"chips": 12}, key="sit"), 201)
    (event,) = done.json["events"]
    assert (event["leaf"]["type"], event["leaf"]["by"]) == ("seat_taken", "seat:1")
    receipt = Receipt(**done.json["receipt"])
    assert verify(receipt, service.parts.signer.public_key)
    assert receipt.leaf_hash == event["hash"]
    assert receipt.cmd == event["leaf"]["cmd"]
    assert (done.json["table"], done.json["position"], done.headers["ETag"]) == (table.id, 3, '"3"')


def test_the_answer_to_opening_a_table_gives_its_path(service: Service) -> None:
    host = service.person("host")
    body = {
        "game": "bankrupt",
        "seats": 5,
        "visibility": "private",
        "options": {"buy_in": 20, "show_one_card": True},
        "worth": {"currency": "EUR", "minor": 10},
        "time_limit_seconds": 60,
    }
    done = accepted(host.post("/v1/tables", body), 201)
    assert done.headers["Location"] == f"/v1/tables/{done.json['table']}"
    view = accepted(host.get(done.headers["Location"])).json
    assert view["options"] == {
        "buy_in": 20,
        "max_dead_rounds": 3,
        "max_throw_ins_in_a_row": 2,
        "show_one_card": True,
    }
    assert (len(view["seats"]), view["visibility"], view["time_limit_seconds"]) == (5, "private", 60)
    assert view["worth"] == {"currency": "EUR", "minor": 10}
    assert (view["host"], view["you"], view["status"]) == (host.owner, 0, "open")
    assert view["credit"]["author"] == "Aidan-B. Howard"


def test_a_member_that_is_left_out_has_its_default(service: Service) -> None:
    host = service.person("host")
    view = accepted(host.get(accepted(host.post("/v1/tables", {"game": "bankrupt"}), 201).headers["Location"])).json
    assert (len(view["seats"]), view["visibility"], view["worth"], view["time_limit_seconds"]) == (4, "public", None, 0)
    assert view["options"]["buy_in"] == 50


def test_a_repeat_gets_the_same_answer_for_ever(service: Service) -> None:
    table = Table(service).started()
    dealer, seat = table.due, table.due_seat
    first = accepted(dealer.do(table.path, "deal_hand", key="deal"))
    assert "Idempotent-Replayed" not in first.headers
    dealt = [one for item in first.json["events"] for one in item["openings"]]
    assert len(dealt) == 2
    table.due.do(table.path, "hold_cards")
    again = accepted(dealer.do(table.path, "deal_hand", key="deal"))
    assert again.headers["Idempotent-Replayed"] == "true"
    assert (again.data, again.headers["ETag"]) == (first.data, first.headers["ETag"])
    assert accepted(table.players[seat].do(table.path, "deal_hand", key="deal")).data == first.data


def test_a_repeated_opening_opens_the_same_table(service: Service) -> None:
    host = service.person("host")
    first = accepted(host.post("/v1/tables", {"game": "bankrupt"}, key="mine"), 201)
    again = accepted(host.post("/v1/tables", {"game": "bankrupt", "options": {}, "seats": 4}, key="mine"), 201)
    assert (again.data, again.headers["Location"]) == (first.data, first.headers["Location"])
    assert again.headers["Idempotent-Replayed"] == "true"
    other = accepted(service.person("host").post("/v1/tables", {"game": "bankrupt"}, key="mine"), 201)
    assert other.json["table"] != first.json["table"]
    details = refused(host.post("/v1/tables", {"game": "bankrupt", "seats": 5}, key="mine"), 422, _KEY)
    assert details["errors"][0]["pointer"] == "/seats"
    worth = {"game": "bankrupt", "worth": {"currency": "EUR", "minor": 1}}
    details = refused(host.post("/v1/tables", worth, key="mine"), 422, _KEY)
    assert details["errors"][0]["pointer"] == "/worth/currency"


def test_an_idempotency_key_belongs_to_one_command(service: Service) -> None:
    table = Table(service).seated()
    before = service.events()
    player = table.players[1]
    sit = player.post(f"{table.path}/seats", {"chips": 12}, key="again")
    refused(sit, 409, "player_must_not_sit_twice")
    accepted(player.do(table.path, "leave_seat", key="again"))
    details = refused(player.post(f"{table.path}/seats", {"chips": 12}, key="again"), 422, _KEY)
    assert details["errors"][0]["pointer"] == "/type"
    assert service.events() == before + 1


@pytest.mark.walk
def test_many_identical_requests_at_once_happen_once(service: Service) -> None:
    table = Table(service).started()
    dealer = table.due
    answers: list[Any] = []
    barrier = Barrier(6)

    def deal() -> None:
        person = Person(service, dealer.owner, dealer.token)
        barrier.wait()
        answers.append(person.do(table.path, "deal_hand", key="one"))

    _at_once(deal, 6)
    assert len({accepted(answer).data for answer in answers}) == 1
    assert ["Idempotent-Replayed" in answer.headers for answer in answers].count(False) == 1


def test_the_same_table_opened_by_many_requests_at_once_is_opened_once(service: Service) -> None:
    host = service.person("host")
    answers: list[Any] = []
    barrier = Barrier(4)

    def open_it() -> None:
        person = Person(service, host.owner, host.token)
        barrier.wait()
        answers.append(person.post("/v1/tables", {"game": "bankrupt"}, key="one"))

    _at_once(open_it, 4)
    assert len({accepted(answer, 201).data for answer in answers}) == 1
    assert service.events() == 2


def test_a_stale_position_is_answered_with_the_missed_events(service: Service) -> None:
    table = Table(service).started()
    old = table.position
    accepted(table.due.do(table.path, "deal_hand"))
    player, seat = table.due, table.due_seat
    answer = player.post(f"{table.path}/actions", {"type": "hold_cards"}, If_Match=f'"{old}"')
    details = refused(answer, 412, "position_must_match")
    assert details["position"] == table.position
    assert [item["leaf"]["position"] for item in details["missed"]] == list(range(old + 1, table.position + 1))
    openings = [one for item in details["missed"] for one in item["openings"]]
    assert [one["face"] for one in openings] == table.view(player)["view"]["cards"][str(seat)]
    now = f'"{table.position}"'
    accepted(player.post(f"{table.path}/actions", {"type": "hold_cards"}, If_Match=now))


def test_at_most_a_hundred_missed_events_are_returned(service: Service) -> None:
    table = Table(service, 3, buy_in=200).started()
    while table.position < 120:
        items = accepted(table.due.get(f"{table.path}/actions")).json["items"]
        table.due.post(f"{table.path}/actions", items[0]["action"])
    answer = table.due.post(f"{table.path}/actions", {"type": "hold_cards"}, If_Match='"1"')
    missed = refused(answer, 412, "position_must_match")["missed"]
    assert [item["leaf"]["position"] for item in missed] == list(range(2, 102))


def test_a_repeat_is_recognised_before_its_position_is_looked_at(service: Service) -> None:
    table = Table(service)
    player = table.players[1]
    first = accepted(player.post(f"{table.path}/seats", {"chips": 12}, key="sit", If_Match='"2"'), 201)
    again = accepted(player.post(f"{table.path}/seats", {"chips": 12}, key="sit", If_Match='"2"'), 201)
    assert again.data == first.data
    stale = table.players[2].post(f"{table.path}/seats", {"chips": 12}, key="sit", If_Match='"2"')
    refused(stale, 412, "position_must_match")
    accepted(table.players[2].post(f"{table.path}/seats", {"chips": 12}, key="sit", If_Match="*"), 201)


def test_a_refused_command_leaves_its_key_free(service: Service) -> None:
    table = Table(service).started()
    dealer, other = table.due, table.others[0]
    refused(other.do(table.path, "hold_cards", key="later"), 409, "cards_must_be_being_decided_on")
    accepted(dealer.do(table.path, "deal_hand"))
    while table.due is not other:
        accepted(table.due.do(table.path, "hold_cards"))
    accepted(other.do(table.path, "hold_cards", key="later"))


def test_a_dry_run_tells_only_whether_an_action_is_accepted(service: Service) -> None:
    table = Table(service).dealt()
    before = service.events()
    path = f"{table.path}/actions?dry_run=true"
    exchange = {"type": "exchange_card", "card": 1}
    assert accepted(table.due.post(path, exchange)).json == {"accepted": True}
    refused(table.due.post(path, {"type": "pass_upping"}), 409, "ante_must_be_being_upped")
    refused(table.others[0].post(path, {"type": "hold_cards"}), 409, "turn_must_be_yours")
    refused(service.person("play").post(path, {"type": "hold_cards"}), 403, "asker_must_be_a_player")
    stale = table.due.post(path, {"type": "hold_cards"}, If_Match='"1"')
    assert len(refused(stale, 412, "position_must_match")["missed"]) == table.position - 1
    assert service.events() == before


def test_a_dry_run_needs_an_idempotency_key_like_every_post_but_does_not_use_the_key_up(service: Service) -> None:
    table = Table(service).dealt()
    path = f"{table.path}/actions"
    due = table.due
    for query in ("", "?dry_run=true"):
        refused(_without_key(due, path + query, b'{"type":"hold_cards"}'), 400, "idempotency_key_must_be_given")
    accepted(due.post(f"{path}?dry_run=true", {"type": "throw_in"}, key="decided"))
    accepted(due.post(f"{path}?dry_run=true", {"type": "exchange_card", "card": 2}, key="decided"))
    done = accepted(due.post(path, {"type": "hold_cards"}, key="decided"))
    assert "Idempotent-Replayed" not in done.headers


def test_a_host_seats_a_player_who_then_plays(service: Service) -> None:
    table = Table(service)
    player = table.players[1]
    done = accepted(table.host.post(f"{table.path}/seats", {"chips": 12, "player": player.owner}), 201)
    assert done.json["events"][0]["leaf"]["by"] == "host"
    assert table.view(player)["you"] == 1
    accepted(player.do(table.path, "leave_seat"))
    refused(player.post(f"{table.path}/seats", {"chips": 12, "player": table.host.owner}), 403, "scope_must_be_granted")
    other = service.person("host", "play")
    theirs = service.person("play", made_by=other.owner)
    refused(other.post(f"{table.path}/seats", {"chips": 12, "player": theirs.owner}), 403, "asker_must_be_the_host")
    details = refused(other.post(f"{table.path}/seats", {"chips": 12, "player": "Ann"}), 422, _SHAPE)
    assert details["errors"][0]["pointer"] == "/player"


def test_an_ended_key_only_repeats_its_own_commands(service: Service) -> None:
    table = Table(service)
    player = table.players[1]
    sit = {"chips": 12}
    first = accepted(player.post(f"{table.path}/seats", sit, key="sit"), 201)
    opened = accepted(table.host.post("/v1/tables", {"game": "bankrupt"}, key="open"), 201)
    for person in (player, table.host):
        accepted(person.send("DELETE", f"/v1/keys/{_key_of(person)}", headers={}), 204)
    assert accepted(player.post(f"{table.path}/seats", sit, key="sit"), 201).data == first.data
    assert accepted(table.host.post("/v1/tables", {"game": "bankrupt"}, key="open"), 201).data == opened.data
    for answer in (
        player.get(table.path),
        player.get("/v1/whoami"),
        player.do(table.path, "leave_seat"),
        player.post(f"{table.path}/actions?dry_run=true", {"type": "leave_seat"}),
        player.post(f"{table.path}/seats", sit),
        table.host.post("/v1/tables", {"game": "bankrupt"}),
    ):
        refused(answer, 401, "key_must_be_valid")
    refused(player.do(table.path, "leave_seat", key="sit"), 422, _KEY)


def test_a_key_that_another_process_revoked_has_ended_once_the_cache_forgets_it(service: Service) -> None:
    table = Table(service)
    player = table.players[1]
    accepted(player.get("/v1/whoami"))
    with administering(service.parts.engine) as connection:
        key_id = bytes.fromhex(_key_of(player).removeprefix("key_"))
        repository.revoke(connection, key_id, by="operator", at="2026-01-01T00:00:00.000Z")
    service.parts.key_cache.forget()
    refused(player.get("/v1/whoami"), 401, "key_must_be_valid")


@pytest.mark.walk
def test_a_commit_without_an_answer_is_reported_as_unknown_and_a_repeat_finds_its_outcome(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = Table(service)
    player = table.players[1]
    accepted(player.get("/v1/whoami"))

    with failing_commits(service.parts.engine, monkeypatch):
        answer = player.post(f"{table.path}/seats", {"chips": 12}, key="sit")
    refused(answer, 503, "outcome_must_be_known")
    assert answer.headers["Retry-After"] == "1"
    accepted(player.post(f"{table.path}/seats", {"chips": 12}, key="sit"), 201)


@pytest.mark.walk
def test_a_failure_of_the_database_is_reported_without_its_message(service: Service) -> None:
    table = Table(service)

    def fail(*_: object) -> None:
        raise service.parts.engine.dialect.loaded_dbapi.OperationalError("the password of the database")

    database_event.listen(service.parts.engine, "before_cursor_execute", fail)
    answer = table.host.get(table.path)
    database_event.remove(service.parts.engine, "before_cursor_execute", fail)
    assert answer.status_code >= 500
    assert b"password" not in answer.data


def _without_key(person: Person, path: str, data: bytes) -> Any:
    return person.send("POST", path, headers={}, data=data, content_type="application/json")


def _key_of(person: Person) -> str:
    return str(accepted(person.get("/v1/whoami")).json["key"])


def _at_once(work: Any, threads: int) -> None:
    running = [Thread(target=work) for _ in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()


_KEY = "idempotency_key_must_be_new"
_SHAPE = "request_must_have_its_shape"
