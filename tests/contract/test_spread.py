"""A database whose tables are placed on two nodes: by the stand-in on plain PostgreSQL, or by a given Citus."""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

import pytest
from msgspec.structs import replace
from sqlalchemy import Engine, event, text
from sqlalchemy.exc import DBAPIError

from service.all_tables import metadata
from service.audit.log_audit import verify
from service.database import schema_check
from service.database.engines import administering, make_engine, migrating, reading
from service.database.metadata import SERVICE_STREAM
from service.database.spread import nodes, placement
from service.database.spread.nodes import Node, NodeMap
from service.database.spread.spread_check import is_known_as_spread, is_spread
from service.database.sql import Sql
from service.entropy import Entropy
from service.event_store import batch
from service.games.common_commands import EraseValue, StartGame, TakeSeat
from service.play.imported_erasure import ErasureNeedsOneNode, ImportedEraser
from service.play.timekeeper import Timekeeper
from service.projections.rebuild.projection_rebuild import rebuild
from service.projections.rebuild.shadow_build import IN_WRITE_ORDER
from service.service_log.service_log import ServiceLog
from service.transparency.sequencer import Sequencer
from tests import databases
from tests.audit.forging import CODEC
from tests.clocks import Clock
from tests.play.tables import HOST, House, Table, legal_command, opening, owner

pytestmark = [pytest.mark.spread, pytest.mark.parametrize("storage_kind", [databases.SPREAD])]
LEFT_AT_THE_COORDINATOR = {
    *("keys", "key_revocations", "service_keys", "sign_ins", "projection_generation"),
    *("leaf_indexes", "tree_tiles", "tree_head", "checkpoints", "cosignatures", "witness_reports"),
}


def test_every_table_of_a_stream_is_placed_in_one_group_and_the_others_stay(storage: Engine) -> None:
    with reading(storage) as connection:
        assert is_spread(connection)
        assert connection.exec_driver_sql("SHOW plan_cache_mode").scalar_one() == "auto"
        assert placement.unplaced(connection) == ()
        assert placement.groups(connection) == 1
        placed = set(connection.scalars(text("SELECT logicalrelid::regclass::text FROM pg_dist_partition")))
    assert placed == set(placement.spread_tables()) == set(metadata.tables) - LEFT_AT_THE_COORDINATOR
    touched = {name for name, table in metadata.tables.items() if "stream_id" in table.primary_key.columns}
    assert placed == touched


