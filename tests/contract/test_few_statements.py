"""Statements with lists have few texts, so that a connection keeps few prepared statements (DECISIONS 142)."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy import Connection, Engine, event, func, select

from service.database.engines import administering
from service.database.sql import Insert, padded, pieces
from service.event_store import batch
from service.event_store.entries import EMPTY
from service.event_store.log_tables import outbox
from service.event_store.store import rows
from service.transparency.sequencer import MOST_LEAVES, Sequencer
from tests.event_store.streams import append, asked, head_of, make_log, new_stream

LOG = make_log()
OUTBOX = Insert(outbox, "stream_id", "position")
NUMBERS = (*range(1, 200), 500, 999, 1_000)


@contextmanager
def texts_that_begin(engine: Engine, begin: str) -> Iterator[set[str]]:
    """Collect the texts that begin with *begin* among the statements on *engine* during the block."""
    found: set[str] = set()

    def note(_connection: Connection, _cursor: object, statement: str, *_: object) -> None:
        if statement.startswith(begin):
            found.add(statement)

    event.listen(engine, "before_cursor_execute", note)
    try:
        yield found
    finally:
        event.remove(engine, "before_cursor_execute", note)


def test_any_number_of_rows_is_inserted_with_few_statements(storage: Engine) -> None:
    stream_id = new_stream(storage, LOG)
    with texts_that_begin(storage, "INSERT INTO outbox") as texts, administering(storage) as connection:
        position = 1
        for number in NUMBERS:
            OUTBOX.run(connection, [(stream_id, one) for one in range(position, position + number)])
            position += number
        positions = select(func.count(), func.max(outbox.c.position)).where(outbox.c.stream_id == stream_id)
        assert connection.execute(positions).one() == (sum(NUMBERS), sum(NUMBERS))
    assert len(texts) <= 11


def test_any_number_of_heads_is_read_with_few_statements(storage: Engine) -> None:
    streams = [new_stream(storage, LOG) for _ in range(40)]
    recorded = append(storage, LOG, streams[-1], EMPTY, asked("one", answers=1))
    with texts_that_begin(storage, "SELECT streams") as texts:
        for number in range(len(streams) + 1):
            assert LOG.heads(storage, streams[:number]) == {
                stream_id: len(recorded) if stream_id == streams[-1] else 0 for stream_id in streams[:number]
            }
    assert len(texts) <= 8  # for 0, 1, 2, 4, 8, 16, 32 and 64 streams


def test_batches_of_any_size_have_few_statements(storage: Engine) -> None:
    streams = [new_stream(storage, LOG) for _ in range(24)]
    heads = dict.fromkeys(streams, EMPTY)
    with texts_that_begin(storage, "WITH new") as texts:
        for number in range(1, len(streams) + 1):
            entries = [LOG.entry(one, heads[one], asked(f"{number} {one.hex()}")) for one in streams[:number]]
            with administering(storage) as connection:
                written = batch.write(connection, entries, rows(entries))
            assert written == set(streams[:number])
            heads |= {entry.stream_id: head_of(entry.recorded) for entry in entries}
    assert len(texts) <= 9  # for 1 to 8 and 16 streams
    assert LOG.heads(storage, streams) == {one: head.position for one, head in heads.items()}


def test_rounds_of_the_sequencer_have_few_statements(storage: Engine) -> None:
    stream_id, sequencer, head = new_stream(storage, LOG), Sequencer(storage), EMPTY
    with texts_that_begin(storage, "INSERT INTO leaf_indexes") as texts:
        for answers in (*range(40), 120, 250):
            recorded = append(storage, LOG, stream_id, head, asked(str(answers), answers))
            head = head_of(recorded)
            while sequencer.round():
                pass
    assert len(texts) <= 11


@pytest.mark.parametrize("number", [0, 1, 7, 8, 9, 15, 16, 63, 64, 65, MOST_LEAVES])
def test_pieces_are_all_rows_in_their_order(number: int) -> None:
    each = [(one,) for one in range(number)]
    assert [row for piece in pieces(each) for row in piece] == each


def test_padding_repeats_only_the_last_value() -> None:
    assert [padded(range(number)) for number in range(6)] == [
        [],
        [0],
        [0, 1],
        [0, 1, 2, 2],
        [0, 1, 2, 3],
        [0, 1, 2, 3, 4, 4, 4, 4],
    ]
