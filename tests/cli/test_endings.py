"""The exit code of a failed command names the kind of failure; the message names the cure, if one is known."""

import pytest
from sqlalchemy import text

from service.database import engines
from tests.cli.commands import Instance, run
from tests.databases import SQLITE

NEEDS_A_DATABASE = [("serve",), ("log", "key"), ("dossier", f"tbl_{'0' * 32}"), ("keys", "list"), ("doctor",)]


@pytest.mark.parametrize("command", NEEDS_A_DATABASE, ids=" ".join)
def test_without_a_database_a_command_ends_with_4_and_names_the_cure(
    nowhere: Instance, command: tuple[str, ...]
) -> None:
    said = nowhere.run(*command)
    assert said.code == 4
    assert "migrate --data" in said.out + said.err
    assert "Traceback" not in said.err


@pytest.mark.parametrize("command", NEEDS_A_DATABASE, ids=" ".join)
def test_a_schema_of_another_release_ends_with_5(instance: Instance, command: tuple[str, ...]) -> None:
    engine = engines.make_engine(instance.database)
    with engines.migrating(engine) as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '0001'"))
    engine.dispose()
    said = instance.run(*command)
    assert said.code == 5
    assert "migrate --data" in said.out + said.err


@pytest.mark.parametrize("kind", [SQLITE])
def test_a_database_that_another_process_goes_on_writing_ends_with_1(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = engines.make_engine(instance.database)
    assert instance.run("keys", "make").code == 0
    monkeypatch.setattr(engines.make_engine, "__defaults__", (engines.Limits(lock_seconds=0.1),))
    with engines.administering(engine):
        said = instance.run("keys", "make")
    engine.dispose()
    assert (said.code, said.err) == (1, "chiptrail: another process is still writing\n")


@pytest.mark.walk
def test_the_cure_cures(nowhere: Instance) -> None:
    assert nowhere.run("verify").code == 4
    assert nowhere.run("migrate").code == 0
    assert nowhere.run("verify").code == 0


def test_a_database_that_does_not_answer_ends_with_4() -> None:
    said = run("verify", "--database", "postgresql://me:s3cr3t@127.0.0.1:1/chips")
    assert said.code == 4
    assert "s3cr3t" not in said.err
    assert "Traceback" not in said.err
    assert run("migrate", "--database", "postgresql://me:s3cr3t@127.0.0.1:1/chips").code == 4


@pytest.mark.parametrize(
    "arguments",
    [
        ("serve", "--port", "eighty"),
        ("serve", "--port", "0"),
        ("serve", "--database", "mysql://here/there"),
        ("verify", "--table", "tbl_1"),
        ("keys", "make", "--scope", "everything"),
        ("deal",),
    ],
)
def test_wrong_use_ends_with_2(arguments: tuple[str, ...]) -> None:
    assert run(*arguments).code == 2


def test_help_is_no_error_and_names_the_codes() -> None:
    said = run("--help")
    assert "\\b" not in said.out
    assert "\b" not in said.out
    assert (said.code, said.err) == (0, "")
    assert "4 no database" in said.out
