"""Disputes are exported after their table; a service that imports disputes audits them first, and decides no step."""

import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import msgspec
import pytest
from msgspec.structs import replace
from sqlalchemy import select

from service.database.engines import administering, reading
from service.disputes import dispute_commands
from service.disputes.disputes_table import oldest, rows_of
from service.event_store import export_format, leaf
from service.event_store.entries import UncommittedEvent
from service.event_store.log_tables import sealed, streams
from service.exchange.exporting import begin, write_export
from service.exchange.import_batches import Logs
from service.exchange.importing import FailedImport, ImportedTable, Importer
from service.exchange.importing_disputes import ImportedDisputes
from service.games.game import PLAYER
from service.play.dispute_desk import DisputeRefused
from tests.cli.commands import Instance
from tests.contract.service_logs import as_owner
from tests.damage import alter
from tests.databases import Databases
from tests.disputes.disputed import CODEC, Copy, Known
from tests.http.service import Service, refused, running

Outcome = ImportedTable | ImportedDisputes | FailedImport


def exported(copy: Copy, lines: export_format.Lines, stream_id: bytes | None = None) -> list[bytes]:
    output, parts = io.BytesIO(), copy.service.parts
    end = write_export(output, parts.engine, parts.log, begin(lines, "log"), stream_id=stream_id)
    assert end.is_whole
    return output.getvalue().splitlines(keepends=True)


def imported(service: Service, lines: list[bytes]) -> list[Outcome]:
    parts = service.parts
    importer = Importer(parts.engine, Logs(parts.log, parts.service_log), CODEC, parts.clock)
    return list(importer.import_tables(lines))


@pytest.fixture
def other(all_databases: Databases, tmp_path: Path) -> Iterator[Service]:
    """Yield another service."""
    with all_databases.migrated("sqlite") as url, running(tmp_path / "other", url) as service:
        yield service


def of_disputes(lines: list[bytes]) -> list[bytes]:
    return [line for line in lines if b'"stream":"dispute/' in line and b'"end":' not in line]


def test_disputes_come_right_after_their_table(original: Copy) -> None:
    first, *lines, last = exported(original, "leaves")
    assert lines == exported(original, "leaves", original.stream)[1:-1]
    recorded = original.stored().recorded
    assert [line.rstrip() for line in lines[-len(recorded) :]] == [one.leaf for one in recorded]
    end = export_format.parse_end(last)
    assert end
    assert export_format.parse_begin(first)
    assert [one.stream.partition("/")[0] for one in end.heads] == ["table", "dispute"]
    assert (end.streams, end.leaves) == (2, len(lines))
    assert original.instance.run("export", "--table", original.known.table).out.encode().count(b'"dispute_opened"') == 4


def test_an_export_without_disputes_has_the_bytes_of_the_table_alone(copy: Copy) -> None:
    with_disputes = exported(copy, "leaves")
    engine = copy.service.parts.engine
    for table in ("sealed", "events", "streams"):
        as_owner(engine, f"DELETE FROM {table} WHERE stream_id = :stream", stream=copy.disputes)  # noqa: S608 -- ours
    alone = exported(copy, "leaves")
    assert alone[:-1] == with_disputes[: len(alone) - 1]
    end = export_format.parse_end(alone[-1])
    assert end
    assert [one.stream for one in end.heads] == [f"table/{copy.known.table}"]


def test_an_export_with_openings_has_only_the_reasons_of_the_texts(original: Copy) -> None:
    lines = of_disputes(exported(original, "openings"))
    told = [field for line in lines for field in msgspec.json.decode(line)["fields"]]
    decided = [one.position for one in original.stored().recorded if one.type == "dispute_decided"]
    assert [(one["field"], one["position"]) for one in told] == [("reason", position) for position in decided]


def test_a_lost_reason_breaks_the_export_at_its_dispute(copy: Copy) -> None:
    position = copy.position("dispute_decided")
    lose = "DELETE FROM sealed WHERE stream_id = :stream_id AND position = :position"
    alter(copy.service.parts.engine, lose, stream_id=copy.disputes, position=position)
    output, parts = io.BytesIO(), copy.service.parts
    end = write_export(output, parts.engine, parts.log, begin("openings", "log"))
    assert [(one.stream, one.position) for one in end.broken] == [(f"dispute/{copy.place}", position)]
    assert len(of_disputes(output.getvalue().splitlines())) == position - 1


