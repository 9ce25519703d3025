"""The fixtures of the tests of faults: a place on each kind of database, and random choices that can be repeated."""

import os
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from sqlalchemy import make_url

from tests import databases, seeds
from tests.cli.commands import Place
from tests.faults.wires import Address, Wire, wire_to
from tests.postgres import SHARED_FOLDER


@pytest.fixture(params=databases.kinds())
def kind(request: pytest.FixtureRequest) -> str:
    """Return the kind of database that the test runs on."""
    return str(request.param)


@pytest.fixture
def place(kind: str, all_databases: databases.Databases, tmp_path: Path) -> Iterator[Place]:
    """Yield a place with a migrated database that no server has used; an SQLite file is in the shared folder."""
    with all_databases.migrated(kind) as url, TemporaryDirectory(dir=os.environ[SHARED_FOLDER]) as folder:
        if kind == databases.SQLITE:
            file = shutil.copy(url.removeprefix("sqlite:///"), Path(folder) / "chiptrail.db")
            yield Place(f"sqlite:///{file}", tmp_path / "data")
        else:
            yield Place(url, tmp_path / "data")


@pytest.fixture
def chance(request: pytest.FixtureRequest) -> random.Random:
    """Return the random generator of this test; in a run with the same seed it makes the same choices."""
    return seeds.chance(request.node.name)


@pytest.fixture
def wire(place: Place) -> Iterator[Wire]:
    """Yield a proxy to the database server, which can delay and cut connections."""
    with wire_to(_address(place.database)) as made:
        yield made


@pytest.fixture
def wired(place: Place, wire: Wire, tmp_path: Path) -> Place:
    """Return the installation with a database URL that goes through the faulty proxy."""
    url = make_url(place.database).set(host="127.0.0.1", port=wire.port, query={"sslmode": "disable"})
    return Place(url.render_as_string(hide_password=False), tmp_path / "data")


def _address(url: str) -> Address:
    """Return the address on which the database server of *url* listens."""
    parsed = make_url(url)
    if parsed.host:
        return parsed.host, parsed.port or 5432
    return f"{parsed.query['host']}/.s.PGSQL.{parsed.port or 5432}"
