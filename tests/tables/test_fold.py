"""A table's state, folded all at once, is the one that comes of its events one by one."""

from functools import cache

import pytest

from service.bench import streams
from service.event_store.codec import Codec
from service.games import EVENTS
from service.tables.fold import TableAt, fold, follow, game_of, new

CODEC = Codec(EVENTS)


@cache
def played(game: str) -> streams.Stream:
    return streams.played(1, 150, game)


def one_by_one(stream: streams.Stream) -> list[TableAt]:
    table_cache = [new(stream.stream_id, game_of(stream.recorded[0]))]
    for recorded in stream.recorded:
        table_cache.append(follow(table_cache[-1], recorded))
    return table_cache


@pytest.mark.parametrize("game", streams.GAMES)
def test_folded_all_at_once_a_stream_leaves_what_it_leaves_one_by_one(game: str) -> None:
    stream = played(game)
    recorded = [CODEC.decode(one.leaf) for one in stream.recorded]
    table_cache = one_by_one(stream)
    assert fold(None, stream.stream_id, recorded) == table_cache[-1]
    for position in (1, 2, len(recorded) // 2, len(recorded) - 1):
        before = fold(None, stream.stream_id, recorded[:position])
        assert before == table_cache[position]
        assert fold(before, stream.stream_id, recorded[position:]) == table_cache[-1]
        assert before == table_cache[position]  # What was handed out is not changed by what comes after it.


def test_nothing_more_leaves_what_is_there() -> None:
    stream = played("bankrupt")
    table_at = one_by_one(stream)[-1]
    assert fold(table_at, stream.stream_id, ()) is table_at
    assert fold(None, stream.stream_id, ()) is None
