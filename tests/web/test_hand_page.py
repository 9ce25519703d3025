"""The page of a hand, and the page of a game's rules, as a browser gets them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from html import unescape
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from service.games import CURRENT
from service.web.drawing.rule_links import anchor
from tests.databases import Databases
from tests.http.service import Service, Table, accepted, running
from tests.web.world import Visitor, World

NET = re.compile(r'data-net="(-?\d+)"')
IDS = re.compile(r' id="([^"]+)"')
LINKS = re.compile(r' href="([^"]+)"')
POSITION = re.compile(r'href="/tables/[^"]+\?at=(\d+)"')


class Case(NamedTuple):
    """A hand as the API answers to a spectator, and its page."""

    hand: Any
    path: str
    page: str


every_game = pytest.mark.parametrize("game", CURRENT)


@pytest.fixture(scope="module")
def cases(world: World) -> Mapping[str, Sequence[Case]]:
    """Return the first hands and the last hand of the finished table of each game."""
    return {game: [*_cases(world, game)] for game in CURRENT}


def _cases(world: World, game: str) -> Iterator[Case]:
    path = f"/tables/{world.played[game].table}/hands"
    *before, last = accepted(world.service.spectator.get(f"/v1{path}")).json["items"]
    for one in (*before[:2], last):
        hand = accepted(world.service.spectator.get(f"/v1{path}/{one['hand']}")).json
        yield Case(hand, f"{path}/{one['hand']}", world.spectator.page(f"{path}/{one['hand']}"))


def headline(page: str) -> str:
    """Return the headline of a page."""
    return unescape(page.partition("<h1>")[2].partition("</h1>")[0])


@every_game
def test_the_sums_of_the_payouts_are_the_nets_of_the_ledger(cases: Mapping[str, Sequence[Case]], game: str) -> None:
    for hand, _, page in cases[game]:
        nets = [int(net) for net in NET.findall(page)]
        assert nets == ([one["net"] for one in hand["seats"]] if hand["payouts"] else [])


@every_game
def test_each_payout_cites_its_rule_and_its_ruling_where_the_page_of_the_rules_has_them(
    world: World, cases: Mapping[str, Sequence[Case]], game: str
) -> None:
    rules = world.spectator.page(f"/rules/{game}")
    anchors = set(IDS.findall(rules))
    assert CURRENT[game].sheet.author in rules
    for hand, _, page in cases[game]:
        links = set(LINKS.findall(page))
        for one in hand["payouts"]:
            for name in filter(None, (one["payout"]["rule"], one["payout"]["ruling"])):
                assert f"/rules/{game}#{anchor(name)}" in links
                assert anchor(name) in anchors


@every_game
def test_each_link_within_the_page_leads_to_a_place_on_it(cases: Mapping[str, Sequence[Case]], game: str) -> None:
    for _, _, page in cases[game]:
        ids = IDS.findall(page)
        assert len(ids) == len(set(ids))
        assert {link[1:] for link in LINKS.findall(page) if link.startswith("#")} <= set(ids)


@every_game
def test_every_decision_links_to_its_position(cases: Mapping[str, Sequence[Case]], game: str) -> None:
    for hand, _, page in cases[game]:
        positions = set(map(int, POSITION.findall(page)))
        assert {one["position"] for one in hand["decisions"]} <= positions
        assert hand["credit"]["author"] in page


@every_game
def test_a_hand_is_read_from_the_seat_that_the_link_names(
    world: World, cases: Mapping[str, Sequence[Case]], game: str
) -> None:
    hand, path, page = cases[game][0]
    for seat in hand["seats"][:2]:
        read = world.spectator.page(f"{path}?seat={seat['seat']}")
        assert f"Why: seat {seat['seat']}</h2>" in read
        assert headline(read).startswith((f"Seat {seat['seat']} ", f"Hand {hand['hand']} was cancelled: "))
    for nobody in ("99", "-1", "\N{SUPERSCRIPT TWO}", "9" * 5000):
        assert headline(world.spectator.page(f"{path}?seat={nobody}")) == headline(page)


@every_game
def test_a_player_reads_the_hand_from_their_own_seat_as_long_as_they_have_it(
    world: World, cases: Mapping[str, Sequence[Case]], game: str
) -> None:
    player = Visitor(world.service, world.players[1]._headers["Authorization"].removeprefix("Bearer "))
    seats = accepted(world.service.spectator.get(f"/v1/tables/{world.played[game].table}")).json["seats"]
    has_left = not any(one["seat"] == 2 and one["player"] for one in seats)
    page = player.page(cases[game][0].path)
    assert ("Seat 2 (you)" in page) != has_left
    assert has_left or "Why: seat 2</h2>" in page


@every_game
def test_a_proved_hand_says_what_proves_it_and_what_is_not_proved(
    world: World, cases: Mapping[str, Sequence[Case]], game: str
) -> None:
    hand, path, page = cases[game][0]
    assert "Clean: each event is as the rules demand." in page
    assert "The service has signed the checkpoint" in page
    assert "No decision was made by a time call." in page
    assert "also decides the hand again by the rules" in page
    assert "No witness has cosigned this checkpoint" in page
    assert hand["credit"]["sheet_sha256"] in page
    assert world.spectator.get(f"{path}/dossier").data.startswith(b"PK")


@every_game
def test_the_hands_beside_a_hand_are_linked(cases: Mapping[str, Sequence[Case]], game: str) -> None:
    first, *others = cases[game]
    assert 'rel="prev"' not in first.page
    assert ('rel="next"' in first.page) == bool(others)
    for one in others[:1]:
        assert f'rel="prev" href="{first.path}"' in one.page


def test_a_running_hand_is_shown_so_far_with_its_hidden_cards_face_down(
    all_databases: Databases, tmp_path: Path
) -> None:
    with all_databases.migrated("sqlite") as url, running(tmp_path, url) as service:
        _is_shown_so_far(service)


def _is_shown_so_far(service: Service) -> None:
    table = Table(service, 3, buy_in=40).dealt()
    path = f"/tables/{table.id}/hands/1"
    seen = Visitor(service).page(path)
    assert "This hand is still being played." in seen
    assert seen.count("a hidden card") == 6
    assert "Pending: not everything can be decided again yet." in seen
    assert "Not yet: the deck is still in play." in seen
    own = Visitor(service, table.players[1].token).page(path)
    assert own.count("a hidden card") == 4


def test_a_hand_or_a_game_that_is_not_there_is_said_to_be_missing(world: World) -> None:
    table = world.played["bankrupt"].table
    assert world.spectator.get(f"/tables/{table}/hands/99999").status_code == 404
    assert world.spectator.get(f"/tables/{table}/hands/99999999999").status_code == 404
    assert world.spectator.get("/rules/chess").status_code == 404
