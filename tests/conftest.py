"""Fixtures and hooks for all tests: a clock, databases, the program of a page, and the order of the tests."""

import gc
import os
import re
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from sqlalchemy import Engine

from service.database import engines
from tests import databases, order, postgres, routes, seeds, statements, templates
from tests.clocks import Clock

hypothesis.settings.register_profile(
    "whatever_time_it_takes", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("whatever_time_it_takes")
routes.compile_once()
statements.compile_once()
templates.compile_once()
# The garbage collector is off until pytest has found all tests: the tests stay in memory, and to search them again and
# again would take half of each worker's time.
gc.disable()


def pytest_configure(config: pytest.Config) -> None:
    if not _is_worker(config):
        seeds.settle()  # pytest's workers inherit the seed and the folder
        shared = postgres.make_shared_folder()
        os.environ[postgres.SHARED_FOLDER] = str(shared)
        # `tmp_path` is in the shared folder, too: databases sync often, and in memory a sync costs nothing. The option
        # --basetemp names another folder.
        config.option.basetemp = config.option.basetemp or str(shared / "files")


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Generator[None, None, None]:
    """Mark as `full` each test that repeats a daily test on another database; `walk` tests run on PostgreSQL daily.

    Once pytest has applied `-m`, put the tests in their order.
    """
    for item in items:
        if databases.is_repeated(item):
            item.add_marker(pytest.mark.full)
    yield
    items[:] = order.ordered(items)


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    gc.freeze()
    gc.set_threshold(20_000, 50, 100)  # as in a worker of the server: the tests then take 4 % less processor time
    gc.enable()


def pytest_report_header() -> str:
    return f"seed of the tests: {seeds.VARIABLE}={seeds.settle()}"


def pytest_unconfigure(config: pytest.Config) -> None:
    if not _is_worker(config):
        postgres.remove_shared_folder(Path(os.environ.pop(postgres.SHARED_FOLDER)))


def _is_worker(config: pytest.Config) -> bool:
    return hasattr(config, "workerinput")


@pytest.fixture(scope="session")
def program() -> dict[str, Any]:
    """Return the functions of the program in log_format.md, by name."""
    page = Path(__file__).parents[1] / "api_spec" / "log_format.md"
    names: dict[str, Any] = {}
    for block in re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL):
        exec(block, names)  # noqa: S102 -- the page says that readers can run the code
    return names


@pytest.fixture
def clock() -> Clock:
    """Return a clock that the test advances."""
    return Clock()


@pytest.fixture(scope="session")
def all_databases(tmp_path_factory: pytest.TempPathFactory) -> Iterator[databases.Databases]:
    made = databases.Databases(Path(os.environ[postgres.SHARED_FOLDER]), tmp_path_factory.mktemp("databases"))
    yield made
    made.close()


@pytest.fixture(params=databases.kinds())
def database_url(request: pytest.FixtureRequest, all_databases: databases.Databases) -> Iterator[str]:
    """Yield the URL of a new migrated database: on SQLite; with `--full` or the mark `walk`, on PostgreSQL too."""
    with all_databases.migrated(request.param) as url:
        yield url


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    """Yield an engine on `database_url`; each statement of a command's transaction must name the command's stream."""
    made = engines.make_engine(database_url)
    databases.watch_the_command_path(made)
    yield made
    made.dispose()
