"""Snapshots never change a response: a table from a snapshot equals the table folded from all its events."""

import random
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from functools import cache
from itertools import count, pairwise
from pathlib import Path
from threading import Event as ThreadEvent
from typing import Any

import msgspec
import pytest
from sqlalchemy import Engine, text

from service.audit.database_report import Report
from service.audit.judging.adjudicate import HandJudgement, adjudicate_hand
from service.audit.judging.audit_known import no_fields
from service.audit.judging.stored_hand import adjudicate_stored_hand
from service.audit.log_audit import verify
from service.audit.verdicts import Verdict
from service.bench import cold_folding, streams
from service.database.engines import administering, reading
from service.database.sql import Sql
from service.entropy import Entropy
from service.event_store.codec import Codec, RecordedEvent
from service.event_store.quarantine import StreamCorrupted
from service.event_store.store import Log
from service.event_store.stream_reader import ALL
from service.games import CURRENT, EVENTS
from service.projections.flow_totals import flow_totals
from service.projections.projection_tables import hands
from service.projections.projector import hand_rows
from service.projections.rebuild.projection_rebuild import rebuild
from service.secrets.encryption import Sealer
from service.secrets.keyring import derive
from service.tables import missing_snapshots, snapshots
from service.tables.cache import TableCache
from service.tables.fold import TableAt, begin, fold, fold_stream
from service.tables.missing_snapshots import SnapshotFiller
from service.tables.replay import commands
from tests.damage import ALTER, alter, flipped
from tests.play.tables import SERVICE_KEY, House, Table, play_on

CODEC = Codec(EVENTS)


@cache
def played(game: str) -> streams.Stream:
    return streams.played(1, 200, game)


@pytest.fixture(autouse=True)
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshots, "SNAPSHOT_INTERVAL", 50)


@pytest.mark.parametrize("game", CURRENT)
def test_a_snapshot_is_read_unchanged_at_every_position(game: str) -> None:
    stream = played(game)
    table_at = begin(stream.stream_id, stream.recorded[0])
    for recorded in stream.recorded:
        table_at = fold(table_at, [recorded])
        again = snapshots.read(stream.stream_id, table_at.head, snapshots.written(table_at))
        assert again == table_at
        assert list(again.state.balances) == list(table_at.state.balances)
        assert list(again.sealed) == list(table_at.sealed)


def test_a_snapshot_does_not_write_decks_with_other_names() -> None:
    stream = played("bankrupt")
    table_at = fold_stream(stream.stream_id, stream.recorded)
    assert table_at is not None
    assert snapshots.written(msgspec.structs.replace(table_at, opened={"another/1": 3})) == b""


def test_the_name_of_a_release_has_sixteen_bytes() -> None:
    assert len(snapshots.release()) == 16


UPGRADED = """
import pathlib
import service.app
import service.games.game as folding
from service.tables import snapshots

assert pathlib.Path(folding.__file__).is_relative_to(pathlib.Path.cwd()), "this is not the copy"
with open(folding.__file__, "a") as file:
    file.write("# another release")
print(snapshots.release().hex())
"""


def test_a_process_keeps_the_name_of_the_release_that_it_was_started_from(tmp_path: Path) -> None:
    """The name stays, even if an upgrade replaces the files of the process before the process writes a snapshot."""
    package = Path(snapshots.__file__).parents[1]
    shutil.copytree(package, tmp_path / "service", ignore=shutil.ignore_patterns("__pycache__"))

    def started() -> str:
        ran = subprocess.run([sys.executable, "-c", UPGRADED], cwd=tmp_path, capture_output=True, text=True, check=True)
        return ran.stdout.strip()

    assert started() == snapshots.release().hex()
    assert started() != snapshots.release().hex(), "a process that starts after the upgrade has another release"


@pytest.fixture
def house(engine: Engine) -> House:
    return House(engine)


@pytest.fixture
def table(house: House) -> Table:
    """Return a table with enough moves for several snapshots."""
    table = Table(house).started(buy_in=2_000)
    play_on(table, random.Random(1), 150)
    return table


def positions(engine: Engine) -> list[int]:
    with reading(engine) as connection:
        return list(connection.scalars(text("SELECT position FROM snapshots ORDER BY position")))


def change(engine: Engine, statement: str) -> None:
    with administering(engine) as connection:
        connection.execute(text(statement))


