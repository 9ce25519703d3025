"""Fixtures of the tests of the REST API: a service in this process, and a service behind a real HTTP server."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.databases import Databases
from tests.http.service import Service, running, serving


@pytest.fixture
def service(tmp_path: Path, database_url: str) -> Iterator[Service]:
    """Yield a service on a new database: on SQLite, and also on PostgreSQL with `--full` or the mark `walk`."""
    with running(tmp_path, database_url) as made:
        yield made


@pytest.fixture
def quick_service(tmp_path: Path, all_databases: Databases) -> Iterator[Service]:
    """Yield a service on SQLite alone, for tests that do not depend on the database."""
    with all_databases.migrated("sqlite") as url, running(tmp_path, url) as made:
        yield made


@pytest.fixture
def elsewhere(tmp_path: Path, all_databases: Databases) -> Iterator[Service]:
    """Yield another service on SQLite, for tests that compare two services."""
    with all_databases.migrated("sqlite") as url, running(tmp_path / "elsewhere", url) as made:
        yield made


@pytest.fixture(scope="module")
def shared_service(all_databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """Yield a service on SQLite that all tests of a module share: a test finds the data of other tests there."""
    with all_databases.migrated("sqlite") as url, running(tmp_path_factory.mktemp("shared"), url) as made:
        yield made


@pytest.fixture(scope="module")
def shared_url(shared_service: Service) -> Iterator[str]:
    """Yield the URL at which the shared service answers over real HTTP."""
    with serving(shared_service) as url:
        yield url


@pytest.fixture
def served(service: Service) -> Iterator[tuple[Service, str]]:
    """Yield a service, and the URL at which it answers over real HTTP."""
    with serving(service) as url:
        yield service, url


@pytest.fixture
def quickly_served(quick_service: Service) -> Iterator[tuple[Service, str]]:
    """Yield a service on SQLite alone, and the URL at which it answers over real HTTP."""
    with serving(quick_service) as url:
        yield quick_service, url
