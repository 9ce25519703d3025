import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from itertools import count, pairwise
from typing import Any

import msgspec
import pytest
from sqlalchemy import Connection, Engine, event, text

from service.database.engines import administering, reading, writing
from service.event_store import leaf
from service.event_store.entries import EMPTY, Head, Secret, UncommittedEvent, stream_name
from service.event_store.leaf import Until
from service.event_store.quarantine import StreamCorrupted
from service.event_store.store import CommandRecorded, NoSuchStream, StalePosition, StreamExists
from service.secrets import commitments
from service.secrets.encryption import WrongKey
from service.secrets.keyring import derive
from service.secrets.openings import FieldOpening, OpeningMustMatch
from tests import databases
from tests.event_store.streams import Answered, Asked, append, append_events, asked, cmd, head_of, make_log, new_stream

LOG = make_log()
SEED = bytes(range(100, 132))


@pytest.fixture
def stream_id(storage: Engine) -> bytes:
    return new_stream(storage, LOG)


def test_a_new_stream_is_empty(storage: Engine, stream_id: bytes) -> None:
    with reading(storage) as connection:
        assert LOG.head(connection, stream_id) == EMPTY
        assert LOG.reader.read(connection, stream_id) == ()


def test_a_stream_is_created_once(storage: Engine, stream_id: bytes) -> None:
    with pytest.raises(StreamExists), writing(storage) as connection:
        LOG.create(connection, stream_id)


def test_a_stream_that_was_never_created_is_not_an_empty_stream(storage: Engine) -> None:
    with reading(storage) as connection, pytest.raises(NoSuchStream):
        LOG.head(connection, bytes(16))
    with pytest.raises(NoSuchStream):
        append(storage, LOG, bytes(16), EMPTY, asked("a"))


def test_events_are_read_unchanged(storage: Engine, stream_id: bytes) -> None:
    first = append(storage, LOG, stream_id, EMPTY, asked("a", answers=3))
    second = append(storage, LOG, stream_id, head_of(first), asked("b"))
    with reading(storage) as connection:
        assert LOG.reader.read(connection, stream_id) == first + second
        assert LOG.head(connection, stream_id) == head_of(second)


def test_leaves_are_kept_with_the_hashed_and_chained_bytes(storage: Engine, stream_id: bytes) -> None:
    append(storage, LOG, stream_id, EMPTY, asked("a", answers=2))
    with reading(storage) as connection:
        leaves = connection.scalars(
            text("SELECT leaf FROM events WHERE stream_id = :x ORDER BY position"), {"x": stream_id}
        ).all()
    members = [msgspec.json.decode(data) for data in leaves]
    assert [one["position"] for one in members] == [1, 2, 3]
    assert [one["prev"] for one in members] == ["0" * 64, *(leaf.leaf_hash(data).hex() for data in leaves[:-1])]
    assert [one.get("cmd") for one in members] == [cmd("a"), None, None]
    assert {one["stream"] for one in members} == {f"table/tbl_{stream_id.hex()}"}
    assert len({one["at"] for one in members}) == 1


def test_reading_goes_on_after_a_position_as_far_as_asked(storage: Engine, stream_id: bytes) -> None:
    recorded = append(storage, LOG, stream_id, EMPTY, asked("a", answers=9))
    with reading(storage) as connection:
        assert LOG.reader.read(connection, stream_id, after=4) == recorded[4:]
        assert LOG.reader.read(connection, stream_id, after=4, limit=2) == recorded[4:6]
        assert LOG.reader.read(connection, stream_id, after=10) == ()


def test_a_repeated_command_is_read_together_with_the_stream(storage: Engine, stream_id: bytes) -> None:
    first = append(storage, LOG, stream_id, EMPTY, asked("a", answers=3))
    second = append(storage, LOG, stream_id, head_of(first), asked("b"))
    with reading(storage) as connection:
        assert LOG.reader.newer(connection, stream_id, head_of(first), or_cmd=cmd("a"), generation=0) == (
            first[0],
            *second,
        )
        assert LOG.reader.newer(connection, stream_id, EMPTY, or_cmd=cmd("a"), generation=0) == first + second
        assert LOG.reader.newer(connection, stream_id, head_of(first), or_cmd=cmd("never"), generation=0) == second


def test_streams_do_not_mix(storage: Engine, stream_id: bytes) -> None:
    other = new_stream(storage, LOG)
    append(storage, LOG, other, EMPTY, asked("a"))
    recorded = append(storage, LOG, stream_id, EMPTY, asked("a"))
    with reading(storage) as connection:
        assert LOG.reader.newer(connection, stream_id, head_of(recorded), or_cmd=cmd("a"), generation=0) == recorded


