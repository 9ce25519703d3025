"""The feed as a stream: no event of any table is missing or repeated, however often the connection breaks."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from random import Random
from threading import Event, Thread
from typing import Any

import msgspec
import pytest
from werkzeug.test import TestResponse

from service.event_store import export_format
from service.event_store.export_format import BrokenStream, StreamHead
from service.event_store.leaf import leaf_hash
from service.http.resources.transparency import feed, feed_pages
from service.http.responses import feeds
from service.http.responses.log_feed import FeedEnd
from service.transparency.log_keeper import LogKeeper
from tests.damage import damage
from tests.faults.servers import wait_until
from tests.http.feeds import Item, LastLine, Page, indexed, item_of, rest, some
from tests.http.service import Person, Service, Table, accepted, refused, running
from tests.http.streams import EVENTS, LINES, answer, frames

Served = tuple[Service, str]


def pages(person: Person, after: str = "") -> list[Item]:
    """Read the feed in one page, which must have all events of the feed."""
    page = msgspec.json.decode(accepted(person.get(f"/v1/feed?limit=1000&after={after}")).data, type=Page)
    assert not page.has_more
    return page.items


def split(answer_: TestResponse) -> tuple[list[Item], FeedEnd]:
    """Return the items and the last line of a response of lines."""
    *came, last = answer_.data.splitlines()
    return [item_of(line) for line in came], msgspec.json.decode(last, type=LastLine).end


def heads_of(items: list[Item]) -> tuple[StreamHead, ...]:
    heads = {item.table: StreamHead(f"table/{item.table}", item.position, item.hash) for item in items}
    return tuple(heads[table] for table in sorted(heads))


@contextmanager
def log_kept(service: Service) -> Iterator[None]:
    """Run a log keeper while the block runs, as a server does."""
    end = LogKeeper(service.parts.engine, service.parts.log_signer, service.parts.clock).start()
    try:
        yield
    finally:
        end()


@pytest.mark.parametrize("form", [EVENTS, LINES])
def test_a_stream_of_the_feed_has_the_events_of_its_pages(served: Served, form: str) -> None:
    service, url = served
    table, other = Table(service, 2).dealt(), Table(service, 2).dealt()
    indexed(service)
    for person, number in (
        (table.players[1], table.position),
        (service.person("audit"), table.position + other.position),
    ):
        with answer(url, "/v1/feed", person.token, Accept=form) as response:
            assert (response.status, response.headers["Content-Type"]) == (200, form)
            assert response.headers["Cache-Control"] == "no-store"
            if form == LINES:
                *came, last = response.read().splitlines()
                found = [item_of(line) for line in came]
                end = msgspec.json.decode(last, type=LastLine).end
                assert export_format.parse_end(last)
                assert (end.is_whole, end.leaves, end.heads) == (True, len(found), heads_of(found))
                assert (end.streams, end.broken, end.why) == (len(end.heads), (), "")
                assert pages(person, end.next) == []
            else:
                came_frames = frames(response)
                shown = [next(came_frames) for _ in range(number)]
                found = [item_of(frame.data) for frame in shown]
                assert [frame.id for frame in shown] == [item.cursor for item in found]
        assert found == pages(person)
    wait_until(lambda: service.parts.long_polls.slots_taken == 0)


def test_lines_end_at_the_size_that_the_log_had_when_they_began(
    quick_service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed, "_STREAM_PAGE", 4)
    table, read = Table(quick_service, 3), feed_pages.read
    indexed(quick_service)
    size = table.position

    def read_and_go_on(*given: Any) -> Any:  # noqa: ANN401 -- passed on
        found = read(*given)
        if table.position == size:
            table.seated()
            indexed(quick_service)
        return found

    monkeypatch.setattr(feed_pages, "read", read_and_go_on)
    items, end = split(table.host.get("/v1/feed", Accept=LINES))
    assert (len(items), end.leaves, end.is_whole) == (size, size, True)
    monkeypatch.undo()
    assert [item.position for item in pages(table.host, end.next)] == list(range(size + 1, table.position + 1))


def test_lines_name_each_damaged_table_and_have_the_events_of_the_others(quick_service: Service) -> None:
    damaged, sound = Table(quick_service, 2).started(), Table(quick_service, 2)
    indexed(quick_service)
    damage(quick_service, damaged.id, 3)
    items, end = split(quick_service.person("audit").get("/v1/feed", Accept=LINES))
    assert [item.position for item in items if item.table == damaged.id] == [1, 2]
    assert [item.position for item in items if item.table == sound.id] == list(range(1, sound.position + 1))
    (broken,) = end.broken
    assert (broken.stream, broken.position) == (f"table/{damaged.id}", 3)
    assert (end.is_whole, end.streams, end.leaves, end.why) == (False, 2, len(items), "")
    assert end.heads == heads_of(items)


def test_a_stream_names_a_damaged_table_once_and_goes_on(quickly_served: Served) -> None:
    service, url = quickly_served
    damaged, sound = Table(service, 2).started(), Table(service, 2)
    auditor = service.person("audit")
    indexed(service)
    damage(service, damaged.id, 3)
    with answer(url, "/v1/feed", auditor.token, Accept=EVENTS) as response:
        came = frames(response)
        first = next(came)
        told = msgspec.json.decode(first.data)
        assert (first.event, told["table"], told["position"]) == ("broken", damaged.id, 3)
        shown = [item_of(next(came).data) for _ in range(2 + sound.position)]
        sound.seated()
        indexed(service)
        more = [next(came) for _ in range(2)]
        assert {frame.event for frame in more} == {"message"}
        shown += [item_of(frame.data) for frame in more]
    assert [item.position for item in shown if item.table == damaged.id] == [1, 2]
    assert [item.position for item in shown if item.table == sound.id] == list(range(1, sound.position + 1))


def test_the_last_line_reports_a_key_that_ended_during_the_lines(
    quick_service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed, "_STREAM_PAGE", 4)
    table = Table(quick_service, 2).dealt()
    indexed(quick_service)
    player, read = table.players[1], feed_pages.read
    key = accepted(player.get("/v1/whoami")).json["key"]
    admin = quick_service.person("admin")

    def read_before_the_end_of_the_key(caller: Any, first: int, limit: int) -> Any:  # noqa: ANN401 -- passed on
        if first == 4:
            accepted(admin.send("DELETE", f"/v1/keys/{key}", headers={}), 204)
        return read(caller, first, limit)

    monkeypatch.setattr(feed_pages, "read", read_before_the_end_of_the_key)
    items, end = split(player.get("/v1/feed", Accept=LINES))
    assert (end.is_whole, end.leaves, len(items), end.why) == (False, 4, 4, "key_must_be_valid")
    assert end.next == items[-1].cursor
    assert end.broken == tuple[BrokenStream, ...]()


def test_a_key_that_ends_meanwhile_ends_its_stream(quickly_served: Served) -> None:
    service, url = quickly_served
    table = Table(service, 2).seated()
    indexed(service)
    player = table.players[1]
    key = accepted(player.get("/v1/whoami")).json["key"]
    with answer(url, "/v1/feed", player.token, Accept=EVENTS) as response:
        came = frames(response)
        assert [next(came).id for _ in range(table.position)]
        accepted(player.send("DELETE", f"/v1/keys/{key}", headers={}), 204)
        accepted(table.host.do(table.path, "start_game"))
        indexed(service)
        assert list(came) == []


def test_a_service_about_to_stop_ends_its_feeds(quickly_served: Served) -> None:
    service, url = quickly_served
    table = Table(service, 2)
    indexed(service)
    with answer(url, "/v1/feed", table.host.token, Accept=EVENTS) as response:
        came = frames(response)
        assert [next(came).id for _ in range(table.position)]
        service.parts.long_polls.end()
        assert list(came) == []


@pytest.mark.walk
def test_events_that_another_process_records_and_indexes_are_also_sent(
    served: Served, tmp_path: Path, database_url: str
) -> None:
    service, url = served
    table = Table(service, 2).seated()
    indexed(service)
    with running(tmp_path, database_url) as other, answer(url, "/v1/feed", table.host.token, Accept=EVENTS) as response:
        came = frames(response)
        assert [item_of(next(came).data).position for _ in range(table.position)] == list(range(1, table.position + 1))
        at = table.position
        accepted(Person(other, table.host.owner, table.host.token).do(table.path, "start_game"))
        indexed(other)
        assert item_of(next(came).data).position == at + 1


def test_a_waiting_page_comes_when_an_event_of_one_of_the_tables_has_its_index(service: Service) -> None:
    table, elsewhere = Table(service, 2).seated(), Table(service, 2)
    indexed(service)
    after = accepted(table.host.get("/v1/feed?limit=1000")).json["next"]
    answers: list[Any] = []
    asking = Thread(target=lambda: answers.append(table.host.get(f"/v1/feed?wait=30&after={after}")))
    asking.start()
    wait_until(lambda: service.parts.long_polls.slots_taken == 1)
    elsewhere.seated()
    indexed(service)
    at = table.position
    accepted(table.host.do(table.path, "start_game"))
    indexed(service)
    asking.join()
    assert accepted(answers[0]).json["items"][0]["leaf"]["position"] == at + 1


def test_a_waiting_page_passes_the_events_of_others_and_ends_when_its_time_is_up(quick_service: Service) -> None:
    table, elsewhere = Table(quick_service, 2), Table(quick_service, 2)
    indexed(quick_service)
    after = accepted(table.host.get("/v1/feed?limit=1000")).json["next"]
    answers: list[Any] = []
    asking = Thread(target=lambda: answers.append(table.host.get(f"/v1/feed?wait=1&after={after}")))
    asking.start()
    wait_until(lambda: quick_service.parts.long_polls.slots_taken == 1)
    elsewhere.seated()
    indexed(quick_service)
    asking.join()
    page = accepted(answers[0]).json
    assert (page["items"], page["has_more"]) == ([], False)


def test_a_heartbeat_has_the_cursor_of_the_last_leaf_that_was_looked_at(
    quickly_served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client that comes back with this cursor need not go through the leaves of other tables again."""
    monkeypatch.setattr(feeds, "HEARTBEAT_SECONDS", 0.05)
    service, url = quickly_served
    Table(service, 2)
    indexed(service)
    owner = service.person("play")
    cursor = accepted(owner.get("/v1/feed")).json["next"]
    with answer(url, "/v1/feed", owner.token, Accept=EVENTS) as response:
        came = [response.readline().decode().rstrip("\n") for _ in range(4)]
    assert came == ["retry: 1000", "", f"id: {cursor}", ": still here"]
    refused_ = service.spectator.get("/v1/feed", Accept=EVENTS, Last_Event_ID=cursor)
    refused(refused_, 401, "key_must_be_given")


