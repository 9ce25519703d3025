"""The feed: a client gets each event of its owner's tables once and in order, and finds a server that lies."""

import logging
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import islice
from typing import Any

import pytest

from service.client import Api, Client, LogContradiction, NotTheApi, Problem, Wait, feed, follow, ways_to_wait
from service.clock import Clock
from tests.client.scripted import LOG, TABLE, Answer, Stream, events, feed_page, in_feed, say, sends
from tests.client.test_client import server
from tests.databases import Databases
from tests.http.service import Service, Table, accepted, running, serving

OTHER = f"tbl_{2:032x}"
ONE = events(4)
TWO = events(3, table=OTHER)


@pytest.fixture(autouse=True)
def without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ways_to_wait, "_PAUSE_SECONDS", 0)


@contextmanager
def api_of(url: str, token: str) -> Iterator[Api]:
    with closing(Client(url, token, Clock())) as client:
        yield Api(client)


@pytest.fixture(scope="module")
def world(all_databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Service, str]]:
    folder = tmp_path_factory.mktemp("feed")
    with all_databases.migrated("sqlite") as database, running(folder, database) as service, serving(service) as url:
        yield service, url


@pytest.mark.parametrize("wait", ["never", "polls", "stream"])
def test_a_program_that_starts_again_with_the_last_cursor_gets_each_event_once(
    world: tuple[Service, str], wait: Wait
) -> None:
    service, url = world
    table = Table(service, 2, buy_in=5).seated()
    service.keep_log()
    with api_of(url, table.host.token) as api:
        first = list(islice(feed(api, wait=wait, wait_seconds=1), 2))
        rest = feed(api, after=first[-1].cursor, wait=wait, wait_seconds=1)
        second = list(islice(rest, table.position - 2))
        assert [event.leaf.position for event in (*first, *second)] == [*range(1, table.position + 1)]
        assert {event.table for event in (*first, *second)} == {table.id}
        api.act(table.id, {"type": "start_game"})  # The stream is still open, on a connection of its own.
        service.keep_log()
        more = next(rest, None) or next(feed(api, after=second[-1].cursor, wait="never"))
        assert more.leaf.type == "game_started"
        rest.close()


def test_only_new_events_come_after_latest(world: tuple[Service, str]) -> None:
    service, url = world
    table = Table(service, 2)
    service.keep_log()
    with api_of(url, table.host.token) as api:
        assert list(feed(api, after="latest", wait="never")) == []


def test_a_feed_needs_a_key(world: tuple[Service, str]) -> None:
    with api_of(world[1], "") as api, pytest.raises(Problem, match="401 key_must_be_given"):
        next(feed(api))


def test_the_events_before_the_owner_gained_a_table_are_read_from_the_table(world: tuple[Service, str]) -> None:
    service, url = world
    first, second = Table(service, 2, buy_in=5), Table(service, 2, buy_in=5)
    player = first.players[1]
    service.keep_log()
    accepted(player.post(f"{first.path}/seats", {"chips": 5}), 201)
    service.keep_log()
    with api_of(url, player.token) as api:
        *_, last = feed(api, wait="never")
        accepted(player.post(f"{second.path}/seats", {"chips": 5}), 201)
        service.keep_log()
        (gained,) = feed(api, after=last.cursor, wait="never")
        missed = islice(follow(api, gained.table, wait="never"), gained.table_added)
        assert [event.leaf.position for event in missed] == [*range(1, gained.leaf.position)]


def fed(*answers: Answer, after: str = "", wait: Wait = "never") -> list[tuple[str, int, int]]:
    with server(*answers) as (url, asked), closing(Client(url, "ctk_1_2", Clock(), patience_seconds=0)) as made:
        found = [(one.table, one.leaf.position, one.index) for one in feed(Api(made), after=after, wait=wait)]
        assert len(asked) == len(answers)
    return found


