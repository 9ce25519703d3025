"""A running service finds a leaf with a wrong hash: it writes no more to this table, and all other tables go on."""

# ruff: noqa: ANN401 -- JSON may be any value

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError
from werkzeug.test import TestResponse

from service.audit.log_audit import verify
from service.database.engines import administering, reading
from service.event_store import export_format, hash_chain
from service.event_store.codec import Codec
from service.event_store.export_format import BrokenStream
from service.event_store.hash_chain import find_breaks
from service.games import EVENTS
from service.play.timekeeper import Timekeeper
from service.projections.rebuild.projection_rebuild import rebuild
from tests.damage import BEHEAD, DROP, damage, flipped, forget
from tests.http.operations.test_metrics import scraped
from tests.http.service import Person, Service, Table, accepted, refused, running
from tests.http.streams import EVENTS as STREAMED, LINES

CODE = "table_must_be_intact"


@pytest.fixture
def service(tmp_path: Path, database_url: str) -> Iterator[Service]:
    """Yield a service on a new database."""
    with running(tmp_path, database_url) as made:
        yield made


@pytest.fixture
def table(service: Service) -> Table:
    """Return a table with a played hand."""
    made = Table(service).started()
    settled(made)
    return made


@pytest.fixture
def twin(service: Service, tmp_path: Path) -> Iterator[Service]:
    """Yield a second service on the same database; it stands for another process."""
    url = service.parts.engine.url.render_as_string(hide_password=False)
    made = Service(tmp_path, url)
    yield made
    made.close()


def through(twin: Service, person: Person) -> Person:
    """Return *person* as a client of *twin*."""
    return Person(twin, person.owner, person.token)


def unreadable(_leaf: bytes) -> bytes:
    return b"{}"


def of_another_type(leaf: bytes) -> bytes:
    kind = msgspec.json.decode(leaf)["type"].encode()
    return leaf.replace(b'"type":"%b"' % kind, b'"type":"thrown_at_the_wall"')


def without_members(leaf: bytes) -> bytes:
    content = msgspec.json.decode(leaf)
    return msgspec.json.encode({**content, "pub": {}}, order="sorted")


def with_another_prev(leaf: bytes) -> bytes:
    content = msgspec.json.decode(leaf)
    return msgspec.json.encode({**content, "prev": "ab" * 32}, order="sorted")


def leaf_at(table: Table, position: int) -> bytes:
    stream_id = bytes.fromhex(table.id.removeprefix("tbl_"))
    statement = text("SELECT leaf FROM events WHERE stream_id = :stream_id AND position = :position")
    with reading(table.service.parts.engine) as connection:
        return bytes(connection.execute(statement, {"stream_id": stream_id, "position": position}).scalar_one())


def events_of(table: Table, after: int = 0, limit: int = 1000) -> TestResponse:
    return table.host.get(f"{table.path}/events?after={after}&limit={limit}")


