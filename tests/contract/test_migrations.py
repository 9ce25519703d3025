import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, inspect, text
from sqlalchemy.engine.interfaces import ReflectedIndex

from service.all_tables import metadata
from service.database import schema_check
from service.database.engines import administering, make_engine, migrating, reading
from service.database.schema_check import (
    NoDatabase,
    SchemaNotAtHead,
    check_schema,
    current_revision,
    head_revision,
    migrate,
)
from tests import databases

ROOT = Path(__file__).parents[2]
WITHOUT_STAND_IN = pytest.mark.parametrize("storage_kind", databases.all_kinds()[:-1])
"""Leaves out the stand-in for Citus: the tests would find the stand-in's own tables, too."""
VERSIONS = sorted((ROOT / "migrations" / "versions").glob("*.py"))


@pytest.fixture
def empty(empty_url: str) -> Iterator[Engine]:
    engine = make_engine(empty_url)
    yield engine
    engine.dispose()


@WITHOUT_STAND_IN
def test_an_empty_database_comes_up_to_the_head(empty: Engine) -> None:
    assert migrate(empty) == ("", head_revision())
    check_schema(empty)
    with reading(empty) as connection:
        assert set(inspect(connection).get_table_names()) == {*metadata.tables, "alembic_version"}


def test_a_database_at_the_head_does_not_change(storage: Engine) -> None:
    assert migrate(storage) == (head_revision(), head_revision())


@WITHOUT_STAND_IN
def test_the_code_and_the_migrations_agree(storage: Engine) -> None:
    with migrating(storage) as connection:
        config = _config()
        config.attributes["connection"] = connection
        command.check(config)


@pytest.mark.parametrize("storage_kind", [databases.SQLITE])  # the tests above run the migrations on every database
def test_the_command_of_alembic_itself_works(database_url: str) -> None:
    environment = {"CHIPTRAIL_DATABASE_URL": database_url, "PATH": ""}
    alembic = Path(sys.executable).parent / "alembic"
    done = subprocess.run([alembic, "check"], cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "No new upgrade operations detected.\n"), done.stderr


def test_constraints_have_the_names_and_checks_that_the_code_knows(storage: Engine, empty: Engine) -> None:
    with migrating(empty) as connection:
        metadata.create_all(connection)
    assert _constraints(storage) == _constraints(empty)


@pytest.mark.parametrize("storage_kind", [databases.SQLITE])
def test_no_table_of_sqlite_is_lax(storage: Engine) -> None:
    with reading(storage) as connection:
        rows = connection.exec_driver_sql("SELECT name, wr, strict FROM pragma_table_list WHERE type = 'table'")
        lax = {row.name for row in rows if not (row.wr and row.strict)}
    assert lax == {"alembic_version", "sqlite_schema", "sqlite_temp_schema"}


@WITHOUT_STAND_IN
def test_a_migration_that_fails_leaves_nothing_behind(
    empty: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "migrations"
    shutil.copytree(ROOT / "migrations", folder)
    (folder / "versions" / "9999_it_fails.py").write_text(
        "from alembic import op\n"
        f"revision, down_revision = '9999', '{head_revision()}'\n"
        "def upgrade():\n"
        "    op.execute('CREATE TABLE half_way (n integer)')\n"
        "    op.execute('CREATE TABLE half_way (n integer)')\n"
    )
    monkeypatch.setattr(schema_check, "_folder", lambda: folder)
    with pytest.raises(Exception, match=r"half_way.* already exists"):
        migrate(empty)
    with reading(empty) as connection:
        assert inspect(connection).get_table_names() == []


@pytest.mark.parametrize("storage_kind", databases.kinds())  # processes are slow; one server of each kind suffices
def test_several_processes_migrate_one_database_at_once(empty_url: str) -> None:
    program = (
        "import sys; from service.database import engines, schema_check; "
        "print(schema_check.migrate(engines.make_engine(sys.argv[1])))"
    )
    line = [sys.executable, "-c", program, empty_url]
    processes = [subprocess.Popen(line, cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    said = sorted(process.communicate()[0].strip() for process in processes)
    head = head_revision()
    assert said == sorted([str(("", head)), str((head, head)), str((head, head))])


@pytest.mark.parametrize("storage_kind", databases.all_kinds()[1:-1])
def test_no_table_has_a_sequence(storage: Engine) -> None:
    with reading(storage) as connection:
        assert inspect(connection).get_sequence_names() == []


def test_no_migration_can_be_undone(storage: Engine) -> None:
    with migrating(storage) as connection:
        config = _config()
        config.attributes["connection"] = connection
        with pytest.raises(RuntimeError, match="never undone"):
            command.downgrade(config, "-1")


def test_a_missing_file_is_no_database_and_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(NoDatabase, match="there is no database"):
        current_revision(make_engine(f"sqlite:///{tmp_path / 'new.db'}"))
    assert list(tmp_path.iterdir()) == []


def test_a_missing_server_is_no_database(tmp_path: Path) -> None:
    with pytest.raises(NoDatabase, match="cannot be reached") as refusal:
        current_revision(make_engine(f"postgresql://somebody:secret@/chiptrail?host={tmp_path}"))
    assert "secret" not in str(refusal.value)


@pytest.mark.parametrize("storage_kind", databases.all_kinds()[1:])
def test_a_database_that_was_never_migrated_is_refused(empty: Engine) -> None:
    with pytest.raises(NoDatabase, match="never migrated"):
        check_schema(empty)


def test_a_schema_of_another_release_is_refused(storage: Engine) -> None:
    with administering(storage) as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '0001'"))
    with pytest.raises(SchemaNotAtHead) as refusal:
        check_schema(storage)
    assert (refusal.value.current, refusal.value.head) == ("0001", head_revision())


def test_the_migrations_form_one_line_and_each_is_named_by_its_change() -> None:
    assert all(re.fullmatch(r"\d{4}_[a-z_]+", path.stem) for path in VERSIONS)
    scripts = ScriptDirectory.from_config(_config())
    assert [script.revision for script in scripts.walk_revisions()] == [path.stem[:4] for path in reversed(VERSIONS)]
    assert head_revision() == scripts.get_current_head()


@pytest.mark.parametrize("path", [pytest.param(path, id=path.stem) for path in VERSIONS])
def test_the_first_line_of_a_migration_is_a_sentence(path: Path) -> None:
    assert re.match(r'"""[A-Z].+\."""\n', path.read_text())


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(ROOT / "migrations"))
    return config


def _described(index: ReflectedIndex) -> str:
    options = {name: str(value) for name, value in index.get("dialect_options", {}).items()}
    return str({**index, "dialect_options": options})


def _constraints(engine: Engine) -> dict[str, object]:
    with reading(engine) as connection:
        found = inspect(connection)
        return {
            table: (
                found.get_pk_constraint(table),
                sorted(map(str, found.get_unique_constraints(table))),
                sorted(map(str, found.get_check_constraints(table))),
                sorted(map(str, found.get_foreign_keys(table))),
                sorted(_described(index) for index in found.get_indexes(table)),
                [str(column) for column in found.get_columns(table)],
            )
            for table in metadata.tables
        }