def test_the_pages_of_a_feed_are_followed_even_if_one_is_empty() -> None:
    found = fed(
        feed_page(in_feed(ONE[0], 3), next_=f"1000{LOG}", has_more=True),
        feed_page(next_=f"2000{LOG}", has_more=True),
        feed_page(in_feed(TWO[1], 2001, OTHER, added=1), in_feed(ONE[1], 2002), next_=f"2005{LOG}"),
    )
    assert found == [(TABLE, 1, 3), (OTHER, 2, 2001), (TABLE, 2, 2002)]


def test_a_stream_that_breaks_off_is_resumed_after_the_last_event_or_heartbeat() -> None:
    first = Stream(sends(in_feed(ONE[0], 4), f"4{LOG}"), f"id: 9{LOG}\n: still here\n\n".encode(), b"id: 99")
    second = Stream(sends(in_feed(ONE[1], 12)), sends(in_feed(ONE[1], 13)), stays=True)
    with pytest.raises(LogContradiction, match=r"event of .* at position 2, and now one at 2"):
        fed(feed_page(next_=f"2{LOG}"), first, feed_page(next_=f"10{LOG}"), second, wait="stream")
    assert (first.after, second.after) == (f"2{LOG}", f"10{LOG}")


@pytest.mark.parametrize(
    ("items", "words"),
    [
        ([in_feed(ONE[0], 5), in_feed(TWO[0], 5, OTHER)], "feed_must_be_in_order: Index 5 came after index 5"),
        ([in_feed(ONE[0], 5), in_feed(TWO[0], 4, OTHER)], "feed_must_be_in_order: Index 4 came after index 5"),
        ([in_feed(ONE[0], 3)], "feed_must_be_in_order: Index 3 came after index 3"),
        ([in_feed(ONE[0], 5, cursor=f"7{LOG}")], "feed_must_be_in_order"),
        ([in_feed(ONE[1], 5), in_feed(ONE[0], 6)], "at position 2, and now one at 1"),
        ([in_feed(ONE[0], 5), in_feed(events(2, kind="forged")[1], 6)], "does not continue the one before"),
        ([in_feed(TWO[0], 5)], "another event than that of tbl_"),
        ([in_feed(ONE[0].replace(b"moved", b"MOVED"), 5)], "The hash of the event"),
        ([in_feed(b'{"leaf":{},"hash":""}', 5)], "is no leaf"),
    ],
    ids=["index twice", "index", "before the cursor", "cursor", "order", "fork", "table", "changed", "leaf"],
)
def test_a_feed_that_contradicts_the_log_is_found(items: list[bytes], words: str) -> None:
    with pytest.raises(LogContradiction, match=words):
        fed(feed_page(*items, next_=f"9{LOG}"), after=f"3{LOG}")


@pytest.mark.parametrize("next_", [f"3{LOG}", f"2{LOG}", ""])
def test_a_feed_that_does_not_go_on_is_found(next_: str) -> None:
    with pytest.raises(LogContradiction, match="feed_must_be_in_order"):
        fed(feed_page(next_=next_, has_more=True), after=f"3{LOG}")


def test_a_cursor_that_is_none_is_named() -> None:
    with pytest.raises(NotTheApi, match="as the cursor of a feed"):
        fed(feed_page(next_="7\r\nAuthorization: x"))


def test_a_cursor_of_another_log_is_refused_by_the_server() -> None:
    with pytest.raises(Problem, match="cursor_must_be_of_this_log"):
        fed(say(409, b'{"code":"cursor_must_be_of_this_log"}'), after=f"3{LOG}")


def test_a_damaged_table_is_named_once(caplog: pytest.LogCaptureFixture) -> None:
    broken: list[Any] = [{"table": OTHER, "position": 7, "why": "the chain is broken"}]
    with caplog.at_level(logging.WARNING, "service.client"):
        fed(feed_page(broken=broken, next_=f"3{LOG}", has_more=True), feed_page(broken=broken, next_=f"5{LOG}"))
    assert [f"log of {OTHER} is damaged at position 7" in one.getMessage() for one in caplog.records] == [True]
