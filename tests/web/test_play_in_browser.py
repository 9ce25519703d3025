"""`/play/{table}` in a real browser: games by clicks and by keyboard, the link with a key, and signed moves."""

from base64 import urlsafe_b64decode

import pytest
from playwright.sync_api import Page, expect

from service.games import CURRENT
from tests.http.service import accepted
from tests.web.browser import Visits, hindrances
from tests.web.page_player import KeyboardPlayer, PagePlayer
from tests.web.playing import House

VARIANTS = 7
"""The number of sample tables of all games together."""

HANDS = 2
REMEMBER_KEYS = """
    const make = crypto.subtle.generateKey.bind(crypto.subtle);
    window.made = [];
    crypto.subtle.generateKey = async (algorithm, extractable, uses) => {
        const made = await make(algorithm, true, uses);
        const isPair = "privateKey" in made;
        const key = isPair ? made.privateKey : made;
        const secret = await crypto.subtle.exportKey("jwk", key);
        window.made.push({extractable, secret: secret.d ?? secret.k});
        const jwk = {...secret, ext: extractable};
        const kept = await crypto.subtle.importKey("jwk", jwk, algorithm, extractable, ["sign"]);
        return isPair ? {publicKey: made.publicKey, privateKey: kept} : kept;
    };
"""
BEYOND_THE_SEAT = """found => found
    .filter(one => one.getBoundingClientRect().right > one.closest(".seat").getBoundingClientRect().right)
    .map(one => one.textContent)
"""
KEPT_KEYS = """async () => {
    const database = await new Promise(done => {
        const asked = indexedDB.open("chiptrail", 1);
        asked.onsuccess = () => done(asked.result);
    });
    const kept = await new Promise(done => {
        const asked = database.transaction("of_tables").objectStore("of_tables").getAll();
        asked.onsuccess = () => done(asked.result);
    });
    database.close();
    const keys = kept.map(one => one.privateKey ?? one);
    return Promise.all(keys.map(key => crypto.subtle.exportKey("jwk", key).then(() => "a key", error => error.name)));
}"""


@pytest.mark.parametrize("game", [pytest.param("bankrupt", marks=pytest.mark.full), "insurance"])
def test_hands_are_played_by_clicks(home: House, page: Page, game: str) -> None:
    seat = home.open(game)
    player = PagePlayer(home, seat, page)
    player.sign_in()
    with home.with_bots(seat):
        while player.is_due() and seat.shown()["hand"] < HANDS:
            player.move()
    assert seat.shown()["hand"]


def test_a_link_with_a_key_signs_in_and_the_key_is_in_no_address(home: House, page: Page) -> None:
    seat = home.open("bankrupt")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{home.url}/sign-in?to={seat.page}#{seat.person.token}")
    expect(page.get_by_role("button", name="Sign in")).to_be_focused()
    assert page.url == f"{home.url}/sign-in?to={seat.page}"
    page.keyboard.press("Enter")
    page.wait_for_url(f"{home.url}{seat.page}")
    assert not [url for url in asked if seat.person.token in url]


def test_a_player_needs_the_keyboard_alone(home: House, page: Page) -> None:
    seat = home.open("insurance_hearts")
    player = KeyboardPlayer(home, seat, page)
    player.sign_in()
    with home.with_bots(seat):
        kinds = []
        while player.is_due() and "pass_cards" not in kinds:
            kinds.append(player.move())
        player.is_due()
        expect(
            page.locator("#actions form.action:visible").first.locator("input:visible, button").first
        ).to_be_focused()
        page.keyboard.press("ArrowRight")
        expect(
            page.locator("#actions form.action:visible").first.locator("input:visible, button").nth(1)
        ).to_be_focused()
        page.keyboard.press("1")
        assert hindrances(page) == []
        page.emulate_media(color_scheme="dark")
        assert hindrances(page) == []


def test_a_refusal_gets_the_focus_and_keeps_what_was_typed(home: House, visits: Visits) -> None:
    visits.allow("409")
    page, seat = visits.open(), home.open("insurance", {"first_banker": 2})
    player = PagePlayer(home, seat, page)
    player.sign_in()
    with home.with_bots(seat):
        player.must_be_due_alone()
        player.form.get_by_role("spinbutton").fill("9")
        player.form.evaluate("form => { form.noValidate = true; form.requestSubmit(); }")
        expect(page.get_by_role("alert")).to_be_focused()
        expect(page.get_by_role("alert")).to_contain_text("Rule BET of Insurance, by Mark Steere")
        expect(player.form.get_by_role("spinbutton")).to_have_value("9")


def test_a_busy_service_does_not_take_the_table_away(home: House, visits: Visits) -> None:
    visits.allow("429")
    page, seat = visits.open(), home.open("bankrupt")
    other = home.service.person("play")
    accepted(other.post(f"{seat.api}/seats", {"chips": 12}), 201)
    accepted(home.host.do(seat.api, "start_game"))
    player = PagePlayer(home, seat, page)
    player.sign_in()
    page.goto(f"{home.url}{seat.page}")
    page.route(
        f"**{seat.page}", lambda route: route.fulfill(status=429, content_type="text/html", body="<h1>Busy</h1>")
    )
    page.locator("#actions form.action[data-type=resign]").evaluate("form => form.requestSubmit()")
    expect(page.locator("#turn")).to_contain_text("Send it again; it is recorded once.")
    page.unroute(f"**{seat.page}")
    accepted(other.do(seat.api, "resign"))
    expect(page.locator("#play")).to_have_attribute("data-position", str(seat.shown()["position"]))


