"""Importing: another service imports a whole export; the imported table can be read but not played on."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.audit.log_audit import verify
from service.audit.verdicts import Verdict
from service.database.engines import reading, writing
from service.event_store.codec import Codec
from service.event_store.entries import UncommittedEvent
from service.event_store.store import StreamIsImported
from service.exchange.export_reader import CannotImport
from service.exchange.importing import FailedImport
from service.games import EVENTS
from service.play.orders import PositionMustMatch, TableIsImported
from service.play.timekeeper import Timekeeper
from tests.databases import Databases
from tests.event_store.streams import append_events
from tests.exchange.exported_tables import all_imported, bare, exported, forged, import_tables, same_people
from tests.http.service import Service, Table, accepted, refused, running
from tests.http.streams import EVENTS as EVENT_STREAM, LINES

CODEC = Codec(EVENTS)


@pytest.fixture
def service(tmp_path: Path, all_databases: Databases) -> Iterator[Service]:
    """Yield the service at which tables are played and exported."""
    with all_databases.migrated("sqlite") as url, running(tmp_path / "there", url) as made:
        yield made


@pytest.fixture
def other(tmp_path: Path, database_url: str) -> Iterator[Service]:
    """Yield another, empty service with a different service key."""
    with running(tmp_path / "here", database_url) as made:
        yield made


def _over(service: Service) -> Table:
    """Return a table whose game is over: after the first hand, players resign until one is left."""
    table = Table(service, 3, buy_in=20).started()
    _to_the_end_of_the_hand(table)
    _all_resign(table)
    return table


def _to_the_end_of_the_hand(table: Table) -> None:
    while table.view()["hand_is_running"] or table.view()["hand"] == 0:
        person = table.due
        action = accepted(person.get(f"{table.path}/actions")).json["items"][0]["action"]
        accepted(person.post(f"{table.path}/actions", action))


def _all_resign(table: Table) -> None:
    for seat in (1, 2):
        if table.view()["status"] == "playing":
            accepted(table.players[seat].do(table.path, "resign"))
    assert table.view()["status"] == "finished"


@pytest.mark.walk
def test_a_finished_table_is_the_same_in_every_answer(service: Service, other: Service) -> None:
    table = _over(service)
    (taken,) = import_tables(other, exported(service.spectator, table))
    assert (taken.table, taken.events, taken.verdict) == (table.id, table.position, Verdict.CLEAN)
    assert (taken.is_new, taken.is_live) == (True, False)
    hands = [item["hand"] for item in accepted(table.host.get(f"{table.path}/hands")).json["items"]]
    paths = ["/events?limit=1000", "/balances", f"/balances?at={table.position // 2}", "/accounts/stack:1/postings"]
    paths += [f"/hands/{hand}" for hand in hands] + [f"/hands/{hand}/adjudication" for hand in hands]
    for there, here in same_people(table, other):
        for path in paths:
            assert accepted(here.get(table.path + path)).data == accepted(there.get(table.path + path)).data
        ours, theirs = table.view(here), table.view(there)
        assert ours.pop("imported_at")
        assert not theirs.pop("imported_at")
        assert ours == theirs
    parts = other.parts
    assert verify(parts.engine, parts.log, CODEC).tables == {Verdict.CLEAN: 1}


def test_a_player_of_an_imported_table_keeps_the_players_openings(service: Service, other: Service) -> None:
    table = _over(service)
    import_tables(other, exported(service.spectator, table))
    for there, here in same_people(table, other)[1:-1]:
        theirs = [item["openings"] for item in accepted(there.get(f"{table.path}/events?limit=1000")).json["items"]]
        ours = [item["openings"] for item in accepted(here.get(f"{table.path}/events?limit=1000")).json["items"]]
        assert any(theirs)
        assert ours == theirs


def test_an_imported_live_table_is_read_only_and_pending_and_its_page_shows_it(
    service: Service, other: Service
) -> None:
    table = Table(service, 3).dealt()
    at = table.position
    lines = exported(service.spectator, table)
    (taken,) = import_tables(other, lines)
    assert (taken.verdict, taken.is_live, taken.is_new) == (Verdict.PENDING, True, True)
    for _, here in same_people(table, other):
        view = accepted(here.get(table.path)).json
        assert view["imported_at"]
        assert (view["status"], view["due"], view["position"]) == ("playing", [], at)
        actions = accepted(here.get(f"{table.path}/actions?wait=30")).json
        assert (actions["due"], actions["items"]) == ([], [])
        items = accepted(here.get(f"{table.path}/events?limit=1000")).json["items"]
        assert view["deck"]["epoch"] not in {one["epoch"] for item in items for one in item["openings"]}
        stream = here.get(f"{table.path}/events", Accept=EVENT_STREAM)
        assert stream.data.endswith(b"event: end\ndata: {}\n\n")
        for body in ({"type": "hold_cards"}, {"type": "close_table"}):
            if here.token and (body["type"] == "close_table") == (here.owner == table.host.owner):
                there = f"{table.path}/actions"
                refused(here.post(there, body), 409, "table_must_be_played_here")
                refused(here.post(f"{there}?dry_run=true", body), 409, "table_must_be_played_here")
    refused(other.person("play").post(f"{table.path}/seats", {"chips": 12}), 409, "table_must_be_played_here")
    parts = other.parts
    assert verify(parts.engine, parts.log, CODEC).tables == {Verdict.PENDING: 1}
    assert other.events() == at


def test_no_card_of_a_live_table_is_imported(service: Service, other: Service) -> None:
    """A player's own cards are hidden too, because the seed of a live deck is not exported."""
    table = Table(service, 3).dealt()
    import_tables(other, exported(table.players[1], table))
    for _, here in same_people(table, other):
        assert "??" in accepted(here.get(table.path)).get_data(as_text=True)


