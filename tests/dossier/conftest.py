"""The world of the dossiers: it is played once for all tests of this folder."""

from collections.abc import Iterator

import pytest

from tests.databases import Databases
from tests.dossier import made
from tests.dossier.made import World
from tests.http.service import running


@pytest.fixture(scope="package")
def world(all_databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with all_databases.migrated("sqlite") as url, running(tmp_path_factory.mktemp("dossiers"), url) as service:
        yield made.world(service)
