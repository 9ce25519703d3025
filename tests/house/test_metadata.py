"""The rules of storage that every table of the schema must obey, as far as the tables' definitions show them."""

import re

import pytest
from sqlalchemy import BigInteger, ForeignKeyConstraint, Integer, LargeBinary, Table, UniqueConstraint

from service.all_tables import metadata
from service.projections import projection_tables  # noqa: F401  # the import gives the MetaData all tables

TABLES = [pytest.param(table, id=table.name) for table in metadata.sorted_tables]
TOUCHED = [pytest.param(table, id=table.name) for table in metadata.sorted_tables if table.info["touched_by_commands"]]
CHIPS = {"amount", "source_balance", "target_balance"}
MOST_BYTES_OF_A_NAME = 55  # PostgreSQL cuts names of more than 63 bytes, and a shard's name adds "_" and a number


def test_the_tables_are_these() -> None:
    logged = {"streams", "events", "sealed", "outbox"}
    projected = {"transfers", "tables", "seats", "hands", "snapshots"}
    assert {param.id for param in TOUCHED} == logged | projected
    marks = {"projection_generation", "unfinished_imports"}
    whole = {"leaf_indexes", "tree_tiles", "tree_head", "checkpoints"}
    whole |= {"cosignatures", "witness_reports", "disputes", "sign_ins"}
    assert set(metadata.tables) == logged | projected | marks | whole | {"keys", "key_revocations", "service_keys"}


@pytest.mark.parametrize("table", TABLES)
def test_every_table_has_a_primary_key(table: Table) -> None:
    assert list(table.primary_key.columns)


@pytest.mark.parametrize("table", TOUCHED)
def test_stream_id_is_the_first_column_of_every_table_that_a_command_touches_and_of_its_primary_key(
    table: Table,
) -> None:
    assert table.columns.keys()[0] == "stream_id"
    assert table.primary_key.columns.keys()[0] == "stream_id"


@pytest.mark.parametrize("table", TOUCHED)
def test_stream_id_is_in_every_unique_key_that_a_command_touches(table: Table) -> None:
    keys = [key.columns.keys() for key in table.constraints if isinstance(key, UniqueConstraint)]
    keys += [index.columns.keys() for index in table.indexes if index.unique]
    assert [key for key in keys if "stream_id" not in key] == []


@pytest.mark.parametrize("table", TOUCHED)
def test_foreign_keys_stay_inside_a_stream(table: Table) -> None:
    for key in table.constraints:
        if isinstance(key, ForeignKeyConstraint):
            assert (key.elements[0].parent.name, key.elements[0].column.name) == ("stream_id", "stream_id")


def test_no_foreign_key_of_another_table_reaches_into_a_stream() -> None:
    reached = {
        element.column.table.name
        for table in metadata.sorted_tables
        if not table.info["touched_by_commands"]
        for element in table.foreign_keys
    }
    assert reached == {"keys"}


@pytest.mark.parametrize("table", TABLES)
def test_the_database_makes_no_value_by_itself(table: Table) -> None:
    for column in table.columns:
        assert column.server_default is None
        assert column.default is None
        assert column.identity is None
        assert column.computed is None
        assert table.autoincrement_column is None, "no sequence gives an order"


@pytest.mark.parametrize("table", TABLES)
def test_every_constraint_and_index_is_named_by_the_convention(table: Table) -> None:
    names = _names(table)
    assert [name for name in names if not re.fullmatch(rf"(pk|uq|ck|fk|ix)_{table.name}(_[a-z0-9_]+)?", name)] == []
    assert [name for name in names if len(name) > MOST_BYTES_OF_A_NAME] == []


@pytest.mark.parametrize("table", TABLES)
def test_no_name_ends_like_the_number_that_a_sharded_table_adds(table: Table) -> None:
    assert [name for name in _names(table) if re.search(r"_\d+$", name)] == []


@pytest.mark.parametrize("table", TABLES)
def test_columns_of_one_name_have_one_type(table: Table) -> None:
    for column in table.columns:
        if column.name == "stream_id":
            assert isinstance(column.type, LargeBinary)
            assert column.type.length == 16
        elif column.name in CHIPS:
            assert isinstance(column.type, BigInteger)
        elif column.name in {"position", "head", "first", "last"}:
            assert type(column.type) is Integer
        assert not column.nullable or column.name in {"cmd", "expires_at", "imported_at", "limits"}


@pytest.mark.parametrize("table", TABLES)
def test_a_table_of_sqlite_is_strict_and_has_no_hidden_key(table: Table) -> None:
    assert table.dialect_options["sqlite"]["strict"]
    assert not table.dialect_options["sqlite"]["with_rowid"]


@pytest.mark.parametrize("table", TABLES)
def test_the_log_and_the_keys_are_granted_to_be_added_to_and_read_alone(table: Table) -> None:
    if table.name in {
        "events",
        "sealed",
        "leaf_indexes",
        "checkpoints",
        "cosignatures",
        "keys",
        "key_revocations",
        "service_keys",
    }:
        assert table.info["grants"] == "SELECT, INSERT"
    assert "TRUNCATE" not in table.info["grants"]


def _names(table: Table) -> list[str]:
    return [str(key.name) for key in table.constraints] + [str(index.name) for index in table.indexes]