@pytest.mark.parametrize("change", [flipped, unreadable, of_another_type, without_members, with_another_prev])
def test_a_process_that_starts_finds_an_altered_leaf_and_stops_writing_to_its_stream(
    service: Service, table: Table, change: Callable[[bytes], bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    last, due = table.position, table.due
    damage(service, table.id, 5, leaf=change(leaf_at(table, 5)))
    before = service.events()
    forget(service)
    details = refused(due.do(table.path, "deal_hand"), 409, CODE)
    assert details["position"] in {4, 5}  # after a wrong previous hash, either of two leaves may be altered
    assert service.events() == before
    for action in ("start_game", "close_table", "call_time"):
        refused(table.host.do(table.path, action), 409, CODE)
    refused(table.host.post(f"{table.path}/actions?dry_run=true", {"type": "call_time"}), 409, CODE)
    refused(table.host.get(table.path), 409, CODE)
    assert accepted(table.host.get(f"{table.path}?at=3")).json["position"] == 3
    refused(table.host.get(f"{table.path}?at={last}"), 409, CODE)
    said = [msgspec.json.decode(line) for line in capsys.readouterr().err.splitlines()]
    (alarm,) = [line for line in said if line["event"] == "log_damaged"]
    assert (alarm["table"], alarm["position"], alarm["level"]) == (table.id, details["position"], "error")


@pytest.mark.parametrize("what", ["the last leaf", "its hash in the head row", "a leaf is gone", "the last is gone"])
def test_the_end_of_a_stream_is_compared_with_its_head_row(service: Service, table: Table, what: str) -> None:
    last = table.position
    match what:
        case "the last leaf":
            damage(service, table.id, last)
        case "its hash in the head row":
            damage(service, table.id, last, BEHEAD, bytes(32))
        case "a leaf is gone":
            damage(service, table.id, 7, DROP)
        case _:
            damage(service, table.id, last, DROP)
    forget(service)
    details = refused(table.host.get(table.path), 409, CODE)
    assert details["position"] == (7 if what == "a leaf is gone" else last)
    refused(table.host.do(table.path, "call_time"), 409, CODE)


def test_the_cached_table_is_compared_with_the_head_row_at_every_command(
    service: Service, twin: Service, table: Table
) -> None:
    last, due = table.position, table.due
    action = wanted(due, table)
    accepted(through(twin, due).get(table.path))  # now both processes have the whole stream in their caches
    damage(service, table.id, last, BEHEAD, bytes(32))
    details = refused(due.post(f"{table.path}/actions", action), 409, CODE)
    assert details["position"] == last
    refused(through(twin, due).post(f"{table.path}/actions", action), 409, CODE)


def test_damage_found_by_a_reader_stops_the_cached_table(service: Service, table: Table) -> None:
    last, due = table.position, table.due
    action = wanted(due, table)
    damage(service, table.id, 5)
    accepted(events_of(table))
    refused(due.post(f"{table.path}/actions", action), 409, CODE)
    assert accepted(table.host.get(table.path)).json["position"] == last, "the process has checked these events"
    assert wanted(due, table) == action


def test_a_page_of_events_ends_before_the_damage(service: Service, table: Table) -> None:
    damage(service, table.id, 10)  # the cached state already includes this event
    page = accepted(events_of(table)).json
    assert [item["leaf"]["position"] for item in page["items"]] == list(range(1, 10))
    assert (page["next"], page["has_more"]) == (9, True)
    details = refused(events_of(table, page["next"]), 409, CODE)
    assert details["position"] == 10
    assert accepted(events_of(table, 10)).json["items"], "the later events have an intact chain of their own"
    assert accepted(events_of(table, 3, 6)).json["next"] == 9
    refused(events_of(table, 9, 1), 409, CODE)  # event 10 has the right previous hash, but event 11 has not


@pytest.mark.parametrize("is_cached", [True, False])
def test_a_stream_of_events_ends_before_the_damage(service: Service, table: Table, *, is_cached: bool) -> None:
    damage(service, table.id, 10)
    if not is_cached:
        forget(service)
    *lines, last = table.host.get(f"{table.path}/events", Accept=LINES).data.splitlines()
    assert len(lines) == 9
    end = export_format.parse_end(last)
    assert end, "the last line must say that lines are missing"
    assert (end.is_whole, end.leaves, [one.position for one in end.heads]) == (False, 9, [9])
    assert end.broken == (BrokenStream(f"table/{table.id}", 10, hash_chain.HASH_MISMATCH),)
    refused(table.host.get(f"{table.path}/events?after=9", Accept=LINES), 409, CODE)
    refused(table.host.get(f"{table.path}/events", Accept=STREAMED, Last_Event_ID="9"), 409, CODE)


def test_a_process_that_starts_reads_the_history_before_the_break(service: Service, table: Table) -> None:
    a_second = table.position
    first_hand = accepted(table.host.get(f"{table.path}/hands")).json["items"][0]
    played_on(table)
    position = table.position
    assert position > a_second
    damage(service, table.id, position - 1)
    forget(service)
    assert accepted(table.host.get(f"{table.path}/hands")).json["items"] == [first_hand]
    assert accepted(table.host.get(f"{table.path}/hands/1")).json["is_settled"]
    refused(table.host.get(f"{table.path}/hands/2"), 409, CODE)
    postings = accepted(table.host.get(f"{table.path}/accounts/stack:1/postings")).json
    assert postings["items"]
    assert all(item["position"] < position - 1 for item in postings["items"])
    assert accepted(table.host.get(f"{table.path}/balances?at={a_second}")).json["position"] == a_second
    refused(table.host.get(f"{table.path}/balances"), 409, CODE)
    refused(table.host.get(f"{table.path}/actions"), 409, CODE)
    page = accepted(events_of(table)).json
    assert (page["next"], page["position"], page["has_more"]) == (position - 2, position - 2, True)
    refused(events_of(table, position - 2), 409, CODE)


def test_a_statement_does_not_quote_an_event_that_was_altered(service: Service, table: Table) -> None:
    path = f"{table.path}/accounts/stack:1/postings"
    items = accepted(table.host.get(path)).json["items"]
    second = next(item["position"] for item in items if item["position"] > items[0]["position"])
    damage(service, table.id, second)
    told = accepted(table.host.get(path)).json
    assert (told["items"], told["has_more"]) == ([item for item in items if item["position"] < second], True)
    assert refused(table.host.get(f"{path}?after={told['next']}"), 409, CODE)["position"] == second


def test_a_repeat_of_a_command_before_the_break_still_gets_its_result(service: Service, table: Table) -> None:
    due = table.due
    action = wanted(due, table)
    first = accepted(due.post(f"{table.path}/actions", action, key="once"))
    played_on(table)
    damage(service, table.id, table.position)
    forget(service)
    again = accepted(due.post(f"{table.path}/actions", action, key="once"))
    assert again.headers["Idempotent-Replayed"] == "true"
    assert again.data == first.data
    damage(service, table.id, first.json["position"])
    refused(due.post(f"{table.path}/actions", action, key="once"), 409, CODE)


def of_another_command(leaf: bytes) -> bytes:
    """Return *leaf* with another command id, as if it was made under another Idempotency-Key."""
    at = leaf.index(b'"cmd":"') + len(b'"cmd":"')
    return leaf[:at] + (b"1" if leaf[at : at + 1] == b"0" else b"0") + leaf[at + 1 :]


@pytest.mark.parametrize("is_known", [True, False], ids=["known", "forgotten"])
@pytest.mark.parametrize("altered", [unreadable, flipped, of_another_command])
def test_a_repeat_finds_that_the_leaf_of_its_command_was_altered(
    service: Service, table: Table, altered: Callable[[bytes], bytes], *, is_known: bool
) -> None:
    due = table.due
    action = wanted(due, table)
    first = accepted(due.post(f"{table.path}/actions", action, key="once"))
    position = first.json["events"][0]["leaf"]["position"]
    played_on(table)
    stored = msgspec.json.decode(first.data, type=dict[str, msgspec.Raw])
    leaf = bytes(msgspec.json.decode(stored["events"], type=list[dict[str, msgspec.Raw]])[0]["leaf"])
    damage(service, table.id, position, leaf=altered(leaf))
    if not is_known:
        forget(service)
    details = refused(due.post(f"{table.path}/actions", action, key="once"), 409, CODE)
    assert details["position"] == position


def test_events_of_another_process_are_compared_with_the_cached_events(
    service: Service, twin: Service, table: Table
) -> None:
    position = table.position
    due = table.due
    accepted(through(twin, due).post(f"{table.path}/actions", wanted(due, table)))
    damage(service, table.id, position + 1)
    details = refused(table.host.do(table.path, "call_time"), 409, CODE)
    assert details["position"] == position + 1
    refused(table.host.get(table.path), 409, CODE)
    assert accepted(table.host.get(f"{table.path}?at={position}")).json["position"] == position
    assert accepted(through(twin, table.host).get(table.path)).json["position"] > position


def test_a_database_that_was_restored_to_an_earlier_state_is_noticed(service: Service, table: Table) -> None:
    """A process that knows an event later than the database's last event refuses commands.

    The test deletes the last event and sets the head row back, as a restore of an older backup does.
    """
    stream_id = bytes.fromhex(table.id.removeprefix("tbl_"))
    last, due = table.position, table.due
    with reading(service.parts.engine) as connection:
        kept = service.parts.log.reader.read(connection, stream_id, last - 2, 1)[0]
    damage(service, table.id, last, DROP)
    set_back = "UPDATE streams SET head = :position, head_hash = :leaf WHERE stream_id = :stream_id"
    damage(service, table.id, last - 1, set_back, kept.hash)
    details = refused(due.do(table.path, "deal_hand"), 409, CODE)
    assert details["position"] == last


@pytest.mark.walk
def test_other_tables_go_on_and_operators_are_notified(service: Service, table: Table) -> None:
    other = Table(service).started()
    assert scraped(service)["chiptrail_damaged_tables",] == 0
    damage(service, table.id, 5)
    forget(service)
    refused(table.host.do(table.path, "call_time"), 409, CODE)
    settled(other)
    samples = scraped(service)
    assert samples["chiptrail_damaged_tables",] == 1
    assert samples["chiptrail_commands_total", "", "damaged"] == 1
    assert accepted(service.spectator.get("/readyz")).json == {"status": "ok"}
    assert accepted(table.host.get("/v1/tables")).json["items"][-1]["table"] == table.id
    parts = service.parts
    report = verify(parts.engine, parts.log, Codec(EVENTS))
    with reading(parts.engine) as connection:
        _, broken = find_breaks(connection, Codec(EVENTS), 100_000)
    assert {stream_id.hex(): one.position for stream_id, one in broken.items()} == {table.id.removeprefix("tbl_"): 5}
    assert (table.id, 5) in {(finding.table, finding.position) for finding in report.findings}
    assert other.id not in {finding.table for finding in report.findings}


def test_the_timekeeper_keeps_the_time_of_the_other_tables(service: Service) -> None:
    tables = [timed(service), timed(service)]
    damage(service, tables[0].id, 1)
    forget(service)
    parts = service.parts
    keeper = Timekeeper(parts.engine, parts.play, parts.tables, parts.clock)
    keeper.look()
    stream_id = bytes.fromhex(tables[1].id.removeprefix("tbl_"))
    keeper._timers = {one: msgspec.structs.replace(timer, since=-1e9) for one, timer in keeper._timers.items()}
    assert keeper._timers[stream_id].position
    assert keeper.look() == 1


def test_projections_are_not_rebuilt_from_a_damaged_log(service: Service, table: Table) -> None:
    damage(service, table.id, 5)
    parts = service.parts
    with pytest.raises(Exception, match="is corrupted at position 5"):
        rebuild(parts.engine, parts.log, parts.clock)
    assert accepted(table.host.get(f"{table.path}/balances")).json["balances"], (
        "the projections in use were not changed"
    )


def test_the_triggers_are_present_again_after_these_tests(service: Service, table: Table) -> None:
    damage(service, table.id, 5)
    with pytest.raises(SQLAlchemyError, match="only_grows"), administering(service.parts.engine) as connection:
        connection.execute(text("DELETE FROM events"))


def settled(table: Table) -> None:
    """Play the first hand to its end."""
    while not any(hand["is_settled"] for hand in accepted(table.host.get(f"{table.path}/hands")).json["items"]):
        accepted(table.due.post(f"{table.path}/actions", wanted(table.due, table)))


def played_on(table: Table) -> None:
    """Play three decisions of the next hand."""
    for _ in range(3):
        accepted(table.due.post(f"{table.path}/actions", wanted(table.due, table)))


def wanted(person: Person, table: Table) -> Any:
    """Return a legal action of *person* that is not resigning."""
    items = accepted(person.get(f"{table.path}/actions")).json["items"]
    return next(item["action"] for item in items if item["action"]["type"] != "resign")


def timed(service: Service) -> Table:
    """Return a table with a time limit and a running hand."""
    made = Table.__new__(Table)
    made.service, made.host, made.buy_in = service, service.person("host"), 12
    made.players = {seat: service.person("play") for seat in (1, 2, 3)}
    body = {"game": "bankrupt", "seats": 3, "options": {"buy_in": 12}, "time_limit_seconds": 60}
    made.path = accepted(made.host.post("/v1/tables", body), 201).headers["Location"]
    made.id = made.path.rpartition("/")[2]
    return made.dealt()
