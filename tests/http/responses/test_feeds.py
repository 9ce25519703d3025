"""Streams of events: no event is missing or repeated, and each reader gets the openings that it may see."""

from collections.abc import Iterator
from itertools import count, islice, pairwise
from pathlib import Path
from random import Random
from threading import Event, Thread
from typing import Any

import msgspec
import pytest

from service.event_store import export_format
from service.event_store.export_format import BrokenStream, End, StreamHead
from service.event_store.leaf import leaf_hash
from service.http.operations.waiting import head_watcher
from service.http.request.context import Caller
from service.http.resources import events
from service.http.responses import feeds
from tests.faults.servers import wait_until
from tests.http.service import Person, Service, Table, accepted, refused, running
from tests.http.streams import EVENTS, LINES, Item, Page, answer, frames, lines

Served = tuple[Service, str]

RECONNECTIONS = [pytest.param(60, id="a share"), pytest.param(1_000, id="a thousand", marks=pytest.mark.full)]


def _page(person: Person, table: Table, query: str = "?limit=1000") -> Page:
    return msgspec.json.decode(accepted(person.get(f"{table.path}/events{query}")).data, type=Page)


def _plain(items: list[Item]) -> list[tuple[bytes, str, object, object]]:
    return [(bytes(item.leaf), item.hash, item.openings, item.fields) for item in items]


def _over(service: Service) -> Table:
    """Return a finished table: a hand was played, and then one of the two players resigned."""
    table = Table(service, 2).dealt()
    while table.view()["hand_is_running"]:
        accepted(table.due.do(table.path, "throw_in"))
    accepted(table.players[1].do(table.path, "resign"))
    assert table.view()["status"] == "finished"
    return table


@pytest.mark.parametrize("form", [EVENTS, LINES])
def test_a_stream_has_the_events_of_the_pages_with_the_openings_of_the_caller(served: Served, form: str) -> None:
    service, url = served
    table = _over(service)
    for person in (service.spectator, table.host, *table.players.values()):
        with answer(url, f"{table.path}/events", person.token, Accept=form) as response:
            assert (response.status, response.headers["Content-Type"]) == (200, form)
            assert response.headers["Cache-Control"] == "no-store"
            assert response.headers["X-Request-Id"].startswith("req_")
            if form == LINES:
                found = list(lines(response))
            else:
                *came, last = frames(response)
                assert (last.event, last.id) == ("end", "")
                assert [int(frame.id) for frame in came] == list(range(1, table.position + 1))
                found = [frame.item for frame in came]
        assert _plain(found) == _plain(_page(person, table).items)
    wait_until(lambda: service.parts.long_polls.slots_taken == 0)  # the slot is freed after the last byte was sent