def test_time_is_not_called_at_an_imported_table(service: Service, other: Service) -> None:
    host = service.person("host")
    opened = {"game": "bankrupt", "seats": 2, "time_limit_seconds": 1}
    path = accepted(host.post("/v1/tables", opened), 201).headers["Location"]
    for _ in range(2):
        accepted(service.person("play").post(f"{path}/seats", {"chips": 50}), 201)
    accepted(host.do(path, "start_game"))
    import_tables(other, service.spectator.get(f"{path}/events", Accept=LINES).data.splitlines())
    parts = other.parts
    assert Timekeeper(parts.engine, parts.play, parts.tables, parts.clock)._tables_with_limit() == []


@pytest.mark.walk
def test_the_database_also_refuses_new_events_for_an_imported_table(service: Service, other: Service) -> None:
    table = _over(service)
    import_tables(other, exported(service.spectator, table))
    stream_id = bytes.fromhex(table.id.removeprefix("tbl_"))
    parts = other.parts
    with reading(parts.engine) as connection:
        head = parts.log.head(connection, stream_id)
        last = parts.log.reader.read(connection, stream_id, head.position - 1)[0]
    with pytest.raises(StreamIsImported), writing(parts.engine) as connection:
        append_events(connection, parts.log, stream_id, head, [UncommittedEvent(last.event, "service")])
    assert issubclass(TableIsImported, Exception)
    assert not issubclass(TableIsImported, PositionMustMatch)


def test_importing_twice_changes_nothing(service: Service, other: Service) -> None:
    table = _over(service)
    lines = exported(service.spectator, table)
    assert [one.is_new for one in import_tables(other, lines)] == [True]
    assert [one.is_new for one in import_tables(other, lines)] == [False]
    assert other.events() == table.position


def test_a_stored_table_with_other_events_does_not_change(service: Service, other: Service) -> None:
    table = Table(service, 2).seated()
    import_tables(other, exported(service.spectator, table))
    for count in (3, 4):
        another = forged(bare(table)[:count], b'"at":"20', b'"at":"19')
        with pytest.raises(CannotImport, match="is here already, with other events"):
            import_tables(other, another)
    accepted(table.host.do(table.path, "start_game"))
    with pytest.raises(CannotImport, match="is here already, with other events"):
        import_tables(other, forged(bare(table), b'"at":"20', b'"at":"19'))
    assert other.events() == 4