def test_a_command_that_is_in_the_log_already_is_not_appended_again(storage: Engine, stream_id: bytes) -> None:
    recorded = append(storage, LOG, stream_id, EMPTY, asked("a", answers=2))
    with pytest.raises(CommandRecorded):
        append(storage, LOG, stream_id, head_of(recorded), asked("a", answers=2))
    with reading(storage) as connection:
        assert LOG.reader.read(connection, stream_id) == recorded
        assert LOG.head(connection, stream_id) == head_of(recorded)


def test_the_second_writer_of_a_position_gets_an_error_and_writes_nothing(storage: Engine, stream_id: bytes) -> None:
    first = append(storage, LOG, stream_id, EMPTY, asked("a", answers=1))
    with pytest.raises(StalePosition) as stale:
        append(storage, LOG, stream_id, EMPTY, asked("b"))
    assert (stale.value.expected, stale.value.actual) == (0, 2)
    with reading(storage) as connection:
        assert LOG.reader.read(connection, stream_id) == first


def test_a_history_that_differs_from_the_history_that_was_read_is_a_defect(storage: Engine, stream_id: bytes) -> None:
    append(storage, LOG, stream_id, EMPTY, asked("a"))
    with pytest.raises(StreamCorrupted):
        append(storage, LOG, stream_id, Head(1, bytes(32)), asked("b"))
    with pytest.raises(StreamCorrupted):
        append(storage, LOG, stream_id, Head(2, bytes(32)), asked("b"))


def test_a_block_that_raises_appends_nothing(storage: Engine, stream_id: bytes) -> None:
    with suppress(ZeroDivisionError), writing(storage) as connection:
        append_events(connection, LOG, stream_id, EMPTY, asked("a"))
        raise ZeroDivisionError
    with reading(storage) as connection:
        assert LOG.head(connection, stream_id) == EMPTY
        assert LOG.reader.read(connection, stream_id) == ()


def test_several_commands_share_a_transaction_each_under_its_savepoint(storage: Engine, stream_id: bytes) -> None:
    with writing(storage) as connection:
        with connection.begin_nested():
            first = append_events(connection, LOG, stream_id, EMPTY, asked("a", answers=1))
        with suppress(ZeroDivisionError), connection.begin_nested():
            append_events(connection, LOG, stream_id, head_of(first), asked("b"))
            raise ZeroDivisionError
        with connection.begin_nested():
            third = append_events(connection, LOG, stream_id, head_of(first), asked("c"))
    with reading(storage) as connection:
        assert LOG.reader.read(connection, stream_id) == first + third


def test_writers_that_race_leave_no_gap_and_lose_nothing(storage: Engine, stream_id: bytes) -> None:
    def write(writer: int) -> int:
        lost = 0
        for number in range(10):
            while True:
                with reading(storage) as connection:
                    head = LOG.head(connection, stream_id)
                try:
                    append(storage, LOG, stream_id, head, asked(f"{writer}/{number}", answers=2))
                    break
                except StalePosition:
                    lost += 1
        return lost

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(write, range(4)))
    with reading(storage) as connection:
        recorded = LOG.reader.read(connection, stream_id)
    assert [one.position for one in recorded] == list(range(1, 121))
    assert all(after.prev == before.hash.hex() for before, after in pairwise(recorded))
    assert {one.cmd for one in recorded[::3]} == {
        cmd(f"{writer}/{number}") for writer in range(4) for number in range(10)
    }


@pytest.mark.parametrize("storage_kind", databases.all_kinds()[1:])  # on SQLite only one writer runs at a time
def test_a_command_waits_for_a_twin_that_is_still_running(storage: Engine, stream_id: bytes) -> None:
    outcome: list[object] = []

    def twin() -> None:
        try:
            outcome.append(append(storage, LOG, stream_id, EMPTY, asked("a")))
        except StalePosition as stale:
            outcome.append(stale)

    thread = threading.Thread(target=twin)
    with writing(storage) as connection:
        append_events(connection, LOG, stream_id, EMPTY, asked("a"))
        thread.start()
        databases.wait_until_somebody_waits(storage)
        assert outcome == []
    thread.join()
    assert isinstance(outcome[0], StalePosition)