def test_imported_disputes_are_shown_and_can_be_audited_but_not_continued(original: Copy, other: Service) -> None:
    table, disputes = imported(other, exported(original, "openings"))
    events = len(original.stored().recorded)
    assert isinstance(table, ImportedTable)
    assert disputes == ImportedDisputes(table=original.known.table, stream=original.place, events=events, added=events)
    there = Copy(original.instance, other, original.known)
    assert there.stored().state == original.stored().state
    with reading(other.parts.engine) as connection, reading(original.service.parts.engine) as ours:
        assert rows_of(connection, there.stream) == rows_of(ours, original.stream)
        assert oldest(ours, None, 9)
        assert oldest(connection, None, 9) == (), "Nobody can decide them there."
        assert oldest(connection, None, 9, is_closed=True)
        texts = connection.execute(select(sealed.c.field).where(sealed.c.stream_id == there.disputes)).scalars().all()
    assert set(texts) == {"reason"}
    proof = other.person("audit").get(f"/v1/tables/{original.known.table}/disputes/events/1/proof")
    assert "the log of the service that recorded" in refused(proof, 404, "proof_must_exist")["detail"]
    report = there.verified()
    assert (report.findings, report.dispute_events, report.has_failed) == ((), len(there.stored().recorded), False)
    command = dispute_commands.AnswerDispute(statement="No.")
    with pytest.raises(DisputeRefused, match="table_must_be_played_here"):
        there.do(original.known.players[1], PLAYER, command, 1)


def test_a_second_import_adds_only_what_is_new(copy: Copy, other: Service) -> None:
    before = exported(copy, "leaves")
    assert all(not isinstance(one, FailedImport) for one in imported(other, before))
    again = imported(other, before)[1]
    assert isinstance(again, ImportedDisputes)
    assert again.added == 0
    copy.do(copy.known.players[1], PLAYER, dispute_commands.WithdrawDispute(), 1)
    more = imported(other, exported(copy, "openings"))[1]
    assert isinstance(more, ImportedDisputes)
    assert (more.added, more.events) == (1, len(copy.stored().recorded))
    there = Copy(copy.instance, other, copy.known)
    assert there.stored().state == copy.stored().state
    assert there.found() == []


def imported_instance(original: Copy, other: Service, folder: Path) -> Instance:
    """Import the table and its disputes into *other*; return an instance for commands on *other*."""
    imported(other, exported(original, "openings"))
    return Instance(str(other.parts.engine.url), folder / "other")


def test_a_text_of_imported_disputes_is_erased_on_record_of_the_services_own_stream(
    original: Copy, other: Service, tmp_path: Path
) -> None:
    instance = imported_instance(original, other, tmp_path)
    there = Copy(original.instance, other, original.known)
    position = original.position("dispute_decided")
    said = instance.run("erase", original.place, str(position), "reason")
    assert (said.code, "erased" in said.out) == (0, True)
    assert "was erased before" in instance.run("erase", original.place, str(position), "reason").out
    assert there.found() == []
    assert instance.run("verify").code == 0
    imported(other, exported(original, "openings"))
    with reading(other.parts.engine) as connection:
        left = connection.execute(select(sealed.c.position).where(sealed.c.stream_id == there.disputes)).scalars().all()
    assert position not in left


def test_a_dry_run_names_an_altered_text_of_imported_disputes_and_goes_on(
    original: Copy, other: Service, tmp_path: Path
) -> None:
    instance = imported_instance(original, other, tmp_path)
    there = Copy(original.instance, other, original.known)
    position = original.position("dispute_decided")
    spoil = "UPDATE sealed SET ciphertext = :bytes WHERE stream_id = :stream_id AND position = :position"
    alter(other.parts.engine, spoil, stream_id=there.disputes, position=position, bytes=bytes(16))
    said = instance.run("erase", "--owner", original.known.auditor, "--dry-run", "--json")
    outcomes = {one["position"]: one["why_not"] for one in msgspec.json.decode(said.out)}
    assert outcomes.pop(position) == f"The sealed text at position {position} was altered."
    assert set(outcomes.values()) == {""}


