"""Code that reads all streams leaves out no stream of disputes, and mistakes none for a table."""

import json
from multiprocessing.reduction import ForkingPickler

import pytest
from sqlalchemy import select

from service.audit.log_audit import reports
from service.audit.lost_heads import lost_heads
from service.database.engines import reading
from service.database.metadata import LAST_TABLE
from service.database.partitions import ALL_TABLES, split_streams
from service.disputes.adjustment_totals import AdjustmentTotal, totals_of
from service.disputes.dispute_events import Adjustment, Unit
from service.event_store import export_format, hash_chain
from service.event_store.entries import disputes_stream, is_of_table, stream_id_of, stream_name
from service.event_store.export_format import StreamHead
from service.event_store.log_tables import IS_OF_DISPUTES, streams
from service.exchange import database_copy
from service.projections import feed_leaves
from service.transparency import published, tree
from tests.contract.service_logs import as_owner
from tests.disputes.disputed import CODEC, Copy
from tests.http.operations.test_metrics import scraped
from tests.http.service import refused


def test_each_stream_id_belongs_to_one_kind_and_its_name_gives_the_id_again(original: Copy) -> None:
    for stream_id in (bytes(16), original.stream, original.disputes, LAST_TABLE, b"\xff" * 6 + bytes(10)):
        assert stream_id_of(stream_name(stream_id)) == stream_id
    assert is_of_table(LAST_TABLE)
    assert not is_of_table(b"\xff" * 6 + bytes(10))
    assert (int.from_bytes(LAST_TABLE) + 1).to_bytes(16) == b"\xff" * 6 + bytes(10)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "table/",
        "service/other",
        f"table/tbl_{'ff' * 16}",
        f"dispute/dsp_{'ab' * 16}",
        f"dispute/dsp_{'FF' * 16}",
        f"dispute/dsp_{'zz' * 16}",
        "dispute/dsp_ff",
    ],
)
def test_no_other_name_belongs_to_a_stream(name: str) -> None:
    with pytest.raises(ValueError, match="is no stream"):
        stream_id_of(name)


def test_partitions_cover_tables_only(original: Copy) -> None:
    parts = split_streams(original.service.parts.engine, 2)
    assert (parts[0].after, parts[-1].last) == ALL_TABLES
    assert all(not one.after < original.disputes <= one.last for one in parts)


def test_disputes_do_not_count_as_tables(original: Copy) -> None:
    samples = scraped(original.service)
    assert samples["chiptrail_streams",] == 1
    with reading(original.service.parts.engine) as connection:
        head = original.service.parts.log.head(connection, original.stream).position
        checked, broken = hash_chain.find_breaks(connection, CODEC, 100_000)
        indexed, waiting = tree.number_of_leaves(connection), published.leaves_without_index(connection)
        every = sum(connection.execute(select(streams.c.head)).scalars())
        leaves = feed_leaves.between(connection, feed_leaves.ALL_TABLES, 0, 1_000, 1_000)
    assert (samples["chiptrail_log_events",], checked, broken) == (head, head, {})
    assert (indexed, waiting) == (every, 0)  # the tree has the leaves of disputes, too
    assert {one.stream_id for one in leaves} == {original.stream}  # and no feed has these leaves


def test_the_id_of_disputes_is_no_table(original: Copy) -> None:
    as_table = original.place.replace("dsp_", "tbl_")
    auditor = original.service.person("audit", "admin")
    refused(auditor.get(f"/v1/tables/{as_table}"), 404, "table_must_exist")
    refused(auditor.get(f"/v1/tables/{as_table}/events"), 404, "table_must_exist")
    assert [one["table"] for one in auditor.get("/v1/tables").get_json()["items"]] == [original.known.table]
    for command in ("verify", "export"):
        said = original.instance.run(command, "--table", as_table)
        assert (said.code, f"There is no table {as_table}" in said.err) == (1, True)


