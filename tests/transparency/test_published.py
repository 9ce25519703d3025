"""A checkpoint is published for each tree that continues the last tree; any other tree is an error at once."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from sqlalchemy import Engine, delete, select, text

from service import merkle
from service.database.engines import administering, reading
from service.event_store.codec import RecordedEvent
from service.transparency import checkpoint, published, tiles, tree
from service.transparency.checkpoint import Checkpoint
from service.transparency.log_signer import HeadFileError, LogSigner, TreeMustContinue
from service.transparency.published import OtherLogKey
from service.transparency.sequencer import Sequencer
from service.transparency.signed_note import Note
from service.transparency.tree import TreeDamaged, TreeHead
from service.transparency.tree_tables import checkpoints, tree_head, tree_tiles
from tests.event_store.streams import append, asked, head_of, make_log, new_stream
from tests.transparency.notes import new_signer

LOG = make_log()


class Writer:
    """Writes events to one stream, and gives them their indexes."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._stream_id = new_stream(engine, LOG)
        self._recorded: tuple[RecordedEvent, ...] = ()

    def write(self, events: int = 1) -> TreeHead:
        """Write this many events; return the head of the tree that has them."""
        command = asked(f"command {len(self._recorded)}", answers=events - 1)
        self._recorded += append(self._engine, LOG, self._stream_id, head_of(self._recorded), command)
        while Sequencer(self._engine).round():
            pass
        return self.head()

    def head(self) -> TreeHead:
        with reading(self._engine) as connection:
            return tree.head(connection)


@pytest.fixture
def writer(engine: Engine) -> Writer:
    return Writer(engine)


@pytest.fixture
def signer(tmp_path: Path) -> LogSigner:
    return new_signer(tmp_path)


def stored(engine: Engine) -> list[int]:
    """Return the sizes of the stored checkpoints."""
    with reading(engine) as connection:
        return list(connection.execute(select(checkpoints.c.size).order_by(checkpoints.c.size)).scalars())


def newest(engine: Engine, signer: LogSigner) -> str | None:
    with reading(engine) as connection:
        return published.newest(connection, signer.key.origin)


def restore_older(engine: Engine, head: TreeHead) -> None:
    """Give the tree this *head*, as the restoration of a backup does; first switch off the triggers that forbid it."""
    with administering(engine) as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(text("ALTER TABLE tree_head DISABLE TRIGGER USER"))
        else:
            triggers = text("SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'tree_head'")
            for name in connection.execute(triggers).scalars().all():
                connection.execute(text(f"DROP TRIGGER {name}"))
        connection.execute(tree_head.update().values(size=head.size, root=head.root))


def test_an_empty_log_has_no_checkpoint(engine: Engine, signer: LogSigner) -> None:
    assert published.publish(engine, signer) is None
    assert newest(engine, signer) is None
    assert signer.last().size == 0


def test_a_tree_is_published_once(engine: Engine, writer: Writer, signer: LogSigner) -> None:
    head = writer.write(3)
    note = published.publish(engine, signer)
    assert note is not None
    found, _ = checkpoint.opened(note.encode(), signer.key.public)
    assert (found.size, found.root) == (3, head.root)
    assert newest(engine, signer) == note
    assert published.publish(engine, signer) is None
    assert stored(engine) == [3]


def test_the_newest_checkpoint_covers_the_largest_tree_of_its_origin(
    engine: Engine, writer: Writer, signer: LogSigner, tmp_path: Path
) -> None:
    for _ in range(11):
        writer.write()
        note = published.publish(engine, signer)
    assert stored(engine) == list(range(1, 12))
    assert newest(engine, signer) == note
    other = new_signer(tmp_path, "other.txt")
    assert newest(engine, other) is None
    with pytest.raises(OtherLogKey):
        published.publish(engine, other)
    published.publish(engine, other, begins=True)
    assert newest(engine, signer) == note != newest(engine, other)
    with reading(engine) as connection:
        assert set(published.origins(connection)) == {signer.key.origin, other.key.origin}


