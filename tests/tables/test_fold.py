"""Folding all events of a stream by one call, or one by one, gives equal tables."""

from functools import cache

import pytest

from service.bench import streams
from service.event_store.codec import Codec
from service.games import CURRENT, EVENTS
from service.tables.fold import TableAt, begin, fold, fold_stream

CODEC = Codec(EVENTS)


@cache
def played(game: str) -> streams.Stream:
    return streams.played(1, 150, game)


def one_by_one(stream: streams.Stream) -> list[TableAt]:
    tables = [begin(stream.stream_id, stream.recorded[0])]
    for recorded in stream.recorded:
        tables.append(fold(tables[-1], [recorded]))
    return tables


@pytest.mark.parametrize("game", CURRENT)
def test_folding_all_events_at_once_equals_folding_them_one_by_one(game: str) -> None:
    stream = played(game)
    recorded = [CODEC.decode(one.leaf) for one in stream.recorded]
    tables = one_by_one(stream)
    assert fold_stream(stream.stream_id, recorded) == tables[-1]
    for position in (1, 2, len(recorded) // 2, len(recorded) - 1):
        before = fold_stream(stream.stream_id, recorded[:position])
        assert before == tables[position]
        assert fold(before, recorded[position:]) == tables[-1]
        assert before == tables[position]  # Folding later events has not changed this table.


def test_folding_no_events_changes_nothing() -> None:
    stream = played("bankrupt")
    table_at = one_by_one(stream)[-1]
    assert fold(table_at, ()) == table_at
