"""The browser of these tests notes each thing that a page must not do."""

import asyncio
import re

import pytest
from _pytest.outcomes import Failed, OutcomeException, Skipped
from playwright.sync_api import Browser, Page, Route

from tests.web import browser as browsers
from tests.web.browser import Chromium, Visits, hindrances, visiting

ORIGIN = "http://pages.test"
ELSEWHERE = "http://elsewhere.test"
POLICY = "default-src 'self'; img-src data:"
OTHERS = f"default-src 'self' {ELSEWHERE} ws://elsewhere.test data: 'unsafe-inline'"
SOCKET = "window.ended = new Promise(done => new WebSocket('ws://elsewhere.test').addEventListener('close', done))"
HEAD = '<!doctype html><html lang="en"><title>a page</title><link rel="icon" href="data:,">'


def serve(page: Page, body: str, policy: str = POLICY) -> None:
    """Make the address ORIGIN answer with *body*, and any other with nothing; no request reaches a network."""

    def answer(route: Route) -> None:
        is_page = route.request.url == f"{ORIGIN}/"
        route.fulfill(
            status=200 if is_page or not route.request.url.endswith("missing") else 404,
            body=f"{HEAD}{body}" if is_page else "",
            headers={
                "Content-Type": "text/html" if is_page else "text/javascript",
                "Content-Security-Policy": policy,
                "Access-Control-Allow-Origin": "*",
            },
        )

    page.context.route("**/*", answer)
    page.goto(f"{ORIGIN}/")
    page.evaluate("window.ended")  # a promise that only the page with a socket has


def test_a_quiet_page_is_clean(page: Page) -> None:
    serve(page, "<h1>A table</h1><script src=/mine.js></script>")
    assert page.get_by_role("heading").inner_text() == "A table"


@pytest.mark.parametrize("scripts", [True, False])
def test_a_page_has_colours_a_size_and_scripts_as_asked(visits: Visits, *, scripts: bool) -> None:
    dark = visits.open(scripts=scripts, colours="dark", width=360)
    style = "<style>h1 {width: 100vw; margin: 0} @media (prefers-color-scheme: dark) {h1 {height: 7px}}</style>"
    serve(dark, f"{style}<body style=margin:0><h1></h1><noscript><p>None</p></noscript>", OTHERS)
    box = dark.locator("h1").bounding_box()
    assert box
    assert (box["width"], box["height"]) == (360, 7)
    assert dark.locator("noscript p").count() == (0 if scripts else 1)


@pytest.mark.parametrize(
    ("body", "policy", "fault"),
    [
        ("<script>console.error('lost')</script>", OTHERS, "console: lost"),
        ("<script>console.warn('odd')</script>", OTHERS, "console: odd"),
        ("<script>throw Error('broken')</script>", OTHERS, "exception: broken"),
        ("<script>Promise.reject(Error('unheard'))</script>", OTHERS, "exception: unheard"),
        ("<script src=/missing></script>", POLICY, "status of 404"),
        (f"<script src={ELSEWHERE}/their.js></script>", OTHERS, f"another origin: {ELSEWHERE}/their.js"),
        (f"<script>{SOCKET}</script>", OTHERS, "another origin: ws://elsewhere.test"),
        ("<p style=color:red>", POLICY, "Content-Security-Policy: style-src-attr blocks inline"),
    ],
    ids=["error", "warning", "exception", "rejection", "missing", "elsewhere", "socket", "policy"],
)
def test_what_a_page_must_not_do_fails_the_test(browser: Browser, body: str, policy: str, fault: str) -> None:
    with pytest.raises(AssertionError, match=re.escape(fault)), visiting(browser) as visits:
        serve(visits.open(), body, policy)


def test_a_violation_of_the_policy_is_noted_where_no_script_runs(browser: Browser) -> None:
    with pytest.raises(AssertionError, match="Content Security Policy"), visiting(browser) as visits:
        serve(visits.open(scripts=False), "<p style=color:red>")


def test_an_allowed_fault_must_occur(browser: Browser) -> None:
    with visiting(browser) as visits:
        visits.allow("404")
        serve(visits.open(), "<script src=/missing></script>")
    with pytest.raises(AssertionError, match="404"), visiting(browser) as visits:
        visits.allow("404")


def test_axe_names_what_hinders_people(page: Page) -> None:
    serve(page, "<main><h1>A table</h1><p>It is your turn.</main>")
    assert hindrances(page) == []
    page.evaluate("document.querySelector('p').innerHTML = '<button></button>'")
    (found,) = hindrances(page)
    assert found.startswith("button-name ['button']")


def test_no_event_loop_counts_as_running_beside_the_browser(chromium: Chromium) -> None:
    assert asyncio.run(asyncio.sleep(0, "done")) == "done"
    with chromium.in_use() as browser:
        assert browser.is_connected()
    assert asyncio.run(asyncio.sleep(0, "done")) == "done"


@pytest.mark.parametrize(("ci", "outcome"), [("", Skipped), ("true", Failed)], ids=["skipped", "failed"])
def test_without_a_browser_a_test_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, ci: str, outcome: type[OutcomeException]
) -> None:
    monkeypatch.setattr(browsers, "NAMES", ("no-such-browser",))
    monkeypatch.setenv("CI", ci)
    with pytest.raises(outcome, match="apt install chromium"):
        browsers.find()
