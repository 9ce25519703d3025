"""`chiptrail dossier` writes the same bytes as the API, and `verify --dossier` checks a dossier without a database."""

import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from service.database.engines import make_engine
from tests.cli.commands import Instance, run
from tests.cli.played import Originals, play_to
from tests.contract.service_logs import as_owner
from tests.http.service import Service, Table, accepted
from tests.play.hearts import ALL_RULES, over


class Known:
    """The ids of three tables, and two dossiers from the API.

    The first table is finished, the second is live, and at the third no seat is taken yet.

    *of_table* is the public dossier of the finished table. *of_seat* is the dossier of the live table's first hand for
    seat 2, which belongs to *owner*.
    """

    def __init__(self, service: Service) -> None:
        options: dict[str, Any] = {**ALL_RULES, "target": 1}
        finished, live = (Table(service, 4, game="insurance_hearts", **options).started() for _ in range(2))
        play_to(service, finished, over, 5)
        play_to(service, live, lambda state: len(state.passes_in) == 2, 5)
        waiting = Table(service, 3)
        service.keep_log()
        self.finished, self.live, self.waiting = finished.id, live.id, waiting.id
        self.owner = live.players[2].owner
        self.of_seat = accepted(live.players[2].get(f"{live.path}/hands/1/dossier")).data
        self.of_table = accepted(service.spectator.get(f"{finished.path}/dossier")).data


@pytest.fixture
def played(originals: Originals, kind: str, tmp_path: Path) -> Iterator[tuple[Instance, Known]]:
    with originals.copied(kind, Known, tmp_path / "data") as made:
        yield made.instance, made.known


@pytest.mark.walk
def test_the_command_writes_the_bytes_that_the_api_returns_to_the_same_viewer(
    played: tuple[Instance, Known], tmp_path: Path
) -> None:
    instance, known = played
    for number, (wanted, arguments) in enumerate(
        (
            (known.of_table, [known.finished]),
            (known.of_seat, [known.live, "--hand", "1", "--for", "seat:2"]),
            (known.of_seat, [known.live, "--hand", "1", "--for", known.owner]),
        )
    ):
        file = tmp_path / f"{number}.zip"
        said = instance.run("dossier", *arguments, "--output", str(file))
        assert (said.code, said.err) == (0, "")
        assert said.out == f"{file}  {len(wanted):,} bytes, SHA-256 {sha256(wanted).hexdigest()}\n"
        assert file.read_bytes() == wanted


def test_an_existing_file_is_not_overwritten_and_missing_things_are_named(
    played: tuple[Instance, Known], tmp_path: Path
) -> None:
    instance, known = played
    file = tmp_path / "dossier.zip"
    file.write_text("mine")
    nowhere = "tbl_" + "0" * 32
    for arguments, why in (
        ([known.finished], f"{file} exists already; it is not overwritten."),
        ([nowhere], f"There is no table {nowhere}."),
        ([known.finished, "--hand", "99"], f"Table {known.finished} has no hand 99."),
        ([known.finished, "--for", "seat:9"], "No player has seat:9 of the table."),
        ([known.waiting, "--for", "seat:3"], "No player has seat:3 of the table."),
        ([known.finished, "--for", "nobody"], "nobody has no seat at the table."),
        ([known.finished, "--output", str(tmp_path / "no" / "folder")], "can't be written"),
    ):
        said = instance.run("dossier", "--output", str(file), *arguments)
        assert (said.code, said.out) == (1, "")
        assert why in said.err
    assert file.read_text() == "mine"


def test_no_dossier_is_made_from_a_damaged_tree_or_checkpoint(played: tuple[Instance, Known], tmp_path: Path) -> None:
    instance, known = played
    file, engine = tmp_path / "dossier.zip", make_engine(instance.database)
    arguments = ("dossier", known.finished, "--output", str(file))
    as_owner(engine, "UPDATE tree_tiles SET hashes = :hashes WHERE level = 0", hashes=bytes(256 * 32))
    said = instance.run(*arguments)
    assert (said.code, said.out, file.exists()) == (1, "", False)
    assert "The tree of the log is damaged." in said.err
    assert "The cure: " in said.err
    assert " rebuild " in said.err
    assert instance.run("rebuild").code == 0
    as_owner(engine, "UPDATE checkpoints SET note = replace(note, CAST(size AS TEXT), CAST(size + 1 AS TEXT))")
    engine.dispose()
    said = instance.run(*arguments)
    assert (said.code, said.out, file.exists()) == (1, "", False)
    assert "No file was written, because the dossier would be refused. The note's signature by" in said.err


def test_a_dossier_is_checked_without_a_database(played: tuple[Instance, Known], tmp_path: Path) -> None:
    _, known = played
    (right := tmp_path / "right.zip").write_bytes(known.of_table)
    said = run("verify", "--dossier", str(right), "--data", str(tmp_path / "nothing"))
    assert (said.code, said.err) == (0, "")
    assert said.out.splitlines()[0] == f"SHA-256 {sha256(known.of_table).hexdigest()}"
    assert said.out.endswith("the dossier: clean\n")
    assert "    Seats that decided without a signature: 1, 2, 3, 4.\n" in said.out
    assert not (tmp_path / "nothing").exists()
    told = json.loads(run("verify", "--dossier", str(right), "--json").out)
    assert (told["verdict"], {step["outcome"] for step in told["steps"]}) == ("clean", {"ok"})
    (wrong := tmp_path / "wrong.zip").write_bytes(known.of_table[:-1] + b"\1")
    said = run("verify", "--dossier", str(wrong))
    assert (said.code, said.err) == (3, "")
    assert said.out.endswith("the dossier: failed\n")
    (pending := tmp_path / "pending.zip").write_bytes(known.of_seat)
    said = run("verify", "--dossier", str(pending))
    assert (said.code, said.out.splitlines()[-1]) == (0, "hand 1: pending")


def test_the_options_of_a_database_and_of_a_dossier_do_not_mix(tmp_path: Path) -> None:
    (file := tmp_path / "file").write_text("")
    for arguments in (
        ["--dossier", str(file), "--table", "tbl_" + "0" * 32],
        ["--dossier", str(file), "--checkpoint", str(file)],
        ["--dossier", str(file), "--processes", "2"],
        ["--kept", str(file)],
    ):
        assert run("verify", *arguments).code == 2
