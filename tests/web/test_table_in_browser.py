import re
from collections import Counter
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from service.games import CURRENT
from service.web.asking.viewer import COOKIE
from service.web.drawing import card_faces
from tests import seeds
from tests.http.hearts import Hearts
from tests.http.service import Table, accepted
from tests.web.browser import Colours, Visits, hindrances
from tests.web.drawn import told_faces
from tests.web.signing_in import token_of
from tests.web.world import Visitor, World

READ_MS = 2_000
_LATENCY_MS = 300
_BYTES_PER_MS = 200
"""A slow network: 300 ms for each round trip, and 1.6 Mbit/s."""
DAILY_STEPS = 6
"""How many steps the slider makes in the daily test."""


def view(world: World, table: str, at: int = 0) -> Any:  # noqa: ANN401 -- JSON
    return accepted(world.service.spectator.get(f"/v1/tables/{table}?at={at}")).json


def shows(page: Page, position: int) -> None:
    """Wait until *page* shows *position*."""
    page.wait_for_selector(f"#stage[data-position='{position}']", state="attached")


def must_show(page: Page, told: Any) -> None:  # noqa: ANN401 -- JSON
    """Check that the drawing on *page* has the cards and the balances of the API's view *told*."""
    shown = page.evaluate(
        """() => ({
            cards: [...document.querySelectorAll(".drawing [role=img]")].map((one) => one.getAttribute("aria-label")),
            held: [...document.querySelectorAll(".drawing .held b")].map((one) =>
                [one.parentElement.dataset.key, Number(one.textContent.replaceAll(",", ""))]),
            slider: Number(document.querySelector("input[type=range]").value),
        })"""
    )
    names = {card_faces.card_name(face) for face in told_faces(told["view"])}
    assert set(shown["cards"]) - {"a hidden card"} == names
    held = {key: amount for key, amount in shown["held"] if key in told["balances"]}
    assert {key: told["balances"][key] for key in held} == held
    assert {key for key in told["balances"] if key.startswith(("stack:", "score:"))} <= set(held)
    assert shown["slider"] == told["position"]


def step_through(world: World, page: Page, table: str, first: int, last: int) -> None:
    """Step with the slider from *first* to *last*, and check what each position shows."""
    page.goto(f"{world.url}/tables/{table}?at={first}")
    slider = page.get_by_role("slider")
    for at in range(first, last + 1):
        shows(page, at)
        must_show(page, view(world, table, at))
        slider.press("ArrowRight")


def test_the_slider_goes_through_a_part_of_a_finished_hand_position_by_position(world: World, page: Page) -> None:
    """The run's seed determines the part."""
    table = world.played["insurance"].table
    hand = accepted(world.service.spectator.get(f"/v1/tables/{table}/hands")).json["items"][0]
    first = seeds.chance("the slider").randint(hand["first"], hand["last"] - DAILY_STEPS)
    step_through(world, page, table, first, first + DAILY_STEPS)
    expect(page).to_have_url(re.compile(f"[?]at={first + DAILY_STEPS + 1}$"))


@pytest.mark.full
def test_the_slider_goes_through_a_finished_hand_position_by_position(world: World, page: Page) -> None:
    table = world.played["insurance"].table
    hand = accepted(world.service.spectator.get(f"/v1/tables/{table}/hands")).json["items"][0]
    step_through(world, page, table, hand["first"], hand["last"])
    expect(page).to_have_url(re.compile(f"[?]at={hand['last'] + 1}$"))


@pytest.mark.full
@pytest.mark.parametrize("game", CURRENT)
def test_the_slider_goes_through_each_finished_game_position_by_position(world: World, page: Page, game: str) -> None:
    table = world.played[game].table
    step_through(world, page, table, 1, view(world, table)["position"])


def test_a_position_is_an_address_and_the_way_back_leads_to_the_present(world: World, page: Page) -> None:
    table = world.played["bankrupt"].table
    page.goto(f"{world.url}/tables/{table}")
    last = view(world, table)["position"]
    page.locator("body").press("ArrowLeft")
    shows(page, last - 1)
    expect(page).to_have_url(re.compile(f"[?]at={last - 1}$"))
    page.get_by_role("link", name="First").click()
    shows(page, 1)
    expect(page.get_by_role("link", name="First")).to_be_focused()
    page.get_by_role("link", name="Position 3", exact=True).press("Enter")
    shows(page, 3)
    expect(page.get_by_role("link", name="Position 3", exact=True)).to_be_focused()
    expect(page.locator("#said")).to_contain_text("took seat")
    page.go_back()
    shows(page, last)
    expect(page.get_by_role("link", name="Now")).to_have_attribute("aria-current", "page")


