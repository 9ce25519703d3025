"""Changes in the log as a whole are found and named, and a changed log is never signed."""

from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace
from sqlalchemy import Engine, select

from service import merkle
from service.audit.whole_log.whole_log_audit import verify_indexes, verify_log
from service.audit.whole_log.whole_log_report import MOST_FINDINGS, LogEvidence
from service.database.engines import reading
from service.entropy import Entropy
from service.event_store.entries import EMPTY
from service.tables.fold import table_id
from service.transparency import checkpoint, log_key, log_signer, published, tile_rebuild, tree
from service.transparency.checkpoint import Checkpoint
from service.transparency.log_signer import TreeMustContinue
from service.transparency.published import OtherLogKey
from service.transparency.tree import TreeDamaged
from service.transparency.tree_tables import checkpoints, tree_tiles
from tests.contract.signed_log import LOG, SignedLog, checks
from tests.event_store.streams import append, asked, new_stream


@pytest.fixture
def signed(storage: Engine, tmp_path: Path) -> SignedLog:
    return SignedLog(storage, tmp_path)


def literal(signed: SignedLog, hex_: str) -> str:
    """Return the SQL literal of the bytes *hex_*."""
    return f"x'{hex_}'" if signed.engine.dialect.name == "sqlite" else f"'\\x{hex_}'::bytea"


def test_an_unchanged_log_has_no_findings(signed: SignedLog) -> None:
    report = signed.verified()
    assert (report.findings, report.indexed, report.waiting, report.not_checked) == ((), 24, 0, ())
    assert report.checkpoints == 5, "four in the database, and one in the signer's file"
    signed.append(signed.ids[0], asked("more", answers=2))
    report = signed.verified()
    assert (report.findings, report.indexed, report.waiting) == ((), 24, 3)


def test_a_tree_of_several_tiles_has_no_findings(signed: SignedLog) -> None:
    for number in range(3):
        signed.append(signed.ids[1], asked(f"long{number}", answers=300))
        signed.keep()
    report = signed.verified()
    assert (report.findings, report.indexed, report.waiting) == ((), 24 + 903, 0)


CHANGES = {
    "DELETE FROM leaf_indexes WHERE leaf_index = 7": {"leaf_must_have_an_index": 7, "indexes_must_run_on": 8},
    "DELETE FROM leaf_indexes WHERE leaf_index = 23": {"leaf_must_have_an_index": 23},
    "UPDATE leaf_indexes SET leaf_hash = {hash} WHERE leaf_index = 9": {
        "leaf_must_be_the_indexed_one": 9,
        "tile_must_fit_the_indexes": 9,
        "checkpoint_must_fit_the_log": 6,
    },
    "UPDATE leaf_indexes SET leaf_index = 24 + leaf_index WHERE leaf_index = 3": {
        "indexes_must_rise": 8,
        "indexes_must_run_on": 4,
        "checkpoint_must_fit_the_log": 0,
    },
    "UPDATE events SET leaf = {hash} WHERE stream_id = {id} AND position = {position}": {
        "leaf_must_be_the_indexed_one": 10
    },
    "DELETE FROM events WHERE stream_id = {id} AND position = {position}": {"index_must_name_a_leaf": 10},
    "UPDATE streams SET imported_at = '2026-11-23T00:00:00.000Z' WHERE stream_id = {id}": {
        "imported_leaf_must_have_no_index": 4
    },
}
"""Each statement, with the checks that find its change, and the index of the leaf that each check names.

The leaves of a round are ordered by stream: the leaves with the indexes 4, 5 and 10 belong to one stream.
"""


@pytest.mark.parametrize("statement", CHANGES)
def test_a_change_of_an_index_or_of_a_leaf_is_named(signed: SignedLog, statement: str) -> None:
    named = CHANGES[statement]
    table, position = signed.at(10)
    places = {check: signed.at(index) for check, index in named.items()}
    filled = statement.format(hash=literal(signed, "ab" * 32), id=literal(signed, table[4:]), position=position)
    signed.owner(filled)
    for check, place in places.items():
        assert place in signed.places(check), check
    of_table = verify_indexes(signed.engine, bytes.fromhex(places[next(iter(places))][0][4:]))
    assert checks(of_table.findings) >= {check for check in named if check.startswith(("leaf", "index_"))}