def test_a_game_is_written_by_the_lane_of_its_node_and_is_whole(
    storage: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    house = House(storage)
    batches: list[tuple[bool, bool]] = []
    write = batch.write

    def watched(connection: Any, entries: Any, rows: Any) -> frozenset[bytes]:  # noqa: ANN401 -- as `batch.write`
        batches.append((is_spread(connection), connection.engine is not storage))
        return write(connection, entries, rows)

    monkeypatch.setattr(batch, "write", watched)
    played = [play_some(Table(house, number).started(), 12) for number in range(1, 5)]
    assert batches
    assert set(batches) == {(True, True)}
    assert len({NodeMap(storage, house.entropy).node_of(table.stream_id) for table in played}) == 2
    while Sequencer(storage).round():
        pass
    rebuild(storage, house.log, Entropy())
    with reading(storage) as connection:
        placed = {name for name in IN_WRITE_ORDER if name not in placement.unplaced(connection)}
        assert placed == set(IN_WRITE_ORDER), "the tables that a rebuild swaps in are placed"
        assert placement.groups(connection) == 1
    report = verify(storage, house.log, CODEC)
    assert report.findings == ()
    play_some(played[0], 3)


def test_placing_again_moves_nothing_and_a_migration_places_a_new_table(storage: Engine) -> None:
    with migrating(storage) as connection:
        assert placement.distribute(connection) == ()
        connection.execute(text("DROP TABLE disputes"))
        connection.execute(text("CREATE TABLE disputes (stream_id bytea PRIMARY KEY)"))
    schema_check.migrate(storage)
    with reading(storage) as connection:
        assert placement.unplaced(connection) == ()


def test_another_number_of_shards_is_refused(storage: Engine) -> None:
    with pytest.raises(placement.CannotDistribute, match="shards already"), migrating(storage) as connection:
        placement.distribute(connection, 9)


def test_while_a_server_is_connected_nothing_is_placed(storage: Engine) -> None:
    with migrating(storage) as connection:
        connection.execute(text("DROP TABLE disputes"))
        connection.execute(text("CREATE TABLE disputes (stream_id bytea PRIMARY KEY)"))
    server = make_engine(storage.url.render_as_string(hide_password=False))
    with (
        reading(server),
        migrating(storage) as connection,
        pytest.raises(placement.CannotDistribute, match="are connected"),
    ):
        placement.distribute(connection)
    server.dispose()
    with reading(storage) as connection:
        assert placement.unplaced(connection) == ("disputes",)


@pytest.mark.parametrize(
    "made",
    [
        "CREATE TABLE wrong (stream_id bytea, n integer PRIMARY KEY)",
        "CREATE TABLE wrong (stream_id bytea REFERENCES keys (key_id))",
    ],
)
def test_a_table_that_citus_could_not_place_is_refused(storage: Engine, made: str) -> None:
    with migrating(storage) as connection:
        connection.execute(text(made))
    with pytest.raises(DBAPIError), migrating(storage) as connection:
        placement.place_beside(connection, "wrong")


def test_a_node_that_this_machine_can_not_reach_costs_only_time(
    storage: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    nowhere = Node(1, "127.0.0.1", 1)
    monkeypatch.setattr(NodeMap, "node_of", lambda *_: nowhere)
    table = play_some(Table(House(storage)).started(), 3)
    assert table.table_at.position > 3


def test_a_node_that_is_down_stops_no_time_limit_at_another(storage: Engine) -> None:
    house, clock = House(storage), Clock()
    table = Table(house)
    table.do(HOST, replace(opening(2), time_limit_seconds=30))
    for seat in (1, 2):
        table.do(owner(seat), TakeSeat(by="", player=owner(seat), chips=50, seat=seat))
    table.do(HOST, StartGame(by=""))
    keeper = Timekeeper(storage, house.play, house.tables, clock)
    assert keeper.look() == 0
    clock.seconds += 31
    with statements_over_all_nodes_fail(storage):
        assert keeper.look() == 1


@contextmanager
def statements_over_all_nodes_fail(engine: Engine) -> Iterator[None]:
    """Let the timekeeper's statement over all nodes fail as if a node were down."""

    def fail(_c: object, _cursor: object, statement: str, parameters: Any, _x: object, _many: bool) -> tuple[str, Any]:  # noqa: ANN401, FBT001 -- SQLAlchemy calls it
        if " JOIN streams ON streams.stream_id = tables.stream_id" in " ".join(statement.split()):
            down = "RAISE EXCEPTION 'connection to the remote node failed' USING ERRCODE = '08006'"
            return f"DO $$ BEGIN {down}; END $$", ()
        return statement, parameters

    event.listen(engine, "before_cursor_execute", fail, retval=True)
    yield
    event.remove(engine, "before_cursor_execute", fail)


def test_a_look_up_of_a_node_is_forgotten_after_a_while(storage: Engine) -> None:
    clock = Clock()
    found = NodeMap(storage, clock)
    with reading(storage) as connection:
        owners = nodes.nodes(connection)
    assert is_known_as_spread(storage)
    assert found.node_of(bytes(16)) in owners
    asked: list[str] = []
    event.listen(storage, "before_cursor_execute", lambda _c, _cursor, statement, *_: asked.append(statement))
    assert found.node_of(bytes(16)) in owners
    assert asked == []
    clock.seconds += 61
    assert found.node_of(bytes(16)) in owners
    assert len(asked) == 1

    class ForgottenMeanwhile(dict[bytes, Node | None]):
        def __contains__(self, key: object) -> bool:
            found._found = {}
            return super().__contains__(key)

    found._found = ForgottenMeanwhile(found._found)
    assert found.node_of(bytes(16)) in owners, "another thread forgets the look-ups during this one"


@pytest.mark.parametrize("copies", [0, 2])
def test_a_stream_on_no_node_or_on_several_is_left_to_the_coordinator(
    storage: Engine, copies: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with reading(storage) as connection:
        assert is_spread(connection)
    owners = Sql(f"SELECT 1, 'localhost', 5432 FROM generate_series(1, {copies}) WHERE length(:stream_id) = 16")  # noqa: S608 -- the number is ours
    monkeypatch.setattr(nodes, "_OWNER", owners)
    assert NodeMap(storage, Clock()).node_of(bytes(16)) is None


def test_a_value_of_an_imported_table_on_another_node_than_its_record_is_not_erased(storage: Engine) -> None:
    with reading(storage) as connection:
        apart = (number.to_bytes(16) for number in range(1, 99))
        stream_id = next(one for one in apart if not nodes.are_together(connection, SERVICE_STREAM, one))
        assert nodes.are_together(connection, stream_id, stream_id)
    eraser = ImportedEraser(storage, House(storage).log, cast("ServiceLog", None))  # nothing is recorded
    with pytest.raises(ErasureNeedsOneNode, match="nothing was erased"):
        eraser.record(stream_id, EraseValue(by="", position=2, field="bid", ground="request"))


def test_a_changed_row_of_the_log_is_refused_on_a_node_too(storage: Engine) -> None:
    Table(House(storage)).open()
    with pytest.raises(DBAPIError, match="events_only_grows"), administering(storage) as connection:
        connection.execute(text("UPDATE events SET leaf = leaf"))


@pytest.mark.parametrize(
    ("statement", "is_refused"),
    [
        ("SELECT head FROM streams WHERE stream_id = %s FOR UPDATE", False),
        ("SELECT stream_id FROM streams FOR UPDATE SKIP LOCKED", True),
        ("WITH gone AS (DELETE FROM outbox RETURNING stream_id) SELECT count(*) FROM gone", True),
        ("WITH flows AS (SELECT 1) SELECT * FROM flows", False),
        ("SELECT 1 FROM streams, LATERAL (SELECT leaf FROM events LIMIT 1) AS newest", True),
    ],
)
def test_the_tests_refuse_what_citus_was_seen_to_refuse(storage: Engine, statement: str, *, is_refused: bool) -> None:
    assert databases.is_refused_on_nodes(statement) == is_refused
    if is_refused:
        with pytest.raises(AssertionError, match="Citus would refuse"), administering(storage) as connection:
            connection.exec_driver_sql(statement)


def play_some(table: Table, number: int) -> Table:
    """Record *number* legal commands, or fewer if the game ends."""
    chance = random.Random(1)
    for _ in range(number):
        if table.state.status != "playing":
            break
        seat, command = legal_command(table.table_at, chance)
        table.do(owner(seat), command)
    return table
