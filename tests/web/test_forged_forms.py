"""A request that another site sends in a signed-in browser changes nothing, at any route that changes something."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import pytest
from werkzeug.test import TestResponse

from tests.databases import Databases
from tests.http.service import Service, Table
from tests.web.routes import pages_rules
from tests.web.signing_in import post, signing_in, token_of
from tests.web.world import FROM_A_PAGE, Visitor

OWN: Final = "http://localhost"
FORGED: Final[Mapping[str, Mapping[str, str]]] = {
    "another site": {"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"},
    "another host of the same domain": {"Sec-Fetch-Site": "same-site", "Origin": OWN},
    "the address bar": {"Sec-Fetch-Site": "none"},
    "an old browser at another site": {"Origin": "https://evil.example"},
    "a frame without an origin": {"Origin": "null"},
    "another port": {"Origin": f"{OWN}:8080"},
    "a name that ends alike": {"Origin": f"{OWN}.evil.example"},
    "a name before the host": {"Origin": "http://localhost@evil.example"},
    "no origin at all": {"Origin": ""},
    "what is no origin": {"Origin": "http://["},
    "a path": {"Origin": f"{OWN}/"},
}


@pytest.fixture(scope="module")
def service(all_databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with all_databases.migrated("sqlite") as url, signing_in(tmp_path_factory.mktemp("forms"), url) as (made, _):
        yield made


@pytest.fixture(scope="module")
def paths(service: Service) -> list[str]:
    """Return the path of each route that changes something; a path of a table names a table that exists."""
    table = Table(service).dealt().id
    found = [one.rule for one in pages_rules() if "POST" in (one.methods or ())]
    examples = {"<table>": table, "<step>": "answer"}
    return [re.sub("<[^>]+>", lambda part: examples.get(part[0], "1"), rule) for rule in found]


def form_token(visitor: Visitor) -> str:
    found = re.search('name="form_token" value="([0-9a-f]{64})"', visitor.page("/tables"))
    assert found
    return found[1]


def test_each_route_that_changes_something_is_known(paths: list[str]) -> None:
    assert {"/sign-in", "/sign-out"} <= set(paths)
    for rule in pages_rules():
        methods = rule.methods or set()
        assert methods <= {"POST", "OPTIONS"} or methods <= {"GET", "HEAD", "OPTIONS"}, rule.rule


@pytest.mark.parametrize("forged", FORGED)
def test_a_form_that_did_not_come_from_a_page_does_nothing(service: Service, paths: list[str], forged: str) -> None:
    person = service.person("play")
    signed_in, spectator = Visitor(service, person.token), Visitor(service)
    token = form_token(signed_in)
    for path in paths:
        must_be_forbidden(post(signed_in, path, FORGED[forged], form_token=token, key=person.token))
        sent = {**FORGED[forged], "Form-Token": token}
        must_be_forbidden(signed_in.client.post(path, json={"type": "resign"}, headers=sent))
    must_be_forbidden(post(spectator, "/sign-in", FORGED[forged], form_token="", key=person.token))
    assert token_of(spectator) == ""
    assert person.owner in signed_in.page("/tables")


def test_a_form_without_its_own_token_does_nothing(service: Service, paths: list[str]) -> None:
    person, other = service.person("play"), service.person("play")
    visitor = Visitor(service, person.token)
    own, of_another = form_token(visitor), form_token(Visitor(service, other.token))
    for path in paths:
        for token in ("", of_another, own[:-1], own.upper(), "é", token_of(visitor)):
            must_be_forbidden(post(visitor, path, form_token=token, key=other.token))
            headers = {**FROM_A_PAGE, "Form-Token": token.encode().decode("latin-1")}
            must_be_forbidden(visitor.client.post(path, json={"type": "resign"}, headers=headers))
        must_be_forbidden(post(visitor, path, key=other.token))
        must_be_forbidden(post(visitor, f"{path}?form_token={own}", key=other.token))
    assert person.owner in visitor.page("/tables")


def test_a_spectator_whose_browser_says_nothing_of_its_site_is_not_signed_in(service: Service) -> None:
    visitor = Visitor(service)
    must_be_forbidden(post(visitor, "/sign-in", {}, form_token="", key=service.person("play").token))


@pytest.mark.parametrize("says", [FROM_A_PAGE, {"Origin": OWN}, {"Origin": OWN, "Sec-Fetch-Site": "same-origin"}])
def test_a_form_of_a_page_is_accepted_from_old_and_new_browsers(service: Service, says: Mapping[str, str]) -> None:
    visitor, key = Visitor(service), service.person("play").token
    assert post(visitor, "/sign-in", says, form_token="", key=key).status_code == 303
    assert post(visitor, "/sign-out", says, form_token=form_token(visitor)).status_code == 303


def test_behind_tls_a_page_without_tls_is_another_site(all_databases: Databases, tmp_path: Path) -> None:
    with all_databases.migrated("sqlite") as url, signing_in(tmp_path, url, proxies=1) as (service, _):
        key = service.person("play").token
        for scheme, status in (("http", 403), ("https", 303)):
            says = {"X-Forwarded-Proto": "https", "Origin": f"{scheme}://localhost"}
            assert post(Visitor(service), "/sign-in", says, form_token="", key=key).status_code == status


@pytest.mark.parametrize("query", ["next=//evil.example", "next=https://evil.example&url=//evil.example"])
def test_nobody_is_sent_to_another_site(service: Service, query: str) -> None:
    visitor = Visitor(service)
    answer = post(visitor, f"/sign-in?{query}", form_token="", key=service.person("play").token, next="//evil.example")
    assert answer.headers.get("Location") == "/tables"


@pytest.mark.parametrize("path", ["//evil.example", "/tables//evil.example", "/\\evil.example", "/tables/", "/./"])
def test_an_odd_path_is_not_found_and_sends_nobody_anywhere(service: Service, path: str) -> None:
    answer = Visitor(service).client.get("/", environ_overrides={"PATH_INFO": path, "HTTP_HOST": "evil.example"})
    assert (answer.status_code, "Location" in answer.headers) == (404, False)
    assert "evil.example" not in answer.text


def must_be_forbidden(answer: TestResponse) -> None:
    assert answer.status_code == 403, (answer.request.path, answer.text)
    assert "Set-Cookie" not in answer.headers
