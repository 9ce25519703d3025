"""The pages with figures in a real browser: narrow screens, times, rates, and no script where none is needed."""

import re

import pytest
from playwright.sync_api import Page, expect

from service.games import CURRENT
from tests.web.browser import Colours, Visits, hindrances
from tests.web.world import Visitor, World

GAME = next(iter(CURRENT))


def signed_in(page: Page, world: World) -> Page:
    """Return *page* after its browser was signed in as the admin of *world*."""
    cookie = Visitor(world.service, world.admin.token).client.get_cookie("chiptrail_session")
    assert cookie
    page.context.add_cookies([{"name": cookie.key, "value": cookie.value, "url": world.url}])
    return page


def paths(world: World) -> list[str]:
    """Return the paths of the pages with figures."""
    table = f"/tables/{world.played[GAME].table}"
    return [
        "/",
        "/tables",
        f"{table}/accounts",
        f"{table}/accounts/stack:1",
        f"{table}/flow",
        f"{table}/hands/1/dispute",
        "/disputes",
        "/operations",
    ]


def test_nothing_is_wider_than_a_narrow_screen(visits: Visits, world: World) -> None:
    page = signed_in(visits.open(width=360), world)
    for path in paths(world):
        page.goto(f"{world.url}{path}")
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, path
    assert hindrances(page) == []


@pytest.mark.full
@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 2560])
def test_nobody_is_hindered(visits: Visits, world: World, colours: Colours, width: int) -> None:
    page = signed_in(visits.open(colours=colours, width=width), world)
    for path in paths(world):
        page.goto(f"{world.url}{path}")
        assert hindrances(page) == [], path


def test_times_are_in_the_readers_zone_with_utc_in_the_title(page: Page, world: World) -> None:
    page.goto(f"{world.url}/tables")
    first = page.locator("td time").first
    at = first.get_attribute("datetime") or ""
    expect(first).to_have_attribute("title", f"{at[:10]} {at[11:19]} UTC")
    assert first.inner_text() == page.evaluate(
        "at => new Intl.DateTimeFormat(undefined, {dateStyle: 'medium', timeStyle: 'medium'}).format(new Date(at))", at
    )


def test_plots_and_tables_need_no_script(visits: Visits, world: World) -> None:
    page = signed_in(visits.open(scripts=False), world)
    for path in paths(world)[3:5]:
        page.goto(f"{world.url}{path}")
        drawing = page.get_by_role("img").first.bounding_box()
        assert drawing
        assert drawing["height"] > 100
    page.goto(f"{world.url}/tables")
    assert page.locator("td time").first.inner_text().endswith("UTC")


def test_operations_show_rates_between_two_readings(page: Page, world: World) -> None:
    signed_in(page, world).clock.install()
    page.goto(f"{world.url}/operations")
    rate = page.locator("#live-rates dd").first
    expect(rate).to_have_text("…")
    page.clock.run_for(5_000)
    expect(rate).to_have_text(re.compile(r"^[0-9]+\.[0-9]$"))


def test_the_hand_of_the_flows_is_chosen_by_keyboard(page: Page, world: World) -> None:
    page.goto(f"{world.url}/tables/{world.played[GAME].table}/flow")
    page.get_by_label("Hand", exact=True).focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Who paid whom over hand 1")
    assert page.url.endswith("/flow?hand=1")
