"""PostgreSQL returns the same values that were sent to it in an array."""

import struct
from collections.abc import Iterator

import pytest
from hypothesis import given, settings, strategies as st
from sqlalchemy import Connection, Engine

from service.database.arrays import OF_TYPE
from service.database.engines import make_engine, reading
from tests import databases

ITEMS = {
    "BYTEA": st.binary(max_size=40),
    "TEXT": st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20),
    "SMALLINT": st.integers(-(2**15), 2**15 - 1),
    "INTEGER": st.integers(-(2**31), 2**31 - 1),
    "BIGINT": st.integers(-(2**63), 2**63 - 1),
}
ON_POSTGRESQL = pytest.mark.parametrize("storage_kind", databases.all_kinds()[1:])


@pytest.fixture(scope="module")
def connection(all_databases: databases.Databases) -> Iterator[Connection]:
    with all_databases.migrated(databases.POSTGRESQL) as url:
        engine = make_engine(url)
        with reading(engine) as connection:
            yield connection
        engine.dispose()


@pytest.mark.parametrize("kind", OF_TYPE)
@given(data=st.data())
@settings(max_examples=25)
def test_every_value_of_a_column_arrives_unchanged(connection: Connection, kind: str, data: st.DataObject) -> None:
    values = data.draw(st.lists(st.none() | ITEMS[kind], max_size=5))
    came = connection.exec_driver_sql(f"SELECT unnest(%b::{kind}[])", (OF_TYPE[kind](values),)).scalars()
    assert [bytes(one) if kind == "BYTEA" and one is not None else one for one in came] == values


@pytest.mark.parametrize(("kind", "value"), [("SMALLINT", 2**15), ("INTEGER", 2**31), ("BIGINT", 2**63)])
def test_a_number_that_does_not_fit_is_refused(connection: Connection, kind: str, value: int) -> None:
    with pytest.raises(struct.error):
        connection.exec_driver_sql(f"SELECT unnest(%b::{kind}[])", (OF_TYPE[kind]([value]),))


@pytest.mark.parametrize("kind", OF_TYPE)
def test_an_empty_array_is_not_null(connection: Connection, kind: str) -> None:
    found = connection.exec_driver_sql(f"SELECT cardinality(%b::{kind}[])", (OF_TYPE[kind]([]),))
    assert found.scalar_one() == 0


@ON_POSTGRESQL
def test_every_server_reads_the_arrays(storage: Engine) -> None:
    with reading(storage) as connection:
        found = connection.exec_driver_sql("SELECT unnest(%b::BYTEA[])", (OF_TYPE["BYTEA"]([b"", None, b"\0"]),))
        assert [one and bytes(one) for one in found.scalars()] == [b"", None, b"\0"]