def read_by_a_new_process(house: House, table: Table, at: int = 0) -> tuple[TableAt | None, int]:
    """Read the table at position *at* (0: the head) with an empty cache; return it, and how many events were read."""
    decoded: list[int] = []

    class Counting(Codec):
        def decode(self, data: bytes) -> RecordedEvent:
            found = super().decode(data)
            decoded.append(found.position)
            return found

    log = Log(Counting(EVENTS), Sealer(SERVICE_KEY), Entropy())
    with reading(house.engine) as connection:
        found = TableCache(log).current(connection, table.stream_id)
        if at and found:
            decoded.clear()
            found = TableCache(log).at_position(connection, found, at)
    return found, len(set(decoded))


def folded(house: House, table: Table, upto: int = ALL) -> TableAt | None:
    """Return the table folded from its events, without a snapshot."""
    with reading(house.engine) as connection:
        return fold_stream(table.stream_id, house.log.reader.read(connection, table.stream_id, limit=upto))


def test_commands_leave_snapshots_behind_and_a_new_process_begins_at_the_last(house: House, table: Table) -> None:
    stored = positions(house.engine)
    assert len(stored) > 4
    crossed = [position // snapshots.SNAPSHOT_INTERVAL for position in stored]
    assert all(later > earlier for earlier, later in pairwise([0, *crossed]))
    now, read = read_by_a_new_process(house, table)
    assert now == folded(house, table)
    assert read == table.table_at.position - stored[-1] + 1  # + 1: the event at the snapshot's position


def test_a_past_table_is_folded_from_the_snapshot_before_it(house: House, table: Table) -> None:
    stored = positions(house.engine)
    for at in (
        1,
        stored[0] - 1,
        stored[0],
        stored[0] + 1,
        stored[2] + 7,
        stored[-1],
    ):
        then, read = read_by_a_new_process(house, table, at)
        assert then == folded(house, table, at)
        assert read <= at - max([0, *(position for position in stored if position <= at)]) + 2


def test_past_balances_are_those_of_the_transfers_and_are_read_from_few_events(house: House, table: Table) -> None:
    stored, table_at, read = positions(house.engine), table.table_at, list[int]()
    house.log.reader.read = counted_events(house.log, read)  # type: ignore[method-assign]
    for at in (1, stored[0] - 1, stored[0], stored[2] + 7, table_at.position):
        with reading(house.engine) as connection:
            read.clear()
            found = house.tables.balances_at(connection, table_at, at)
            assert sum(read) <= at - max([0, *(position for position in stored if position <= at)]) + 2
            moved = flow_totals(connection, table.stream_id, 1, at)
        balances = Counter[str]()
        for flow in moved:
            balances[flow.source] -= flow.amount
            balances[flow.target] += flow.amount
        assert found == balances


@pytest.mark.walk
def test_a_new_process_plays_on_from_a_snapshot(house: House, table: Table) -> None:
    again = Table(House(house.engine))
    again._keys = count(10_000)
    play_on(again, random.Random(2), 20)
    assert again.table_at == folded(house, table)
    assert audited(house).tables[Verdict.CLEAN] + audited(house).tables[Verdict.PENDING] == 1


DAMAGE = {
    "altered": "UPDATE snapshots SET ciphertext = {zeros}",
    "of another leaf": "UPDATE snapshots SET head_hash = {hash}",
    "of another place": "UPDATE snapshots SET position = position - 1",
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_snapshot_changes_no_answer_and_verify_finds_it(house: House, table: Table, damage: str) -> None:
    blob = "'\\x{}'::bytea" if house.engine.dialect.name == "postgresql" else "X'{}'"
    change(house.engine, damage.format(zeros=blob.format("00" * 900), hash=blob.format("11" * 32)))
    now, _ = read_by_a_new_process(house, table)
    assert now == folded(house, table)
    report = audited(house)
    assert {finding.check for finding in report.findings} == {"snapshots_must_equal_a_rebuild"}
    assert len(report.findings) == len(positions(house.engine))
    rebuild(house.engine, house.log, Entropy())
    assert positions(house.engine) == []
    assert not audited(house).findings


def test_a_wrong_snapshot_under_our_key_is_found_by_verify(house: House, table: Table) -> None:
    wrong = msgspec.structs.replace(table.table_at, hand_first=3)
    with administering(house.engine) as connection:
        snapshots.put(connection, house.log, wrong)
    (finding,) = audited(house).findings
    assert (finding.check, finding.position) == ("snapshots_must_equal_a_rebuild", wrong.position)


def test_a_changed_log_is_not_read_on_from_a_snapshot(house: House, table: Table) -> None:
    last = positions(house.engine)[-1]
    with reading(house.engine) as connection:
        assert snapshots.newest(connection, house.log, table.stream_id, ALL) is not None
        house.log.reader.read = lambda *_args, **_more: ()  # type: ignore[method-assign]
        assert snapshots.newest(connection, house.log, table.stream_id, last) is None


def test_snapshots_of_another_release_or_key_are_passed_over(
    house: House, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = House(house.engine)
    other.log = Log(CODEC, Sealer(derive("1" * 32, bytes(32))), Entropy())
    with reading(house.engine) as connection:
        assert TableCache(other.log).from_snapshot(connection, table.stream_id) is None
        monkeypatch.setattr(snapshots, "release", lambda: bytes(16))
        assert house.tables.from_snapshot(connection, table.stream_id) is None
    now, read = read_by_a_new_process(house, table)
    assert now == folded(house, table)
    assert read == table.table_at.position


def test_a_command_is_answered_though_no_snapshot_can_be_written(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshots, "_PUT", Sql("INSERT INTO nowhere VALUES (:stream_id)"))
    table = Table(house).started(buy_in=2_000)
    play_on(table, random.Random(1), 40)
    assert table.table_at.position > snapshots.SNAPSHOT_INTERVAL
    assert positions(house.engine) == []
    monkeypatch.undo()
    monkeypatch.setattr(snapshots, "SNAPSHOT_INTERVAL", 50)
    play_on(table, random.Random(1), 60)
    assert positions(house.engine)


@pytest.mark.parametrize("game", CURRENT)
def test_a_hand_is_judged_from_a_snapshot_as_from_the_first_event(engine: Engine, game: str) -> None:
    house, stream = House(engine), streams.played(1, 1_000, game)
    table_at = fold_stream(stream.stream_id, stream.recorded)
    assert table_at is not None
    cold_folding.put(engine, house.log, stream)
    snapshot_all(house, stream)
    read: list[int] = []
    house.log.reader.read = counted_events(house.log, read)  # type: ignore[method-assign]
    fields = lambda recorded: stream.values[recorded.position]  # noqa: E731  # It is passed as a keyword argument.
    with reading(engine) as connection:
        for hand in sorted({1, *range(2, stream.hands, 5), stream.hands, table_at.state.hand}):
            whole = adjudicate_hand(stream.stream_id, stream.recorded, hand, fields=fields)
            assert adjudicate_stored_hand(connection, house.log, house.tables, table_at, hand, fields) == whole
        with pytest.raises(LookupError):
            adjudicate_stored_hand(connection, house.log, house.tables, table_at, table_at.state.hand + 1, fields)
    assert sum(count < len(stream.recorded) // 2 for count in read) > len(read) // 2


def filler(house: House) -> SnapshotFiller:
    return SnapshotFiller(house.engine, house.log, house.tables.missing_snapshots)


def test_a_process_that_reads_a_table_without_snapshots_writes_all_that_are_missing(
    house: House, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_commands = positions(house.engine)
    change(house.engine, f"DELETE FROM snapshots WHERE position IN ({by_commands[1]}, {by_commands[3]})")  # noqa: S608 -- the numbers are ours
    read: list[int] = []
    house.log.reader.read = counted_events(house.log, read)  # type: ignore[method-assign]
    assert filler(house).fill(table.stream_id) == 2
    assert max(read) <= table.table_at.position - by_commands[0], "the first snapshot is used"
    assert positions(house.engine) == by_commands
    rebuild(house.engine, house.log, Entropy())
    assert positions(house.engine) == []
    monkeypatch.setattr(missing_snapshots, "_PAGE", 7)
    new = Table(House(house.engine))
    assert new.table_at == table.table_at
    assert filler(new.house).fill_noted() == len(by_commands)
    assert positions(house.engine) == by_commands
    assert audited(house).findings == (), "they equal the snapshots that commands write"
    assert filler(new.house).fill(table.stream_id) == 0


def test_of_the_missing_snapshots_only_those_that_were_stored_are_counted(
    house: House, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_commands = positions(house.engine)
    change(house.engine, "DELETE FROM snapshots")
    written = snapshots.written
    monkeypatch.setattr(
        snapshots, "written", lambda at: b"" if at.position in by_commands[1:3] else written(at)
    )  # b"": this snapshot is not stored
    assert filler(house).fill(table.stream_id) == len(by_commands) - 2
    assert positions(house.engine) == [by_commands[0], *by_commands[3:]]


def test_a_read_of_the_past_and_a_judgement_note_the_missing_snapshots(house: House, table: Table) -> None:
    stored, hand = positions(house.engine), table.state.hand - 1
    change(house.engine, "DELETE FROM snapshots")
    noted = house.tables.missing_snapshots
    assert table.table_at.position
    assert noted.take() is None, "commands left snapshots"

    def judge() -> HandJudgement:
        with reading(house.engine) as connection:
            return adjudicate_stored_hand(connection, house.log, house.tables, table.table_at, hand, no_fields)

    with reading(house.engine) as connection:
        house.tables.at_position(connection, table.table_at, stored[-2])
    assert noted.take() == table.stream_id
    slow = judge()
    assert noted.take() == table.stream_id
    assert filler(house).fill(table.stream_id) == len(stored)
    assert judge() == slow
    assert noted.take() is None


def test_a_table_whose_import_is_unfinished_is_not_read_from_a_snapshot(house: House, table: Table) -> None:
    upto, imported = table.table_at.position, "UPDATE streams SET imported_at = :at WHERE stream_id = :stream_id"
    alter(house.engine, imported, at="2026-01-01T00:00:00.000Z", stream_id=table.stream_id)
    found, read = read_by_a_new_process(house, table)
    assert found is not None
    assert (found.imported_at, found.position, read < upto) == ("2026-01-01T00:00:00.000Z", upto, True)
    alter(house.engine, "INSERT INTO unfinished_imports (stream_id) VALUES (:stream_id)", stream_id=table.stream_id)
    assert read_by_a_new_process(house, table)[0] is None


def test_no_snapshot_is_written_after_damage_and_verify_still_finds_the_damage(house: House, table: Table) -> None:
    rebuild(house.engine, house.log, Entropy())
    damaged = table.table_at.position // 2
    where = {"stream_id": table.stream_id, "position": damaged}
    with reading(house.engine) as connection:
        leaf = connection.execute(
            text("SELECT leaf FROM events WHERE stream_id = :stream_id AND position = :position"), where
        )
        altered = flipped(bytes(leaf.scalar_one()))
    alter(house.engine, ALTER, leaf=altered, **where)
    new = House(house.engine)
    new.tables.missing_snapshots.note_read(table.stream_id, 0, table.table_at.position)
    assert filler(new).fill_noted() == 0
    with pytest.raises(StreamCorrupted):
        filler(new).fill(table.stream_id)
    assert all(position < damaged for position in positions(house.engine))
    assert (damaged, "next_leaf_must_name_this_one") in {(one.position, one.check) for one in audited(house).findings}


def test_a_thread_writes_the_snapshots_although_another_table_fails(house: House, table: Table) -> None:
    by_commands, tables, filled = positions(house.engine), filler(house), ThreadEvent()
    change(house.engine, "DELETE FROM snapshots")
    fill_noted = tables.fill_noted

    def fill() -> int:
        if written := fill_noted():
            filled.set()
        return written

    tables.fill_noted = fill  # type: ignore[method-assign]
    for stream_id in (bytes(16), table.stream_id):
        house.tables.missing_snapshots.note_read(stream_id, 0, table.table_at.position)
    end = tables.start(every_seconds=0.001)
    assert filled.wait(timeout=60)
    end()
    assert positions(house.engine) == by_commands


def test_the_judgement_of_an_early_hand_reads_as_many_events_however_long_the_table_is(
    house: House, table: Table
) -> None:
    read: list[int] = []
    house.log.reader.read = counted_events(house.log, read)  # type: ignore[method-assign]

    def judge() -> tuple[HandJudgement, int]:
        read.clear()
        with reading(house.engine) as connection:
            judged = adjudicate_stored_hand(connection, house.log, house.tables, table.table_at, 1, no_fields)
        return judged, max(read)

    before = judge()
    assert before[1] < table.table_at.position
    play_on(table, random.Random(3), 20)
    assert judge() == before


def snapshot_all(house: House, stream: streams.Stream) -> None:
    """Store snapshots and rows of hands for *stream*, as if `SNAPSHOT_INTERVAL` had been 50 during the game."""
    with administering(house.engine) as connection:
        for steps in commands(stream.stream_id, stream.recorded):
            after = steps[-1].after
            if after.position // 50 > steps[0].recorded.position // 50:
                snapshots.put(connection, house.log, after)
            for number, first, last in hand_rows(steps):
                connection.execute(
                    hands.insert().values(stream_id=stream.stream_id, hand=number, first=first, last=last)
                )


def counted_events(log: Log, counts: list[int]) -> Callable[..., tuple[RecordedEvent, ...]]:
    """Return a function that reads as *log* does, and appends the number of read events to *counts*."""
    read = log.reader.read

    def counted(*args: Any, **more: Any) -> tuple[RecordedEvent, ...]:  # noqa: ANN401 -- the arguments are only passed on
        found = read(*args, **more)
        counts.append(len(found))
        return found

    return counted


def audited(house: House) -> Report:
    return verify(house.engine, house.log, CODEC)
