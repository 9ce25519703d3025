"""Every page in a real browser: light and dark, narrow and wide, by keyboard, with and without scripts."""

from collections.abc import Callable, Iterator
from typing import Final

import pytest
from playwright.sync_api import Page

from tests import seeds
from tests.web import looked_at
from tests.web.browser import Colours, Visits
from tests.web.looking import path_of
from tests.web.routes import pages_rules
from tests.web.signing_in import PLAIN, token_of
from tests.web.world import Visitor, World

NO_PAGES: Final = {
    "/assets/<digest>/<path:name>": "the files of pages",
    "/operations/totals": "numbers for a script",
    "/tables/<table>/drawing": "a part of a page, for a script",
    "/tables/<table>/hands": "a redirect to the page of a hand",
    "/tables/<table>/live": "a stream",
    "/tables/<table>/hands/<int(max=2147483647):hand>/dossier": "a file",
}
"""Routes whose answer is not a page, with what the answer is."""
CHANGING: Final = {"/operations": "the figures count this test's own requests"}
"""Pages whose content changes with each request, with the reason."""
PAGES: Final = [rule.rule for rule in pages_rules() if "GET" in (rule.methods or ()) and rule.rule not in NO_PAGES]
DAILY_STOPS: Final = 12
"""How many controls of a page the keyboard must reach in a daily test; in a full test, all of them."""
COLOURS: Final[tuple[Colours, Colours]] = ("light", "dark")

Open = Callable[..., Page]


@pytest.fixture(scope="module")
def token(world: World) -> str:
    """Return the token of a browser that is signed in as the admin of *world*."""
    return token_of(Visitor(world.service, world.admin.token))


@pytest.fixture
def opened(world: World, visits: Visits, token: str) -> Open:
    """Return a function that opens a page, signed in or not."""

    def open_page(path: str, *, is_signed_in: bool = True, scripts: bool = True, colours: Colours = "light") -> Page:
        page = visits.open(scripts=scripts, colours=colours, width=looked_at.NARROW)
        if is_signed_in:
            page.context.add_cookies([{"name": PLAIN, "value": token, "url": world.url}])
        page.goto(f"{world.url}{path}")
        return page

    return open_page


def faults(page: Page, most_stops: int, *, is_closer: bool = True) -> Iterator[str]:
    """Yield the faults of *page* in a narrow and in a wide window; if *is_closer* is True, axe checks the page too."""
    yield from looked_at.faults_of_outline(page)
    if is_closer:
        yield from looked_at.faults_of_axe(page)
    yield from looked_at.faults_of_size(page, looked_at.WIDE)
    yield from looked_at.faults_of_size(page, looked_at.NARROW)
    yield from looked_at.faults_of_keyboard(page, most_stops)


def test_each_route_is_a_page_or_is_known_to_be_none(world: World) -> None:
    examples = world.examples()[0]
    for rule in pages_rules():
        if "GET" in (rule.methods or ()) and "digest" not in rule.arguments:
            answer = Visitor(world.service, world.admin.token).client.get(path_of(rule.rule, examples), buffered=False)
            is_page = answer.status_code == 200 and next(iter(answer.iter_encoded())).startswith(b"<!doctype html>")
            assert answer.status_code in {200, 303}, rule.rule
            assert is_page == (rule.rule in PAGES), rule.rule
            answer.close()
    assert set(NO_PAGES) <= {rule.rule for rule in pages_rules()}


