"""An import is written in batches: others can write between batches, and only a complete table is visible."""

# ruff: noqa: ANN401 -- statements and functions have values of any type

import itertools
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from random import Random
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, event

from service.audit.log_audit import verify
from service.audit.table_audit import audit_table
from service.audit.verdicts import Verdict
from service.audit.whole_log.whole_log_audit import verify_log
from service.audit.whole_log.whole_log_report import LogEvidence
from service.database.engines import administering
from service.database.exclusive import WorkUnderWay
from service.event_store import export_format
from service.exchange import import_batches
from service.exchange.import_batches import Logs
from service.exchange.importing import ImportedTable, Importer
from service.projections.rebuild.projection_rebuild import rebuild
from tests.databases import Databases
from tests.exchange.exported_tables import CODEC, all_imported, exported, import_tables
from tests.http.service import Person, Service, Table, accepted, refused, running
from tests.play.hearts import over, play_on


class Killed(Exception):
    """Stands for a kill of the process that imports."""


@pytest.fixture
def service(tmp_path: Path, all_databases: Databases) -> Iterator[Service]:
    with all_databases.migrated("sqlite") as url, running(tmp_path / "there", url) as made:
        yield made


@pytest.fixture
def other(tmp_path: Path, database_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    """Yield another, empty service, which imports tables in small batches."""
    monkeypatch.setattr(import_batches, "EVENTS_AT_ONCE", 15)
    monkeypatch.setattr(import_batches, "_SEALED_AT_ONCE", 7)
    with running(tmp_path / "here", database_url) as made:
        yield made


@pytest.fixture
def lines(service: Service) -> list[bytes]:
    """Return the export of a whole game of Insurance Hearts, which has sealed fields."""
    table = Table(service, 4, game="insurance_hearts", foot=True, target=1).started()
    play_on(service.parts, bytes.fromhex(table.id.removeprefix("tbl_")), Random(3), over, ())
    return exported(service.spectator, table)


def transactions(engine: Engine, of_one: Callable[[int], None]) -> None:
    """Call *of_one*, before each commit of *engine*, with the number of events that the transaction adds."""
    added = [0]

    def executed(_: Connection, __: object, statement: str, values: Any, *___: object) -> None:
        if statement.startswith("INSERT INTO events"):
            is_array = "unnest" in statement
            added[0] += len(values[0].values) if is_array else len(values) // 4

    def committed(_: Connection) -> None:
        number, added[0] = added[0], 0
        of_one(number)

    event.listen(engine, "after_cursor_execute", executed)
    event.listen(engine, "commit", committed)


def killed_at(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """Raise `Killed` at the beginning of the *number*-th transaction that writes a batch."""
    count = itertools.count(1)

    def writing(engine: Engine) -> AbstractContextManager[Connection]:
        if next(count) == number:
            raise Killed
        return administering(engine)

    monkeypatch.setattr(import_batches, "administering", writing)


def _is_not_there(other: Service, table: str) -> None:
    people: list[Person] = [other.spectator, other.person("audit")]
    for person in people:
        for path in ("", "/events", "/balances", "/hands", "/actions"):
            refused(person.get(f"/v1/tables/{table}{path}"), 404, "table_must_exist")
        assert accepted(person.get("/v1/tables")).json["items"] == []


def test_each_transaction_of_an_import_is_short(other: Service, lines: list[bytes]) -> None:
    sizes: list[int] = []
    transactions(other.parts.engine, sizes.append)
    (taken,) = import_tables(other, lines)
    assert taken.events == sum(sizes) - other.service_events()
    assert max(sizes) < 2 * 15
    assert len([size for size in sizes if size]) > 5


@pytest.mark.walk
def test_an_import_killed_at_any_commit_shows_nobody_the_table_and_its_repeat_completes_the_table(
    other: Service, lines: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_batches, "EVENTS_AT_ONCE", 40)
    monkeypatch.setattr(import_batches, "_SEALED_AT_ONCE", 30)
    parts, table = other.parts, Table(other, 2).seated()
    accepted(table.host.do(table.path, "close_table"))
    number, taken = 0, list[ImportedTable]()
    while not taken:
        number += 1
        killed_at(monkeypatch, 2 if number > 1 else 1)  # Each repeated import gets one transaction further.
        try:
            taken += [one for one in all_imported(other, lines) if isinstance(one, ImportedTable)]
        except Killed:
            listed = accepted(other.spectator.get("/v1/tables")).json["items"]
            assert [one["table"] for one in listed] == [table.id]
            report = verify(parts.engine, parts.log, CODEC)
            assert report.findings == ()
            assert report.tables[Verdict.FAILED] == 0
            assert verify_log(parts.engine, LogEvidence()).findings == (), "each transaction records its part"
            if number == 3:
                rebuild(parts.engine, parts.log, parts.clock)
    assert number > 5
    assert (taken[0].is_new, taken[0].verdict, taken[0].events, taken[0].missing) == (
        True,
        Verdict.CLEAN,
        len(lines),
        0,
    )
    path = f"/v1/tables/{taken[0].table}/events"
    *told, end = other.spectator.get(path, Accept="application/x-ndjson").data.splitlines(keepends=True)
    last = export_format.parse_end(end)
    assert told == lines
    assert last is not None
    assert last.is_whole
    assert verify(parts.engine, parts.log, CODEC).findings == ()


def test_nobody_sees_a_table_during_its_import_while_others_play(
    other: Service, lines: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """During the audit of an import, nobody sees the imported table, and a command does not wait for the audit."""
    made: list[str] = []

    def look(connection: Connection, stream_id: bytes, *more: Any) -> Any:
        _is_not_there(other, f"tbl_{stream_id.hex()}")
        table = Table(other, 2).seated()
        accepted(table.host.do(table.path, "close_table"))
        made.append(table.id)
        return audit_table(connection, stream_id, *more)

    monkeypatch.setattr("service.exchange.importing.audit_table", look)
    (taken,) = import_tables(other, lines)
    assert made
    listed = {one["table"] for one in accepted(other.spectator.get("/v1/tables")).json["items"]}
    assert listed == {taken.table, *made}


@pytest.mark.walk
def test_of_two_simultaneous_imports_the_second_reports_it_and_changes_nothing(
    other: Service, lines: list[bytes]
) -> None:
    parts = other.parts

    def reading_on() -> Iterator[bytes]:
        yield from lines[:-1]
        with pytest.raises(WorkUnderWay, match="Another import is running"):
            all_imported(other, lines)
        assert other.events() == 0
        yield lines[-1]

    (taken,) = Importer(parts.engine, Logs(parts.log, parts.service_log), CODEC, parts.clock).import_tables(
        reading_on()
    )
    assert isinstance(taken, ImportedTable)
    assert taken.events == len(lines)
