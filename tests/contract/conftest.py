"""A database for a test of the contract: SQLite, and PostgreSQL in every version that this machine has."""

from collections.abc import Iterator

import pytest
from sqlalchemy import Engine

from tests import databases


@pytest.fixture(params=databases.all_kinds())
def storage_kind(request: pytest.FixtureRequest) -> str:
    """Name the kind of database that the test runs on."""
    return str(request.param)


@pytest.fixture
def database_url(storage_kind: str, all_databases: databases.Databases) -> Iterator[str]:
    """Yield the URL of a new database of `storage_kind`, migrated."""
    with all_databases.migrated(storage_kind) as url:
        yield url


@pytest.fixture
def storage(engine: Engine) -> Engine:
    """Return the engine on `database_url`, its command path watched."""
    return engine


@pytest.fixture
def empty_url(storage_kind: str, all_databases: databases.Databases) -> Iterator[str]:
    """Yield the URL of a new database of `storage_kind` that holds nothing."""
    with all_databases.empty(storage_kind) as url:
        yield url
