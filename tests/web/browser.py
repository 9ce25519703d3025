"""A real browser for the tests of pages: it notes each forbidden act of a page, such as a request to another origin."""

import asyncio
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, Literal
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, WebError, sync_playwright

NAMES: Final = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
MISSING: Final = "There is no Chromium to open pages with. On Debian and Ubuntu: apt install chromium"
FLAGS: Final = (
    *("--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--disable-software-rasterizer", "--disable-gpu-compositing", "--in-process-gpu"),  # saves processor time
)
INSIDE: Final = ("about", "blob", "data")
"""Schemes of URLs that a browser opens with no request to a server."""
TELL_VIOLATIONS: Final = """
    addEventListener("securitypolicyviolation", ({violatedDirective, blockedURI}) =>
        console.error(`against the Content-Security-Policy: ${violatedDirective} blocks ${blockedURI}`))
"""
PATIENCE: Final = 10_000
"""After how many milliseconds a test gives up waiting for an element or a page."""

Colours = Literal["light", "dark"]


def find() -> str:
    """Return the path of the browser. Without a browser the test is skipped; where CI is set, it fails."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None and os.environ.get("CI"):
        pytest.fail(MISSING)
    return found or pytest.skip(MISSING)


class Chromium:
    """The browser of a whole run of tests; a test uses it inside `in_use`.

    Playwright leaves its event loop as the running loop of this thread between its calls, so `asyncio.run` would fail
    in every later test. So only inside `in_use` the loop counts as running.
    """

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._loop = asyncio.events._get_running_loop()

    @contextmanager
    def in_use(self) -> Iterator[Browser]:
        """Yield the browser."""
        with _running(self._loop):
            yield self._browser


@contextmanager
def started() -> Iterator[Chromium]:
    """Start a browser, and end it after the block."""
    path = find()
    flags = [*FLAGS, "--no-sandbox"] if os.getuid() == 0 else [*FLAGS]  # Chromium's sandbox refuses to run as root
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=flags)
        chromium = Chromium(browser)
        with _running(None):
            yield chromium
        browser.close()


@contextmanager
def _running(loop: asyncio.AbstractEventLoop | None) -> Iterator[None]:
    """Make *loop* the running loop of this thread during the block; None: no loop is running."""
    before = asyncio.events._get_running_loop()
    asyncio.events._set_running_loop(loop)
    try:
        yield
    finally:
        asyncio.events._set_running_loop(before)


class Visits:
    """Opens pages of one origin, each with its own cookies; `faults` lists the forbidden acts of the pages."""

    def __init__(self, browser: Browser) -> None:
        self.faults: list[str] = []
        self._allowed: list[str] = []
        self._origin = ""
        self._browser = browser
        self._contexts: list[BrowserContext] = []

    def open(self, *, scripts: bool = True, colours: Colours = "light", width: int = 1280, height: int = 800) -> Page:
        """Return a new empty page; if *scripts* is False, the browser runs no JavaScript of the page."""
        context = self._browser.new_context(
            java_script_enabled=scripts,
            color_scheme=colours,
            viewport={"width": width, "height": height},
            reduced_motion="reduce",  # else a test would wait for the end of each motion
            service_workers="block",  # Playwright would not report the requests of service workers
        )
        self._contexts.append(context)
        context.set_default_timeout(PATIENCE)
        context.on("console", self._on_console)
        context.on("weberror", self._on_error)
        context.on("request", self._on_request)
        if scripts:
            context.add_init_script(TELL_VIOLATIONS)
        page = context.new_page()
        page.on("websocket", lambda socket: self._ask(socket.url))
        return page

    def allow(self, fault: str) -> None:
        """Expect a fault whose text contains *fault*, for example the fault of a page with the status 404."""
        self._allowed.append(fault)

    def end(self) -> None:
        """Close all pages; first wait until the browser has reported all that the pages did."""
        for context in self._contexts:
            for page in context.pages:
                page.evaluate("0")
            context.close()

    def must_be_clean(self) -> None:
        """Fail if there was a fault that was not allowed, or if an allowed fault did not occur."""
        wrong = [fault for fault in self.faults if not any(each in fault for each in self._allowed)]
        missed = [each for each in self._allowed if not any(each in fault for fault in self.faults)]
        assert not wrong, "\n".join(["The page did what no page may do:", *wrong])
        assert not missed, "\n".join(["These faults did not occur:", *missed])

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning", "assert"}:
            self.faults.append(f"console: {message.text} ({message.location['url']})")

    def _on_error(self, error: WebError) -> None:
        self.faults.append(f"exception: {error.error}")

    def _on_request(self, request: Request) -> None:
        self._ask(request.url)

    def _ask(self, url: str) -> None:
        """Note a request to an origin other than that of the first request."""
        parts = urlsplit(url)
        if parts.scheme in INSIDE:
            return
        origin = f"{parts.scheme.replace('ws', 'http')}://{parts.netloc}"
        self._origin = self._origin or origin
        if origin != self._origin:
            self.faults.append(f"request to another origin: {url}")


@contextmanager
def visiting(browser: Browser) -> Iterator[Visits]:
    """Yield visits that are ended after the block, and must then be clean."""
    visits = Visits(browser)
    try:
        yield visits
    finally:
        visits.end()
    visits.must_be_clean()


def hindrances(page: Page) -> list[str]:
    """Return the accessibility barriers that axe finds on *page*: the rule, the elements and the fault of each."""
    found = Axe().run(page).response["violations"]
    return [f"{one['id']} {node['target']}: {node['failureSummary']}" for one in found for node in one["nodes"]]
