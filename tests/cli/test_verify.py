"""`verify` finds altered data, `rebuild` repairs projections, and `export` writes the leaves as they were hashed."""

import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from sqlalchemy import Connection, text

from service.database import engines
from tests.cli.commands import Instance, leaves_of
from tests.cli.played import Originals, play_to
from tests.http.service import Service, Table, accepted
from tests.http.signer import Signer, key_of
from tests.play.hearts import over


@pytest.fixture
def played(originals: Originals, kind: str, tmp_path: Path) -> Iterator[Instance]:
    """Yield an instance whose database has one finished game."""
    with originals.copied(kind, _played, tmp_path / "data") as original:
        yield original.instance


def _played(service: Service) -> None:
    play_to(service, Table(service, 2, buy_in=4).started(), over, 1)


def tamper(instance: Instance, sqlite: str, postgresql: str) -> None:
    """Run statements with the rights of the database's administrator."""
    engine = engines.make_engine(instance.database)
    with engines.migrating(engine) as connection:
        for statement in (sqlite if engine.dialect.name == "sqlite" else postgresql).split(";"):
            connection.exec_driver_sql(statement)
    engine.dispose()


def _signed_in_part(service: Service) -> str:
    """Play until a player ends the signing key and then decides unsigned; return the end of the report's line."""
    table = Table(service, 2, buy_in=4).seated()
    signers = {seat: Signer(player, table.path, key_of(f"{seat}")) for seat, player in table.players.items()}
    for signer in signers.values():
        accepted(signer.register())
    accepted(table.host.do(table.path, "start_game"))
    accepted(signers[table.due_seat].do("deal_hand", "deal"))
    accepted(table.due.do(table.path, "end_signing_key"))
    accepted(table.due.do(table.path, "hold_cards"))
    return f"{table.id} hand 1: seats {3 - table.due_seat}"


def test_the_report_names_the_hands_with_both_signed_and_unsigned_decisions(
    originals: Originals, tmp_path: Path
) -> None:
    with originals.copied("sqlite", _signed_in_part, tmp_path / "data") as played:
        said = played.instance.run("verify")
        told = json.loads(played.instance.run("verify", "--json").out)
    assert "3 decisions are signed by the keys that the seats registered\n" in said.out
    assert f"unsigned {played.known}\n" in said.out
    (hand,) = told["unsigned"]
    assert (told["signed"], told["unsigned_hands"]) == (3, 1)
    assert "{table} hand {hand}: seats {seats[0]}".format_map(hand) == played.known


def test_no_hand_is_named_at_tables_without_signatures(played: Instance) -> None:
    said = played.run("verify")
    assert "signed" not in said.out


def test_an_altered_transfer_is_found_named_and_mended_by_a_rebuild(played: Instance) -> None:
    alter = "UPDATE transfers SET amount = amount + 1 WHERE source = 'house' AND ordinal = 0 AND position = 4"
    tamper(played, alter, alter)
    said = played.run("verify", "--json")
    assert said.code == 3
    (finding, *_) = json.loads(said.out)["findings"]
    assert (finding["position"], finding["verdict"]) == (4, "failed")
    assert finding["expected"] != finding["found"]
    words = played.run("verify")
    assert words.code == 3
    assert f"{finding['table']} position 4" in words.out
    mended = played.run("rebuild")
    assert (mended.code, mended.err) == (0, "")
    assert mended.out.startswith("1 tables rebuilt")
    assert played.run("verify").code == 0


def test_projections_that_can_not_be_read_are_named_with_the_cure(played: Instance) -> None:
    tamper(played, "DELETE FROM projection_generation", "DELETE FROM projection_generation")
    said = played.run("verify")
    assert (said.code, said.out) == (1, "")
    assert "The row of projection_generation is missing" in said.err
    assert "chiptrail rebuild --data" in said.err
    assert played.run("rebuild").code == 0
    assert played.run("verify").code == 0


def test_balances_of_all_tables_sum_to_zero(played: Instance) -> None:
    said = played.run("balances", "--json")
    assert said.code == 0, said.err
    found = json.loads(said.out)
    assert [one["kind"] for one in found] == sorted(one["kind"] for one in found)
    assert {"house", "stack"} <= {one["kind"] for one in found}
    assert sum(one["balance"] for one in found) == 0
    assert "sum 0" in played.run("balances").out


@pytest.mark.walk
def test_an_altered_event_is_found_and_no_rebuild_hides_it(played: Instance) -> None:
    tamper(
        played,
        "DROP TRIGGER events_only_grows_update;"
        "UPDATE events SET leaf = CAST(replace(leaf, '\"chips\":4', '\"chips\":5') AS BLOB) WHERE position = 4",
        "ALTER TABLE events DISABLE TRIGGER USER;"
        "UPDATE events SET leaf ="
        " convert_to(replace(convert_from(leaf, 'UTF8'), '\"chips\":4', '\"chips\":5'), 'UTF8') WHERE position = 4",
    )
    assert played.run("verify").code == 3
    played.run("rebuild")
    said = played.run("verify", "--json")
    assert said.code == 3
    assert 4 in {finding["position"] for finding in json.loads(said.out)["findings"]}


def test_leaves_are_exported_as_they_were_hashed(played: Instance) -> None:
    said = played.run("export")
    assert (said.code, said.err) == (0, "")
    previous = "0" * 64
    for position, line in enumerate(leaves_of(said.out).splitlines(), start=1):
        leaf = json.loads(line)
        assert (leaf["position"], leaf["prev"]) == (position, previous)
        previous = sha256(b"\0" + line.encode()).hexdigest()
    table = leaf["stream"].removeprefix("table/")
    assert played.run("export", "--table", table).out == said.out
    assert _head_hash(played) == previous


def test_a_missing_table_is_named(instance: Instance) -> None:
    nobody = "tbl_" + "0" * 32
    for command in ("verify", "export"):
        said = instance.run(command, "--table", nobody)
        assert said.code == 1
        assert nobody in said.err


def _head_hash(instance: Instance) -> str:
    engine = engines.make_engine(instance.database)
    with engines.reading(engine) as connection:
        found = _only(connection)
    engine.dispose()
    return found.hex()


def _only(connection: Connection) -> bytes:
    return bytes(connection.scalars(text("SELECT head_hash FROM streams")).one())