def test_a_removed_table_is_named(signed: SignedLog) -> None:
    gone = signed.ids[1]
    signed.owner(
        "DELETE FROM events WHERE stream_id = :id",
        "DELETE FROM streams WHERE stream_id = :id",
        id=gone,
    )
    assert signed.places("index_must_name_a_stream") == [(table_id(gone), 1)]


def test_a_table_that_was_put_in_is_named(signed: SignedLog) -> None:
    added = new_stream(signed.engine, LOG)
    append(signed.engine, LOG, added, EMPTY, asked("a"))
    assert signed.verified().findings == ()
    signed.owner("DELETE FROM outbox")
    assert signed.places("leaf_must_have_an_index") == [(table_id(added), 1)]


@pytest.mark.parametrize("position", [9, 12_345])
def test_a_row_of_the_outbox_that_names_no_leaf_is_found(signed: SignedLog, position: int) -> None:
    nobody = b"\7" * 16
    stream_id = nobody if position == 9 else signed.ids[1]
    signed.owner("INSERT INTO outbox (stream_id, position) VALUES (:id, :at)", id=stream_id, at=position)
    assert signed.places("outbox_must_name_a_leaf") == [(table_id(stream_id), position)]


def test_a_table_that_was_played_here_and_is_hidden_as_an_unfinished_import_is_named(signed: SignedLog) -> None:
    signed.owner("INSERT INTO unfinished_imports (stream_id) VALUES (:id)", id=signed.ids[1])
    (finding,) = signed.verified().findings
    assert (finding.check, finding.table) == ("unfinished_import_must_be_an_import", table_id(signed.ids[1]))


def test_a_second_index_of_a_leaf_is_named(signed: SignedLog) -> None:
    if signed.engine.dialect.name == "sqlite":
        signed.owner(
            "CREATE TABLE others AS SELECT * FROM leaf_indexes",
            "DROP TABLE leaf_indexes",
            "ALTER TABLE others RENAME TO leaf_indexes",
        )
    else:
        signed.owner("ALTER TABLE leaf_indexes DROP CONSTRAINT uq_leaf_indexes_stream_id_position")
    assert signed.verified().findings == ()
    again = "SELECT 24, stream_id, position, leaf_hash FROM leaf_indexes WHERE leaf_index = 10"
    signed.owner(f"INSERT INTO leaf_indexes (leaf_index, stream_id, position, leaf_hash) {again}")
    assert signed.places("leaf_must_have_one_index") == [signed.at(10)]


@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM tree_tiles",
        "UPDATE tree_tiles SET hashes = {hash}",
        "INSERT INTO tree_tiles (level, number, hashes) VALUES (0, 1, {hash})",
        "INSERT INTO tree_tiles (level, number, hashes) VALUES (1, 0, {hash})",
        "INSERT INTO tree_tiles (level, number, hashes) VALUES (8, 0, {hash})",
    ],
)
def test_changed_tiles_are_found_and_mended_by_a_rebuild(signed: SignedLog, change: str) -> None:
    assert tile_rebuild.rebuild_tiles(signed.engine) == 0
    signed.owner(change.format(hash=literal(signed, "ab" * 32)))
    (finding,) = signed.verified().findings
    assert finding.check in {"tile_must_fit_the_indexes", "tiles_must_be_of_the_tree"}
    assert tile_rebuild.rebuild_tiles(signed.engine) == 1
    assert signed.verified().findings == ()