def test_a_seed_is_kept_out_of_the_leaf(storage: Engine, stream_id: bytes) -> None:
    uncommitted = UncommittedEvent(Asked("a"), "service", hidden={"seed": SEED})
    (recorded,) = append(storage, LOG, stream_id, EMPTY, [uncommitted])
    with reading(storage) as connection:
        assert LOG.hidden(connection, stream_id, 1, "seed") == SEED
        assert LOG.openings(connection, stream_id, [recorded]) == ()
        with pytest.raises(LookupError, match="salt is not sealed at position 1"):
            LOG.hidden(connection, stream_id, 1, "salt")
        kept = connection.scalars(text("SELECT ciphertext FROM sealed WHERE stream_id = :x"), {"x": stream_id}).one()
    assert recorded.priv == {}
    assert b"seed" not in recorded.leaf
    assert SEED not in kept


def test_a_value_sealed_under_another_service_key_does_not_open(storage: Engine, stream_id: bytes) -> None:
    append(storage, LOG, stream_id, EMPTY, [UncommittedEvent(Asked("a"), "service", hidden={"seed": SEED})])
    other = make_log(derive(f"svk_{8:032x}", bytes(32)))
    with reading(storage) as connection, pytest.raises(WrongKey):
        other.hidden(connection, stream_id, 1, "seed")


SLIP = UncommittedEvent(
    Asked("a"),
    "seat:3",
    cmd("a"),
    secrets={
        "foot": Secret(4, (3,), Until(open=("slips_shown",), never=("slips_burnt",))),
        "insurance": Secret({"chips": 12}, (3, 4), Until(open=("slips_shown",), never=())),
    },
    hidden={"seed": SEED},
)


def test_a_sealed_field_is_committed_to_in_the_leaf(storage: Engine, stream_id: bytes) -> None:
    (recorded,) = append(storage, LOG, stream_id, EMPTY, [SLIP])
    priv = msgspec.json.decode(recorded.leaf)["priv"]
    assert priv["foot"].pop("c") != priv["insurance"].pop("c")
    assert priv == {
        "foot": {"to": [3], "until": {"open": ["slips_shown"], "never": ["slips_burnt"]}},
        "insurance": {"to": [3, 4], "until": {"open": ["slips_shown"], "never": []}},
    }


def test_sealed_fields_have_the_order_of_their_leaf_from_the_first_answer_on(storage: Engine, stream_id: bytes) -> None:
    secret = Secret(4, (3,), Until(open=("slips_shown",), never=()))
    drafted = UncommittedEvent(Asked("a"), "seat:3", cmd("a"), secrets={"insurance": secret, "foot": secret})
    (recorded,) = append(storage, LOG, stream_id, EMPTY, [drafted])
    with reading(storage) as connection:
        (read,) = LOG.reader.read(connection, stream_id)
    assert list(recorded.priv) == list(read.priv) == ["foot", "insurance"]


def test_an_opening_matches_the_commitment_in_the_leaf(storage: Engine, stream_id: bytes) -> None:
    (recorded,) = append(storage, LOG, stream_id, EMPTY, [SLIP])
    with reading(storage) as connection:
        foot, insurance = LOG.openings(connection, stream_id, [recorded])
    assert foot == FieldOpening(stream_name(stream_id), 1, "foot", foot.salt, 4)
    assert insurance == FieldOpening(stream_name(stream_id), 1, "insurance", insurance.salt, {"chips": 12})
    for opening in (foot, insurance):
        commitment = commitments.field_commitment(
            opening.stream, opening.position, opening.field, bytes.fromhex(opening.salt), opening.value
        )
        assert commitment == recorded.priv[opening.field].c
    assert foot.salt != insurance.salt


def test_openings_belong_to_the_requested_events(storage: Engine, stream_id: bytes) -> None:
    recorded = append(
        storage,
        LOG,
        stream_id,
        EMPTY,
        [SLIP, UncommittedEvent(Answered("b"), "service"), msgspec.structs.replace(SLIP, cmd="")],
    )
    with reading(storage) as connection:
        assert {one.position for one in LOG.openings(connection, stream_id, recorded)} == {1, 3}
        assert {one.position for one in LOG.openings(connection, stream_id, recorded[1:])} == {3}


