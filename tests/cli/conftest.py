"""What tests of the command line ask for: a place for a service, and servers that run."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests import databases
from tests.cli.commands import UNHURRIED, Place, Served, environment, running_server
from tests.cli.played import originals

__all__ = ["originals"]


@pytest.fixture(scope="package", autouse=True)
def _only_our_environment() -> Iterator[None]:
    """Let what these tests start find the service, and nothing that is set for somebody's own."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment().items():
            patch.setenv(name, value)
        yield


@pytest.fixture(params=databases.kinds())
def kind(request: pytest.FixtureRequest) -> str:
    """Name a kind of database; each test runs on SQLite and on PostgreSQL."""
    return str(request.param)


@pytest.fixture
def nowhere(kind: str, all_databases: databases.Databases, tmp_path: Path) -> Iterator[Place]:
    """Yield a place whose database holds nothing yet."""
    with all_databases.empty(kind) as url:
        yield Place(url, tmp_path / "data")


@pytest.fixture
def place(kind: str, all_databases: databases.Databases, tmp_path: Path) -> Iterator[Place]:
    """Yield a place whose database is migrated, and was never served."""
    with all_databases.migrated(kind) as url:
        yield Place(url, tmp_path / "data")


@pytest.fixture(scope="package")
def running(
    all_databases: databases.Databases, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Served]]:
    """Yield the servers of this run by their kind of database, each started by whoever asks first."""
    with ExitStack() as stack:
        yield _Running(stack, all_databases, tmp_path_factory.mktemp("served"))


@pytest.fixture
def served(kind: str, running: dict[str, Served]) -> Served:
    """Return a server that all tests share: what lies in its database is not this test's alone."""
    return running[kind]


class _Running(dict[str, Served]):
    def __init__(self, stack: ExitStack, all_databases: databases.Databases, folder: Path) -> None:
        self._stack = stack
        self._databases = all_databases
        self._folder = folder

    def __missing__(self, kind: str) -> Served:
        place = Place(self._stack.enter_context(self._databases.migrated(kind)), self._folder / kind)
        log = self._folder / f"{kind}.log"
        server = self._stack.enter_context(running_server([*place.flags, *UNHURRIED, "--threads", "32"], log))
        self[kind] = Served(place, server)
        return self[kind]
