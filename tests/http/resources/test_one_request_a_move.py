"""The response to a move with the table and the next actions; deadlines; and events by type and by position."""

# ruff: noqa: ANN401 -- JSON may be any value

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from service.event_store.quarantine import StreamCorrupted
from service.play.timekeeper import Timekeeper
from tests import clocks
from tests.http.hearts import Hearts
from tests.http.service import Person, Service, Table, accepted, refused, running
from tests.http.streams import EVENTS, LINES, answer, frames, lines

Served = tuple[Service, str]
LIMIT_SECONDS = 30


class Clock(clocks.Clock):
    """A clock that shows the time that the test sets."""

    def now(self) -> str:
        return datetime.fromtimestamp(1_800_000_000 + self.seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.678Z")


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def timed(tmp_path: Path, database_url: str, clock: Clock) -> Iterator[Service]:
    """Yield a service whose clock the test sets: on SQLite, and also on PostgreSQL with `--full` or the mark `walk`."""
    with running(tmp_path, database_url, entropy=clock) as made:
        yield made


class Timed(Table):
    """A table with a time limit."""

    def __init__(self, service: Service, game: str = "bankrupt") -> None:
        self.service = service
        self.host = service.person("host")
        self.buy_in = {"bankrupt": 12, "insurance": 50}[game]
        self.players = {seat: service.person("play") for seat in (1, 2, 3)}
        body = {"game": game, "seats": 3, "time_limit_seconds": LIMIT_SECONDS}
        body |= {"options": {"buy_in": 12}} if game == "bankrupt" else {}
        self.path = accepted(self.host.post("/v1/tables", body), 201).headers["Location"]
        self.id = self.path.rpartition("/")[2]


def keeper_of(service: Service) -> Timekeeper:
    parts = service.parts
    return Timekeeper(parts.engine, parts.play, parts.tables, parts.clock)


def told(table: Table, person: Person | None = None) -> dict[str, Any]:
    """Return the deadline and the time left, after a check that the view, the actions and the events agree."""
    found = [accepted((person or table.host).get(table.path + path)) for path in ("", "/actions", "/events")]
    (due,) = {one.json["due_at"] for one in found}
    (left,) = {one.headers.get("Seconds-Left", "") for one in found}
    return {"due_at": due, "left": left}


# Deadlines.


def test_a_table_without_a_time_limit_and_a_table_before_its_game_have_no_deadline(timed: Service) -> None:
    for table in (Table(timed).dealt(), Timed(timed)):
        assert told(table) == {"due_at": "", "left": ""}


def test_the_deadline_is_the_limit_after_the_event_since_which_somebody_is_due(timed: Service, clock: Clock) -> None:
    table = Timed(timed).started()
    first = told(table)
    at = accepted(table.host.get(f"{table.path}/events/{table.position}")).json["leaf"]["at"]
    passed = datetime.fromisoformat(first["due_at"]) - datetime.fromisoformat(at)
    assert (passed.total_seconds(), first["left"]) == (LIMIT_SECONDS, "30.000")
    clock.seconds += 12
    assert told(table) == {"due_at": first["due_at"], "left": "18.000"}
    accepted(table.due.do(table.path, "deal_hand"))
    assert told(table)["left"] == "30.000"
    assert told(table)["due_at"] > first["due_at"]


def test_a_known_view_is_not_sent_again_but_the_answer_shows_the_time_that_is_left(
    timed: Service, clock: Clock
) -> None:
    table = Timed(timed).started()
    etag = accepted(table.host.get(table.path)).headers["ETag"]
    clock.seconds += 5
    again = table.host.get(table.path, If_None_Match=etag)
    assert (again.status_code, again.headers["Seconds-Left"]) == (304, "25.000")


def test_time_is_called_at_the_deadline_and_not_before(timed: Service, clock: Clock) -> None:
    table, keeper = Timed(timed).started(), keeper_of(timed)
    position = table.position
    keeper.look()
    clock.seconds += LIMIT_SECONDS - 1
    assert (keeper.look(), told(table)["left"]) == (0, "1.000")
    clock.seconds += 1
    assert (told(table)["left"], keeper.look(), table.position > position) == ("0.000", 1, True)


def test_after_a_restart_the_shown_deadline_is_the_earliest_and_the_limit_begins_again(
    timed: Service, clock: Clock
) -> None:
    table = Timed(timed).started()
    before = told(table)["due_at"]
    clock.seconds += 10 * LIMIT_SECONDS
    keeper = keeper_of(timed)
    assert (keeper.look(), told(table)) == (0, {"due_at": before, "left": "0.000"})
    clock.seconds += LIMIT_SECONDS
    assert keeper.look() == 1


def test_the_last_of_several_players_has_the_common_deadline_and_the_next_phase_has_its_own_deadline(
    timed: Service, clock: Clock
) -> None:
    table, keeper = Timed(timed, "insurance").started(), keeper_of(timed)
    assert told(table)["due_at"] == "", "between hands nothing moves by itself (G.4)"
    accepted(table.players[2].do(table.path, "place_bet", chips=20))
    first = told(table)
    assert first["left"] == "30.000"
    keeper.look()
    clock.seconds += LIMIT_SECONDS - 5
    accepted(table.players[3].do(table.path, "place_bet", chips=20))  # the last bet: the banker's deal is due
    assert table.view()["due"] == ["seat:1"]
    second = told(table)
    assert (second["left"], second["due_at"] > first["due_at"]) == ("30.000", True)
    assert keeper.look() == 0
    clock.seconds += LIMIT_SECONDS - 1
    assert keeper.look() == 0
    clock.seconds += 1
    assert keeper.look() == 1


def test_simultaneous_choices_have_one_deadline_and_a_new_phase_has_a_new_deadline(
    timed: Service, clock: Clock
) -> None:
    table = _timed_hearts(timed)
    keeper = keeper_of(timed)
    first = told(table)
    for seat in (1, 2, 3):
        clock.seconds += 5
        table.slip(seat)
        assert told(table)["due_at"] == first["due_at"]
    table.slip(4)
    assert told(table)["left"] == "30.000"
    keeper.look()
    clock.seconds += LIMIT_SECONDS - 1
    table.passes()  # all four players pass between two checks of the timekeeper
    assert told(table)["left"] == "30.000"
    assert keeper.look() == 0
    clock.seconds += 1
    assert keeper.look() == 0, "the phase that has just begun has its own time"


def _timed_hearts(service: Service) -> Hearts:
    table = Hearts.__new__(Hearts)
    table.service, table.host, table.buy_in = service, service.person("host"), 0
    table.players = {seat: service.person("play") for seat in (1, 2, 3, 4)}
    body = {"game": "insurance_hearts", "seats": 4, "time_limit_seconds": LIMIT_SECONDS}
    table.path = accepted(table.host.post("/v1/tables", body), 201).headers["Location"]
    table.id = table.path.rpartition("/")[2]
    table.dealt()
    return table


def test_a_stream_sends_the_deadline_when_it_has_caught_up(served: Served) -> None:
    service, url = served
    table = Timed(service).started()
    with answer(url, f"{table.path}/events?after={table.position - 1}", Accept=EVENTS) as response:
        came = frames(response)
        assert int(next(came).id) == table.position
        due = next(came)
        assert (due.event, due.id) == ("due", "")
        deadline = msgspec.json.decode(due.data)
        assert (deadline["position"], deadline["due_at"]) == (table.position, table.view()["due_at"])
        assert 0 < deadline["seconds_left"] <= LIMIT_SECONDS


# A move is one request.


@pytest.mark.parametrize("expand", ["actions", "table", "actions,table"])
def test_a_move_can_be_answered_with_the_table_and_the_next_actions(quick_service: Service, expand: str) -> None:
    table = Table(quick_service).started()
    due = table.due
    done = accepted(due.post(f"{table.path}/actions?expand={expand}", {"type": "deal_hand"})).json
    assert {"actions", "table_view"} & done.keys() == {
        {"actions": "actions", "table": "table_view"}[name] for name in expand.split(",")
    }
    if "actions" in done:
        assert done["actions"] == accepted(due.get(f"{table.path}/actions")).json
    if "table_view" in done:
        assert done["table_view"] == accepted(due.get(f"{table.path}?at={done['position']}")).json


def test_the_answer_to_taking_a_seat_can_also_have_the_table(quick_service: Service) -> None:
    table = Table(quick_service)
    body = {"chips": table.buy_in, "seat": 1}
    done = accepted(table.players[1].post(f"{table.path}/seats?expand=actions,table", body), 201).json
    assert (done["table_view"]["you"], done["table_view"]["position"]) == (1, done["position"])
    assert [one["action"]["type"] for one in done["actions"]["items"]] == ["leave_seat"]


def test_a_repeat_is_answered_from_the_position_of_the_first_answer(quick_service: Service) -> None:
    table = Hearts(quick_service)
    table.dealt()
    player, path = table.players[2], f"{table.path}/actions?expand=actions,table"
    body = {"type": "write_slip", "insurance": 3, "foot": False}
    first = accepted(player.post(path, body, key="slip"))
    for seat in (1, 3, 4):
        table.slip(seat)
    table.passes()
    again = accepted(player.post(path, body, key="slip"))
    assert again.headers["Idempotent-Replayed"] == "true"
    assert again.data == first.data
    assert first.json["table_view"]["position"] == first.json["position"] < table.position


def test_the_expanded_parts_show_nobody_elses_cards(quick_service: Service) -> None:
    table = Hearts(quick_service)
    table.dealt()
    for seat, player in table.players.items():
        done = accepted(
            player.post(f"{table.path}/actions?expand=table", {"type": "write_slip", "insurance": seat, "foot": False})
        ).json
        hands = done["table_view"]["view"]["hands"]
        assert "??" not in hands[str(seat)]
        assert all(set(cards) == {"??"} for other, cards in hands.items() if other != str(seat))


def test_a_refusal_and_a_dry_run_are_not_expanded(quick_service: Service) -> None:
    table = Table(quick_service).started()
    tried = accepted(table.due.post(f"{table.path}/actions?expand=table&dry_run=true", {"type": "deal_hand"})).json
    assert tried == {"accepted": True}
    refused(table.due.post(f"{table.path}/actions?expand=everything", {"type": "deal_hand"}), 422, SHAPE)
    assert table.view()["hand_is_running"] is False


def test_a_part_that_cannot_be_read_does_not_make_a_recorded_move_look_failed(
    quick_service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = Table(quick_service).started()
    due = table.due
    monkeypatch.setattr(quick_service.parts.tables, "current", _damaged)
    done = accepted(due.post(f"{table.path}/actions?expand=actions,table", {"type": "deal_hand"})).json
    monkeypatch.undo()
    assert {"actions", "table_view"}.isdisjoint(done)
    assert table.position == done["position"]


def _damaged(*_: object) -> Any:
    raise StreamCorrupted(bytes(16), 1, "as if")


# Events by type and by position.

SHAPE = "request_must_have_its_shape"


@pytest.fixture
def long(served: Served) -> Table:
    """Return a table at which some hands were played."""
    table = Table(served[0], buy_in=100).dealt()  # enough for 14 decisions
    for _ in range(14):
        accepted(table.host.do(table.path, "call_time"))
    return table


def every(table: Table) -> list[Any]:
    return list(accepted(table.host.get(f"{table.path}/events?limit=1000")).json["items"])


@pytest.mark.parametrize("kinds", [("hand_dealt",), ("seat_taken", "cards_held"), ("game_ended",)])
@pytest.mark.walk
def test_events_are_found_by_their_types(served: Served, long: Table, kinds: tuple[str, ...]) -> None:
    wanted = [item for item in every(long) if item["leaf"]["type"] in kinds]
    query = "&".join(f"type={kind}" for kind in kinds)
    found = accepted(long.host.get(f"{long.path}/events?limit=1000&{query}")).json
    assert (found["items"], found["has_more"], found["next"]) == (wanted, False, long.position)
    with answer(served[1], f"{long.path}/events?{query}", Accept=LINES) as response:
        assert [one.position for one in lines(response)] == [one["leaf"]["position"] for one in wanted]
    if wanted:
        with answer(served[1], f"{long.path}/events?{query}", Accept=EVENTS) as response:
            came = frames(response)
            assert [int(next(came).id) for _ in wanted] == [one["leaf"]["position"] for one in wanted]


def test_each_page_of_some_types_links_to_the_next_page(long: Table) -> None:
    wanted = [item for item in every(long) if item["leaf"]["type"] in {"seat_taken", "cards_held"}]
    found, path = [], f"{long.path}/events?type=seat_taken&limit=2&type=cards_held"
    while path:
        page = accepted(long.host.get(path))
        assert len(page.json["items"]) <= 2
        found += page.json["items"]
        path = page.headers.get("Link", "")[1:].partition(">")[0]
    assert found == wanted


def test_a_reader_that_waits_for_a_type_is_not_woken_by_another(served: Served) -> None:
    table = Table(served[0], 2).seated()
    at = table.position
    found = accepted(table.host.get(f"{table.path}/events?after={at}&type=hand_dealt&wait=1")).json
    assert (found["items"], found["next"]) == ([], at)
    accepted(table.players[1].do(table.path, "leave_seat"))
    found = accepted(table.host.get(f"{table.path}/events?after={at}&type=hand_dealt&wait=1")).json
    assert (found["items"], found["next"]) == ([], table.position)


def test_a_page_of_a_type_reads_a_limited_number_of_events(
    served: Served, long: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.http.resources.events._MOST_READ", 5)
    found = accepted(long.host.get(f"{long.path}/events?type=game_ended&wait=30")).json
    assert (found["items"], found["has_more"], found["next"]) == ([], True, 5)


@pytest.mark.parametrize("query", ["type=thrown_at_the_wall", "type=hand_dealt&type=hand_dealt", "type="])
def test_an_unknown_type_is_refused(quick_service: Service, query: str) -> None:
    table = Table(quick_service)
    refused(table.host.get(f"{table.path}/events?{query}"), 422, SHAPE)


def test_one_event_has_a_url_and_the_same_content_as_in_the_list(quick_service: Service) -> None:
    table = Hearts(quick_service)
    table.dealt()
    table.slips().passes()
    for person in table.everybody().values():
        for item in table.events(person):
            position = item["leaf"]["position"]
            assert accepted(person.get(f"{table.path}/events/{position}")).json == item
    for position in (0, table.position + 1):
        refused(table.host.get(f"{table.path}/events/{position}"), 404, "position_must_exist")
    hidden = Table(quick_service, visibility="private")
    refused(quick_service.spectator.get(f"{hidden.path}/events/1"), 404, "table_must_exist")