def test_disputes_that_are_damaged_after_the_lines_of_a_file_get_no_text_from_the_file(
    original: Copy, other: Service
) -> None:
    lines = exported(original, "openings")
    imported(other, lines)
    there, parts = Copy(original.instance, other, original.known), other.parts
    stored, position = there.stored(), original.position("dispute_decided")
    event = replace(stored.recorded[-1].event, dispute=9)
    forged = parts.desk.log.entry(there.disputes, stored.head, [UncommittedEvent(event, "service", f"{9:032x}")])
    with administering(parts.engine) as connection:
        parts.log.append_imported(connection, there.disputes, forged.recorded)
    lose = "DELETE FROM sealed WHERE stream_id = :stream_id AND position = :position"
    alter(parts.engine, lose, stream_id=there.disputes, position=position)
    failed = imported(other, lines)[1]
    assert isinstance(failed, FailedImport)
    assert f"is here already, and damaged at position {len(stored.recorded) + 1}." in str(failed.why)
    with reading(parts.engine) as connection:
        left = connection.execute(select(sealed.c.position).where(sealed.c.stream_id == there.disputes)).scalars().all()
    assert position not in left


def chained(lines: list[bytes]) -> list[bytes]:
    """Return the leaves *lines*, each with the hash of the leaf before it."""
    made: list[bytes] = []
    for line in lines:
        found = msgspec.json.decode(line)
        found["prev"] = leaf.leaf_hash(made[-1]).hex() if made else leaf.NO_HASH
        made.append(msgspec.json.encode(found))
    return made


Forge: TypeAlias = Callable[[list[bytes]], list[bytes]] | None
REFUSED: dict[str, tuple[Forge, str]] = {
    "a gap": (lambda lines: [*lines[:2], *lines[3:]], "Position 3 must come here"),
    "another chain": (lambda lines: [lines[0], lines[2].replace(b'"position":3', b'"position":2')], "must name"),
    "not from the first": (lambda lines: lines[1:], "The first event of"),
    "an auditor who plays": (None, "fails its audit"),
    "an erasure about no dispute": (None, "fails its audit"),
    "a foreign stream": (None, "is not the stream of the disputes of"),
    "another table": (None, "is not the stream of the disputes of"),
}


def test_forged_disputes_are_not_imported_but_their_table_is(original: Copy, other: Service) -> None:
    _, *lines, _ = exported(original, "leaves")
    disputes = of_disputes(lines)
    (table,) = imported(other, lines[: -len(disputes)])
    assert isinstance(table, ImportedTable)
    for name, (forge, why) in REFUSED.items():
        (failed,) = imported(other, forge(disputes) if forge else chained(altered(original, disputes, name)))
        assert isinstance(failed, FailedImport), name
        assert why in str(failed.why), name
    with reading(other.parts.engine) as connection:
        assert connection.execute(select(streams.c.stream_id).where(streams.c.stream_id > b"\xff" * 6)).all() == []
        assert rows_of(connection, original.stream) == ()


def altered(copy: Copy, lines: list[bytes], name: str) -> list[bytes]:
    known: Known = copy.known
    if name == "an auditor who plays":
        return [line.replace(known.auditor.encode(), known.players[1].encode()) for line in lines]
    if name == "an erasure about no dispute":
        return [
            line.replace(b'"dispute":4', b'"dispute":9') if b'"type":"dispute_value_' in line else line
            for line in lines
        ]
    if name == "another table":
        return [line.replace(known.table.encode(), b"tbl_" + b"12" * 16) for line in lines]
    return [line.replace(copy.place.encode(), copy.place[:-2].encode() + b"00") for line in lines]


def test_disputes_are_not_imported_without_their_table_or_into_the_service_that_plays_it(
    copy: Copy, twin: Copy, other: Service
) -> None:
    disputes = of_disputes(exported(copy, "leaves"))
    (failed,) = imported(other, disputes)
    assert isinstance(failed, FailedImport)
    assert (failed.table, "is not here" in str(failed.why)) == (copy.place, True)
    (same,) = imported(copy.service, disputes)
    assert isinstance(same, ImportedDisputes)
    assert same.added == 0
    copy.do(copy.known.players[1], PLAYER, dispute_commands.WithdrawDispute(), 1)
    longer = of_disputes(exported(copy, "leaves"))
    (refused,) = imported(twin.service, longer)
    assert isinstance(refused, FailedImport)
    assert "is played here" in str(refused.why)
    (behind,) = imported(copy.service, disputes)
    assert isinstance(behind, ImportedDisputes)
    assert (behind.added, len(copy.stored().recorded)) == (0, len(longer))
