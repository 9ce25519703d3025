from collections.abc import Iterator
from contextlib import closing

import pytest
from werkzeug.test import TestResponse

from service.bench.http_load import NoFigure
from service.bench.watching import Watcher
from service.games import CURRENT
from tests.http.service import Table, accepted
from tests.web.world import Visitor, World


def live(visitor: Visitor, table: str, query: str = "", **headers: str) -> TestResponse:
    """Return the answer of the route for live events, without reading its body."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return visitor.client.get(f"/tables/{table}/live{query}", headers=named, buffered=False)


def ids(chunks: Iterator[bytes]) -> Iterator[int]:
    for chunk in chunks:
        if chunk.startswith(b"id: "):
            yield int(chunk.split(b"\n")[0][4:])


@pytest.mark.parametrize("game", CURRENT)
def test_the_live_events_of_a_finished_table_are_those_of_the_api(world: World, game: str) -> None:
    table = world.played[game].table
    answer = live(world.spectator, table)
    assert answer.content_type == "text/event-stream"
    assert answer.headers["Cache-Control"] == "no-store"
    told = world.service.spectator.get(f"/v1/tables/{table}/events", Accept="text/event-stream")
    assert answer.data == told.data
    assert b"event: end" in answer.data


def test_live_events_go_on_after_the_last_that_the_browser_got(world: World) -> None:
    table = world.played["bankrupt"].table
    with live(world.spectator, table, "?after=5") as answer:
        assert next(ids(answer.iter_encoded())) == 6
    with live(world.spectator, table, "?after=5", Last_Event_ID="9") as answer:
        assert next(ids(answer.iter_encoded())) == 10
    assert live(world.spectator, table, Last_Event_ID="9999").status_code == 204
    assert live(world.spectator, table, Last_Event_ID="nine").status_code == 400


def test_live_events_come_while_the_table_is_played(world: World) -> None:
    table = Table(world.service).started()
    with live(world.spectator, table.id, f"?after={table.position}") as answer:
        coming, before = ids(answer.iter_encoded()), table.position
        accepted(table.due.do(table.path, "deal_hand"))
        assert next(coming) == before + 1


def test_a_player_sees_their_own_cards_in_live_events_and_a_spectator_none(world: World) -> None:
    table = Table(world.service).dealt()
    for visitor, count in ((Visitor(world.service, table.players[1].token), 2), (world.spectator, 0)):
        with live(visitor, table.id, f"?after={table.position - 1}") as answer:
            dealt = next(chunk for chunk in answer.iter_encoded() if b'"type":"cards_dealt"' in chunk)
        assert dealt.count(b'"face"') == count


def test_live_events_end_when_the_browser_signs_out(world: World) -> None:
    table = Table(world.service).started()
    visitor = Visitor(world.service, table.players[1].token)
    with live(visitor, table.id, f"?after={table.position}") as answer:
        coming = answer.iter_encoded()
        assert next(coming).startswith(b"retry: ")
        assert visitor.post("/sign-out").status_code == 303
        accepted(table.due.do(table.path, "deal_hand"))
        assert list(coming) == []


def test_live_events_give_their_waiting_slot_back(world: World) -> None:
    table, slots = Table(world.service).started(), world.service.parts.long_polls
    before = slots.slots_taken
    with live(world.spectator, table.id) as answer:
        assert next(answer.iter_encoded())
        assert slots.slots_taken == before + 1
    assert slots.slots_taken == before


def test_a_watcher_of_the_bench_gets_a_drawing_of_the_last_position(world: World) -> None:
    table = Table(world.service).started()
    with closing(Watcher(world.url.removeprefix("http://"), table.id, table.position)) as watcher:
        accepted(table.due.do(table.path, "deal_hand"))
        assert watcher.wait_for(table.position, 10)
    assert watcher.drawings


def test_a_watcher_of_a_table_that_it_may_not_see_is_refused(world: World) -> None:
    table = Table(world.service, visibility="private")
    with pytest.raises(NoFigure, match="404"):
        Watcher(world.url.removeprefix("http://"), table.id, 1)
