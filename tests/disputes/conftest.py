"""A table with every kind of step of a dispute, played once; each test that changes something gets its own copy."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest

from tests import databases
from tests.cli.played import Originals, originals
from tests.disputes.disputed import Copy, disputed
from tests.http.service import running

__all__ = ["originals"]


@pytest.fixture(params=databases.kinds())
def kind(request: pytest.FixtureRequest) -> str:
    """Return a kind of database: SQLite; with `--full` or the mark `walk`, PostgreSQL too."""
    return str(request.param)


@pytest.fixture
def copy(originals: Originals, kind: str, tmp_path: Path) -> Iterator[Copy]:
    """Yield a copy of the instance, and a service on it."""
    with _copied(originals, kind, tmp_path / "data") as made:
        yield made


@pytest.fixture
def twin(originals: Originals, kind: str, tmp_path: Path) -> Iterator[Copy]:
    """Yield another copy of the same instance: it has the same tables as `copy`."""
    with _copied(originals, kind, tmp_path / "twin") as made:
        yield made


@pytest.fixture(scope="module")
def original(originals: Originals, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Copy]:
    """Yield a copy that no test changes."""
    with _copied(originals, "sqlite", tmp_path_factory.mktemp("disputed") / "data") as made:
        yield made


@contextmanager
def _copied(originals: Originals, kind: str, folder: Path) -> Iterator[Copy]:
    with originals.copied(kind, disputed, folder) as played:
        instance = played.instance
        with running(instance.data, instance.database) as service:
            service.numbers = count(1_000)  # The Idempotency-Keys of the copy have lower numbers.
            yield Copy(instance, service, played.known)
