"""A rebuild writes the same projections as commands do, even while commands run; a killed rebuild changes nothing."""

import multiprocessing
import os
import random
import secrets
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from multiprocessing.sharedctypes import Synchronized
from threading import Event as Flag, Thread
from typing import Any, Final

import pytest
from sqlalchemy import Engine, event, inspect, select, text
from sqlalchemy.engine.interfaces import ReflectedIndex

from service.audit.log_audit import verify
from service.bench import filling
from service.database.engines import administering, make_engine, migrating, reading
from service.database.exclusive import WorkUnderWay
from service.database.schema_check import grant_service_role
from service.entropy import Entropy
from service.event_store.quarantine import StreamCorrupted
from service.games.common_commands import StartGame
from service.projections.projection_tables import hands, seats, tables, transfers
from service.projections.rebuild import behind_streams, projection_rebuild
from service.projections.rebuild.projection_rebuild import NoQuietMoment, RebuildOvertaken, rebuild
from service.projections.rebuild.shadow_build import IN_WRITE_ORDER, shadow_build
from service.tables.replay import CannotReplay
from tests import databases
from tests.audit.forging import CODEC, Forger, SeededEntropy
from tests.damage import ALTER, DROP, alter, flipped
from tests.play.tables import HOST, House, Table, play_on

PROJECTIONS: Final = (transfers, hands, seats, tables)
_CHILDREN: Final = multiprocessing.get_context("forkserver")
_CHILDREN.set_forkserver_preload([__name__])

Rows = dict[str, list[tuple[Any, ...]]]


def rows(engine: Engine) -> Rows:
    """Return every row of every projection."""
    with reading(engine) as connection:
        return {
            table.name: [tuple(row) for row in connection.execute(select(table).order_by(*table.primary_key))]
            for table in PROJECTIONS
        }


def shape(engine: Engine) -> dict[str, object]:
    """Return the schema of the projections: columns, keys, indexes and constraints, with all names."""
    with reading(engine) as connection:
        described = inspect(connection)
        return {
            name: (
                [(column["name"], str(column["type"]), column["nullable"]) for column in described.get_columns(name)],
                described.get_pk_constraint(name),
                sorted(str({**one, "dialect_options": texts(one)}) for one in described.get_indexes(name)),
                sorted((str(one["name"]), one["sqltext"]) for one in described.get_check_constraints(name)),
            )
            for name in IN_WRITE_ORDER
        } | {"tables": sorted(described.get_table_names()), "schemas": sorted(described.get_schema_names())}


def texts(index: ReflectedIndex) -> dict[str, str]:
    """Return the options of *index* as texts."""
    return {name: str(value) for name, value in index.get("dialect_options", {}).items()}


def spoil(engine: Engine) -> None:
    """Make the rows of every projection wrong."""
    with administering(engine) as connection:
        connection.execute(text("DELETE FROM hands"))
        connection.execute(text("DELETE FROM seats"))
        connection.execute(text("UPDATE tables SET status = 'open'"))
        connection.execute(text("UPDATE transfers SET amount = amount + 1"))
        connection.execute(text("DELETE FROM transfers WHERE position > 50"))


@contextmanager
def counted(engine: Engine) -> Iterator[list[str]]:
    """Collect the statements that *engine* executes during the block."""
    executed: list[str] = []

    def collect(*arguments: Any) -> None:  # noqa: ANN401 -- the arguments of SQLAlchemy's event
        executed.append(arguments[2])

    event.listen(engine, "before_cursor_execute", collect)
    try:
        yield executed
    finally:
        event.remove(engine, "before_cursor_execute", collect)


@pytest.fixture
def house(engine: Engine) -> House:
    """Return a service with two tables: one is finished, the other is in the middle of a hand."""
    return Forger(engine).house


def test_a_rebuild_equals_the_rows_that_commands_wrote(house: House) -> None:
    live = rows(house.engine)
    rebuilt = rebuild(house.engine, house.log, Entropy())
    assert rows(house.engine) == live
    assert (rebuilt.streams, rebuilt.events) == (2, verify(house.engine, house.log, CODEC).events)


def test_wrong_rows_are_right_after_a_rebuild(house: House) -> None:
    live = rows(house.engine)
    spoil(house.engine)
    assert verify(house.engine, house.log, CODEC).has_failed
    rebuild(house.engine, house.log, Entropy())
    assert rows(house.engine) == live
    assert verify(house.engine, house.log, CODEC).findings == ()


