"""Fixtures of the tests of faults: an instance on each kind of database, a faulty proxy, and repeatable choices."""

import os
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from sqlalchemy import make_url

from tests import databases, seeds
from tests.cli.commands import Instance
from tests.faults.faulty_proxy import Address, FaultyProxy, proxy_to
from tests.postgres import SHARED_FOLDER


@pytest.fixture(params=databases.kinds())
def kind(request: pytest.FixtureRequest) -> str:
    """Return the kind of database that the test runs on."""
    return str(request.param)


@pytest.fixture
def instance(kind: str, all_databases: databases.Databases, tmp_path: Path) -> Iterator[Instance]:
    """Yield an instance with a migrated database that no server has used; an SQLite file is in the shared folder."""
    with all_databases.migrated(kind) as url, TemporaryDirectory(dir=os.environ[SHARED_FOLDER]) as folder:
        if kind == databases.SQLITE:
            file = shutil.copy(url.removeprefix("sqlite:///"), Path(folder) / "chiptrail.db")
            yield Instance(f"sqlite:///{file}", tmp_path / "data")
        else:
            yield Instance(url, tmp_path / "data")


@pytest.fixture
def chance(request: pytest.FixtureRequest) -> random.Random:
    """Return the random generator of this test; in a run with the same seed it makes the same choices."""
    return seeds.chance(request.node.name)


@pytest.fixture
def proxy(instance: Instance) -> Iterator[FaultyProxy]:
    """Yield a proxy to the database server; the proxy can cut connections and stop passing bytes."""
    with proxy_to(_address(instance.database)) as made:
        yield made


@pytest.fixture
def behind_proxy(instance: Instance, proxy: FaultyProxy, tmp_path: Path) -> Instance:
    """Return the instance with a database URL that goes through the faulty proxy."""
    url = make_url(instance.database).set(host="127.0.0.1", port=proxy.port, query={"sslmode": "disable"})
    return Instance(url.render_as_string(hide_password=False), tmp_path / "data")


def _address(url: str) -> Address:
    """Return the address on which the database server of *url* listens."""
    parsed = make_url(url)
    if parsed.host:
        return parsed.host, parsed.port or 5432
    return f"{parsed.query['host']}/.s.PGSQL.{parsed.port or 5432}"
