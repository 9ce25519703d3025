"""The feed: the events of all tables of the caller in the order of their indexes, each as its table shows it."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from sqlalchemy import Connection, event, select

from service.database.engines import reading
from service.http.resources.transparency import feed_pages
from service.projections import feed_leaves
from service.tables.cache import Seen
from service.transparency import log_signer
from service.transparency.tree_tables import leaf_indexes
from tests.damage import alter, damage
from tests.databases import Databases
from tests.exchange.exported_tables import exported, import_tables
from tests.http.feeds import indexed
from tests.http.hearts import Hearts
from tests.http.service import Person, Service, Table, accepted, refused, running


def feed(person: Person, **query: Any) -> Any:  # noqa: ANN401 -- JSON
    return accepted(person.get(f"/v1/feed?{urlencode(query)}")).json


def every_page(person: Person, limit: int) -> Iterator[Any]:
    page = feed(person, limit=limit)
    yield page
    while page["has_more"]:
        page = feed(person, limit=limit, after=page["next"])
        yield page


def whole(person: Person, limit: int = 1_000) -> list[Any]:
    """Read the whole feed in pages of *limit* events."""
    return [item for page in every_page(person, limit) for item in page["items"]]


def of_tables(person: Person, tables: Sequence[Table]) -> dict[str, list[Any]]:
    """Return the events of *tables* as the tables themselves show them."""
    return {one.id: accepted(person.get(f"{one.path}/events?limit=1000")).json["items"] for one in tables}


def by_table(items: Sequence[Any]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for item in items:
        own = {name: item[name] for name in ("leaf", "hash", "openings", "fields")}
        found.setdefault(item["table"], []).append(own)
    return found


def seat_at(table: Table, person: Person, seat: int) -> None:
    accepted(person.post(f"{table.path}/seats", {"chips": table.buy_in, "seat": seat}), 201)


@pytest.mark.parametrize("limit", [7, 1_000])
def test_the_feed_has_each_event_in_the_form_of_its_table_and_in_the_order_of_the_indexes(
    service: Service, limit: int
) -> None:
    """Hearts has sealed fields, which open at later events."""
    hearts, bankrupt, private = Hearts(service), Table(service, 2), Table(service, 2, visibility="private")
    player = hearts.players[1]
    accepted(private.host.do(private.path, "invite_player", player=player.owner))
    hearts.begun()
    bankrupt.dealt()
    indexed(service)
    seat_at(private, player, 2)
    hearts.finish()
    indexed(service)
    callers: list[tuple[Person, list[Table]]] = [
        (player, [hearts, private]),
        (hearts.players[2], [hearts]),
        (hearts.host, [hearts]),
        (bankrupt.players[1], [bankrupt]),
        (service.person("audit"), [hearts, bankrupt, private]),
    ]
    for person, own in callers:
        items = whole(person, limit)
        assert by_table(items) == of_tables(person, own)
        assert [item["index"] for item in items] == sorted({item["index"] for item in items})
    with reading(service.parts.engine) as connection:
        places = {
            (f"tbl_{bytes(row.stream_id).hex()}", row.position): row.leaf_index
            for row in connection.execute(select(leaf_indexes))
        }
    assert {(item["table"], item["leaf"]["position"]): item["index"] for item in items} == places


def test_a_feed_needs_a_key_and_is_empty_without_tables(quick_service: Service) -> None:
    Table(quick_service, 2).started()
    indexed(quick_service)
    refused(quick_service.spectator.get("/v1/feed"), 401, "key_must_be_given")
    for scope in ("play", "host", "admin", "metrics"):
        page = feed(quick_service.person(scope))
        assert (page["items"], page["broken"], page["has_more"]) == ([], [], False)


def test_an_event_without_an_index_is_not_in_the_feed_yet(quick_service: Service) -> None:
    table = Table(quick_service, 2)
    assert feed(table.host) == {"items": [], "broken": [], "has_more": False, "next": ""}
    indexed(quick_service)
    page = feed(table.host)
    assert [item["leaf"]["position"] for item in page["items"]] == list(range(1, table.position + 1))
    assert page["next"] == page["items"][-1]["cursor"]


def test_a_new_table_of_a_reader_comes_into_the_feed_with_the_event_that_added_the_table(
    quick_service: Service,
) -> None:
    """`table_added` is a position: the events up to this position must be read from the table itself."""
    table, guest = Table(quick_service, 2, visibility="private"), quick_service.person("play")
    indexed(quick_service)
    before = feed(guest)["next"]
    assert before == feed(table.host)["next"]
    at = table.position
    accepted(table.host.do(table.path, "invite_player", player=guest.owner))
    indexed(quick_service)
    (invited,) = feed(guest, after=before)["items"]
    assert (invited["leaf"]["type"], invited["leaf"]["position"]) == ("player_invited", at + 1)
    assert invited["table_added"] == at
    seat_at(table, guest, 1)
    indexed(quick_service)
    (sits,) = feed(guest, after=invited["cursor"])["items"]
    assert (sits["leaf"]["type"], sits["leaf"]["position"]) == ("seat_taken", at + 2)
    assert sits["table_added"] == at + 1
    for person in (table.host, quick_service.person("audit", owner=guest.owner)):
        assert {item["table_added"] for item in feed(person)["items"]} == {0}


def test_a_table_that_was_left_is_no_longer_in_the_feed(quick_service: Service) -> None:
    table = Table(quick_service, 2).seated()
    player = table.players[1]
    indexed(quick_service)
    assert feed(player)["items"]
    accepted(player.do(table.path, "leave_seat"))
    indexed(quick_service)
    assert feed(player)["items"] == []
    assert feed(table.host)["items"]


def test_a_table_that_was_left_between_two_looks_of_one_page_is_not_shown(
    quick_service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, find = Table(quick_service, 2, visibility="private"), feed_pages._find
    player = table.players[1]
    accepted(table.host.do(table.path, "invite_player", player=player.owner))
    indexed(quick_service)

    def find_and_leave(*given: Any) -> Any:  # noqa: ANN401 -- passed on
        found = find(*given)
        accepted(player.do(table.path, "decline_invitation"))
        return found

    monkeypatch.setattr(feed_pages, "_find", find_and_leave)
    assert feed(player)["items"] == []


def test_the_few_events_of_a_feed_are_found_in_a_long_log_by_few_looks(
    quick_service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed_pages, "_WINDOW", 5)
    looks: list[tuple[int, int]] = []
    between = feed_leaves.between

    def look(connection: Any, name: str, first: int, end: int, most: int) -> Any:  # noqa: ANN401 -- passed on
        looks.append((first, end))
        return between(connection, name, first, end, most)

    monkeypatch.setattr(feed_leaves, "between", look)
    table = Table(quick_service, 2)
    indexed(quick_service)
    for _ in range(6):
        Table(quick_service, 2).dealt()
    indexed(quick_service)
    seat_at(table, table.players[1], 1)
    indexed(quick_service)
    for _ in range(6):
        Table(quick_service, 2).dealt()
    indexed(quick_service)
    page = feed(table.host)
    assert [item["leaf"]["position"] for item in page["items"]] == [1, 2, 3]
    assert not page["has_more"]
    last = page["items"][-1]["index"]
    assert looks == [(0, 5), (0, 5), (last, last + 5)]  # a second look needs a turn: the read starts again
    assert feed(table.host, after=page["next"])["next"] == page["next"]
    assert len(looks) == 3  # the cursor has passed all leaves


@pytest.mark.parametrize("windows", [1, 3])
def test_a_page_ends_after_a_number_of_looks_and_the_next_page_goes_on(
    quick_service: Service, monkeypatch: pytest.MonkeyPatch, windows: int
) -> None:
    monkeypatch.setattr(feed_pages, "_WINDOW", 2)
    monkeypatch.setattr(feed_pages, "_MOST_WINDOWS", windows)
    tables = [Table(quick_service, 2) for _ in range(3)]
    for table in (*tables, tables[1]):
        invited = quick_service.person("play")
        accepted(table.host.do(table.path, "invite_player", player=invited.owner))
        indexed(quick_service)
        accepted(invited.do(table.path, "decline_invitation"))
        indexed(quick_service)
    for person, own in ((tables[1].host, [tables[1]]), (quick_service.person("audit"), tables)):
        pages = list(every_page(person, 1_000))
        assert by_table([item for page in pages for item in page["items"]]) == of_tables(person, own)
        assert max(len(page["items"]) for page in pages) <= 2 * windows
    assert len(pages) > 1  # the auditor's pages


def test_latest_begins_with_the_next_event(quick_service: Service) -> None:
    table = Table(quick_service, 2).seated()
    indexed(quick_service)
    page = feed(table.host, after="latest")
    assert (page["items"], page["has_more"]) == ([], False)
    at = table.position
    accepted(table.host.do(table.path, "start_game"))
    indexed(quick_service)
    items = feed(table.host, after=page["next"])["items"]
    assert [item["leaf"]["position"] for item in items] == list(range(at + 1, table.position + 1))


def test_a_page_links_to_the_next_and_has_the_size_of_the_newest_checkpoint(quick_service: Service) -> None:
    table = Table(quick_service, 2)
    quick_service.keep_log()
    answer = accepted(table.host.get("/v1/feed?limit=1"))
    cursor = answer.json["next"]
    assert answer.headers["Link"] == f'</v1/feed?limit=1&after={cursor}>; rel="next"'
    assert answer.headers["Log-Checkpoint"].isdigit()
    assert answer.headers["Vary"] == "Authorization, Accept"
    assert answer.headers["Cache-Control"] == "no-store"
    assert "Link" not in accepted(table.host.get(f"/v1/feed?after={cursor}")).headers


@pytest.mark.parametrize("wrong", ["1", "x", "-1", f"1-{'A' * 16}", f"{'9' * 16}-{'a' * 16}", "LATEST"])
def test_a_malformed_cursor_is_refused(quick_service: Service, wrong: str) -> None:
    host = quick_service.person("host")
    refused(host.get(f"/v1/feed?after={wrong}"), 422, "request_must_have_its_shape")
    refused(host.get("/v1/feed", Last_Event_ID=wrong), 400, "position_must_be_well_formed")


def test_a_cursor_of_another_log_is_refused(service: Service, tmp_path: Path, database_url: str) -> None:
    """After `chiptrail log restart`, the same index may belong to another event."""
    table = Table(service, 2)
    service.keep_log()
    cursor = feed(table.host)["next"]
    settings = service.parts.settings
    log_signer.set_aside(settings.log_key_file, settings.log_head_file)
    with running(tmp_path, database_url) as after:
        host = Person(after, table.host.owner, table.host.token)
        details = refused(host.get(f"/v1/feed?after={cursor}"), 409, "cursor_must_be_of_this_log")
        assert after.parts.log_key.name in details["detail"]
        for form in ("text/event-stream", "application/x-ndjson"):
            refused(host.get("/v1/feed", Accept=form, Last_Event_ID=cursor), 409, "cursor_must_be_of_this_log")
        assert feed(host)["next"].partition("-")[0] == cursor.partition("-")[0]


def test_a_cursor_above_the_logs_last_index_is_refused(quick_service: Service) -> None:
    """After the restore of an older backup, the indexes that the cursor has passed will belong to other events."""
    table = Table(quick_service, 2)
    indexed(quick_service)
    cursor = feed(table.host)["next"]
    index, _, log = cursor.partition("-")
    assert feed(table.host, after=cursor)["items"] == []
    details = refused(table.host.get(f"/v1/feed?after={int(index) + 1}-{log}"), 409, "cursor_must_be_of_this_log")
    assert details["detail"] == f"The log has {int(index) + 1} leaves, and the cursor names index {int(index) + 1}."


@pytest.mark.parametrize("limit", [1, 2, 1_000])
def test_a_damaged_table_is_named_and_the_others_go_on(quick_service: Service, limit: int) -> None:
    damaged, sound = Table(quick_service, 2).started(), Table(quick_service, 2)
    auditor = quick_service.person("audit")
    indexed(quick_service)
    damage(quick_service, damaged.id, 3)
    pages = list(every_page(auditor, limit))
    tables = by_table([item for page in pages for item in page["items"]])
    broken = [one for page in pages for one in page["broken"]]
    assert [item["leaf"]["position"] for item in tables[damaged.id]] == [1, 2]
    assert len(tables[sound.id]) == sound.position
    assert (broken[0]["table"], broken[0]["position"]) == (damaged.id, 3)
    assert {one["table"] for one in broken} == {damaged.id}
    refused(auditor.get(f"{damaged.path}/events?after=2"), 409, "table_must_be_intact")


def test_a_lost_sealed_value_breaks_off_its_table(quick_service: Service) -> None:
    hearts, other = Hearts(quick_service).begun(), Table(quick_service, 2)
    slip = next(item["leaf"] for item in hearts.events(hearts.host) if item["leaf"]["type"] == "slip_written")
    hearts.finish()
    indexed(quick_service)
    stream_id = bytes.fromhex(hearts.id.removeprefix("tbl_"))
    lost = "DELETE FROM sealed WHERE stream_id = :stream_id AND position = :position AND field = 'insurance'"
    alter(quick_service.parts.engine, lost, stream_id=stream_id, position=slip["position"])
    quick_service.parts.log.generation.end()  # the process has cached the opened value
    (page,) = every_page(quick_service.person("audit"), 1_000)
    tables = by_table(page["items"])
    assert [item["leaf"]["position"] for item in tables[hearts.id]] == list(range(1, slip["position"]))
    assert [(one["table"], one["position"]) for one in page["broken"]] == [(hearts.id, slip["position"])]
    assert len(tables[other.id]) == other.position


def test_a_table_damaged_from_its_first_event_on_is_named(quick_service: Service) -> None:
    table = Table(quick_service, 2)
    indexed(quick_service)
    damage(quick_service, table.id, 1)
    page = feed(table.host)
    assert page["items"] == []
    assert [(one["table"], one["position"]) for one in page["broken"]] == [(table.id, 1)]


def test_tables_that_go_on_while_a_page_is_read_are_not_reported_as_damaged(
    quick_service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One transaction reads all tables of a page, and meanwhile the cache gets newer than this transaction."""
    host = quick_service.person("host")
    first, second = (accepted(host.post("/v1/tables", {"game": "bankrupt"}), 201).headers["Location"] for _ in "ab")
    indexed(quick_service)
    before = feed(host)["items"]
    left = [first, second]
    seen = quick_service.parts.tables.seen

    def then_played_on(stream_ids: Iterable[bytes]) -> Seen:
        found = seen(list(stream_ids))
        if left:
            event.listen(quick_service.parts.engine, "begin", close_both, once=True)
        return found

    def close_both(connection: Connection) -> None:
        connection.exec_driver_sql("SELECT count(*) FROM streams").scalar_one()  # this query takes the snapshot
        while left:
            accepted(host.do(left.pop(), "close_table"))

    monkeypatch.setattr(quick_service.parts.tables, "seen", then_played_on)
    page = feed(host)
    assert (left, page["broken"], page["items"]) == ([], [], before)
    for path in (first, second):
        quick_service.parts.log.quarantine.require_sound(bytes.fromhex(path.rpartition("_")[2]))
    indexed(quick_service)
    assert len(feed(host)["items"]) > len(before)


def test_an_imported_table_is_in_no_feed(quick_service: Service, tmp_path: Path, all_databases: Databases) -> None:
    """The events of an imported table have their indexes in the log of the service that recorded them."""
    with all_databases.migrated("sqlite") as url, running(tmp_path / "elsewhere", url) as elsewhere:
        table = Table(elsewhere, 2).seated()
        import_tables(quick_service, exported(elsewhere.spectator, table))
        indexed(elsewhere)
        assert {item["table"] for item in feed(table.host)["items"]} == {table.id}
    host = quick_service.person("host", owner=table.host.owner)
    own = accepted(host.post("/v1/tables", {"game": "bankrupt"}), 201).json["table"]
    indexed(quick_service)
    listed = accepted(host.get("/v1/tables?mine=true")).json["items"]
    assert {item["table"] for item in listed} == {own, table.id}
    for person in (host, quick_service.person("audit")):
        assert {item["table"] for item in feed(person)["items"]} == {own}
