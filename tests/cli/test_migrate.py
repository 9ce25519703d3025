"""`chiptrail migrate` migrates the schema to this release, and grants a role only the rights to serve."""

import os
from pathlib import Path

import pytest
from sqlalchemy import make_url, text
from sqlalchemy.exc import ProgrammingError

from service.bots.host import Game, Host
from service.database import engines
from service.entropy import Entropy
from tests.cli.commands import Instance, running_server

ROLE = "chiptrail_server_of_tests"


def execute(url: str, *statements: str) -> None:
    engine = engines.make_engine(url)
    try:
        with engines.migrating(engine) as connection:
            for statement in statements:
                connection.execute(text(statement))
    finally:
        engine.dispose()


def test_migrate_prints_both_revisions_and_changes_nothing_a_second_time(nowhere: Instance) -> None:
    first, second = nowhere.run("migrate"), nowhere.run("migrate")
    assert (first.code, second.code) == (0, 0)
    assert "migrated from nothing to" in first.err
    assert " is at " in second.err


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_a_new_database_file_is_its_owners_alone_and_the_rights_of_an_older_one_stay(nowhere: Instance) -> None:
    def rights() -> dict[str, str]:
        return {
            one.name.removeprefix(file.name): f"{one.stat().st_mode & 0o777:o}"
            for one in file.parent.glob(f"{file.name}*")
        }

    file = Path(make_url(nowhere.database).database or "")
    earlier = os.umask(0o022)
    try:
        assert nowhere.run("migrate").code == 0
        assert rights() == {"": "600", "-turn": "600"}
        engine = engines.make_engine(nowhere.database)
        with engines.reading(engine) as connection:
            connection.execute(text("SELECT * FROM alembic_version"))
            assert rights() == {"": "600", "-turn": "600", "-wal": "600", "-shm": "600"}
        engine.dispose()
        file.chmod(0o640)
        assert nowhere.run("migrate").code == 0
        assert rights() == {"": "640", "-turn": "600"}
    finally:
        os.umask(earlier)


def test_roles_are_for_postgresql_and_must_exist(nowhere: Instance) -> None:
    said = nowhere.run("migrate", "--grant-to", "nobody_of_this_name")
    assert said.code == (2 if nowhere.database.startswith("sqlite") else 1)
    assert "Traceback" not in said.err


@pytest.mark.parametrize("kind", ["postgresql"], indirect=True)
def test_a_granted_role_can_serve_a_game_and_cannot_change_the_log(instance: Instance) -> None:
    execute(instance.database, f"DROP ROLE IF EXISTS {ROLE}", f"CREATE ROLE {ROLE} LOGIN")
    try:
        assert instance.run("migrate", "--grant-to", ROLE).code == 0
        as_role = make_url(instance.database).set(username=ROLE).render_as_string(hide_password=False)
        limited = Instance(as_role, instance.data)
        instance.data.mkdir()
        with running_server([*limited.flags, "--workers", "1"], instance.data / "server.log") as server:
            host = Host(server.url, limited.first_key, Entropy())
            host.play(Game(game="bankrupt", kinds=("random", "random"), seed="1", options={"buy_in": 2}))
            host.close()
        assert limited.run("verify").code == 0
        assert f"{ROLE} does not own the tables of the log" in limited.run("doctor").out
        forbidden = limited.run("rebuild")
        assert forbidden.code == 1
        assert "run the command as the role that owns the tables" in forbidden.err
        for statement in ("UPDATE events SET position = position", "DELETE FROM sealed", "TRUNCATE events"):
            with pytest.raises(ProgrammingError, match="permission denied"):
                execute(as_role, statement)
    finally:
        execute(instance.database, f"DROP OWNED BY {ROLE}", f"DROP ROLE {ROLE}")
