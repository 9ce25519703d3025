"""Fixtures of the tests of checking in the browser: the dossiers of a played world, and a page that checks them."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page

from tests.databases import Databases
from tests.dossier import made
from tests.dossier.made import World
from tests.http.service import running
from tests.web.check.in_browser import Checker, checker_in


@pytest.fixture(scope="package")
def played(all_databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """Yield the world of the tests of dossiers."""
    with all_databases.migrated("sqlite") as url, running(tmp_path_factory.mktemp("checked"), url) as service:
        yield made.world(service)


@pytest.fixture
def checker(page: Page) -> Iterator[Checker]:
    """Yield a checker, which checks files in a page of the browser."""
    with checker_in(page) as made:
        yield made
