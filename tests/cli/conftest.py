"""The fixtures of tests of the command line: instances of Chiptrail, and running servers."""

import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests import databases
from tests.cli.commands import UNHURRIED, Instance, Served, environment, running_server
from tests.cli.forking import forked_commands
from tests.cli.played import originals
from tests.postgres import SHARED_FOLDER

__all__ = ["originals"]


@pytest.fixture(scope="package", autouse=True)
def _only_our_environment() -> Iterator[None]:
    """Set the environment of the processes that these tests start, so that these processes can import the service."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment().items():
            patch.setenv(name, value)
        yield


@pytest.fixture(scope="package")
def quick_script() -> Iterator[Path]:
    """Yield a script `chiptrail` for the shell commands of pages; each run is a process of its own, and starts fast."""
    with TemporaryDirectory(dir=os.environ[SHARED_FOLDER]) as folder, forked_commands(Path(folder)) as script:
        yield script


@pytest.fixture(params=databases.kinds())
def kind(request: pytest.FixtureRequest) -> str:
    """Return a kind of database: SQLite; with `--full` or the mark `walk`, PostgreSQL too."""
    return str(request.param)


@pytest.fixture
def nowhere(kind: str, all_databases: databases.Databases, tmp_path: Path) -> Iterator[Instance]:
    """Yield an instance with an empty database."""
    with all_databases.empty(kind) as url:
        yield Instance(url, tmp_path / "data")


@pytest.fixture
def instance(kind: str, all_databases: databases.Databases, tmp_path: Path) -> Iterator[Instance]:
    """Yield an instance with a migrated database that no server has used."""
    with all_databases.migrated(kind) as url:
        yield Instance(url, tmp_path / "data")


@pytest.fixture(scope="package")
def running(
    all_databases: databases.Databases, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Served]]:
    """Yield the shared servers by kind of database; the first test that needs a server starts it."""
    with ExitStack() as stack:
        yield _Running(stack, all_databases, tmp_path_factory.mktemp("served"))


@pytest.fixture
def served(kind: str, running: dict[str, Served]) -> Served:
    """Return a server that all tests share, so its database has data of other tests too."""
    return running[kind]


class _Running(dict[str, Served]):
    def __init__(self, stack: ExitStack, all_databases: databases.Databases, folder: Path) -> None:
        self._stack = stack
        self._databases = all_databases
        self._folder = folder

    def __missing__(self, kind: str) -> Served:
        instance = Instance(self._stack.enter_context(self._databases.migrated(kind)), self._folder / kind)
        log = self._folder / f"{kind}.log"
        server = self._stack.enter_context(running_server([*instance.flags, *UNHURRIED, "--threads", "32"], log))
        self[kind] = Served(instance, server)
        return self[kind]