def test_an_opening_that_does_not_match_its_commitment_is_a_defect(
    storage: Engine, stream_id: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(commitments, "field_commitment", lambda *_: "0" * 64)
        recorded = append(storage, LOG, stream_id, EMPTY, [SLIP])
    with reading(storage) as connection, pytest.raises(OpeningMustMatch, match="foot at position 1"):
        LOG.openings(connection, stream_id, recorded)


def test_a_field_is_committed_to_or_hidden_not_both(storage: Engine, stream_id: bytes) -> None:
    both = msgspec.structs.replace(SLIP, hidden={"foot": SEED})
    with pytest.raises(ValueError, match="foot"):
        append(storage, LOG, stream_id, EMPTY, [both])


def test_an_append_of_any_size_takes_few_statements(storage_kind: str, storage: Engine, stream_id: bytes) -> None:
    with _statements(storage) as statements:
        recorded = append(storage, LOG, stream_id, EMPTY, asked("b", answers=20))
        append(storage, LOG, stream_id, head_of(recorded), [SLIP])
    words = [" ".join(statement.split()[:3]) for statement in statements if not statement.startswith("BEGIN")]
    pieces = 2 if storage_kind == databases.SQLITE else 1  # SQLite gets 21 rows as 16 and 5 (DECISIONS 142)
    assert words == [
        "UPDATE streams SET",
        *["INSERT INTO events"] * pieces,
        "INSERT INTO outbox",
        "UPDATE streams SET",
        "INSERT INTO events",
        "INSERT INTO sealed",
        "INSERT INTO outbox",
    ]


def test_appends_of_one_size_use_the_same_statement_and_so_stay_prepared(storage: Engine, stream_id: bytes) -> None:
    with _statements(storage) as first:
        recorded = append(storage, LOG, stream_id, EMPTY, asked("a", answers=4))
    with _statements(storage) as second:
        append(storage, LOG, stream_id, head_of(recorded), asked("b", answers=4))
    assert len(second) >= 2
    assert first == second


def test_reading_goes_by_the_indexes_even_while_the_table_is_small(storage: Engine, stream_id: bytes) -> None:
    recorded = append(storage, LOG, stream_id, EMPTY, asked("a", answers=60))
    with administering(storage) as connection:
        connection.execute(text("ANALYZE"))
    with _statements(storage) as statements, reading(storage) as connection:
        LOG.reader.newer(connection, stream_id, head_of(recorded), or_cmd=cmd("a"), generation=0)
    # The first SELECT reads the rows; the second reads the leaf of the command's decision.
    statement, *_ = (statement for statement in statements if statement.startswith("SELECT"))
    with reading(storage) as connection:
        plan = _plan(connection, statement, stream_id)
    assert "SCAN events" not in plan
    assert "Seq Scan" not in plan
    for index in (
        "PRIMARY KEY (stream_id=? AND position>?)",
        "(stream_id=? AND cmd=?",
        "pk_events",
        "uq_events_stream_id_cmd",
    ):
        on_sqlite = "=?" in index
        assert index in plan or on_sqlite != (storage.dialect.name == "sqlite")


def test_an_append_costs_no_more_in_a_long_stream_than_in_a_short_one(storage: Engine, stream_id: bytes) -> None:
    head, spent = EMPTY, []
    with administering(storage) as connection:
        meter = _meter(connection)
        for number in range(100):
            head = head_of(append_events(connection, LOG, stream_id, head, asked(f"{number}", answers=1)))
            spent.append(meter())
    assert spent[-1] - spent[-2] <= (spent[2] - spent[1]) * 1.5


def _meter(connection: Connection) -> Callable[[], int]:
    """Return a function that measures the work so far: rows read by PostgreSQL, steps of SQLite's virtual machine."""
    if connection.dialect.name == "postgresql":
        rows_read = text("SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) FROM pg_stat_xact_user_tables")
        return lambda: int(connection.execute(rows_read).scalar_one())
    steps = count()
    driver: Any = connection.connection.driver_connection
    driver.set_progress_handler(lambda: next(steps) < 0, 1)
    return lambda: next(steps)


def _plan(connection: Connection, statement: str, stream_id: bytes) -> str:
    explain = "EXPLAIN QUERY PLAN" if connection.dialect.name == "sqlite" else "EXPLAIN"
    rows = connection.exec_driver_sql(f"{explain} {statement}", (stream_id, 60, stream_id, bytes(32), 60, stream_id))
    return "\n".join(str(row) for row in rows)


@contextmanager
def _statements(engine: Engine) -> Iterator[list[str]]:
    seen: list[str] = []

    def see(
        _connection: object, _cursor: object, statement: str, _values: object, _context: object, _many: object
    ) -> None:
        seen.append(statement)

    event.listen(engine, "before_cursor_execute", see)
    yield seen
    event.remove(engine, "before_cursor_execute", see)
