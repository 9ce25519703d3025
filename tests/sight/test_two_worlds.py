"""Two worlds that differ only in what a viewer may not know give that viewer byte-equal answers (idea 5)."""

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from service.games.bankrupt.events import CardExchanged, HandDealt, UpturnedExposed
from service.games.bankrupt.state import State
from service.games.events import CardsDealt, CardsShown
from service.games.table import seat_of
from service.log.database import reading
from service.projections.situations import Situation
from tests.databases import Databases
from tests.sight.worlds import AUDITOR, HOST, SPECTATOR, STRANGER, Overrides, Request, World, other_faces, told

ILLEGAL = ({"type": "leave_seat"}, {"type": "start_game"}, {"type": "close_table"})
DECISIONS = ("deal_hand", "hold_cards", "throw_in", "pass_upping", "decline_upping", "accept_upping", "resign")


@pytest.mark.parametrize(
    ("seed", "seats", "moves", "options"),
    [
        pytest.param(1, 3, 60, {"buy_in": 30}, id="three players"),
        pytest.param(2, 4, 50, {"buy_in": 200}, id="four players"),
        pytest.param(3, 6, 70, {"buy_in": 200, "max_dead_rounds": 1}, id="six players, used cards come round again"),
        pytest.param(4, 17, 50, {"buy_in": 200}, id="seventeen players, the upturned card exposed"),
        pytest.param(5, 5, 90, {"buy_in": 200, "show_one_card": True}, id="five players who show one card"),
    ],
)
def test_what_a_viewer_may_not_know_changes_nothing_they_are_told(
    tmp_path: Path, all_databases: Databases, seed: int, seats: int, moves: int, options: dict[str, Any]
) -> None:
    chance = random.Random(seed)
    players = [f"player {number}" for number in range(1, seats + 1)]
    worlds = _Worlds(tmp_path, all_databases, players)
    with worlds.made({}) as world:
        table, script = _script(world, players, options, moves, chance)
    for length in sorted(chance.sample(range(seats + 2, len(script) + 1), 4)):
        with worlds.made({}) as one:
            _replay(one, script[:length])
            for viewer in (chance.choice(players), chance.choice((SPECTATOR, HOST, AUDITOR, STRANGER))):
                faces = _faces_elsewhere(one, table, viewer, chance)
                with worlds.made(faces) as other:
                    _replay(other, script[:length])
                    assert _orders_differ(one, other, table)
                    _must_be_told_the_same(one, other, viewer, table, script[:length])


class _Worlds:
    """Makes worlds with the same people in them."""

    def __init__(self, folder: Path, databases: Databases, players: Sequence[str]) -> None:
        self._folder = folder
        self._databases = databases
        self._players = players
        self._numbers = count(1)

    @contextmanager
    def made(self, faces: Overrides) -> Iterator[World]:
        world = World(self._folder / str(next(self._numbers)), self._databases, faces)
        world.admit(HOST, "host", "play")
        world.admit(AUDITOR, "audit")
        for player in (*self._players, STRANGER):
            world.admit(player, "play")
        try:
            yield world
        finally:
            world.close()


def _script(
    world: World, players: Sequence[str], options: dict[str, Any], moves: int, chance: random.Random
) -> tuple[str, list[Request]]:
    """Play so many moves; return the table and every write that was made."""
    script = [Request(HOST, "/v1/tables", {"game": "bankrupt", "seats": len(players), "options": options}, "open")]
    table: str = world.post(script[0]).json["table"]  # type: ignore[index]  # It answers with JSON.
    for player in players:
        script.append(Request(player, f"/v1/tables/{table}/seats", {"chips": options["buy_in"]}, "sit"))
        assert world.post(script[-1]).status_code == 201
    script.append(Request(HOST, f"/v1/tables/{table}/actions", {"type": "start_game"}, "start"))
    assert world.post(script[-1]).status_code == 200
    for number in range(moves):
        (due,) = _json(world, HOST, f"/v1/tables/{table}/actions")["due"] or ("",)
        if not due:
            break
        player = players[int(due.removeprefix("seat:")) - 1]
        body = _chosen(_json(world, player, f"/v1/tables/{table}/actions")["items"], chance)
        script.append(Request(player, f"/v1/tables/{table}/actions", body, f"move {number}"))
        assert world.post(script[-1]).status_code == 200
    return table, script


def _chosen(items: list[dict[str, Any]], chance: random.Random) -> dict[str, Any]:
    item = chance.choice([one for one in items if one["action"]["type"] != "resign"])
    bounds = {bound["member"]: chance.randint(bound["least"], bound["most"]) for bound in item["bounds"]}
    return {**item["action"], **bounds}


