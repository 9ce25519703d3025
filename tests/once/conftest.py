"""Fixtures of the idempotency tests: one real server for each kind of database, and clients of the server."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests import databases
from tests.cli.commands import Instance, Served, environment, running_server
from tests.once.clients import Crowd


@pytest.fixture(params=databases.kinds())
def kind(request: pytest.FixtureRequest) -> str:
    """Return this test's kind of database: SQLite; with `--full` or the mark `walk`, PostgreSQL too."""
    return str(request.param)


@pytest.fixture(scope="package")
def running(
    all_databases: databases.Databases, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Served]]:
    """Yield the shared servers by kind of database; the first test that needs a server starts it."""
    with ExitStack() as stack:
        yield _Running(stack, all_databases, tmp_path_factory.mktemp("once"))


@pytest.fixture
def served(kind: str, running: dict[str, Served]) -> Served:
    """Return the server that all tests of this kind of database share; it has two worker processes."""
    return running[kind]


@pytest.fixture
def crowd(served: Served) -> Iterator[Crowd]:
    """Yield a `Crowd`, which makes clients of the server."""
    made = Crowd(served.url, served.instance.first_key)
    yield made
    made.close()


class _Running(dict[str, Served]):
    def __init__(self, stack: ExitStack, all_databases: databases.Databases, folder: Path) -> None:
        self._stack = stack
        self._databases = all_databases
        self._folder = folder

    def __missing__(self, kind: str) -> Served:
        instance = Instance(self._stack.enter_context(self._databases.migrated(kind)), self._folder / kind)
        log = self._folder / f"{kind}.log"
        arguments = [*instance.flags, "--threads", "32"]
        settings = {**environment(), "CHIPTRAIL_LOG_LEVEL": "debug"}
        self[kind] = Served(instance, self._stack.enter_context(running_server(arguments, log, settings)))
        return self[kind]