def test_a_checkpoint_that_was_signed_and_not_stored_is_stored_by_the_next_attempt(
    engine: Engine, writer: Writer, signer: LogSigner, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer.write()

    def fail(*_: object) -> None:
        raise InterruptedError

    with monkeypatch.context() as patched:
        patched.setattr(published, "_store", fail)
        with pytest.raises(InterruptedError):
            published.publish(engine, signer)
    assert stored(engine) == []
    assert signer.last().size == 1
    note = published.publish(engine, signer)
    assert newest(engine, signer) == note
    assert signer.last().size == 1


class WithAnother(LogSigner):
    """A signer; while it signs a tree, another process publishes the same tree."""

    def __init__(self, other: LogSigner, head_file: Path, engine: Engine) -> None:
        super().__init__(other.key, head_file)
        self._other = other
        self._engine = engine

    def sign(self, head: TreeHead, since: Checkpoint, proof: Sequence[bytes]) -> Note:
        note = super().sign(head, since, proof)
        published.publish(self._engine, self._other)
        return note


def test_the_same_checkpoint_of_two_processes_is_stored_once(
    engine: Engine, writer: Writer, signer: LogSigner, tmp_path: Path
) -> None:
    writer.write()
    note = published.publish(engine, WithAnother(signer, tmp_path / "log-key.txt.head", engine))
    assert newest(engine, signer) == note
    assert stored(engine) == [1]


def test_two_processes_with_one_key_and_log_publish_in_turn(
    engine: Engine, writer: Writer, signer: LogSigner, tmp_path: Path
) -> None:
    other = new_signer(tmp_path)
    for each in (signer, other, signer, other):
        writer.write(5)
        assert published.publish(engine, each) is not None
        assert published.publish(engine, each) is None
    assert stored(engine) == [5, 10, 15, 20]


@pytest.mark.parametrize("size", [0, 2, 3])
def test_an_older_database_is_an_error_at_once_even_if_its_tree_is_published(
    engine: Engine, writer: Writer, signer: LogSigner, size: int
) -> None:
    heads = {0: writer.head(), 2: writer.write(2)}
    published.publish(engine, signer)
    heads[3] = writer.write(1)
    writer.write(4)
    published.publish(engine, signer)
    restore_older(engine, heads[size])
    with pytest.raises(TreeMustContinue, match="older than the checkpoint"):
        published.publish(engine, signer)
    assert stored(engine) == [2, 7]
    assert signer.last().size == 7


def test_another_tree_of_the_same_size_is_an_error_though_this_size_is_published(
    engine: Engine, writer: Writer, signer: LogSigner
) -> None:
    writer.write(3)
    published.publish(engine, signer)
    restore_older(engine, TreeHead(3, bytes(32)))
    with pytest.raises(TreeMustContinue, match="does not begin with"):
        published.publish(engine, signer)


def test_a_rewritten_tree_gets_no_checkpoint(engine: Engine, writer: Writer, signer: LogSigner) -> None:
    writer.write(3)
    published.publish(engine, signer)
    head = writer.write(2)
    with administering(engine) as connection:
        hashes = connection.execute(select(tree_tiles.c.hashes)).scalar_one()
        changed = bytes(32) + bytes(hashes)[32:]
        connection.execute(tree_tiles.update().values(hashes=changed))
    restore_older(engine, TreeHead(head.size, merkle.root(tiles.split(changed))))
    with pytest.raises(TreeMustContinue, match="does not begin with the 3 leaves"):
        published.publish(engine, signer)
    assert stored(engine) == [3]


def test_a_missing_tile_is_an_error(engine: Engine, writer: Writer, signer: LogSigner) -> None:
    writer.write(3)
    published.publish(engine, signer)
    writer.write(2)
    with administering(engine) as connection:
        connection.execute(delete(tree_tiles))
    with pytest.raises(TreeDamaged, match="missing or too narrow"):
        published.publish(engine, signer)
    assert signer.last().size == 3


def test_a_lost_head_file_is_an_error_even_without_new_leaves(
    engine: Engine, writer: Writer, signer: LogSigner, tmp_path: Path
) -> None:
    writer.write(3)
    published.publish(engine, signer)
    (tmp_path / "log-key.txt.head").unlink()
    with pytest.raises(HeadFileError):
        published.publish(engine, signer)
