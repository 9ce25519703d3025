"""Fixtures of the tests of pages."""

from collections.abc import Iterator

import pytest

from tests.databases import Databases
from tests.web.world import World, played_world


@pytest.fixture(scope="session")
def world(all_databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """Yield a service with a finished game of each kind; tests only read it."""
    with all_databases.migrated("sqlite") as url, played_world(tmp_path_factory.mktemp("pages"), url) as made:
        yield made