def test_a_backup_has_the_heads_of_disputes_and_counts_tables(original: Copy) -> None:
    with reading(original.service.parts.engine) as connection:
        end = database_copy.all_heads(connection)
        assert [one.stream for one in end.heads if one.stream.startswith("dispute/")] == [f"dispute/{original.place}"]
        assert list(lost_heads(connection, end.heads)) == []
        last = next(one for one in end.heads if one.stream.startswith("dispute/"))
        later = StreamHead(last.stream, last.position + 1, "ab" * 32)
        (lost,) = lost_heads(connection, [later])
    assert (lost.table, lost.found) == (original.place, f"position {last.position} is the last")


def test_restoring_an_older_backup_names_the_lost_steps(copy: Copy) -> None:
    """After `backup`, the last step is lost: `verify --head` names the stream of disputes, also with `--table`.

    `log restart --head` records this stream as shortened.
    """
    backup = copy.instance.data / "kept.backup"
    assert "1 tables with" in copy.instance.run("backup", str(backup)).out
    end = export_format.read_end(backup.with_name("kept.backup.head"))
    assert end
    last = copy.stored().recorded[-2]
    engine = copy.service.parts.engine
    place = {"stream": copy.disputes, "last": last.position}
    as_owner(engine, "DELETE FROM sealed WHERE stream_id = :stream AND position > :last", **place)
    as_owner(engine, "DELETE FROM events WHERE stream_id = :stream AND position > :last", **place)
    back = "UPDATE streams SET head = :last, head_hash = :hash WHERE stream_id = :stream"
    as_owner(engine, back, **place, hash=last.hash)
    heads = ("--head", str(backup.with_name("kept.backup.head")))
    report = json.loads(copy.instance.run("verify", "--json", *heads).out)
    assert [(one["check"], one["table"]) for one in report["lost"]] == [("log_must_hold_what_it_held", copy.place)]
    of_table = copy.instance.run("verify", "--table", copy.known.table, "--json", *heads)
    assert [one["table"] for one in json.loads(of_table.out)["lost"]] == [copy.place]
    restarted = copy.instance.run("log", "restart", "--yes", *heads)
    assert (restarted.code, "new origin" in restarted.out) == (0, True), restarted.err
    shortened = [one["pub"] for one in copy.instance.service_events() if one["type"] == "stream_shortened"]
    assert shortened == [{"stream": f"dispute/{copy.place}", "position": last.position, "earlier": last.position + 1}]


def test_rebuilt_projections_have_no_row_of_disputes(copy: Copy) -> None:
    said = copy.instance.run("rebuild")
    assert "1 tables rebuilt" in said.out
    assert copy.found() == []
    with reading(copy.service.parts.engine) as connection:
        assert connection.execute(select(streams.c.stream_id).where(IS_OF_DISPUTES)).scalars().all() == [copy.disputes]
    assert disputes_stream(copy.stream) == copy.disputes


def test_a_process_sends_the_audit_of_the_table_and_of_its_disputes(original: Copy) -> None:
    parts = original.service.parts
    (report,) = reports(parts.engine, parts.log, CODEC, partition=ALL_TABLES)
    assert report.disputes
    assert ForkingPickler.loads(ForkingPickler.dumps(report)) == report


@pytest.mark.full
def test_several_processes_audit_each_table_with_its_disputes(original: Copy) -> None:
    alone = json.loads(original.instance.run("verify", "--json").out)
    assert json.loads(original.instance.run("verify", "--json", "--processes", "2").out) == alone


def test_balances_show_adjustments_beside_the_tables(original: Copy) -> None:
    sums = json.loads(original.instance.run("balances", "--json").out)
    assert sums[-1] == {"kind": "adjustment:chips", "accounts": 2, "postings": 2, "balance": 0}
    assert sum(one["balance"] for one in sums) == 0


def test_balances_sum_adjustments_in_chips_and_in_points_apart() -> None:
    def moved(unit: Unit, amount: int) -> Adjustment:
        return Adjustment(source="a", target="b", amount=amount, unit=unit, corrects=7, rule="G.3")

    tables = [(moved("chips", 5), moved("points", 2)), (moved("chips", 1),), ()]
    assert totals_of(tables) == (AdjustmentTotal("chips", 4, 4, 0), AdjustmentTotal("points", 2, 2, 0))