def test_a_table_that_was_imported_live_takes_later_imports_until_it_is_complete(
    service: Service, other: Service
) -> None:
    table = Table(service, 3, buy_in=20).dealt()
    exports = [exported(service.spectator, table)]
    import_tables(other, exports[0])
    people = same_people(table, other)
    for _, here in people:  # After these reads, the process has the table in its cache.
        assert table.view(here)["position"] == len(exports[0])
    for step in (_to_the_end_of_the_hand, _all_resign):
        step(table)
        exports.append(exported(service.spectator, table))
        (taken,) = import_tables(other, exports[-1])
        assert (taken.is_new, taken.added) == (False, len(exports[-1]) - len(exports[-2]))
        assert other.events() == len(exports[-1])
    assert (taken.verdict, taken.is_live) == (Verdict.CLEAN, False)
    for there, here in people:
        for path in ("/events?limit=1000", "/balances", "/hands", "/hands/1", "/hands/1/adjudication"):
            assert accepted(here.get(table.path + path)).data == accepted(there.get(table.path + path)).data
    for earlier in exports:  # The import of an older export changes nothing.
        (taken,) = import_tables(other, earlier)
        assert (taken.added, taken.events, taken.verdict) == (0, len(exports[-1]), Verdict.CLEAN)
    parts = other.parts
    assert verify(parts.engine, parts.log, CODEC).findings == ()


def test_a_table_that_is_played_here_is_not_continued_by_an_import(service: Service) -> None:
    table = Table(service, 2).seated()
    lines = exported(service.spectator, table)
    (taken,) = import_tables(service, lines)
    assert (taken.is_new, taken.added, taken.events) == (False, 0, 4)
    accepted(table.host.do(table.path, "start_game"))
    (taken,) = import_tables(service, lines)
    assert (taken.added, taken.events) == (0, table.position)


def test_a_table_that_cannot_be_imported_does_not_stop_the_others(service: Service, other: Service) -> None:
    first, second, third, fourth = (Table(service, 2).seated() for _ in range(4))
    lines = [*bare(first), *bare(second)[:2], b"chips\n", *bare(second)[3:], *bare(third)[1:], *bare(fourth)]
    done = all_imported(other, lines)
    assert [one.table for one in done] == [first.id, second.id, third.id, fourth.id]
    said = [str(one.why) if isinstance(one, FailedImport) else "" for one in done]
    assert said[0] == said[3] == ""
    assert said[1].startswith("line 7: This is not JSON")
    assert said[2] == "line 9: Position 1 must come here, not 2."
    assert {one["table"] for one in accepted(other.spectator.get("/v1/tables")).json["items"]} == {first.id, fourth.id}


def test_bare_leaves_are_imported_like_an_export(service: Service, other: Service) -> None:
    first, second = _over(service), Table(service, 2).seated()
    lines = [*bare(first), b"\n", *bare(second)]
    assert [one.table for one in import_tables(other, lines)] == [first.id, second.id]


def _without(number: int, lines: list[bytes]) -> list[bytes]:
    return [line for place, line in enumerate(lines) if place != number]


def _altered(lines: list[bytes], number: int, old: bytes, new: bytes) -> list[bytes]:
    assert old in lines[number]
    return [line.replace(old, new, 1) if place == number else line for place, line in enumerate(lines)]


def test_no_event_of_a_wrong_table_is_imported(service: Service, other: Service) -> None:
    lines = bare(_over(service))
    chips = next(place for place, line in enumerate(lines) if b'"type":"seat_taken"' in line)
    wrong = {
        "is not JSON": [b"chips\n"],
        "line 1: .*": [b'{"leaf":3,"hash":""}\n'],
        "line 2: .*": [lines[0], b"{}\n"],
        "Position 1 must come here, not 2": _without(0, lines),
        "Position 4 must come here, not 5": _without(3, lines),
        "must name": _altered(lines, chips, b',20,"chips"', b',21,"chips"'),
        "The leaf's hash is": [b'{"leaf":%b,"hash":"%b"}' % (lines[0].strip(), b"0" * 64)],
        "is no table's stream": _altered(lines, 0, b'"stream":"table/tbl_', b'"stream":"tabel/tbl_'),
        "as log/v1 prescribes": _altered(lines, 0, b'{"at"', b'{ "at"'),
    }
    for why, file in wrong.items():
        with pytest.raises(CannotImport, match=why):
            import_tables(other, file)
        assert other.events() == 0


