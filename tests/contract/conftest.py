"""Databases of the contract tests: SQLite, each installed PostgreSQL (in a daily run, one), and a spread database."""

from collections.abc import Iterator

import pytest
from sqlalchemy import Engine

from tests import databases


@pytest.fixture(params=databases.all_kinds())
def storage_kind(request: pytest.FixtureRequest) -> str:
    """Return the kind of database on which the test runs."""
    return str(request.param)


@pytest.fixture
def database_url(storage_kind: str, all_databases: databases.Databases) -> Iterator[str]:
    """Yield the URL of a new database of `storage_kind`, migrated."""
    with all_databases.migrated(storage_kind) as url:
        yield url


@pytest.fixture
def storage(engine: Engine) -> Engine:
    """Return the engine on `database_url`; each statement of a command on it must name the command's stream."""
    return engine


@pytest.fixture
def empty_url(storage_kind: str, all_databases: databases.Databases) -> Iterator[str]:
    """Yield the URL of a new, empty database of `storage_kind`."""
    with all_databases.empty(storage_kind) as url:
        yield url
