"""Servers are killed under load: each leaf has one index in one tree, and every checkpoint fits this tree."""

import random
from contextlib import closing
from typing import Final

import pytest
from sqlalchemy import Engine, func, select

from service import merkle, settings
from service.database.engines import make_engine, reading
from service.event_store.log_tables import events, outbox, streams
from service.transparency import checkpoint, log_key, tree
from service.transparency.checkpoint import Checkpoint
from service.transparency.tree import TreeHead
from service.transparency.tree_tables import checkpoints, leaf_indexes
from tests.cli.commands import Instance
from tests.faults.party import Game, playing
from tests.faults.servers import Serving, must_be_clean, serving, wait_until
from tests.once.clients import Crowd

GAMES: Final = 2
ROUNDS_OF_A_GAME: Final = 10


@pytest.mark.walk
@pytest.mark.parametrize("kills", [pytest.param(2, id="some"), pytest.param(30, id="many", marks=pytest.mark.full)])
def test_after_kills_under_load_each_leaf_has_one_index_in_one_tree_that_was_signed(
    instance: Instance, chance: random.Random, kills: int
) -> None:
    with serving(instance) as server, closing(Crowd(server.url, instance.first_key)) as crowd:
        games: list[Game] = []
        for killed in range(kills):
            if killed % ROUNDS_OF_A_GAME == 0 or any(game.is_over for game in games):
                games = [Game(crowd, chance) for _ in range(GAMES)]
            _kill_under_load(server, games, chance)
        engine = make_engine(instance.database)
        wait_until(lambda: _is_signed(engine))
    _must_be_one_signed_tree(engine, instance)
    engine.dispose()
    must_be_clean(instance)


def _kill_under_load(server: Serving, games: list[Game], chance: random.Random) -> None:
    """While clients play *games*, kill all processes of *server*, or one worker, perhaps the keeper of the log."""
    with playing(games) as load:
        before, enough = load.heard, chance.randint(1, 80)
        wait_until(lambda: load.heard >= before + enough)
        if chance.random() < 0.7:
            server.kill()
            server.start()
        else:
            server.kill_a_worker(chance)
    server.must_be_ready()


def _is_signed(engine: Engine) -> bool:
    """Return whether all leaves have an index and the newest checkpoint covers all leaves."""
    with reading(engine) as connection:
        waiting = connection.execute(select(func.count()).select_from(outbox)).scalar_one()
        leaves = connection.execute(select(func.sum(streams.c.head))).scalar_one()
        signed = connection.execute(select(func.max(checkpoints.c.size))).scalar_one()
    return waiting == 0 and signed == leaves


def _must_be_one_signed_tree(engine: Engine, instance: Instance) -> None:
    """Check the indexes, the tree and the checkpoints without the code of the audit."""
    of_place = settings.load({}, data_folder=instance.data, database_url=instance.database)
    key = log_key.load(of_place.log_key_file).public
    with reading(engine) as connection:
        rows = connection.execute(select(leaf_indexes).order_by(leaf_indexes.c.leaf_index)).all()
        stored = connection.execute(select(events.c.stream_id, events.c.position, events.c.leaf)).all()
        notes = connection.execute(select(checkpoints).order_by(checkpoints.c.size)).all()
        head = tree.head(connection)
    assert [row.leaf_index for row in rows] == list(range(len(rows)))
    leaves = {(bytes(one.stream_id), one.position): merkle.leaf_hash(bytes(one.leaf)) for one in stored}
    assert len(rows) == len(leaves)
    assert {(bytes(row.stream_id), row.position): bytes(row.leaf_hash) for row in rows} == leaves
    last: dict[bytes, int] = {}
    for row in rows:
        assert row.position == last.get(bytes(row.stream_id), 0) + 1
        last[bytes(row.stream_id)] = row.position
    hashes = [bytes(row.leaf_hash) for row in rows]
    assert head == TreeHead(len(hashes), merkle.root(hashes))
    assert {note.origin for note in notes} == {key.name}
    for note in notes:
        signed, _ = checkpoint.opened(note.note.encode(), key)
        assert signed == Checkpoint(key.name, note.size, merkle.root(hashes[: note.size]))
    assert notes[-1].size == len(hashes)
    in_file, _ = checkpoint.opened(of_place.log_head_file.read_bytes(), key)
    assert in_file == Checkpoint(key.name, head.size, head.root)
