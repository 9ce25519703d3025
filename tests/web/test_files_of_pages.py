import builtins
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.web.pages import front_page
from tests.databases import Databases
from tests.http.service import Service, running
from tests.web.world import Visitor


@pytest.fixture
def service(all_databases: Databases, tmp_path: Path) -> Iterator[Service]:
    with all_databases.migrated("sqlite") as url, running(tmp_path, url) as made:
        yield made


def test_a_server_keeps_its_templates_if_the_files_are_replaced(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*_: object, **__: object) -> None:
        pytest.fail("a file of the pages was read after the start")

    monkeypatch.setattr(Path, "open", gone)
    monkeypatch.setattr(builtins, "open", gone)
    visitor = Visitor(service)
    for path in ("/", "/tables", "/check", "/sign-in", "/rules/bankrupt", "/tables/tbl_x"):
        assert visitor.get(path).status_code in {200, 404}, path


def test_a_page_that_fails_says_how_to_find_the_cause(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(front_page, "ask", fail)
    response = Visitor(service).get("/")
    assert response.status_code == 500
    assert response.headers["X-Request-Id"] in response.text
    assert "Try again in a minute." in response.text