def test_a_page_shows_a_move_that_was_made_elsewhere_without_being_loaded_again(world: World, page: Page) -> None:
    table = Table(world.service).dealt()
    page.goto(f"{world.url}/tables/{table.id}")
    page.evaluate("document.body.dataset.loaded = 'once'")
    page.get_by_role("slider").focus()
    seat = table.due_seat
    accepted(table.due.do(table.path, "hold_cards"))
    shows(page, table.position)
    assert page.locator("body").get_attribute("data-loaded") == "once"
    expect(page.get_by_role("slider")).to_be_focused()
    expect(page.locator("#said")).to_contain_text(f"Seat {seat} kept both cards.")
    expect(page.locator(".events .current")).to_contain_text(f"Seat {seat} kept")
    page.get_by_role("link", name="Previous").click()
    shows(page, table.position - 1)
    accepted(table.due.do(table.path, "throw_in"))
    page.get_by_role("link", name="Now").click()
    shows(page, table.position)
    expect(page.locator("[data-key='centre'] .moved")).to_have_text(", just moved: +1")


def test_a_player_sees_their_own_cards_come(world: World, page: Page) -> None:
    table = Hearts(world.service)
    table.started()
    cookie = Visitor(world.service, table.players[2].token).client.get_cookie(COOKIE)
    assert cookie
    page.context.add_cookies([{"name": COOKIE, "value": cookie.value, "url": world.url}])
    page.goto(f"{world.url}/tables/{table.id}")
    expect(page.get_by_role("heading", name="Seat 2 · you")).to_be_visible()
    table.due.do(table.path, "deal_hand")
    shows(page, table.position)
    expect(page.locator(".cards.changed [role=img]")).to_have_count(len(table.hand(2)))
    assert "a hidden card" not in page.locator("[data-key='cards:2'] [role=img]").evaluate_all(
        "(cards) => cards.map((card) => card.getAttribute('aria-label'))"
    )


def test_a_tab_never_shows_the_table_of_one_viewer_under_the_name_of_another(world: World, page: Page) -> None:
    table = world.played["bankrupt"].table
    page.goto(f"{world.url}/tables/{table}?at=9")
    person = world.service.person("play")
    token = token_of(Visitor(world.service, person.token))
    page.context.add_cookies([{"name": COOKIE, "value": token, "url": world.url}])  # another tab signs in
    page.locator("body").press("ArrowRight")
    expect(page.locator("header.top")).to_contain_text(person.owner)


@pytest.mark.full
def test_a_lost_connection_is_told_and_found_again(world: World, visits: Visits) -> None:
    page, table = visits.open(), Table(world.service).started()
    visits.allow("net::ERR_FAILED")
    page.route("**/live?*", lambda route: route.abort())
    page.goto(f"{world.url}/tables/{table.id}")
    expect(page.get_by_role("status")).to_contain_text("The connection is lost")
    table.due.do(table.path, "deal_hand")
    page.unroute("**/live?*")
    shows(page, table.position)
    expect(page.get_by_role("status")).to_be_empty()


def test_without_scripts_the_links_and_the_form_step_through_a_game(world: World, visits: Visits) -> None:
    page, table = visits.open(scripts=False, width=360), world.played["insurance_hearts"].table
    page.goto(f"{world.url}/tables/{table}?at=40")
    page.get_by_role("link", name="Next").click()
    shows(page, 41)
    page.get_by_label("Position", exact=True).fill("70")
    page.get_by_role("button", name="Show").click()
    shows(page, 70)
    expect(page.get_by_role("slider")).to_be_hidden()


def must_hinder_nobody(page: Page, path: str) -> None:
    page.goto(path)
    assert hindrances(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_the_page_of_a_table_hinders_nobody(world: World, visits: Visits) -> None:
    table = world.played["bankrupt"].table
    must_hinder_nobody(visits.open(width=360, colours="dark"), f"{world.url}/tables/{table}?at=30")


@pytest.mark.full
@pytest.mark.parametrize("game", CURRENT)
@pytest.mark.parametrize(("width", "colours"), [(360, "light"), (1280, "dark"), (2560, "light")])
def test_no_page_of_a_table_hinders_anybody(
    world: World, visits: Visits, game: str, width: int, colours: Colours
) -> None:
    table, page = world.played[game].table, visits.open(width=width, colours=colours)
    for query in ("", "?at=1", "?at=30"):
        must_hinder_nobody(page, f"{world.url}/tables/{table}{query}")


@pytest.mark.full
@pytest.mark.parametrize("game", CURRENT)
def test_a_table_can_be_read_within_two_seconds_on_a_slow_network(world: World, page: Page, game: str) -> None:
    """The time is computed: the first drawing needs the page and then its style sheets, and no script."""
    network = page.context.new_cdp_session(page)
    network.send("Network.enable")
    kinds: dict[str, str] = {}
    sizes: Counter[str] = Counter()
    network.on("Network.requestWillBeSent", lambda sent: kinds.update({sent["requestId"]: sent["type"]}))
    network.on("Network.loadingFinished", lambda got: sizes.update({kinds[got["requestId"]]: got["encodedDataLength"]}))
    page.goto(f"{world.url}/tables/{world.played[game].table}?at=30", wait_until="load")
    assert sizes["Document"] > 0
    assert sizes["Stylesheet"] > 0
    assert page.locator("script:not([defer]):not([async]):not([type=module])").count() == 0
    rounds = 3  # the connection, the page, the style sheets
    assert rounds * _LATENCY_MS + (sizes["Document"] + sizes["Stylesheet"]) / _BYTES_PER_MS < READ_MS
    assert page.locator(".seat").count() == 4