def test_lines_end_at_the_position_that_the_table_had_at_the_request(
    quick_service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lines leave out events that are recorded meanwhile: otherwise the lines could end amid a command's events."""
    monkeypatch.setattr(events, "_STREAM_PAGE", 4)
    table = Table(quick_service, 3).dealt()
    at, reads = table.position, count()
    read = events._read

    def read_and_go_on(*given: Any, **named: Any) -> Any:  # noqa: ANN401 -- passed on
        if next(reads) == 2:
            accepted(table.due.do(table.path, "throw_in"))
        return read(*given, **named)

    monkeypatch.setattr(events, "_read", read_and_go_on)
    written = quick_service.spectator.get(f"{table.path}/events?after=2", Accept=LINES)
    *came, last = written.data.splitlines()
    found = [msgspec.json.decode(line, type=Item) for line in came]
    assert table.position > at
    assert [item.position for item in found] == list(range(3, at + 1))
    head = StreamHead(f"table/{table.id}", at, found[-1].hash)
    assert export_format.parse_end(last) == End(is_whole=True, streams=1, leaves=at - 2, heads=(head,))


def test_lines_after_the_last_event_are_the_last_line_alone(quick_service: Service) -> None:
    table = Table(quick_service, 2).dealt()
    *_, item = _page(quick_service.spectator, table).items
    head = StreamHead(f"table/{table.id}", table.position, item.hash)
    (last,) = quick_service.spectator.get(f"{table.path}/events?after={10**6}", Accept=LINES).data.splitlines()
    assert export_format.parse_end(last) == End(is_whole=True, streams=1, leaves=0, heads=(head,))


def test_the_last_line_reports_a_key_that_ended_during_the_lines(
    quick_service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "_STREAM_PAGE", 4)
    table = Table(quick_service, 2).dealt()
    player, reads, read = table.players[1], count(), events._read
    key = accepted(player.get("/v1/whoami")).json["key"]

    def read_after_the_end_of_the_key(*given: Any, **named: Any) -> Any:  # noqa: ANN401 -- passed on
        if next(reads) == 2:
            accepted(quick_service.person("admin").send("DELETE", f"/v1/keys/{key}", headers={}), 204)
        return read(*given, **named)

    monkeypatch.setattr(events, "_read", read_after_the_end_of_the_key)
    *came, last = player.get(f"{table.path}/events", Accept=LINES).data.splitlines()
    end = export_format.parse_end(last)
    assert end
    assert (end.is_whole, end.leaves, len(came), end.heads[0].position) == (False, 4, 4, 4)
    assert end.broken == (BrokenStream(f"table/{table.id}", 5, "key_must_be_valid"),)


def test_events_come_as_they_happen(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(head_watcher, "_SHORTEST_PAUSE_SECONDS", 60)
    monkeypatch.setattr(head_watcher, "_LONGEST_PAUSE_SECONDS", 60)
    service, url = served
    table = Table(service, 2).seated()
    with answer(url, f"{table.path}/events?after={table.position}", Accept=EVENTS) as response:
        came = frames(response)
        for person, action in ((table.players[1], "leave_seat"), (table.host, "close_table")):
            at = table.position
            accepted(person.do(table.path, action))
            assert int(next(came).id) == at + 1
            for position in range(at + 2, table.position + 1):
                assert int(next(came).id) == position
        assert next(came).event == "end"
        assert list(came) == []


@pytest.mark.walk
def test_events_of_another_process_are_also_sent(served: Served, tmp_path: Path, database_url: str) -> None:
    service, url = served
    table = Table(service, 2).seated()
    with running(tmp_path, database_url) as other, answer(url, f"{table.path}/events", Accept=EVENTS) as response:
        came = frames(response)
        seen = [int(next(came).id) for _ in range(table.position)]
        accepted(Person(other, table.host.owner, table.host.token).do(table.path, "start_game"))
        assert int(next(came).id) == seen[-1] + 1


def test_last_event_id_comes_before_after(served: Served) -> None:
    service, url = served
    table = _over(service)
    with answer(url, f"{table.path}/events?after=1", Accept=EVENTS, Last_Event_ID="4") as response:
        assert next(frames(response)).id == "5"


def test_a_browser_that_reconnects_after_the_end_is_stopped_from_reconnecting(quick_service: Service) -> None:
    table = _over(quick_service)
    done = quick_service.spectator.get(f"{table.path}/events", Accept=EVENTS, Last_Event_ID=str(table.position))
    assert (done.status_code, done.data) == (204, b"")


@pytest.mark.parametrize("wrong", ["x", "-1", "1.5", "99999999999", "\u0664".encode().decode("latin-1")])
def test_a_last_event_id_that_is_no_position_is_refused(quick_service: Service, wrong: str) -> None:
    table = Table(quick_service, 2)
    there = f"{table.path}/events"
    refused(quick_service.spectator.get(there, Accept=EVENTS, Last_Event_ID=wrong), 400, "position_must_be_well_formed")


def test_a_caller_who_may_not_see_a_table_gets_no_stream_of_it(quick_service: Service) -> None:
    table = Table(quick_service, 2, visibility="private")
    for form in (EVENTS, LINES):
        refused(quick_service.spectator.get(f"{table.path}/events", Accept=form), 404, "table_must_exist")
        refused(quick_service.spectator.get(f"/v1/tables/tbl_{0:032x}/events", Accept=form), 404, "table_must_exist")


def test_a_stream_that_nobody_reads_leaves_its_place(quick_service: Service) -> None:
    table = Table(quick_service, 2)
    for form in (EVENTS, LINES):
        answer_ = quick_service.spectator.send("HEAD", f"{table.path}/events", headers={"Accept": form})
        assert (answer_.status_code, answer_.content_type, answer_.data) == (200, form, b"")
        answer_.close()
        assert quick_service.parts.long_polls.slots_taken == 0


def test_a_key_that_ends_meanwhile_ends_its_stream(served: Served) -> None:
    service, url = served
    table = Table(service, 2).seated()
    player = table.players[1]
    key = accepted(player.get("/v1/whoami")).json["key"]
    with answer(url, f"{table.path}/events", player.token, Accept=EVENTS) as response:
        came = frames(response)
        assert [next(came).id for _ in range(table.position)]
        accepted(player.send("DELETE", f"/v1/keys/{key}", headers={}), 204)
        accepted(table.host.do(table.path, "start_game"))
        assert list(came) == []


def test_a_quiet_stream_checks_its_key_at_each_heartbeat_but_reads_its_table_seldom(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    service, url = served
    table = Table(service, 2).seated()
    player = table.players[1]
    key = accepted(player.get("/v1/whoami")).json["key"]
    reads: list[int] = []
    read_alone = events._read_alone

    def counted(stream_id: bytes, caller: Caller, after: int, limit: int, types: frozenset[str]) -> events._Page:
        reads.append(after)
        return read_alone(stream_id, caller, after, limit, types)

    monkeypatch.setattr(events, "_read_alone", counted)
    monkeypatch.setattr(feeds, "HEARTBEAT_SECONDS", 0.01)
    monkeypatch.setattr(feeds, "_QUIET_HEARTBEATS", 1_000_000)
    with answer(url, f"{table.path}/events", player.token, Accept=EVENTS) as response:
        heartbeats = (line for line in response if line.startswith(b":"))
        next(heartbeats)
        before = len(reads)
        for _ in range(20):
            next(heartbeats)
        assert len(reads) == before
        accepted(player.send("DELETE", f"/v1/keys/{key}", headers={}), 204)
        assert len(list(islice(heartbeats, 1_000))) < 1_000
        assert len(reads) == before
    monkeypatch.setattr(feeds, "_QUIET_HEARTBEATS", 3)
    with answer(url, f"{table.path}/events", Accept=EVENTS) as response:
        heartbeats = (line for line in response if line.startswith(b":"))
        next(heartbeats)
        before = len(reads)
        for _ in range(9):
            next(heartbeats)
        assert 2 <= len(reads) - before <= 4


def test_a_service_about_to_stop_ends_its_streams(served: Served) -> None:
    service, url = served
    table = Table(service, 2).seated()
    with answer(url, f"{table.path}/events", Accept=EVENTS) as response:
        came = frames(response)
        assert [next(came).id for _ in range(table.position)]
        service.parts.long_polls.end()
        assert list(came) == []


def test_a_stream_that_fails_is_noted_and_ends(
    served: Served, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    service, url = served
    table = Table(service, 2).seated()
    with answer(url, f"{table.path}/events", Accept=EVENTS) as response:
        came = frames(response)
        assert [next(came).id for _ in range(table.position)]

        def fail(*_: object) -> None:
            raise ValueError("the queen of spades")

        monkeypatch.setattr(service.parts.log.reader, "read", fail)
        service.parts.long_polls.readers.notify(bytes.fromhex(table.id.removeprefix("tbl_")), 0)
        assert list(came) == []
    said = capsys.readouterr().err
    assert '"code":"service_must_not_fail"' in said
    assert "queen" not in said


@pytest.mark.parametrize("times", RECONNECTIONS)
def test_a_reader_that_reconnects_many_times_misses_and_repeats_no_event(served: Served, times: int) -> None:
    """The reader uses pages, long polls and streams, and breaks off at random moments while the players play."""
    service, url = served
    table = Table(service, 3, buy_in=40).started()
    ended = Event()
    players = Thread(target=_play, args=(table, ended, seed := Random().randrange(10**9)))
    chance = Random(seed)
    reader = table.players[1]
    print(f"seed {seed}")  # noqa: T201 -- pytest shows this if the test fails
    found: list[Item] = []
    players.start()
    try:
        for _ in range(times):
            found += _some(url, table, reader, len(found), chance)
    finally:
        ended.set()
        players.join()
    while len(found) < table.position:
        found += _page(reader, table, f"?limit=1000&after={len(found)}").items
    assert [item.position for item in found] == list(range(1, table.position + 1))
    assert [leaf_hash(bytes(item.leaf)).hex() for item in found] == [item.hash for item in found]
    assert all(msgspec.json.decode(b.leaf)["prev"] == a.hash for a, b in pairwise(found))
    whole: list[Item] = []
    while len(whole) < table.position:
        whole += _page(reader, table, f"?limit=1000&after={len(whole)}").items
    assert _plain(found) == _plain(whole)


def _some(url: str, table: Table, reader: Person, after: int, chance: Random) -> list[Item]:
    """Read some events after a position by a random method, and break off anywhere."""
    path, most = f"{table.path}/events", chance.randrange(4)
    match chance.choice(("page", "poll", "events", "lines")):
        case "page" | "poll" as way:
            query = f"?after={after}&limit={most + 1}" + ("&wait=1" if way == "poll" and chance.random() < 0.2 else "")
            with answer(url, path + query, reader.token) as response:
                return msgspec.json.decode(response.read(), type=Page).items if response.status == 200 else []
        case "events":
            with answer(url, path, reader.token, Accept=EVENTS, Last_Event_ID=str(after)) as response:
                at = _position(reader, table)
                came = frames(response) if response.status == 200 else iter(())
                return [frame.item for frame, _ in zip(came, range(min(most, at - after)), strict=False)]
        case _:
            with answer(url, f"{path}?after={after}", reader.token, Accept=LINES) as response:
                written = lines(response) if response.status == 200 else iter(())
                return [item for item, _ in zip(written, range(most), strict=False)]


def _position(reader: Person, table: Table) -> int:
    return int(accepted(reader.get(table.path)).json["position"])


def _play(table: Table, ended: Event, seed: int) -> None:
    """Let the players take random actions until the game is over or the reader has ended."""
    chance = Random(f"{seed}/play")
    for _ in _decisions(table):
        if ended.is_set():
            return
        seat = table.due_seat
        items = accepted(table.players[seat].get(f"{table.path}/actions")).json["items"]
        actions = [item["action"] for item in items if item["action"]["type"] != "resign"]
        accepted(table.players[seat].post(f"{table.path}/actions", chance.choice(actions)))


def _decisions(table: Table) -> Iterator[int]:
    count = 0
    while table.view()["status"] == "playing":
        yield count
        count += 1
