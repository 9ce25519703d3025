"""What these tests ask for: real servers, one for each kind of database, and people who ask them."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests import databases
from tests.cli.commands import Place, Served, environment, running_server
from tests.once.clients import Crowd


@pytest.fixture(params=databases.kinds())
def kind(request: pytest.FixtureRequest) -> str:
    """Name a kind of database; each test runs on SQLite and on PostgreSQL."""
    return str(request.param)


@pytest.fixture(scope="package")
def running(
    all_databases: databases.Databases, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Served]]:
    """Yield the servers of this run by their kind of database, each started by whoever asks first."""
    with ExitStack() as stack:
        yield _Running(stack, all_databases, tmp_path_factory.mktemp("once"))


@pytest.fixture
def served(kind: str, running: dict[str, Served]) -> Served:
    """Return a server that all these tests share; it answers by two processes."""
    return running[kind]


@pytest.fixture
def crowd(served: Served) -> Iterator[Crowd]:
    """Yield those who ask the server."""
    made = Crowd(served.url, served.place.first_key)
    yield made
    made.close()


class _Running(dict[str, Served]):
    def __init__(self, stack: ExitStack, all_databases: databases.Databases, folder: Path) -> None:
        self._stack = stack
        self._databases = all_databases
        self._folder = folder

    def __missing__(self, kind: str) -> Served:
        place = Place(self._stack.enter_context(self._databases.migrated(kind)), self._folder / kind)
        log = self._folder / f"{kind}.log"
        arguments = [*place.flags, "--threads", "32"]
        settings = {**environment(), "CHIPTRAIL_LOG_LEVEL": "debug"}
        self[kind] = Served(place, self._stack.enter_context(running_server(arguments, log, settings)))
        return self[kind]
