import json
import re
from xml.etree import ElementTree as ET

import pytest

from service.games import CURRENT
from service.web.pages.figures import accounts_page
from tests.http.service import accepted
from tests.web.pages import drawings, main_of, number, rows
from tests.web.world import Visitor, World


@pytest.fixture(scope="module")
def admin(world: World) -> Visitor:
    return Visitor(world.service, world.admin.token)


@pytest.fixture(scope="module")
def player(world: World) -> Visitor:
    return Visitor(world.service, world.service.person("play").token)


def test_the_first_page_shows_the_state_of_the_log_and_each_game_with_its_author(world: World) -> None:
    shown = world.spectator.page("/")
    size, root = world.service.spectator.get("/v1/log/checkpoint").text.split("\n")[1:3]
    assert f"<dd>{int(size):,}</dd>" in shown
    assert f"{root[:12]}…" in shown
    for game, rules in CURRENT.items():
        assert f'href="/rules/{game}"' in shown
        assert f"by {rules.sheet.author}" in shown
    assert "/sign-in" in main_of(shown)
    assert "Your tables" not in shown


def test_the_first_page_of_somebody_signed_in_has_the_own_tables(world: World, admin: Visitor) -> None:
    shown = admin.page("/").partition("Your tables")[2].partition("Latest tables")[0]
    assert all(table.table in shown for table in world.played.values())


@pytest.mark.parametrize("game", CURRENT)
def test_tables_are_chosen_by_the_url(world: World, game: str) -> None:
    status = accepted(world.service.spectator.get(f"/v1/tables/{world.played[game].table}")).json["status"]
    shown = main_of(world.spectator.page(f"/tables?game={game}&status={status}"))
    found = accepted(world.service.spectator.get(f"/v1/tables?game={game}&status={status}")).json["items"]
    assert world.played[game].table in {one["table"] for one in found}
    assert all(one["table"] in shown for one in found)
    assert not any(table.table in shown for other, table in world.played.items() if other != game)


def test_the_list_of_tables_is_read_page_by_page(world: World) -> None:
    path, found = "/tables?limit=1&mine=", list[str]()
    while path:
        shown = main_of(world.spectator.page(path))
        found += [table.table for table in world.played.values() if table.table in shown]
        path = shown.partition('rel="next"')[0].rpartition('href="')[2].partition('"')[0] if "rel=" in shown else ""
        path = path.replace("&amp;", "&")
    assert sorted(found) == sorted(table.table for table in world.played.values())


@pytest.mark.parametrize(
    ("path", "status", "said"),
    [
        ("/tables?status=open&game=nothing", 200, "No table that you may see fits this choice."),
        ("/tables?status=ended", 422, "status"),
        ("/tables?after=%3Cscript%3E", 422, "after"),
        ("/tables/tbl_0/accounts", 404, "There is no such table"),
        ("/tables/{table}/accounts/stack:99", 404, "The table has no such account."),
        ("/tables/{table}/accounts/house?after=x", 422, "after"),
        ("/tables/{table}/flow?hand=999", 404, "The table has no such hand yet."),
        ("/tables/{table}/flow?hand=one", 422, "hand"),
        ("/tables/{table}/disputes", 200, "No hand of this table is disputed."),
        ("/tables/{table}/disputes/1", 404, "The table has no such dispute."),
        ("/tables/{table}/hands/999/dispute", 404, "The table has no such hand yet."),
        ("/disputes", 200, "Sign in"),
        ("/operations", 401, "This request needs a key."),
    ],
)
def test_a_page_without_anything_to_show_says_why(world: World, path: str, status: int, said: str) -> None:
    response = world.spectator.get(path.format(table=next(iter(world.played.values())).table))
    assert response.status_code == status
    assert said in main_of(response.text)
    assert "<script>" not in response.text


@pytest.mark.parametrize("game", CURRENT)
def test_balances_and_statements_are_those_of_the_api(world: World, game: str) -> None:
    path = f"tables/{world.played[game].table}"
    ledger = accepted(world.service.spectator.get(f"/v1/{path}/balances")).json
    shown = rows(world.spectator.page(f"/{path}/accounts"))
    assert {row[0]: number(row[1]) for row in shown if row[0] in ledger["balances"]} == ledger["balances"]
    account = max(ledger["balances"], key=lambda name: name.endswith(":1"))
    statement = accepted(world.service.spectator.get(f"/v1/{path}/accounts/{account}/postings")).json["items"]
    page = world.spectator.page(f"/{path}/accounts/{account}")
    assert len(drawings(page)) == 1
    for row, one in zip(rows(page)[1:], statement, strict=True):
        assert (number(row[0]), number(row[1]), number(row[5])) == (one["position"], one["amount"], one["balance"])
        assert (row[2].split()[1], row[3]) == (one["counterparty"], one["rule"])
    anchors = set(re.findall(f'href="/rules/{game}#([^"]*)"', page))
    assert anchors <= set(re.findall('id="([^"]*)"', world.spectator.page(f"/rules/{game}")))


