from collections.abc import Sequence
from itertools import cycle
from typing import cast

import pytest
from flask import render_template

from service.api_keys.browser_sessions import BrowserSessions
from service.games import CURRENT
from service.web import pages_app
from service.web.asking.api_caller import ApiCaller
from service.web.asking.shared_drawings import SharedDrawings
from service.web.asking.viewer import PageParts
from service.web.drawing import wording
from service.web.pages.table_page import Shown
from tests import seeds
from tests.clocks import Clock
from tests.damage import damage, forget
from tests.http.hearts import Hearts
from tests.http.service import Person, Table, accepted
from tests.web.drawn import drawn_faces, told_faces
from tests.web.world import Visitor, World

PAGE_BYTES = 60_000
PARTS = PageParts(cast("ApiCaller", None), cast("BrowserSessions", None), SharedDrawings(Clock()), proxies=0)


@pytest.fixture(scope="module")
def viewers(world: World) -> Sequence[tuple[Person, Visitor]]:
    """Return a spectator and each player, each with a browser."""
    view = accepted(world.service.spectator.get(f"/v1/tables/{world.played['bankrupt'].table}?at=10")).json
    players = [world.service.person("play", owner=seat["player"]) for seat in view["seats"]]
    assert len(players) == 4
    return [
        (world.service.spectator, world.spectator),
        *((each, Visitor(world.service, each.token)) for each in players),
    ]


def looks(viewer: tuple[Person, Visitor], table: str, at: int) -> set[str]:
    """Return the cards of the drawing at a position; the API must show the viewer the same cards."""
    person, visitor = viewer
    shown = drawn_faces(visitor.page(f"/tables/{table}/drawing?at={at}"))
    assert shown == told_faces(accepted(person.get(f"/v1/tables/{table}?at={at}")).json["view"]), (at, person.owner)
    return shown


