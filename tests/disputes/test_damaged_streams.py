"""An event or a head row is damaged or gone: the commands about disputes name the damage, and none ends in a crash."""

import json

import pytest
from sqlalchemy import text

from service.database.engines import reading
from service.disputes import dispute_commands
from service.event_store.leaf import leaf_hash
from service.event_store.quarantine import StreamCorrupted
from service.play.dispute_desk import AUDITOR
from tests.damage import ALTER, BEHEAD, DROP, LOSE_HEAD, alter, flipped
from tests.disputes.disputed import Copy
from tests.http.service import accepted, refused

WAYS = ("altered", "unreadable", "gone")
LEAF = "SELECT leaf FROM events WHERE stream_id = :stream_id AND position = :position"


def break_event(copy: Copy, way: str, position: int, *, ends_generation: bool = True) -> None:
    """Damage the event at *position* of the table; with *ends_generation*, empty the cache, as after a restart.

    If the event is to be gone, it must not have sealed a value.
    """
    engine, place = copy.service.parts.engine, {"stream_id": copy.stream, "position": position}
    with reading(engine) as connection:
        leaf = bytes(connection.execute(text(LEAF), place).scalar_one())
    if way == "gone":
        alter(engine, DROP, **place)
    else:
        alter(engine, ALTER, **place, leaf=flipped(leaf) if way == "altered" else b"\xff")
    if ends_generation:
        copy.service.parts.log.generation.end()


@pytest.mark.parametrize("way", WAYS)
def test_a_dispute_is_shown_although_an_event_before_its_hand_is_damaged_and_the_verdict_is_failed(
    copy: Copy, way: str
) -> None:
    break_event(copy, way, 9)
    said = copy.instance.run("disputes", "show", copy.known.table, "1", "--json")
    assert (said.code, '"position":9' in said.err) == (3, True), said.err
    shown = json.loads(said.out)
    assert (shown["verdict"], shown["verdict_now"]) == ("clean", "failed")


def test_the_verdict_on_a_hand_that_the_table_does_not_have_is_failed(copy: Copy) -> None:
    with reading(copy.service.parts.engine) as connection:
        assert copy.service.parts.desk.machine_verdict(connection, copy.stream, 99) == "failed"


@pytest.mark.parametrize("way", WAYS)
def test_a_step_is_recorded_unless_the_first_event_of_the_table_is_damaged(copy: Copy, way: str) -> None:
    break_event(copy, way, 9)
    taken = copy.do(copy.known.auditor, AUDITOR, dispute_commands.TakeDispute(), 1)
    assert [one.type for one in taken.recorded] == ["dispute_taken"]
    break_event(copy, "altered", 1)
    with pytest.raises(StreamCorrupted) as error:
        copy.do(copy.known.auditor, AUDITOR, dispute_commands.ReturnDispute(), 1)
    assert (error.value.stream_id, error.value.position) == (copy.stream, 1)


def test_no_step_is_recorded_if_the_facts_need_an_event_that_was_damaged_after_the_cache_had_read_it(
    copy: Copy,
) -> None:
    tables, before = copy.service.parts.tables, copy.stored().head
    with reading(copy.service.parts.engine) as connection:
        assert tables.current(connection, copy.stream)
    break_event(copy, "altered", 9, ends_generation=False)
    with pytest.raises(StreamCorrupted) as error:
        copy.do(copy.known.auditor, AUDITOR, dispute_commands.TakeDispute(), 1)
    assert (error.value.stream_id, error.value.position) == (copy.stream, 9)
    assert copy.stored().head == before


@pytest.mark.parametrize("dry_run", [("--dry-run",), ()], ids=["dry run", "erasure"])
def test_an_erasure_by_age_names_a_stream_of_disputes_whose_head_row_is_gone(
    copy: Copy, dry_run: tuple[str, ...]
) -> None:
    alter(copy.service.parts.engine, LOSE_HEAD, stream_id=copy.disputes)
    said = copy.instance.run("erase", "--older-than", "0", *dry_run)
    assert (said.code, said.err) == (0, "")
    why = "The stream of disputes is damaged from this position on: the head row of the stream is missing."
    assert f"{copy.place} 1: {why}" in said.out
    assert said.out.splitlines()[-1].endswith(", 1 not")


def test_disputes_whose_events_are_not_those_of_the_tree_are_in_no_dossier(copy: Copy) -> None:
    """Somebody writes another last event of the disputes, and its hash, into the database: the chain is intact."""
    parts, last = copy.service.parts, copy.stored().recorded[-1]
    auditor, table = copy.service.person("audit"), f"/v1/tables/{copy.known.table}"
    paths = [f"{table}/{path}" for path in ("dossier", "hands/1/dossier")]
    for path in paths:
        accepted(auditor.get(path))
    place, forged = {"stream_id": copy.disputes, "position": last.position}, flipped(last.leaf)
    alter(parts.engine, ALTER, **place, leaf=forged)
    alter(parts.engine, BEHEAD, **place, leaf=leaf_hash(forged))
    parts.log.generation.end()
    assert copy.stored().head.hash == leaf_hash(forged)
    for path in paths:
        problem = refused(auditor.get(path), 409, "table_must_be_intact")
        detail = f"The tree of the log has another leaf. The stream is dispute/{copy.place}."
        assert (problem["position"], problem["detail"]) == (last.position, detail)
