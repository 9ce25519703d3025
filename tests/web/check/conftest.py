"""Fixtures of the tests of checking in the browser: the dossiers of a played world, and a page that checks them."""

import os
import shutil
from collections.abc import Iterator
from typing import Final

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.databases import Databases
from tests.dossier import made
from tests.dossier.made import World
from tests.http.service import running
from tests.web.check.in_browser import Checker, checker_in

MISSING: Final = "There is no Chromium to open pages with."
FLAGS: Final = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)


@pytest.fixture(scope="package")
def played(all_databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """Yield the world of the tests of dossiers."""
    with all_databases.migrated("sqlite") as url, running(tmp_path_factory.mktemp("checked"), url) as service:
        yield made.world(service)


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Yield a browser. Without Chromium the test is skipped; where CI is set, it fails."""
    path = shutil.which("chromium")
    if path is None:
        pytest.fail(MISSING) if os.environ.get("CI") else pytest.skip(MISSING)
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield launched
        launched.close()


@pytest.fixture
def checker(browser: Browser) -> Iterator[Checker]:
    """Yield what checks files in a page of the browser."""
    page = browser.new_page()
    with checker_in(page) as made:
        yield made
    page.close()