def test_a_table_leads_to_its_accounts_flows_and_disputes(world: World) -> None:
    table = f"/tables/{next(iter(world.played.values())).table}"
    shown = main_of(world.spectator.page(table))
    for path in ("accounts", "flow", "disputes"):
        assert f'href="{table}/{path}"' in shown
        assert world.spectator.page(f"{table}/{path}")


def test_a_long_statement_is_read_page_by_page_and_drawn_whole_up_to_a_limit(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = f"/tables/{next(iter(world.played.values())).table}/accounts/house"  # the house sells chips to each seat
    whole = world.spectator.page(path)
    for name, value in (("_LINES", 2), ("_AT_ONCE", 3)):
        monkeypatch.setattr(accounts_page, name, value)
    found, following = list[list[str]](), path
    while following:
        shown = world.spectator.page(following)
        found += rows(shown)[1:]
        assert ET.tostring(drawings(shown)[0]) == ET.tostring(drawings(whole)[0])
        link = re.search('<a href="([^"]*)" rel="next">', shown)
        following = f"{path}{link[1]}" if link else ""
    assert len(found) > 4
    assert found == rows(whole)[1:]
    monkeypatch.setattr(accounts_page, "_DRAWN", 3)
    assert "The line shows the first 3 postings alone." in world.spectator.page(path)


@pytest.mark.parametrize("game", CURRENT)
def test_the_sums_of_the_flows_are_the_nets_of_the_seats(world: World, game: str) -> None:
    path = f"tables/{world.played[game].table}"
    hands = accepted(world.service.spectator.get(f"/v1/{path}/hands")).json["items"]
    found = [accepted(world.service.spectator.get(f"/v1/{path}/hands/{one['hand']}")).json for one in hands]
    assert any(seat["net"] for hand in found for seat in hand["seats"])
    for hand in found:
        page = world.spectator.page(f"/{path}/flow?hand={hand['hand']}")
        body = {row[0]: row for row in rows(page)}
        assert len(drawings(page)) == ("Payer" in body)
        for seat in hand["seats"]:
            row = body.get(f"Seat {seat['seat']}")
            assert _net(body["Payer"], row) == seat["net"] if row else not seat["net"]
    assert drawings(world.spectator.page(f"/{path}/flow"))


def _net(header: list[str], row: list[str]) -> int:
    """Return the net in *row*, and check that the amounts of the row add up to it."""
    first, last = header.index("paid"), header.index("received")
    paid, received = number(row[first]), number(row[last])
    assert sum(number(cell) for cell in row[1:first] if cell) == paid
    assert number(row[header.index("net")]) == received - paid
    return received - paid


def test_operations_show_figures_and_keys_without_secrets(world: World, admin: Visitor) -> None:
    shown = admin.page("/operations")
    titles = {drawing.find("title").text for drawing in drawings(shown)}  # type: ignore[union-attr]
    assert titles == {"Responses by HTTP status since the start", "Commands by outcome since the start"}
    keys = accepted(world.admin.get("/v1/keys")).json["items"]
    assert all(key["id"] in shown for key in keys)
    assert world.admin.token not in shown
    assert "ctk_" not in shown
    totals = json.loads(admin.page("/operations/totals"))
    assert f"chiptrail_log_events {totals['events']}.0\n" in accepted(world.admin.get("/metrics")).text
    assert totals["events"] > 0
    assert totals["commands"] > 0


def test_a_key_for_metrics_sees_the_figures_and_its_own_keys_alone(world: World) -> None:
    person = world.service.person("metrics")
    shown = Visitor(world.service, person.token).page("/operations")
    (own,) = accepted(person.get("/v1/keys")).json["items"]
    assert set(re.findall("key_[0-9a-f]{32}", main_of(shown))) == {own["id"]}
    assert "a key with the scope <code>admin</code> lists all keys" in shown


def test_a_player_is_told_which_scope_operations_need(player: Visitor) -> None:
    response = player.get("/operations")
    assert response.status_code == 403
    assert "<code>metrics</code>" in main_of(response.text)
    assert "/operations" not in response.text.partition("<main")[0]


def test_the_present_section_is_marked(admin: Visitor) -> None:
    for path in ("/tables", "/disputes", "/operations"):
        assert f'<a href="{path}" aria-current="page">' in admin.page(path)


def test_every_page_is_a_page_for_every_viewer(world: World, admin: Visitor, player: Visitor) -> None:
    table = next(iter(world.played.values())).table
    for viewer in (world.spectator, player, admin):
        for path in ("/", "/tables?mine=true", f"/tables/{table}/accounts", f"/tables/{table}/flow", "/disputes"):
            shown = viewer.page(path)
            assert shown.count("<h1") == 1
            assert "style=" not in shown
