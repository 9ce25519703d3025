"""`/docs`: the installed Swagger UI, under a Content-Security-Policy that allows nothing from other servers."""

# ruff: noqa: ANN401 -- JSON may be any value

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from html import escape
from typing import Any

import pytest

from service.http.problems.catalogue import CATALOGUE
from service.http.resources import docs_page
from tests.http.service import Service, accepted, refused


def test_the_page_uses_only_files_of_the_service(quick_service: Service) -> None:
    answer = accepted(quick_service.spectator.get("/docs"))
    page = answer.get_data(as_text=True)
    assert answer.content_type == "text/html; charset=utf-8"
    named = re.findall(r'(?:src|href)="([^"]+)"', page)
    assert len(named) == 5
    for path in named:
        assert path.startswith("/")
        accepted(quick_service.spectator.get(path))


def test_the_page_has_no_inline_script_or_style(quick_service: Service) -> None:
    answer = quick_service.spectator.get("/docs")
    page = answer.get_data(as_text=True)
    assert re.findall(r"<script(?! src=)|<style|style=| on\w+=", page) == []
    policy = dict(part.split(" ", 1) for part in answer.headers["Content-Security-Policy"].split("; "))
    assert policy == {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "img-src": "'self' data:",
        "connect-src": "'self'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
    }


def test_no_foreign_validator_gets_the_document(quick_service: Service) -> None:
    started = quick_service.spectator.get("/docs/start.js").get_data(as_text=True)
    assert "validatorUrl: null" in started
    assert '"/docs/openapi.json"' in started
    assert "http" not in started


def test_a_browser_keeps_the_files_and_asks_whether_they_are_still_the_same(quick_service: Service) -> None:
    for name, kind in (("swagger-ui-bundle.js", "text/javascript"), ("swagger-ui.css", "text/css")):
        answer = accepted(quick_service.spectator.get(f"/docs/{name}"))
        assert answer.mimetype == kind
        assert answer.headers["Cache-Control"] == "public, max-age=86400"
        again = quick_service.spectator.get(f"/docs/{name}", If_None_Match=answer.headers["ETag"])
        assert (again.status_code, again.data) == (304, b"")


def test_no_other_file_is_served(quick_service: Service) -> None:
    for name in ("VERSION", "oauth2-redirect.html", "..", "%2e%2e%2f__init__.py", "swagger-ui.js"):
        refused(quick_service.spectator.get(f"/docs/{name}"), 404, "resource_must_exist")


def test_fields_are_filled_with_values_that_can_be_sent(quick_service: Service) -> None:
    documents = [accepted(quick_service.spectator.get("/docs/openapi.json")).json for _ in range(2)]
    filled = [dict(_filled(document)) for document in documents]
    keys = [value for one in filled for (_, name), value in one.items() if name == "Idempotency-Key"]
    assert len(set(keys)) == len(keys) == 30, "Two documents: 5 writes, and 10 about disputes."
    for one in filled:
        assert {name for _, name in one} == {"Idempotency-Key"}
    assert not _has_links(documents[0])
    assert _has_links(accepted(quick_service.spectator.get("/openapi.json")).json)


def test_a_prefilled_key_is_not_sent_with_another_command() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node to run it")
    script = f"""
        let made;
        const SwaggerUIBundle = (options) => {{ made = options.requestInterceptor; }};
        {docs_page._START.decode()}
        const NAME = "Idempotency-Key";
        const send = (key, body) => made({{method: "POST", url: "/", body, headers: {{[NAME]: key}}}}).headers[NAME];
        const said = [send("a", "1"), send("a", "1"), send("a", "2"), send("b", "2")];
        console.log(JSON.stringify([...said, made({{headers: {{}}, url: "/"}}).headers]));
    """
    done = subprocess.run([node, "-e", script], capture_output=True, text=True, check=True)
    first, again, other, own, none = json.loads(done.stdout)
    assert (first, again, own, none) == ("a", "a", "b", {})
    assert re.fullmatch("[0-9a-f]{32}", other)


def test_text_between_backticks_is_code_on_a_problems_page(quick_service: Service) -> None:
    for code, kind in CATALOGUE.items():
        page = accepted(quick_service.spectator.get(f"/problems/{code}")).get_data(as_text=True)
        assert "`" not in page
        for words in re.findall("`([^`]+)`", kind.advice):
            assert f"<code>{escape(words)}</code>" in page


def _filled(document: Any) -> Iterator[tuple[tuple[str, str], Any]]:
    """Yield each field of a query or a header, by its operation and name, with the value that Swagger UI puts there."""
    for operations in document["paths"].values():
        for operation in (one for method, one in operations.items() if method != "parameters"):
            for parameter in operation.get("parameters", ()):
                if parameter["in"] != "path" and "example" in parameter:
                    yield (operation["operationId"], parameter["name"]), parameter["example"]


def _has_links(document: Any) -> bool:
    responses = document["paths"]["/v1/tables/{table}"]["get"]["responses"]
    return any("links" in response for response in responses.values())
