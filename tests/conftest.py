"""What tests ask for by name: a database, migrated and their own, on everything that it may run on."""

import os
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest
from sqlalchemy import Engine

from service.database import engines
from tests import databases, postgres, seeds

hypothesis.settings.register_profile(
    "whatever_time_it_takes", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("whatever_time_it_takes")


def pytest_configure(config: pytest.Config) -> None:
    if not _is_worker(config):
        seeds.settle()  # its workers inherit this, and the folder
        os.environ[postgres.SHARED_FOLDER] = str(postgres.make_shared_folder())


@pytest.hookimpl(tryfirst=True)  # before `-m` chooses
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave PostgreSQL to `--full`, but for `tests/contract`, and for what is marked or asks for PostgreSQL alone."""
    for item in items:
        if databases.repeats_on_postgresql(item):
            item.add_marker(pytest.mark.full)


def pytest_report_header() -> str:
    return f"seed of the tests: {seeds.VARIABLE}={seeds.settle()}"


def pytest_unconfigure(config: pytest.Config) -> None:
    if not _is_worker(config):
        postgres.remove_shared_folder(Path(os.environ.pop(postgres.SHARED_FOLDER)))


def _is_worker(config: pytest.Config) -> bool:
    return hasattr(config, "workerinput")


@pytest.fixture(scope="session")
def all_databases(tmp_path_factory: pytest.TempPathFactory) -> Iterator[databases.Databases]:
    made = databases.Databases(Path(os.environ[postgres.SHARED_FOLDER]), tmp_path_factory.mktemp("databases"))
    yield made
    made.close()


@pytest.fixture(params=databases.kinds())
def database_url(request: pytest.FixtureRequest, all_databases: databases.Databases) -> Iterator[str]:
    """Yield the URL of a new database, migrated: SQLite's daily, and PostgreSQL's where the test is marked so."""
    with all_databases.migrated(request.param) as url:
        yield url


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    """Yield an engine on `database_url`, its command path watched."""
    made = engines.make_engine(database_url)
    databases.watch_the_command_path(made)
    yield made
    made.dispose()
