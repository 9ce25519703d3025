"""Fixtures of the tests of pages: a played world, a real browser that a worker starts once, and pages in it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.databases import Databases
from tests.web.browser import Chromium, Visits, started, visiting
from tests.web.playing import House, house
from tests.web.world import World, played_world

HERE = Path(__file__).parent


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the tests of this folder first, so that one worker runs most of them, and few workers start a browser.

    At first each worker gets an equal part of all tests, in their order; a worker that has ended its part takes tests
    from the end of another part.
    """
    items.sort(key=lambda item: not item.path.is_relative_to(HERE))


@pytest.fixture(scope="session")
def chromium() -> Iterator[Chromium]:
    """Yield the browser of this run. Without a browser, the test is skipped; where CI is set, it fails."""
    with started() as browser:
        yield browser


@pytest.fixture
def browser(chromium: Chromium) -> Iterator[Browser]:
    """Yield the browser of this run, for one test."""
    with chromium.in_use() as browser:
        yield browser


@pytest.fixture
def visits(browser: Browser) -> Iterator[Visits]:
    """Yield the visits of this test, which open pages; the test fails if a page does a thing that no page may do."""
    with visiting(browser) as visits:
        yield visits


@pytest.fixture
def page(visits: Visits) -> Page:
    """Return an empty page of the test's visits, in light colours and with scripts."""
    return visits.open()


@pytest.fixture(scope="session")
def world(all_databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """Yield a service with a finished game of each kind; tests only read it."""
    with all_databases.migrated("sqlite") as url, played_world(tmp_path_factory.mktemp("pages"), url) as made:
        yield made


@pytest.fixture(scope="session")
def home(all_databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """Yield a service where a person plays with bots; a test opens its own table there."""
    with all_databases.migrated("sqlite") as url, house(tmp_path_factory.mktemp("house"), url) as made:
        yield made