def test_a_rebuild_keeps_every_name_and_leaves_nothing_else_behind(house: House) -> None:
    before = shape(house.engine)
    for _ in range(2):
        rebuild(house.engine, house.log, Entropy())
        assert shape(house.engine) == before


def test_a_stream_longer_than_a_page_and_more_rows_than_a_batch_are_rebuilt(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    live = rows(house.engine)
    monkeypatch.setattr(behind_streams, "_STREAMS", 1)
    monkeypatch.setattr(behind_streams, "_PAGE", 7)
    monkeypatch.setattr(projection_rebuild, "_MOST_ROWS", 5)
    monkeypatch.setattr(projection_rebuild, "_MOST_CACHED", 0)
    spoil(house.engine)
    rebuild(house.engine, house.log, Entropy())
    assert rows(house.engine) == live


def test_many_short_tables_are_rebuilt_with_as_many_statements_as_a_few(engine: Engine) -> None:
    log, statements = House(engine).log, list[int]()
    filling.fill_tables(engine, 5, 2)
    for added in (0, 15):
        filling.fill_tables(engine, added, 2, first=5)
        with counted(engine) as executed:
            rebuilt = rebuild(engine, log, Entropy())
        assert rebuilt.streams == 5 + added
        statements.append(len(executed))
    assert statements[0] == statements[1]


@pytest.mark.parametrize(("position", "statement"), [(1, ALTER), (4, ALTER), (4, DROP), (11, DROP), (11, ALTER)])
def test_damage_of_one_short_stream_among_others_ends_the_rebuild(
    engine: Engine, position: int, statement: str
) -> None:
    house = House(engine)
    tables = [Table(house, number).started(2) for number in range(1, 6)]
    last = tables[2].table_at.position
    where = {"stream_id": tables[2].stream_id, "position": min(position, last)}
    with reading(engine) as connection:
        was = connection.execute(
            text("SELECT leaf FROM events WHERE stream_id = :stream_id AND position = :position"), where
        )
        leaf = flipped(bytes(was.scalar_one()))
    alter(engine, statement, **where, **({"leaf": leaf} if statement == ALTER else {}))
    before = rows(engine)
    with pytest.raises(StreamCorrupted, match=tables[2].stream_id.hex()):
        rebuild(engine, house.log, Entropy())
    assert rows(engine) == before


def test_short_streams_that_grew_and_streams_that_did_not_are_read_together(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    filling.fill_tables(house.engine, 20, 2)
    # The rows of seats of the copied tables do not follow from the events, so this rebuild replaces the rows.
    rebuild(house.engine, house.log, Entropy())
    monkeypatch.setattr(behind_streams, "_PAGE", 50)  # some streams share a page, and longer streams are read alone
    monkeypatch.setattr(behind_streams, "_MOST_READ", 200)
    monkeypatch.setattr(projection_rebuild, "_MOST_CACHED", 3)
    live = rows(house.engine)
    working = projection_rebuild._Rebuild(house.engine, house.log.reader, "a token", lambda _done, _total: None)
    swap = working._swap

    def play_then_swap() -> projection_rebuild.Rebuilt:
        for number in (3, 4):
            Table(house, number).started(2)
        live_table = Table(house, 2)
        live_table._keys = count(1_000)  # the Idempotency-Keys of the table's earlier commands are lower
        play_on(live_table, random.Random(2), most=5)
        live.update(rows(house.engine))
        return swap()

    monkeypatch.setattr(working, "_swap", play_then_swap)
    working.run(1, 1)
    assert rows(house.engine) == live


@pytest.mark.parametrize("storage_kind", databases.kinds())  # processes are slow; one server of each kind suffices
def test_several_processes_build_the_same_as_one_process(house: House) -> None:
    live = rows(house.engine)
    told: list[int] = []
    spoil(house.engine)
    rebuilt = rebuild(house.engine, house.log, Entropy(), lambda done, _total: told.append(done), processes=2, least=1)
    assert rows(house.engine) == live
    assert told[-2:] == [rebuilt.events, rebuilt.events], "the other processes did all the work"


@pytest.mark.parametrize("storage_kind", [databases.SQLITE])  # the database does not matter here
def test_the_parent_does_the_work_that_a_process_left_undone(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    live = rows(house.engine)
    spoil(house.engine)
    monkeypatch.setattr(projection_rebuild, "_rebuild_partition", _leave)
    rebuild(house.engine, house.log, Entropy(), processes=2, least=1)
    assert rows(house.engine) == live


def _leave(*_arguments: object) -> None:
    """Return without rebuilding the partition."""


def test_an_empty_log_leaves_empty_projections(engine: Engine) -> None:
    rebuilt = rebuild(engine, House(engine).log, Entropy())
    assert (rebuilt.streams, rebuilt.events) == (0, 0)
    assert not any(rows(engine).values())


def test_the_progress_is_reported_while_somebody_waits(house: House) -> None:
    told: list[tuple[int, int]] = []
    rebuilt = rebuild(house.engine, house.log, Entropy(), lambda done, total: told.append((done, total)))
    assert told[-1] == (rebuilt.events, rebuilt.events)


def test_a_rebuild_catches_up_with_events_recorded_meanwhile(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(projection_rebuild, "_FEW_EVENTS", 10)
    house = House(engine, SeededEntropy(5))
    games = [Table(house, number).started(3, buy_in=30) for number in (1, 2, 3)]
    chance = random.Random(5)
    told: list[int] = []

    def play(done: int, _total: int) -> None:
        told.append(done)
        for game in games[: {1: 3, 2: 3, 3: 1, 4: 1}.get(len(told), 0)]:
            play_on(game, chance, most=6 if len(told) < 3 else 1)
        if len(told) < 5:  # The fifth call is during the swap, which blocks other writers.
            Table(house, 10 + len(told)).open(3)

    spoil(engine)
    rebuild(engine, house.log, Entropy(), play)
    assert len(told) == 5
    assert told == sorted(set(told))
    report = verify(engine, house.log, CODEC)
    assert report.findings == ()
    assert sum(report.tables.values()) == 3 + 4


def test_commands_go_on_while_projections_are_rebuilt(engine: Engine) -> None:
    house = House(engine, SeededEntropy(6))
    games = [Table(house, number).started(4, buy_in=100) for number in (1, 2)]
    enough = Flag()
    failures: list[Exception] = []
    made = [0, 0]

    def write(number: int) -> None:
        chance = random.Random(number)
        try:
            while not enough.is_set():
                made[number] += play_on(games[number], chance, most=1)
        except Exception as failure:  # noqa: BLE001  # The test must see every error.
            failures.append(failure)

    writers = [Thread(target=write, args=(number,)) for number in (0, 1)]
    for writer in writers:
        writer.start()
    try:
        rebuilt = 0
        while rebuilt < 4 or not (all(made) or failures):
            rebuild(engine, house.log, Entropy())
            rebuilt += 1
    finally:
        enough.set()
        for writer in writers:
            writer.join()
    assert failures == []
    assert verify(engine, house.log, CODEC).findings == ()


def test_projections_equal_a_rebuild_after_every_command_of_a_random_game(engine: Engine) -> None:
    house = House(engine, SeededEntropy(7))
    table = Table(house).seated(5, buy_in=9)
    chance = random.Random(7)
    table.do(HOST, StartGame(by=""))
    for number in range(40):
        assert verify(engine, house.log, CODEC).findings == ()
        if number % 13 == 0:
            live = rows(engine)
            rebuild(engine, house.log, Entropy())
            assert rows(engine) == live
        play_on(table, chance, most=1)


def test_a_rebuild_that_another_rebuild_overtakes_stops_and_changes_nothing(house: House) -> None:
    spoil(house.engine)
    spoilt = rows(house.engine)

    def begin_another(_done: int, _total: int) -> None:
        with migrating(house.engine) as connection:
            shadow_build(house.engine.dialect.name).make(connection)

    with pytest.raises(RebuildOvertaken):
        rebuild(house.engine, house.log, Entropy(), begin_another)
    assert rows(house.engine) == spoilt


def test_of_two_simultaneous_rebuilds_the_second_reports_it_and_changes_nothing(house: House) -> None:
    live = rows(house.engine)
    spoil(house.engine)
    tried = 0

    def try_another(_done: int, _total: int) -> None:
        nonlocal tried
        tried += 1
        before = shape(house.engine)
        with pytest.raises(WorkUnderWay, match="Another rebuild is running"):
            rebuild(house.engine, house.log, Entropy())
        assert shape(house.engine) == before

    rebuild(house.engine, house.log, Entropy(), lambda done, total: None if tried else try_another(done, total))
    assert tried == 1
    assert rows(house.engine) == live
    rebuild(house.engine, house.log, Entropy())


def test_a_broken_log_is_not_rebuilt_from(engine: Engine) -> None:
    forger = Forger(engine)
    seated = forger.position_of("seat_taken")
    forger.rechain([leaf for position, leaf in forger.leaves().items() if position != seated])
    before = rows(engine)
    with pytest.raises(CannotReplay, match="antes_placed is impossible at position"):
        rebuild(engine, forger.house.log, Entropy())
    assert rows(engine) == before


ON_POSTGRESQL = pytest.mark.parametrize("storage_kind", databases.all_kinds()[1:])


@ON_POSTGRESQL
def test_a_rebuild_does_not_wait_for_ever_for_a_locked_projection(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(projection_rebuild, "_MOST_TRIES", 1)
    spoil(house.engine)
    before = rows(house.engine)
    with reading(house.engine) as connection:
        connection.execute(select(seats)).all()
        with pytest.raises(NoQuietMoment):
            rebuild(house.engine, house.log, Entropy())
    assert rows(house.engine) == before


@ON_POSTGRESQL
def test_owners_and_rights_of_the_projections_stay(house: House) -> None:
    role = f"chiptrail_test_{secrets.token_hex(4)}"
    with migrating(house.engine) as connection:
        connection.execute(text(f"CREATE ROLE {role}"))
        grant_service_role(connection, role)
        connection.execute(text(f"ALTER TABLE seats OWNER TO {role}"))
    before = _rights(house.engine)
    assert any(role in right for right in before)
    rebuild(house.engine, house.log, Entropy())
    assert _rights(house.engine) == before
    with migrating(house.engine) as connection:
        connection.execute(text(f"REASSIGN OWNED BY {role} TO CURRENT_USER"))
        connection.execute(text(f"DROP OWNED BY {role}"))
        connection.execute(text(f"DROP ROLE {role}"))


def test_a_rebuild_that_is_killed_anywhere_leaves_the_old_projections_in_use(house: House) -> None:
    before, live = shape(house.engine), rows(house.engine)
    statements = _CHILDREN.Value("i", 0)
    assert _exit_code_of(house.engine, statements) == 0
    spoil(house.engine)
    spoilt = rows(house.engine)
    for last in (3, statements.value // 2, statements.value - 1, statements.value):
        assert _exit_code_of(house.engine, statements, last) == -signal.SIGKILL
        databases.wait_until_nobody_else_is_connected(house.engine)  # the killed process's session blocks rebuilds
        assert rows(house.engine) == spoilt
    rebuild(house.engine, house.log, Entropy())
    assert rows(house.engine) == live
    assert shape(house.engine) == before


def _exit_code_of(engine: Engine, statements: "Synchronized[int]", last: int = 0) -> int | None:
    """Rebuild in another process, which is killed after its statement number *last* (from 1; 0: it is not killed)."""
    url = engine.url.render_as_string(hide_password=False)
    child = _CHILDREN.Process(target=_rebuild_and_die, args=(url, statements, last))
    child.start()
    child.join()
    return child.exitcode


def _rebuild_and_die(url: str, statements: "Synchronized[int]", last: int) -> None:
    engine = make_engine(url)
    statements.value = 0

    def die(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        if "pg_advisory_unlock" in statement:
            return  # This statement runs after the rebuild.
        statements.value += 1
        if statements.value == last:
            os.kill(os.getpid(), signal.SIGKILL)

    event.listen(engine, "after_cursor_execute", die)
    rebuild(engine, House(engine).log, Entropy())


def _rights(engine: Engine) -> set[tuple[str, ...]]:
    with reading(engine) as connection:
        return {tuple(row) for row in connection.execute(text(RIGHTS))}


RIGHTS = """
    SELECT table_name, grantee, privilege_type FROM information_schema.role_table_grants
    WHERE table_name IN ('transfers', 'hands', 'seats', 'tables')
    UNION ALL
    SELECT tablename, tableowner, 'ownership' FROM pg_tables
    WHERE tablename IN ('transfers', 'hands', 'seats', 'tables')"""
