"""disputes.ndjson has the stream of the table's disputes, and the texts that the viewer may read."""

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from service.canonical import canonical
from service.dossier import archive
from tests.databases import Databases
from tests.disputes.complaints import REASON, STATEMENT, Desk
from tests.dossier.forged import with_pages
from tests.dossier.made import World, dossier, files_of, must_be_refused, must_pass, play
from tests.http.service import Table, refused, running
from tests.play.hearts import ALL_RULES


def lines(data: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in files_of(data).get(archive.DISPUTES, b"").splitlines()]


def texts(data: bytes) -> list[str]:
    return [line["opening"]["value"] for line in lines(data) if "opening" in line]


@pytest.fixture
def corrected(world: World) -> Table:
    """Return the table whose first hand was disputed and corrected."""
    return next(played.table for played in world.played if played.game == "insurance_hearts")


def test_the_dossier_of_a_disputed_hand_holds_its_dispute(corrected: Table) -> None:
    data = dossier(corrected.players[1], f"{corrected.path}/hands/1")
    must_pass(data)
    assert lines(data)[0]["leaf"]["type"] == "dispute_opened"
    assert lines(data)[-1]["leaf"]["type"] == "correction_approved"
    page = files_of(data)[archive.CASE].decode()
    assert "correction approved" in page
    assert REASON in page


def test_statements_are_in_the_dossiers_of_parties_and_auditors_alone(corrected: Table) -> None:
    service, path = corrected.service, f"{corrected.path}/hands/1"
    for viewer in (corrected.players[3], corrected.host, service.person("audit")):
        assert STATEMENT in texts(dossier(viewer, path))
    for viewer in (service.spectator, service.person("play")):
        data = dossier(viewer, path)
        must_pass(data)
        assert texts(data) == [REASON]
        assert STATEMENT.encode() not in data


def test_a_dossier_waits_until_a_checkpoint_covers_each_step_about_its_hand(
    all_databases: Databases, tmp_path: Path
) -> None:
    with all_databases.migrated("sqlite") as url, running(tmp_path, url) as service:
        options: dict[str, Any] = {**ALL_RULES, "target": 100}
        table = Table(service, 4, game="insurance_hearts", **options).started()
        play(service, table, 3, Random(1))
        service.keep_log()
        must_pass(dossier(service.spectator, f"{table.path}/hands/1"))
        Desk(table, unit="points").opened(1)
        refused(service.spectator.get(f"{table.path}/hands/1/dossier"), 404, "proof_must_exist")
        must_pass(dossier(service.spectator, f"{table.path}/hands/2"))
        service.keep_log()
        assert len(lines(dossier(service.spectator, f"{table.path}/hands/1"))) == 1


def test_a_table_without_disputes_has_no_such_file(world: World) -> None:
    table = next(played.table for played in world.played if played.game == "insurance")
    assert archive.DISPUTES not in files_of(dossier(world.service.spectator, table.path))


Lines = list[dict[str, Any]]


def _without_the_reason(found: Lines) -> Lines:
    return [{name: part for name, part in line.items() if name != "opening"} for line in found]


def _with_another_reason(found: Lines) -> Lines:
    return [line | ({"opening": line["opening"] | {"value": "No."}} if "opening" in line else {}) for line in found]


def _without_the_first_step(found: Lines) -> Lines:
    return found[1:]


def _with_another_outcome(found: Lines) -> Lines:
    for line in found:
        if "outcome" in line["leaf"]["pub"]:
            line["leaf"]["pub"]["outcome"] = "no_fault"
    return found


def _with_another_proof(found: Lines) -> Lines:
    return [found[0] | {name: found[-1][name] for name in ("hashes", "index")}, *found[1:]]


def _with_an_opening_of_nothing(found: Lines) -> Lines:
    opening = next(line["opening"] for line in found if "opening" in line)
    return [line if line["leaf"].get("priv") else line | {"opening": opening} for line in found]


EMPTY: tuple[Any, ...] = (None, {}, "", 0)


def _with_empty_openings(nothing: object) -> Callable[[Lines], Lines]:
    """Return a change that adds the opening *nothing* to the lines without one."""
    return lambda found: [{"opening": nothing, **line} for line in found]


@pytest.mark.parametrize(
    "change",
    [
        *(pytest.param(_with_empty_openings(one), id=f"{one!r} as an opening") for one in EMPTY),
        _without_the_reason,
        _with_another_reason,
        _without_the_first_step,
        _with_another_outcome,
        _with_another_proof,
        _with_an_opening_of_nothing,
    ],
)
def test_a_changed_dispute_is_refused_by_both_checks(corrected: Table, change: Callable[[Lines], Lines]) -> None:
    data = dossier(corrected.service.spectator, f"{corrected.path}/hands/1")
    changed = b"".join(canonical(line) + b"\n" for line in change(lines(data)))
    must_be_refused(with_pages({**files_of(data), archive.DISPUTES: changed}))
