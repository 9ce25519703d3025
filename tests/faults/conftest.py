"""What these tests ask for: a place for a service on each kind of database, and chance that can be had again."""

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
    """Name the kind of database that the test runs on."""
    return str(request.param)


@pytest.fixture
def place(kind: str, all_databases: databases.Databases, tmp_path: Path) -> Iterator[Place]:
    """Yield a place whose database is migrated, and was never served; a file is where PostgreSQL's are, in memory."""
    with all_databases.migrated(kind) as url, TemporaryDirectory(dir=os.environ[SHARED_FOLDER]) as folder:
        if kind == databases.SQLITE:
            file = shutil.copy(url.removeprefix("sqlite:///"), Path(folder) / "chiptrail.db")
            yield Place(f"sqlite:///{file}", tmp_path / "data")
        else:
            yield Place(url, tmp_path / "data")


@pytest.fixture
def chance(request: pytest.FixtureRequest) -> random.Random:
    """Return the chance of this test, the same in every run of the same seed."""
    return seeds.chance(request.node.name)


@pytest.fixture
def wire(place: Place) -> Iterator[Wire]:
    """Yield the wire to the database of the place."""
    with wire_to(_address(place.database)) as made:
        yield made


@pytest.fixture
def wired(place: Place, wire: Wire, tmp_path: Path) -> Place:
    """Return the place as it is reached through the wire."""
    url = make_url(place.database).set(host="127.0.0.1", port=wire.port, query={"sslmode": "disable"})
    return Place(url.render_as_string(hide_password=False), tmp_path / "data")


def _address(url: str) -> Address:
    """Return where the server of *url* listens."""
    parsed = make_url(url)
    if parsed.host:
        return parsed.host, parsed.port or 5432
    return f"{parsed.query['host']}/.s.PGSQL.{parsed.port or 5432}"