def _replay(world: World, script: Sequence[Request]) -> None:
    for request in script:
        answer = world.post(request)
        assert answer.status_code in {200, 201}, answer.data


def _situation(world: World, table: str) -> Situation:
    with reading(world.parts.engine) as connection:
        found = world.parts.tables.now(connection, bytes.fromhex(table.removeprefix("tbl_")))
    assert found is not None
    return found


def _faces_elsewhere(world: World, table: str, viewer: str, chance: random.Random) -> Overrides:
    """Lay the deck in play and the one in reserve so that all is as *viewer* has seen it, and nothing else."""
    situation = _situation(world, table)
    state: State = situation.state
    played: set[int] = set()
    with reading(world.parts.engine) as connection:
        recorded = world.parts.log.read(connection, situation.stream_id)
        orders = {
            epoch: world.parts.decks.deck(connection, situation, epoch).order for epoch in (state.epoch, state.reserve)
        }
    seat = seat_of(state, _owner(world, viewer))
    seen = {state.upturned} if state.upturned_in_view else set()
    hands: dict[int, list[int]] = {}
    for event in (one.event for one in recorded):
        _deal(hands, event, state.epoch)
        match event:
            case CardsShown() if event.epoch == state.epoch:
                seen.update(card.pos for card in event.cards)
                played.update(card for seat in {card.seat for card in event.cards} for card in hands[seat])
            case UpturnedExposed() if event.epoch == state.epoch:
                seen.add(event.pos)
            case CardsDealt() if event.epoch == state.epoch and seat:
                seen.update(position for position, to in event.cards if to == seat)
            case _:
                pass
    return {
        state.epoch: other_faces(orders[state.epoch], frozenset(seen), frozenset(played), chance),
        state.reserve: other_faces(orders[state.reserve], frozenset(), frozenset(), chance),
    }


def _deal(hands: dict[int, list[int]], event: object, epoch: str) -> None:
    """Remember which cards each seat plays a round with."""
    match event:
        case HandDealt():
            hands.clear()
        case CardExchanged() if event.seat in hands:  # not of an earlier deck
            del hands[event.seat][event.card - 1]
        case CardsDealt() if event.epoch == epoch:
            for position, to in event.cards:
                if isinstance(to, int):
                    hands.setdefault(to, []).append(position)
        case _:
            pass


def _orders_differ(one: World, other: World, table: str) -> bool:
    situation = _situation(one, table)
    orders = []
    for world in (one, other):
        with reading(world.parts.engine) as connection:
            orders.append(world.parts.decks.deck(connection, situation, situation.state.epoch).order)
    return orders[0] != orders[1]


def _owner(world: World, who: str) -> str:
    return str(_json(world, who, "/v1/whoami")["owner"])


def _json(world: World, who: str, path: str) -> Any:  # noqa: ANN401  # JSON
    answer = world.get(who, path)
    assert answer.status_code == 200, answer.data
    return answer.json


def _must_be_told_the_same(one: World, other: World, viewer: str, table: str, script: Sequence[Request]) -> None:
    for path in _paths(one, table):
        assert told(one.get(viewer, path)) == told(other.get(viewer, path)), path
    for request, headers in _writes(viewer, table, script):
        answers = [world.post(request, **headers) for world in (one, other)]
        assert told(answers[0]) == told(answers[1]), request


def _paths(world: World, table: str) -> Iterator[str]:
    """List every endpoint that tells of the table."""
    base = f"/v1/tables/{table}"
    position = _situation(world, table).position
    yield from ("/v1/games", "/v1/tables", base, f"{base}/actions", f"{base}/events?limit=1000", f"{base}/balances")
    for at in range(1, position + 1, 7):
        yield from (f"{base}?at={at}", f"{base}/balances?at={at}", f"{base}/events?after={at}&limit=3")
    yield f"{base}?at={position}"
    for account in _json(world, HOST, f"{base}/balances")["balances"]:
        yield f"{base}/accounts/{account}/postings"
    yield f"{base}/hands"
    for hand in range(1, _situation(world, table).state.hand + 2):
        yield from (f"{base}/hands/{hand}", f"{base}/hands/{hand}/adjudication")


def _writes(viewer: str, table: str, script: Sequence[Request]) -> Iterator[tuple[Request, dict[str, str]]]:
    """List what records nothing: own commands repeated, tries, refusals, and what was missed."""
    path = f"/v1/tables/{table}/actions"
    yield from ((request, {}) for request in script if request.who == viewer)
    for decision in DECISIONS:
        yield Request(viewer, f"{path}?dry_run=true", {"type": decision}, ""), {}
    for body in ILLEGAL:
        yield Request(viewer, path, body, "refused"), {}
        yield Request(viewer, path, body, "stale"), {"If-Match": '"3"'}