@pytest.mark.parametrize("game", CURRENT)
def test_a_drawing_has_exactly_the_cards_that_the_api_shows(
    world: World, viewers: Sequence[tuple[Person, Visitor]], game: str
) -> None:
    """The viewers take turns; the run's seed selects half of the positions."""
    positions = range(1, last(world, game) + 1)
    half = seeds.some(f"drawings of {game}", positions, len(positions) // 2)
    turns = zip(cycle(viewers), half, strict=False)
    assert set().union(*(looks(viewer, world.played[game].table, at) for viewer, at in turns))


@pytest.mark.full
@pytest.mark.parametrize("game", CURRENT)
def test_every_drawing_has_exactly_the_cards_that_the_api_shows_each_viewer(
    world: World, viewers: Sequence[tuple[Person, Visitor]], game: str
) -> None:
    table = world.played[game].table
    for viewer in viewers:
        assert set().union(*(looks(viewer, table, at) for at in range(1, last(world, game) + 1)))


@pytest.mark.parametrize("game", CURRENT)
def test_the_page_of_a_finished_table_names_its_author_and_its_winners(world: World, game: str) -> None:
    view = accepted(world.service.spectator.get(f"/v1/tables/{world.played[game].table}")).json
    shown = world.spectator.page(f"/tables/{world.played[game].table}")
    assert CURRENT[game].credit.author in shown.replace("&#39;", "'")
    assert f'href="/rules/{game}"' in shown
    ended = (
        f"The game is over: {wording.seats(view['winners'])} won." if view["winners"] else "The host closed the table."
    )
    assert f'id="waits">{ended}<' in shown
    (current,) = shown.split('aria-current="step"')[1:]
    assert current.startswith(f'><a href="/tables/{world.played[game].table}?at={view["position"]}"')


@pytest.mark.parametrize("game", CURRENT)
def test_a_game_without_a_drawing_of_its_own_is_drawn_plainly(world: World, game: str) -> None:
    path, pages = f"/v1/tables/{world.played[game].table}", pages_app.make(PARTS)
    for at in range(1, last(world, game) + 1, 5):
        view = accepted(world.service.spectator.get(f"{path}?at={at}")).json
        names = Shown(table={**view, "game": "another"}, at=at, last=at, lines=[]).names()
        with pages.test_request_context():
            shown = render_template("drawing.html", **names)
        assert drawn_faces(shown) == told_faces(view["view"])
        assert all(str(held) in shown for held in view["balances"].values())


def test_a_position_marks_what_its_event_moved(world: World) -> None:
    table = world.played["bankrupt"].table
    items = accepted(world.service.spectator.get(f"/v1/tables/{table}/events")).json["items"]
    leaf = next(each["leaf"] for each in items if each["leaf"]["type"] == "antes_placed")
    source, _, amount, _, rule = leaf["pub"]["transfers"][0]
    shown = world.spectator.page(f"/tables/{table}?at={leaf['position']}")
    part = shown.split(f'data-key="{source}"')[1].split("</p>")[0]
    assert f"\N{MINUS SIGN}{amount}<" in part
    assert "Each seat placed an ante of nine chips" in shown
    assert f'href="/rules/bankrupt#rule-{rule}"' in shown


@pytest.mark.parametrize("at", ["0x", "-1", "1.5", "99999999999999"])
def test_a_position_that_is_none_is_refused(world: World, at: str) -> None:
    answer = world.spectator.get(f"/tables/{world.played['bankrupt'].table}?at={at}")
    assert (answer.status_code, "<code>at</code>" in answer.text) == (422, True)


def test_a_position_after_the_last_is_not_found(world: World) -> None:
    assert world.spectator.get(f"/tables/{world.played['bankrupt'].table}?at=9999").status_code == 404


def test_a_table_without_a_hand_shows_its_free_seats(world: World) -> None:
    table = Table(world.service, players=2)
    shown = world.spectator.page(f"/tables/{table.id}")
    assert shown.count('class="player">free<') == 2
    assert "Players take seats; the host starts the game." in shown
    assert 'id="hands"' not in shown


def test_a_table_that_the_host_closed_says_so(world: World) -> None:
    table = Table(world.service, players=2)
    accepted(table.host.do(table.path, "close_table"))
    assert "The host closed the table." in world.spectator.page(f"/tables/{table.id}")


def test_a_private_table_is_not_found_by_those_who_may_not_see_it(world: World) -> None:
    table = Table(world.service, players=2, visibility="private")
    accepted(table.host.do(table.path, "invite_player", player=table.players[1].owner))
    for path in ("", "?at=1", "/drawing", "/live"):
        assert world.spectator.get(f"/tables/{table.id}{path}").status_code == 404
    player = Visitor(world.service, table.players[1].token)
    assert table.host.owner in player.page(f"/tables/{table.id}")
    assert world.spectator.get(f"/tables/{table.id}/drawing").status_code == 404


def test_a_player_sees_their_own_cards_whoever_else_looks(world: World) -> None:
    table = Hearts(world.service)
    table.dealt()
    hand = set(table.hand(1))
    path = f"/tables/{table.id}/drawing?least={table.position}"
    player, other = Visitor(world.service, table.players[1].token), Visitor(world.service, table.players[2].token)
    for _ in range(2):  # the second time, the drawing for spectators is in the cache
        assert drawn_faces(player.page(path)) == hand
        assert not drawn_faces(world.spectator.page(path))
        assert drawn_faces(other.page(path)) == set(table.hand(2))
    assert "· you" not in world.spectator.page(path)


def test_a_damaged_table_is_shown_as_it_stood_before_the_damage(world: World) -> None:
    table = Table(world.service).dealt()
    damage(world.service, table.id, table.position - 1)
    forget(world.service)
    shown = world.spectator.page(f"/tables/{table.id}")
    assert "is damaged" in shown
    assert 'data-goes-on="no"' in shown


def page_of(world: World, **changes: object) -> str:
    """Return the page of a finished table whose view has *changes*."""
    view = accepted(world.service.spectator.get(f"/v1/tables/{world.played['bankrupt'].table}")).json
    names = Shown(table={**view, **changes}, at=0, last=view["position"], lines=[]).names()
    with pages_app.make(PARTS).test_request_context():
        return render_template("table.html", **names)


def test_an_imported_table_says_so_and_does_not_go_on(world: World) -> None:
    shown = page_of(world, imported_at="2026-01-02T03:04:05.000Z", status="playing")
    assert "imported from another service" in shown
    assert "2 Jan 2026" in shown
    assert 'data-goes-on="no"' in shown


def test_a_table_of_many_hands_has_a_form_for_their_numbers(world: World) -> None:
    few, many = page_of(world, hand=30), page_of(world, hand=31)
    assert ('aria-label="Hand 30"' in few, 'id="hand"' in few) == (True, False)
    assert ('aria-label="Hand 30"' in many, 'max="31"' in many) == (False, True)


def test_the_end_of_the_time_for_a_decision_is_told(world: World) -> None:
    shown = page_of(world, status="playing", due=["seat:1"], due_at="2026-01-02T03:04:05.000Z")
    assert "Seat 1 decides now." in shown
    assert 'The time ends at <time datetime="2026-01-02T03:04:05.000Z">' in shown


def test_many_seats_are_drawn_in_rows(world: World) -> None:
    shown = world.spectator.page(f"/tables/{Table(world.service, players=9).id}")
    assert shown.count('<section class="seat') == 9
    assert 'class="around rows"' in shown


def test_a_hand_is_found_by_its_number(world: World) -> None:
    table = world.played["bankrupt"].table
    answer = world.spectator.get(f"/tables/{table}/hands?hand=1")
    assert (answer.status_code, answer.headers["Location"]) == (303, f"/tables/{table}/hands/1")


@pytest.mark.parametrize("game", CURRENT)
def test_a_table_page_with_its_files_is_small(world: World, game: str) -> None:
    path = f"/tables/{world.played[game].table}"
    at = last(world, game) // 2
    pages = [world.spectator.page(f"{path}?at={at}"), world.spectator.page(path)]
    files = {each.split('"')[0] for each in pages[0].split('"/assets/')[1:]}
    assert len(files) >= 3
    size = max(len(page.encode()) for page in pages)
    assert size + sum(len(world.spectator.get(f"/assets/{file}").data) for file in files) < PAGE_BYTES


def last(world: World, game: str) -> int:
    return int(accepted(world.service.spectator.get(f"/v1/tables/{world.played[game].table}")).json["position"])