def test_a_tab_never_shows_the_seat_of_one_key_under_the_name_of_another(home: House, page: Page) -> None:
    seat = home.open("bankrupt")
    other = home.service.person("play")
    accepted(other.post(f"{seat.api}/seats", {"chips": 12}), 201)
    player = PagePlayer(home, seat, page)
    player.sign_in()
    page.goto(f"{home.url}{seat.page}")
    expect(page.locator(".signed")).to_contain_text(seat.person.owner)
    tab = page.context.new_page()
    tab.goto(f"{home.url}/sign-in?to={seat.page}#{other.token}")
    tab.get_by_role("button", name="Sign in").click()
    tab.wait_for_url(f"{home.url}{seat.page}")
    accepted(home.host.do(seat.api, "start_game"))
    expect(page.locator("#play")).to_have_attribute("data-seat", "2", timeout=15_000)
    expect(page.locator(".signed")).to_contain_text(other.owner)


@pytest.mark.parametrize("width", [360, 768, 1024, 1280])
def test_the_hidden_cards_of_a_seat_stay_within_it(home: House, visits: Visits, width: int) -> None:
    page, seat = visits.open(width=width), home.open("insurance_hearts")
    people = [seat.person, *(home.service.person("play") for _ in range(3))]
    for person in people[1:]:
        accepted(person.post(f"{seat.api}/seats", {}), 201)
    accepted(home.host.do(seat.api, "start_game"))
    accepted(people[seat.shown()["view"]["dealer"] - 1].do(seat.api, "deal_hand"))
    page.goto(f"{home.url}/tables/{seat.table}")
    expect(page.locator(".fan").first).to_be_visible()
    beyond = page.locator(".fan span").evaluate_all(BEYOND_THE_SEAT)
    assert beyond == []


def test_moves_are_signed_by_a_key_that_never_leaves_the_browser(home: House, visits: Visits) -> None:
    """The table has players' seeds, so the browser also draws, signs and shows the seeds of the person.

    Bots give their seeds at the same time. If a bot's event is recorded first, the browser signs a text that names
    this event.
    """
    page, seat, refused = visits.open(), home.open("insurance_hearts", seeds="players"), list[str]()
    page.on("response", lambda answer: refused.append(answer.text()) if answer.status == 409 else None)
    page.add_init_script(REMEMBER_KEYS)
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url + (request.post_data or "")))
    player = PagePlayer(home, seat, page)
    player.sign_in()
    page.get_by_text("Signed moves").click()
    page.get_by_role("button", name="Sign my moves").click()
    page.wait_for_selector('#actions:not([data-key=""])')
    public_key = accepted(seat.person.get(f"{seat.api}/me")).json["signing_key"]
    with home.with_bots(seat):
        kinds = set[str]()
        while player.is_due() and "play_card" not in kinds:
            kinds.add(player.move())
    _must_be_signed(home, seat.api, public_key)
    assert not [page for page in refused if 'data-code="head_must_be_of_the_turn"' not in page]
    visits.faults[:] = [fault for fault in visits.faults if "status of 409" not in fault]
    made = page.evaluate("window.made")
    assert made
    assert not any(one["extractable"] for one in made)
    assert set(page.evaluate(KEPT_KEYS)) == {"InvalidAccessError"}
    for one in made:
        secret = urlsafe_b64decode(f"{one['secret']}==")
        assert not [text for text in sent if secret.hex() in text or one["secret"] in text]


def _must_be_signed(home: House, api: str, public_key: str) -> None:
    """Check that seat 1 has signed each decision of the hand, sealed ones too, and that its seed is in the deck."""
    verdict = accepted(home.host.get(f"{api}/hands/1/adjudication")).json
    assert verdict["verdict"] in {"clean", "pending"}
    assert verdict["unsigned_seats"] == [2, 3, 4]
    events = accepted(home.host.get(f"{api}/events?limit=1000")).json["items"]
    leaves = [event["leaf"] for event in events]
    own = [leaf for leaf in leaves if leaf["by"] == "seat:1" and "sig" in leaf]
    assert {"signing_key_registered", "deck_seed_committed", "deck_seed_revealed"} <= {leaf["type"] for leaf in own}
    assert {"slip_written", "card_played"} <= {leaf["type"] for leaf in own}
    assert {leaf["pub"]["public_key"] for leaf in own if leaf["type"] == "signing_key_registered"} == {public_key}
    fixed = next(leaf for leaf in leaves if leaf["type"] == "deck_fixed")
    assert fixed["pub"]["level"] == "joint"


@pytest.mark.full
@pytest.mark.parametrize("number", range(VARIANTS))
def test_whole_games_of_all_variants_are_played_by_keyboard_alone(home: House, page: Page, number: int) -> None:
    variants = [(game.name, options) for game in CURRENT.values() for options in game.sample_tables.demo]
    assert len(variants) == VARIANTS
    game, options = variants[number]
    seat = home.open(game, options)
    player = KeyboardPlayer(home, seat, page)
    player.sign_in()
    with home.with_bots(seat):
        while player.is_due() and seat.shown()["hand"] < 20:
            player.move()
    assert seat.shown()["hand"]
