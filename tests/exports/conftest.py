"""Tables of every game, played once for all tests of exports."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from tests.cli.commands import Instance
from tests.databases import Databases
from tests.exports.played_tables import World, played
from tests.http.service import running
from tests.tables.worlds import Scripted


class Minutes(Scripted):
    """The same cards and ids in each run, and a clock that is a minute later whenever it is read."""

    def __init__(self) -> None:
        super().__init__()
        self._at = datetime(2026, 1, 1, tzinfo=UTC)

    def now(self) -> str:
        self._at += timedelta(minutes=1)
        return self._at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


@pytest.fixture(scope="package")
def world(all_databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """Yield the tables, on SQLite; no test changes them."""
    folder = tmp_path_factory.mktemp("exported")
    with all_databases.migrated("sqlite") as url, running(folder, url, entropy=Minutes()) as service:
        yield played(service, Instance(url, folder))