def test_a_stream_that_the_rules_would_not_have_made_is_refused_by_its_audit(service: Service, other: Service) -> None:
    """The audit refuses a forged stream although its hash chain is intact: the forger has recomputed all hashes."""
    lines = forged(bare(_over(service)), b',20,"chips"', b',21,"chips"')
    with pytest.raises(CannotImport, match="fails its audit") as refusal:
        import_tables(other, lines)
    assert refusal.value.findings
    assert other.events() == 0


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        pytest.param(b'"sheet":"a5', b'"sheet":"b5', "fails its audit", id="another sheet"),
        pytest.param(b'"pub":{', b'"pub":{"currency":"<b>",', "can't be decoded", id="no currency"),
        pytest.param(
            b'"visibility":"public"', b'"visibility":"public","worth_minor":-7', "can't be decoded", id="worth"
        ),
        pytest.param(b'"pub":{', b'"pub":{"time_limit_seconds":-5,', "can't be decoded", id="less than no time"),
        pytest.param(b'{"at":"20', b'{"at":"99', "is in the future", id="a time to come"),
        pytest.param(b'{"at":"2026-', b'{"at":"2026-13-', "does not have the form", id="a form that is none"),
    ],
)
def test_an_opening_that_our_own_tables_could_not_have_is_refused(
    service: Service, other: Service, old: bytes, new: bytes, why: str
) -> None:
    lines = forged(bare(Table(service, 2)), old, new)
    with pytest.raises(CannotImport, match=why):
        import_tables(other, lines)
    assert other.events() == 0


def test_an_impossible_date_is_refused(service: Service, other: Service) -> None:
    first, *rest = bare(Table(service, 2))
    no_day = re.sub(rb'"at":"[0-9-]+T', b'"at":"2026-02-30T', first)
    with pytest.raises(CannotImport, match="is no point in time"):
        import_tables(other, [no_day, *rest])


def test_a_file_that_is_cut_inside_a_command_is_reported_without_an_alarm(service: Service, other: Service) -> None:
    lines = bare(_over(service))
    cut = next(place for place, line in enumerate(lines) if b'"type":"game_started"' in line) + 2
    with pytest.raises(CannotImport, match="in the middle of a command: the file is cut off") as refusal:
        import_tables(other, lines[:cut])
    assert refusal.value.findings == ()


def test_a_command_that_occurs_twice_is_named_by_its_line(service: Service, other: Service) -> None:
    lines = bare(Table(service, 2).seated())
    first, second = (re.search(rb'"cmd":"([0-9a-f]{64})"', line)[1] for line in lines if b"seat_taken" in line)  # type: ignore[index]
    with pytest.raises(CannotImport, match="line 4: This command was recorded before"):
        import_tables(other, forged(lines, second, first))


def test_a_line_with_too_deep_nesting_is_refused_as_not_json(other: Service) -> None:
    with pytest.raises(CannotImport, match="line 1: "):
        import_tables(other, [b'{"a":' * 30_000 + b"1" + b"}" * 30_000])


def test_imported_tables_do_not_count_against_the_limit_of_open_tables(
    service: Service, tmp_path: Path, database_url: str
) -> None:
    tables = [Table(service, 2).seated() for _ in range(2)]
    lines = [line for table in tables for line in exported(service.spectator, table)]
    with running(tmp_path / "few", database_url, tables_per_owner=2) as other:
        import_tables(other, lines)
        people = [other.person("host"), *(other.person("play") for _ in range(5))]
        assert tables[0].host.owner == people[0].owner
        for number in range(2):
            accepted(people[0].post("/v1/tables", {"game": "bankrupt"}, key=f"open {number}"), 201)
        refused(people[0].post("/v1/tables", {"game": "bankrupt"}), 409, "tables_must_be_fewer")


def test_a_list_shows_that_a_table_was_imported(service: Service, other: Service) -> None:
    table = Table(service, 2).seated()
    import_tables(other, exported(service.spectator, table))
    (item,) = accepted(other.spectator.get("/v1/tables")).json["items"]
    assert (item["table"], item["status"], bool(item["imported_at"])) == (table.id, "open", True)
    (item,) = accepted(service.spectator.get("/v1/tables")).json["items"]
    assert item["imported_at"] == ""


def test_a_table_with_an_open_invitation_is_imported_with_the_invitation(service: Service, other: Service) -> None:
    table = Table(service, 2).seated()
    guest = service.person("play")
    accepted(table.host.do(table.path, "invite_player", player=guest.owner))
    (taken,) = import_tables(other, exported(service.spectator, table))
    assert (taken.events, taken.verdict) == (table.position, Verdict.PENDING)  # The deck is not revealed yet.
    assert verify(other.parts.engine, other.parts.log, CODEC).findings == ()