def test_every_page_is_fit_for_everybody(world: World, opened: Open) -> None:
    """One tab visits all pages; the run's seed determines the third of them that also gets the expensive checks."""
    chance = seeds.chance("every page")
    closer = chance.sample(PAGES, len(PAGES) // 3)
    page, found = opened("/"), dict[str, list[str]]()
    quiet = opened("/", scripts=False)
    page.emulate_media(color_scheme=chance.choice(COLOURS))
    for rule in PAGES:
        path = path_of(rule, chance.choice(world.examples()))
        page.goto(f"{world.url}{path}")
        found[path] = [*faults(page, DAILY_STOPS, is_closer=rule in closer)]
        if rule in closer and rule not in CHANGING and page.locator("script").count():
            quiet.goto(f"{world.url}{path}")
            found[path] += sorted(looked_at.text_of(quiet) - looked_at.text_of(page))
    assert {path: wrong for path, wrong in found.items() if wrong} == {}


@pytest.mark.full
@pytest.mark.parametrize("is_signed_in", [True, False], ids=["signed in", "spectator"])
@pytest.mark.parametrize("colours", COLOURS)
@pytest.mark.parametrize("rule", PAGES)
def test_a_page_is_fit_for_everybody_in_all_games_and_colours(
    world: World, opened: Open, visits: Visits, rule: str, colours: Colours, *, is_signed_in: bool
) -> None:
    for examples in world.examples():
        path = path_of(rule, examples)
        if not is_signed_in and world.spectator.get(path).status_code != 200:
            visits.allow("the server responded with a status of 40")
        page = opened(path, colours=colours, is_signed_in=is_signed_in)
        assert list(faults(page, 1_000)) == [], path
        if rule not in CHANGING and page.locator("script").count():
            without_scripts = opened(path, is_signed_in=is_signed_in, scripts=False)
            assert looked_at.text_of(without_scripts) <= looked_at.text_of(page), path


def test_a_page_about_what_is_not_there_is_fit_for_everybody(opened: Open, visits: Visits) -> None:
    visits.allow("the server responded with a status of 404")
    page = opened("/tables/none")
    assert page.get_by_role("heading", level=1).inner_text() == "There is no such table."
    assert list(faults(page, DAILY_STOPS)) == []


def test_a_person_signs_in_and_out_by_keyboard(world: World, opened: Open) -> None:
    page = opened("/sign-in", is_signed_in=False)
    page.get_by_label("Key").focus()
    page.keyboard.type(world.admin.token)
    page.keyboard.press("Enter")
    page.wait_for_url("**/tables")
    assert page.locator("header").get_by_text(world.admin.owner).is_visible()
    (cookie,) = page.context.cookies()
    assert (cookie["name"], cookie["httpOnly"], cookie["sameSite"]) == (PLAIN, True, "Strict")
    page.get_by_role("button", name="Sign out").focus()
    page.keyboard.press("Enter")
    page.wait_for_url(f"{world.url}/")
    assert page.context.cookies() == []


def test_what_hinders_somebody_is_found(page: Page) -> None:
    page.set_content(
        """<!doctype html><html lang="de"><title> · Chiptrail</title><style>.dull:focus {outline: none}</style>
        <h2>One</h2><h1></h1><h4>Two</h4><input><table><tr><th>A</th></tr></table>
        <a class="dull" href="#x">x</a><button tabindex="-1">unreached</button>
        <style>.tiny {width: 9px; height: 9px; padding: 0} div {width: 3000px}</style>
        <p><button class="tiny">b</button><button class="tiny">c</button></p>
        <div>wide</div>"""
    )
    outline = {fault.partition(":")[0] for fault in looked_at.faults_of_outline(page)}
    assert outline == {
        "not one h1 at first", "empty headings", "not one main", "not one header", "no navigation", "no title",
        "no language", "headings", "controls without a label", "headers without scope", "tables without a name",
    }  # fmt: skip
    assert [looked_at.faults_of_size(page, width) != [] for width in (looked_at.WIDE, looked_at.NARROW)] == [True, True]
    missed, unseen = looked_at.faults_of_keyboard(page, 10)
    assert (missed.count("<button"), "dull" in unseen) == (1, True)
    rules = {fault.split()[0] for fault in looked_at.faults_of_axe(page)}
    assert {"label", "target-size", "landmark-one-main"} <= rules


def test_what_is_said_to_browsers_with_scripts_alone_is_found(page: Page) -> None:
    page.set_content("<main><p>For all</p><noscript>Without</noscript><time>2026</time></main>")
    assert looked_at.text_of(page) == {"For all", "", "time"}