def test_a_feed_takes_a_waiting_slot_until_it_is_closed(service: Service) -> None:
    player = service.person("play")
    response = service.app.test_client().get(
        "/v1/feed", headers={"Accept": EVENTS, "Authorization": f"Bearer {player.token}"}
    )
    assert service.parts.long_polls.slots_taken == 1
    response.close()
    assert service.parts.long_polls.slots_taken == 0
    head = player.send("HEAD", "/v1/feed", headers={"Accept": LINES})
    head.close()
    assert service.parts.long_polls.slots_taken == 0


def test_a_reader_with_new_tables_and_many_broken_connections_misses_and_repeats_no_event(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reader uses pages, long polls and streams, and breaks off at random moments.

    Meanwhile the reader plays at one table after another, in two threads, and strangers play, too.
    """
    monkeypatch.setattr(feed_pages, "_WINDOW", 20)
    monkeypatch.setattr(feeds, "HEARTBEAT_SECONDS", 0.05)
    service, url = served
    reader, stranger = service.person("play"), service.person("play")
    seed = Random().randrange(10**9)
    print(f"seed {seed}")  # noqa: T201 -- pytest shows this if the test fails
    ended, chance, tables = Event(), Random(seed), list[Table]()
    loads = [(reader, tables), (reader, tables), (stranger, list[Table]())]
    threads = [
        Thread(target=play_games, args=(service, player, opened, ended, f"{seed}/{number}"))
        for number, (player, opened) in enumerate(loads)
    ]
    found: list[Item] = []
    cursor = ""
    with log_kept(service):
        for thread in threads:
            thread.start()
        try:
            for _ in range(30):
                items, cursor = some(url, reader.token, cursor, chance)
                found += items
        finally:
            ended.set()
            for thread in threads:
                thread.join()
    indexed(service)
    found += rest(url, reader.token, cursor)
    assert [item.index for item in found] == sorted({item.index for item in found})
    assert {item.table for item in found} == {table.id for table in tables}
    again = rest(url, reader.token)
    for table in tables:
        own = [item for item in found if item.table == table.id]
        seated = next(item.position for item in own if b'"type":"seat_taken"' in bytes(item.leaf))
        assert own[0].position <= seated  # earlier events are in the feed only if the reader had not passed them
        assert [item.position for item in own] == list(range(own[0].position, table.position + 1))
        assert own == [item for item in again if item.table == table.id][-len(own) :]
        assert all(msgspec.json.decode(b.leaf)["prev"] == a.hash for a, b in pairwise(own))
    assert [leaf_hash(bytes(item.leaf)).hex() for item in found] == [item.hash for item in found]


def play_games(service: Service, player: Person, opened: list[Table], ended: Event, seed: str) -> None:
    """Open one table after another, at which *player* and another player take random actions, until *ended* is set."""
    chance = Random(seed)
    while not ended.is_set():
        table = Table(service, 2, buy_in=20)
        table.players[1] = player
        opened.append(table.started())
        while not ended.is_set() and table.view()["status"] == "playing":
            seat = table.due_seat
            items = accepted(table.players[seat].get(f"{table.path}/actions")).json["items"]
            actions = [item["action"] for item in items if item["action"]["type"] != "resign"]
            accepted(table.players[seat].post(f"{table.path}/actions", chance.choice(actions)))
            ended.wait(0.01)  # else the reader, in the same process, would hardly get a turn
