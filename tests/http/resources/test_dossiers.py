"""Dossiers over HTTP: of hands that a checkpoint covers, or does not cover yet; of damaged and imported tables."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from sqlalchemy import select, update

from service.audit.verdicts import Verdict
from service.database.engines import administering, reading
from service.dossier import archive, offline_check, verify
from service.event_store.disclosure import FieldPlace
from service.event_store.leaf import leaf_hash
from service.games.common_commands import EraseValue
from service.games.game import SERVICE
from service.play.orders import ANYWHERE, Order
from service.transparency.tile_rebuild import rebuild_tiles
from service.transparency.tree_tables import tree_tiles
from tests.damage import BEHEAD, damage, flipped, forget
from tests.dossier.made import must_pass
from tests.exchange.exported_tables import exported, import_tables
from tests.http.service import Service, Table, accepted, refused
from tests.play.hearts import ALL_RULES, play_on


@pytest.mark.walk
def test_a_dossier_is_a_file_that_proves_itself_once_a_checkpoint_covers_it(service: Service) -> None:
    table = Table(service).dealt()
    for path in (table.path, f"{table.path}/hands/1"):
        problem = service.spectator.get(f"{path}/dossier")
        assert refused(problem, 404, "proof_must_exist")
        assert problem.headers["Retry-After"] == "1"
    service.keep_log()
    for viewer in (service.spectator, *table.players.values()):
        for path in (table.path, f"{table.path}/hands/1"):
            answer = accepted(viewer.get(f"{path}/dossier"))
            assert answer.content_type == "application/octet-stream"  # generated clients know no other type of bytes
            assert answer.headers["Content-Disposition"] == 'attachment; filename="dossier.zip"'
            must_pass(answer.data)


def test_a_settled_hand_waits_for_the_checkpoint_that_covers_it(quick_service: Service) -> None:
    table = _hearts(quick_service)
    quick_service.keep_log()
    running_ = accepted(quick_service.spectator.get(f"{table.path}/hands/1/dossier")).data
    assert offline_check.check(running_).verdict is Verdict.PENDING
    _play(quick_service, table, hands=2)
    refused(quick_service.spectator.get(f"{table.path}/hands/1/dossier"), 404, "proof_must_exist")
    quick_service.keep_log()
    settled = accepted(quick_service.spectator.get(f"{table.path}/hands/1/dossier")).data
    assert offline_check.check(settled).verdict is Verdict.CLEAN


def test_a_value_that_was_erased_is_missing_and_makes_the_hand_undecidable(quick_service: Service) -> None:
    table = _hearts(quick_service)
    _play(quick_service, table, hands=2)
    quick_service.keep_log()
    before = accepted(quick_service.spectator.get(f"{table.path}/hands/1/dossier")).data
    place = _first_sealed(quick_service, table)
    _erase(quick_service, table, place)
    refused(quick_service.spectator.get(f"{table.path}/hands/1/dossier"), 404, "proof_must_exist")
    quick_service.keep_log()
    after = accepted(quick_service.spectator.get(f"{table.path}/hands/1/dossier")).data
    must_pass(after)
    verdicts = [offline_check.check(data).verdict for data in (before, after)]
    assert verdicts == [Verdict.CLEAN, Verdict.UNDECIDABLE]
    openings = [archive.unpacked(data)[archive.OPENINGS].count(b"\n") for data in (before, after)]
    assert openings[0] == openings[1] + 1


def test_a_missing_table_or_hand_is_refused(quick_service: Service, elsewhere: Service) -> None:
    table = Table(quick_service).dealt()
    quick_service.keep_log()
    for hand in (0, 2, 10**6):
        refused(quick_service.spectator.get(f"{table.path}/hands/{hand}/dossier"), 404, "hand_must_exist")
    refused(quick_service.spectator.get(f"/v1/tables/tbl_{'0' * 32}/dossier"), 404, "table_must_exist")
    import_tables(elsewhere, exported(quick_service.spectator, table))
    answer = elsewhere.spectator.get(f"{table.path}/dossier")
    refused(answer, 404, "proof_must_exist")
    assert "Retry-After" not in answer.headers


def test_a_damaged_table_has_no_dossier(quick_service: Service) -> None:
    table = Table(quick_service).dealt()
    quick_service.keep_log()
    damage(quick_service, table.id, 2)
    refused(quick_service.spectator.get(f"{table.path}/dossier"), 409, "table_must_be_intact")


def test_a_table_whose_events_are_not_those_of_the_tree_has_no_dossier(quick_service: Service) -> None:
    """Somebody writes another last event, and its hash, into the database: the chain is intact."""
    table, engine = Table(quick_service).dealt(), quick_service.parts.engine
    quick_service.keep_log()
    stream_id = bytes.fromhex(table.id.removeprefix("tbl_"))
    with reading(engine) as connection:
        last = quick_service.parts.log.reader.read(connection, stream_id)[-1]
    forged = flipped(last.leaf)
    damage(quick_service, table.id, last.position, leaf=forged)
    damage(quick_service, table.id, last.position, BEHEAD, leaf=leaf_hash(forged))
    forget(quick_service)
    for path in ("dossier", "hands/1/dossier"):
        problem = refused(quick_service.spectator.get(f"{table.path}/{path}"), 409, "table_must_be_intact")
        assert (problem["position"], problem["detail"]) == (last.position, "The tree of the log has another leaf.")


def test_damage_of_another_stream_is_not_called_damage_of_the_table(quick_service: Service) -> None:
    table = Table(quick_service).dealt()
    accepted(quick_service.person("host").post("/v1/keys", {}), 201)
    quick_service.keep_log()
    damage(quick_service, "tbl_" + "0" * 32, 1)  # the service's own stream
    for path in ("dossier", "hands/1/dossier"):
        problem = refused(quick_service.spectator.get(f"{table.path}/{path}"), 409, "table_must_be_intact")
        assert problem["position"] == 1
        assert problem["detail"].endswith(". The stream is service/log.")
    accepted(quick_service.spectator.get(table.path))


def test_an_altered_tile_gives_neither_a_dossier_nor_a_proof_until_it_is_rebuilt(
    quick_service: Service, capsys: pytest.CaptureFixture[str]
) -> None:
    table, engine = Table(quick_service).dealt(), quick_service.parts.engine
    quick_service.keep_log()
    admin, size = quick_service.person("admin"), quick_service.events()
    consistency, since = f"/v1/log/consistency/{size - 1}/{size}", f"/v1/log/tree?since={size - 1}"
    with administering(engine) as connection:
        hashes = connection.execute(select(tree_tiles.c.hashes)).scalar_one()
        connection.execute(update(tree_tiles).values(hashes=bytes(byte ^ 1 for byte in hashes)))
    of_table = [f"{table.path}/{path}" for path in ("dossier", "hands/1/dossier", "events/2/proof")]
    for path in (*of_table, consistency, since):
        problem = refused(admin.get(path), 500, "service_must_not_fail")
        line = json.loads(capsys.readouterr().err.splitlines()[-1])
        assert (line["error"], line["request_id"]) == ("TreeDamaged", problem["request_id"])
    assert rebuild_tiles(engine) == 1
    accepted(admin.get(consistency))
    accepted(admin.get(since))
    must_pass(accepted(quick_service.spectator.get(f"{table.path}/dossier")).data)


def test_a_dossier_that_would_be_too_large_is_refused(quick_service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table(quick_service).dealt()
    quick_service.keep_log()
    size = len(accepted(quick_service.spectator.get(f"{table.path}/dossier")).data)
    monkeypatch.setattr(archive, "MOST_BYTES", size)
    accepted(quick_service.spectator.get(f"{table.path}/dossier"))
    for most in (size - 1, 1_000):
        monkeypatch.setattr(archive, "MOST_BYTES", most)
        refused(quick_service.spectator.get(f"{table.path}/dossier"), 409, "dossier_must_be_small")


def test_the_program_is_served_unchanged(quick_service: Service) -> None:
    answer = accepted(quick_service.spectator.get("/v1/verify.py"))
    assert answer.content_type == "text/x-python; charset=utf-8"
    assert answer.data == Path(verify.__file__).read_bytes()


def test_a_proof_of_consistency_is_for_two_sizes_of_checkpoints_in_order(quick_service: Service) -> None:
    Table(quick_service)
    old = int(quick_service.keep_log().split("\n")[1])
    Table(quick_service)
    new = int(quick_service.keep_log().split("\n")[1])
    ask = quick_service.spectator.get
    text = accepted(ask(f"/v1/log/consistency/{old}/{new}")).get_data(as_text=True)
    assert text.startswith(f"old {old}\n")
    for sizes in (f"{new}/{old}", f"{old}/{new + 1}", f"{old}/{new - 1}", f"{2**53 - 1}/{2**53 - 1}"):
        answer = ask(f"/v1/log/consistency/{sizes}")
        details = refused(answer, 404, "checkpoint_must_exist")
        assert details["title"] == "The log has no such checkpoint."  # the log has others
        assert "Retry-After" not in answer.headers, "the same request would be refused again"


def _hearts(service: Service) -> Table:
    """Return a table of Insurance Hearts whose first hand was dealt."""
    options: dict[str, Any] = {**ALL_RULES, "target": 100}
    table = Table(service, 4, game="insurance_hearts", **options).started()
    _play(service, table, hands=1)
    return table


def _play(service: Service, table: Table, hands: int) -> None:
    play_on(service.parts, bytes.fromhex(table.id.removeprefix("tbl_")), Random(5), lambda state: state.hand >= hands)


def _first_sealed(service: Service, table: Table) -> FieldPlace:
    items = accepted(service.spectator.get(f"{table.path}/events?limit=1000")).json["items"]
    opening = next(one for item in items for one in item["fields"])
    return opening["position"], opening["field"]


def _erase(service: Service, table: Table, place: FieldPlace) -> None:
    stream_id = bytes.fromhex(table.id.removeprefix("tbl_"))
    command = EraseValue(by=SERVICE, position=place[0], field=place[1], ground="request")
    service.parts.play.do(Order(stream_id=stream_id, caller=SERVICE, key="erase", command=command, if_match=ANYWHERE))
