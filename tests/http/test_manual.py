"""`/docs`: the Swagger UI that is installed, under a policy that lets nothing in from outside."""

import re

from tests.http.service import Service, accepted, refused


def test_the_page_is_made_of_what_the_service_has_itself(quick_service: Service) -> None:
    answer = accepted(quick_service.spectator.get("/docs"))
    page = answer.get_data(as_text=True)
    assert answer.content_type == "text/html; charset=utf-8"
    named = re.findall(r'(?:src|href)="([^"]+)"', page)
    assert len(named) == 5
    for path in named:
        assert path.startswith("/")
        accepted(quick_service.spectator.get(path))


def test_nothing_stands_in_the_page_that_its_policy_would_have_to_let_pass(quick_service: Service) -> None:
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


def test_no_validator_elsewhere_is_told_of_the_document(quick_service: Service) -> None:
    started = quick_service.spectator.get("/docs/start.js").get_data(as_text=True)
    assert "validatorUrl: null" in started
    assert '"/openapi.json"' in started
    assert "http" not in started


def test_a_browser_keeps_the_files_and_asks_whether_they_are_still_the_same(quick_service: Service) -> None:
    for name, kind in (("swagger-ui-bundle.js", "text/javascript"), ("swagger-ui.css", "text/css")):
        answer = accepted(quick_service.spectator.get(f"/docs/{name}"))
        assert answer.mimetype == kind
        assert answer.headers["Cache-Control"] == "public, max-age=86400"
        again = quick_service.spectator.get(f"/docs/{name}", If_None_Match=answer.headers["ETag"])
        assert (again.status_code, again.data) == (304, b"")


def test_no_other_file_can_be_had(quick_service: Service) -> None:
    for name in ("VERSION", "oauth2-redirect.html", "..", "%2e%2e%2f__init__.py", "swagger-ui.js"):
        refused(quick_service.spectator.get(f"/docs/{name}"), 404, "resource_must_exist")