def test_the_tiles_of_a_long_log_are_rebuilt_page_by_page(signed: SignedLog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.transparency.index_pages.page.__defaults__", (100,))
    signed.append(signed.ids[1], asked("long", answers=600))
    signed.keep()
    before = tiles_of(signed)
    signed.owner("DELETE FROM tree_tiles")
    assert tile_rebuild.rebuild_tiles(signed.engine) == len(before) == 4
    assert tiles_of(signed) == before
    signed.append(signed.ids[2], asked("later"))
    assert signed.keep()
    assert signed.verified().findings == ()


def tiles_of(signed: SignedLog) -> dict[tuple[int, int], bytes]:
    with reading(signed.engine) as connection:
        rows = connection.execute(select(tree_tiles))
        return {(row.level, row.number): bytes(row.hashes) for row in rows}


def test_no_tile_is_rebuilt_from_changed_indexes(signed: SignedLog) -> None:
    before = tiles_of(signed)
    signed.owner("UPDATE leaf_indexes SET leaf_hash = :hash WHERE leaf_index = 9", hash=bytes(32))
    with pytest.raises(TreeDamaged, match="do not give the root"):
        tile_rebuild.rebuild_tiles(signed.engine)
    assert tiles_of(signed) == before


@pytest.mark.parametrize(
    "change",
    ["UPDATE tree_head SET size = 20", "UPDATE tree_head SET root = {hash}", "DELETE FROM tree_head"],
)
def test_a_changed_head_of_the_tree_is_found(signed: SignedLog, change: str) -> None:
    signed.owner(change.format(hash=literal(signed, "ab" * 32)))
    assert checks(signed.verified().findings) == {"tree_head_must_be_the_root"}


def _by_another_key(signed: SignedLog) -> str:
    other = replace(log_key.make(Entropy()), origin=signed.signer.key.origin)
    with reading(signed.engine) as connection:
        root = tree.root(connection, 12)
    return str(checkpoint.signed(Checkpoint(other.origin, 12, root), other.private_key))


def _of_another_size(signed: SignedLog) -> str:
    with reading(signed.engine) as connection:
        return str(connection.execute(select(checkpoints.c.note).where(checkpoints.c.size == 18)).scalar())


@pytest.mark.parametrize("make", [lambda _: "no note", _by_another_key, _of_another_size])
def test_a_stored_checkpoint_that_is_not_genuine_is_named(signed: SignedLog, make: Callable[[SignedLog], str]) -> None:
    signed.owner("UPDATE checkpoints SET note = :note WHERE size = 12", note=make(signed))
    (finding,) = signed.verified().findings
    assert (finding.check, finding.detail) == ("checkpoint_must_be_genuine", "the stored checkpoint of size 12")


def test_a_rewritten_table_is_found_by_signed_checkpoints_and_is_not_signed(signed: SignedLog) -> None:
    signed.rewrite(signed.ids[2])
    report = signed.verified()
    assert checks(report.findings) == {"checkpoint_must_fit_the_log", "log_must_have_what_was_signed"}
    assert {(one.table, one.position) for one in report.findings} == {signed.at(0)}, "no checkpoint is before it"
    with pytest.raises(TreeMustContinue, match=r"does not begin with the 24 leaves.*has index 0: position 1 of table/"):
        published.publish(signed.engine, signed.signer)
    signed.append(signed.ids[0], asked("later"))
    with pytest.raises(TreeMustContinue, match="the log was changed"):
        signed.keep()
    assert signed.signer.last().size == 24


def test_an_older_head_file_signs_no_log_that_was_rewritten_later(signed: SignedLog) -> None:
    old = signed.files[1].read_bytes()
    signed.append(signed.ids[0], asked("later"))
    signed.keep()
    signed.files[1].write_bytes(old)
    signed.append(signed.ids[1], asked("later"))
    assert signed.keep(), "an old file alone contradicts nothing"
    signed.files[1].write_bytes(old)
    signed.owner("UPDATE events SET leaf = :leaf WHERE stream_id = :id AND position = 9", leaf=b"{}", id=signed.ids[0])
    signed.remake()
    with pytest.raises(TreeMustContinue, match="the 26 leaves that a stored checkpoint, which is newer than the"):
        published.publish(signed.engine, signed.signer)
    signed.owner("UPDATE checkpoints SET note = :note WHERE size = 26", note="none")
    assert "checkpoint_must_be_genuine" in checks(signed.verified().findings)


def test_the_first_leaf_after_the_last_checkpoint_that_fits_is_named(signed: SignedLog) -> None:
    table, position = signed.at(14)
    altered = "UPDATE events SET leaf = :leaf WHERE stream_id = :id AND position = :position"
    signed.owner(altered, leaf=b"{}", id=bytes.fromhex(table[4:]), position=position)
    signed.remake()
    assert set(signed.places("checkpoint_must_fit_the_log")) == {signed.at(12)}
    assert signed.places("log_must_have_what_was_signed") == [signed.at(12)]
    named, at = signed.at(12)
    with pytest.raises(TreeMustContinue, match=f"has index 12: position {at} of table/{named}"):
        published.publish(signed.engine, signed.signer)


def test_a_log_that_was_cut_or_restored_from_an_older_backup_is_found_and_is_not_signed(signed: SignedLog) -> None:
    signed.cut(14)
    assert signed.verified().waiting == 0
    (finding,) = signed.verified().findings
    assert finding.check == "log_must_have_what_was_signed"
    assert finding.expected.startswith("24 leaves")
    assert (finding.table, finding.position) == signed.at(12), "the checkpoint of 12 leaves still fits"
    assert (finding.found.startswith("14 leaves"), "ends here" in finding.found) == (True, True)
    with pytest.raises(TreeMustContinue, match="has 14 leaves, but the last checkpoint covers 24"):
        published.publish(signed.engine, signed.signer)
    for stream_id in signed.ids:
        with reading(signed.engine) as connection:
            signed.recorded[stream_id] = tuple(LOG.reader.read(connection, stream_id))
        signed.append(stream_id, asked("another", answers=9))
    with pytest.raises(TreeMustContinue, match="does not begin with the 24 leaves"):
        signed.keep()
    assert signed.signer.last().size == 24


def test_a_checkpoint_in_a_file_is_also_compared(signed: SignedLog) -> None:
    saved = ("ann's", signed.signer.last())
    key = signed.signer.key.public
    assert verify_log(signed.engine, LogEvidence(key=key, checkpoints=(saved,))).findings == ()
    signed.cut(18)
    (finding,) = verify_log(signed.engine, LogEvidence(key=key, checkpoints=(saved,))).findings
    assert (finding.table, finding.position) == signed.at(17)
    assert finding.detail.startswith("index 17: ann's; this is the last leaf")
    assert verify_log(signed.engine, LogEvidence(key=key)).findings == (), "without other evidence the log looks whole"


def test_a_missing_key_is_a_finding_only_if_something_was_signed(signed: SignedLog) -> None:
    nothing = LogEvidence(problems=("the log key is gone",))
    (finding,) = verify_log(signed.engine, nothing).findings
    assert (finding.check, finding.found) == ("log_key_and_head_must_be_usable", "the log key is gone")
    signed.owner("DELETE FROM checkpoints")
    report = verify_log(signed.engine, nothing)
    assert (report.findings, len(report.not_checked)) == ((), 1)
    assert "the log key is gone" in report.not_checked[0]


def test_another_log_key_signs_nothing_until_a_new_log_is_begun(signed: SignedLog, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = log_signer.load_or_make(tmp_path / "other" / "key", tmp_path / "other" / "head", Entropy())
    with pytest.raises(OtherLogKey, match=other.key.origin):
        published.publish(signed.engine, other)
    evidence = LogEvidence(key=other.key.public, checkpoints=(("last", other.last()),))
    assert checks(verify_log(signed.engine, evidence).findings) == {"log_key_must_be_of_this_log"}
    assert published.publish(signed.engine, other, begins=True)
    evidence = LogEvidence(key=other.key.public, checkpoints=(("last", other.last()),))
    report = verify_log(signed.engine, evidence)
    assert (report.findings, report.not_checked) == (
        (),
        (f"the checkpoints of earlier logs: {signed.signer.key.origin}",),
    )


def test_a_report_lists_a_limited_number_of_findings_of_each_check(signed: SignedLog) -> None:
    signed.append(signed.ids[1], asked("long", answers=100))
    signed.keep()
    signed.owner("UPDATE leaf_indexes SET leaf_hash = :hash", hash=bytes(32))
    report = signed.verified()
    of_check = [one for one in report.findings if one.check == "leaf_must_be_the_indexed_one"]
    assert len(of_check) == MOST_FINDINGS
    assert report.left_out == 125 - MOST_FINDINGS
    assert checks(report.findings) >= {"checkpoint_must_fit_the_log", "tree_head_must_be_the_root"}


def test_the_root_of_each_prefix_follows_from_the_whole_tree() -> None:
    growing = merkle.GrowingTree()
    hashes = [merkle.leaf_hash(bytes([number])) for number in range(70)]
    assert growing.root == merkle.EMPTY_ROOT
    for size, each in enumerate(hashes, start=1):
        growing.append(each)
        assert (growing.size, growing.root) == (size, merkle.root(hashes[:size]))
