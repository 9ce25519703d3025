"""The service makes the recorded vectors again, byte for byte; verify.py and the package check dossier.zip."""

from collections.abc import Mapping
from operator import attrgetter
from pathlib import Path

import pytest

from service.audit.verdicts import Verdict
from service.dossier import archive, offline_check, verify
from service.dossier.kept_files import KeptFile
from tests.dossier.made import must_pass
from tests.vectors import recorded_vectors, recorded_world, vectors_of_dossier
from tests.vectors.recorded_vectors import COMMAND, FOLDER
from tests.vectors.recorded_world import World
from tests.vectors.vectors_of_dossier import FILE, FROZEN, Change

VECTORS = recorded_vectors.vectors()
DOSSIER = (FOLDER / FILE).read_bytes()
CHANGES = [Change(**one) for one in VECTORS["dossier"]["changes"]]
FORGED = [Change(**one) for one in VECTORS["dossier"]["changes_with_the_log_key"]]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    """Return the tables behind the vectors, recorded again."""
    return recorded_world.world(tmp_path_factory.mktemp("vectors"))


def test_the_tables_are_recorded_again_byte_for_byte(world: World) -> None:
    made, recorded = archive.unpacked(world.hand.dossier), recorded_vectors.recorded_dossier()
    assert {name: made[name] for name in FROZEN} == {name: recorded[name] for name in FROZEN}
    assert world.hand.dossier == DOSSIER, f"verify.py has changed: `{COMMAND}` puts the present program into {FILE}."


def test_the_vectors_are_made_again(world: World) -> None:
    made = recorded_vectors.made_again(VECTORS, world)
    for name, one in made.items():
        assert VECTORS.get(name) == one, f"{name}: `{COMMAND}` adds vectors, but changes none."


def test_the_command_writes_the_form_that_the_file_has() -> None:
    assert recorded_vectors.written(VECTORS) == recorded_vectors.VECTORS.read_text(encoding="utf-8")


def test_verify_and_the_package_accept_the_dossier_and_its_kept_files() -> None:
    vector = VECTORS["dossier"]
    keys = f"log_key {vector['log_vkey']}\nreceipt_key {vector['receipt_key']}\n"
    kept: Mapping[str, str] = {
        **{name: one for name, one in vector["kept"].items() if name != "receipt"},
        "receipt": recorded_vectors.written(vector["kept"]["receipt"]),
        "keys": keys,
    }
    must_pass(DOSSIER, *(KeptFile(name, text.encode()) for name, text in kept.items()))
    assert offline_check.check(DOSSIER).verdict is Verdict.CLEAN


@pytest.mark.parametrize("change", CHANGES, ids=attrgetter("what"))
def test_verify_and_the_package_refuse_each_change_of_a_line(change: Change) -> None:
    data = archive.packed(vectors_of_dossier.changed(archive.unpacked(DOSSIER), change))
    failed = [one for one in verify.findings(data) if one.verdict == "FAILED"]
    assert failed[0].step == change.step
    assert failed[0].place == change.place or not change.place
    assert offline_check.check(data).verdict is Verdict.FAILED


@pytest.mark.parametrize("change", FORGED, ids=attrgetter("what"))
def test_verify_and_the_package_refuse_forgeries_with_the_log_key(change: Change) -> None:
    data = archive.packed(vectors_of_dossier.rechained(archive.unpacked(DOSSIER), change))
    failed = [one for one in verify.findings(data) if one.verdict == "FAILED"]
    assert (failed[0].step, failed[0].place) == (change.step, change.place)
    assert offline_check.check(data).verdict is Verdict.FAILED


def test_verify_and_the_package_refuse_each_change_of_an_opening(world: World) -> None:
    files, report = archive.unpacked(world.hearts_dossier), offline_check.check(world.hearts_dossier)
    assert [one.verdict for one in verify.findings(world.hearts_dossier) if one.verdict != "ok"] == []
    assert report.verdict is Verdict.PENDING
    for change in (Change(**one) for one in VECTORS["openings"]["changes"]):
        data = archive.packed(vectors_of_dossier.changed(files, change))
        failed = [one for one in verify.findings(data) if one.verdict == "FAILED"]
        assert failed[0].step == change.step, change.what
        assert failed[0].place == change.place or not change.place, change.what
        assert offline_check.check(data).verdict is Verdict.FAILED, change.what


def test_the_command_adds_missing_vectors_and_changes_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, world: World
) -> None:
    monkeypatch.setattr(recorded_vectors, "FOLDER", tmp_path)
    monkeypatch.setattr(recorded_vectors, "VECTORS", tmp_path / "vectors.json")
    monkeypatch.setattr(recorded_vectors, "world", lambda _: world)
    changed = {name: one for name, one in VECTORS.items() if name != "tile_paths"} | {"receipts": "changed"}
    (tmp_path / "vectors.json").write_text(recorded_vectors.written(changed))
    older = dict(archive.unpacked(DOSSIER)) | {archive.PROGRAM: b"an older program\n"}
    (tmp_path / FILE).write_bytes(archive.packed(older))
    recorded_vectors.add()
    assert recorded_vectors.vectors() == {**changed, "tile_paths": VECTORS["tile_paths"]}
    assert (tmp_path / FILE).read_bytes() == DOSSIER
