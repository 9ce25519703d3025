"""Lists of tables: the query for a caller's own tables uses indexes."""

from typing import Any

import pytest
from sqlalchemy import event

from service.bench.databases import opened
from service.database.engines import reading
from service.projections.lists import TableFilter, newest_tables
from tests.databases import Databases

PLAYER = "own_" + "a" * 32


@pytest.mark.parametrize(
    "table_filter",
    [
        pytest.param(TableFilter(caller=PLAYER, all_tables=False, only_own=True), id="own"),
        pytest.param(TableFilter(caller=PLAYER, all_tables=False, only_invited=True), id="invited"),
    ],
)
def test_an_askers_own_tables_are_found_without_a_look_at_all_tables(
    all_databases: Databases, table_filter: TableFilter
) -> None:
    asked: list[tuple[str, Any]] = []
    with all_databases.migrated("sqlite") as url, opened(url) as engine:  # PostgreSQL's plan depends on row counts.
        event.listen(engine, "before_cursor_execute", lambda *found: asked.append((found[2], found[3])))
        with reading(engine) as connection:
            newest_tables(connection, table_filter, None, 10)
            statement, values = next(one for one in reversed(asked) if "FROM tables" in one[0])
            plan = [str(row[3]) for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", values)]
    assert not [step for step in plan if step.startswith(("SCAN tables", "SCAN streams"))], plan
