"""Both checkers of dossiers check the choices that players signed and sealed, and the blinds of these choices."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from service.canonical import canonical
from service.dossier import archive
from tests.databases import Databases
from tests.dossier.made import Files, World, dossier, files_of, must_pass, refusals
from tests.http.service import Table, accepted, running
from tests.http.signer import Signer, key_of

BLINDS = {"insurance": "5b" * 32, "foot": "77" * 32}


@pytest.fixture
def table(all_databases: Databases, tmp_path: Path) -> Iterator[Table]:
    """Yield a table at which every seat has a signing key, and seat 1 wrote a slip."""
    with all_databases.migrated("sqlite") as url, running(tmp_path, url) as service:
        table = Table(service, 4, game="insurance_hearts").seated()
        signers = {seat: Signer(player, table.path, key_of(f"{seat}")) for seat, player in table.players.items()}
        for signer in signers.values():
            accepted(signer.register())
        accepted(table.host.do(table.path, "start_game"))
        accepted(signers[table.due_seat].do("deal_hand", "deal"))
        values = {"insurance": 4, "foot": False}
        accepted(signers[1].do_sealed({"type": "write_slip", **values}, "slip_written", values, BLINDS, "slip"))
        service.keep_log()
        yield table


def openings(files: Files) -> list[dict[str, Any]]:
    return [json.loads(line) for line in files[archive.OPENINGS].splitlines()]


def blinds(data: bytes) -> dict[str, str]:
    """Return the blinds in a dossier, by field."""
    fields = [line["field"] for line in openings(files_of(data)) if "field" in line]
    return {one["field"]: one["blind"] for one in fields}


def test_a_dossier_of_signed_choices_passes_and_only_their_player_has_the_blinds(table: Table) -> None:
    own, others = dossier(table.players[1], table.path), dossier(table.players[2], table.path)
    must_pass(own)
    must_pass(others)
    assert (blinds(own), blinds(others)) == (BLINDS, {})


@pytest.mark.parametrize("blind", ["00" * 32, "5B" * 32, "", None])
def test_another_blind_and_a_missing_blind_are_refused(table: Table, blind: str | None) -> None:
    files = files_of(dossier(table.players[1], table.path))
    lines = openings(files)
    number, changed = next((n, one["field"]) for n, one in enumerate(lines, 1) if "insurance" in str(one.get("field")))
    del changed["blind"]
    changed |= {} if blind is None else {"blind": blind}
    data = archive.packed({**files, archive.OPENINGS: b"".join(canonical(one) + b"\n" for one in lines)})
    place = f"openings.ndjson, line {number}"
    assert refusals(data) == (place, place)


def test_an_empty_blind_is_refused_as_a_second_form(world: World) -> None:
    played = next(one for one in world.played if one.game == "insurance_hearts")
    files = files_of(played.dossiers["the table for seat 3"])
    lines = openings(files)
    number, changed = next((n, one["field"]) for n, one in enumerate(lines, 1) if "field" in one)
    changed["blind"] = ""
    data = archive.packed({**files, archive.OPENINGS: b"".join(canonical(one) + b"\n" for one in lines)})
    place = f"openings.ndjson, line {number}"
    assert refusals(data) == (place, place)
