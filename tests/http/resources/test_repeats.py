"""Repeats: the keys of a recorded command's owner, and no others, get its response again; no refusal is stored."""

# ruff: noqa: ANN401 -- JSON may be any value

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import pytest
from sqlalchemy import Connection, Engine

from service.database.engines import reading
from service.http.responses import failures
from tests.http.service import Person, Service, Table, accepted, refused


class Deed(NamedTuple):
    """A request that *who* posts; if *other* posts an equal request, that request is refused, or is another command."""

    who: Person
    path: str
    body: Any
    status: int
    other: Person
    others_status: int


def _opening(service: Service) -> Deed:
    return Deed(service.person("host"), "/v1/tables", {"game": "bankrupt"}, 201, service.person("host"), 201)


def _sitting(service: Service) -> Deed:
    table = Table(service, 2)
    return Deed(table.players[1], f"{table.path}/seats", {"chips": 12}, 201, table.players[2], 201)


def _seating(service: Service) -> Deed:
    table = Table(service, 2)
    body = {"chips": 12, "player": table.players[1].owner}
    return Deed(table.host, f"{table.path}/seats", body, 201, service.person("host"), 403)


def _starting(service: Service) -> Deed:
    table = Table(service, 2).seated()
    return Deed(table.host, f"{table.path}/actions", {"type": "start_game"}, 200, service.person("host"), 403)


def _dealing(service: Service) -> Deed:
    table = Table(service, 2).started()
    return Deed(table.due, f"{table.path}/actions", {"type": "deal_hand"}, 200, table.others[0], 409)


def _key_making(service: Service) -> Deed:
    return Deed(service.person("host"), "/v1/keys", {"label": "Ann"}, 201, service.person("admin"), 201)


every_deed = pytest.mark.parametrize(
    "deed_of", [_opening, _sitting, _seating, _starting, _dealing, _key_making], ids=lambda found: found.__name__[1:]
)


@every_deed
def test_a_key_never_replays_to_another_caller(service: Service, deed_of: Callable[[Service], Deed]) -> None:
    deed = deed_of(service)
    first = accepted(deed.who.post(deed.path, deed.body, key="mine"), deed.status)
    other = deed.other.post(deed.path, deed.body, key="mine")
    assert other.status_code == deed.others_status
    assert "Idempotent-Replayed" not in other.headers
    assert other.data != first.data
    if other.status_code == 201:
        ours, theirs = (set(_ids(answer.json)) for answer in (first, other))
        assert ours.isdisjoint(theirs)


@every_deed
def test_another_key_of_the_same_owner_is_the_same_caller(service: Service, deed_of: Callable[[Service], Deed]) -> None:
    deed = deed_of(service)
    first = accepted(deed.who.post(deed.path, deed.body, key="mine"), deed.status)
    events = service.events()
    again = accepted(_by_another_key(service, deed.who).post(deed.path, deed.body, key="mine"), deed.status)
    assert (again.data, again.headers["Idempotent-Replayed"]) == (first.data, "true")
    assert service.events() == events


@pytest.mark.parametrize(
    ("deed_of", "bad", "code"),
    [
        pytest.param(_opening, {"options": {"buy_in": -1}}, 422, id="opening"),
        pytest.param(_sitting, {"seat": 9}, 409, id="sitting"),
        pytest.param(_seating, {"chips": 7}, 409, id="seating"),
        pytest.param(_starting, {"type": "call_time"}, 409, id="starting"),
        pytest.param(_dealing, {"type": "hold_cards"}, 409, id="dealing"),
        pytest.param(_key_making, {"scopes": ["admin"]}, 403, id="key_making"),
    ],
)
def test_a_key_that_was_refused_is_free_again(
    service: Service, deed_of: Callable[[Service], Deed], bad: Any, code: int
) -> None:
    deed = deed_of(service)
    assert deed.who.post(deed.path, {**deed.body, **bad}, key="mine").status_code == code
    done = accepted(deed.who.post(deed.path, deed.body, key="mine"), deed.status)
    assert "Idempotent-Replayed" not in done.headers


def test_a_key_that_was_too_late_is_free_again(service: Service) -> None:
    table = Table(service, 2)
    path, player = f"{table.path}/seats", table.players[1]
    refused(player.post(path, {"chips": 12}, key="mine", If_Match='"1"'), 412, "position_must_match")
    done = accepted(player.post(path, {"chips": 12}, key="mine", If_Match='"2"'), 201)
    assert "Idempotent-Replayed" not in done.headers


def test_missed_events_never_go_beyond_the_named_position(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table(service).dealt()
    due, late = table.due, table.others[0]

    @contextmanager
    def reading_later(engine: Engine) -> Iterator[Connection]:
        monkeypatch.undo()
        accepted(due.do(table.path, "hold_cards"))  # between the refusal and the read of the missed events
        with reading(engine) as connection:
            yield connection

    position = table.position
    monkeypatch.setattr(failures, "reading", reading_later)
    details = refused(
        late.post(f"{table.path}/actions", {"type": "hold_cards"}, If_Match='"4"'), 412, "position_must_match"
    )
    assert table.position == position + 1
    assert details["position"] == position
    assert [item["leaf"]["position"] for item in details["missed"]] == list(range(5, position + 1))


def test_a_future_position_is_also_stale_and_no_event_was_missed(service: Service) -> None:
    table = Table(service).started()
    answer = table.due.post(f"{table.path}/actions", {"type": "deal_hand"}, If_Match='"1000"')
    assert refused(answer, 412, "position_must_match")["missed"] == []


def test_a_table_is_opened_at_position_0(quick_service: Service) -> None:
    host = quick_service.person("host")
    body = {"game": "bankrupt"}
    details = refused(host.post("/v1/tables", body, key="mine", If_Match='"1"'), 412, "position_must_match")
    assert (details["position"], details["missed"]) == (0, [])
    refused(host.post("/v1/tables", body, key="mine", If_Match="0"), 400, "position_must_be_well_formed")
    first = accepted(host.post("/v1/tables", body, key="mine", If_Match='"0"'), 201)
    again = accepted(host.post("/v1/tables", body, key="mine", If_Match='"0"'), 201)
    assert (again.data, again.headers["Idempotent-Replayed"]) == (first.data, "true")


def _by_another_key(service: Service, person: Person) -> Person:
    admin = service.person("admin")
    scopes = accepted(person.get("/v1/whoami")).json["scopes"]
    made = accepted(admin.post("/v1/keys", {"owner": person.owner, "scopes": scopes}), 201)
    return Person(service, person.owner, made.json["token"])


def _ids(value: Any) -> Iterator[str]:
    """Yield the parts of *value* that belong to one command alone: hashes, command ids and tokens."""
    match value:
        case dict():
            yield from (value[name] for name in ("hash", "leaf_hash", "cmd", "token") if name in value)
            for inner in value.values():
                yield from _ids(inner)
        case list():
            for inner in value:
                yield from _ids(inner)
        case _:
            pass
