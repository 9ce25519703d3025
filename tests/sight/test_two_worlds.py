"""Two worlds that differ only in what a viewer may not know give that viewer byte-equal answers (idea 5)."""

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from service.games.bankrupt.events import CardExchanged, HandDealt, UpturnedExposed
from service.games.bankrupt.state import State
from service.games.events import CardsDealt, CardsShown
from service.games.table import seat_of
from service.log.database import reading
from service.projections.situations import Situation
from tests.databases import Databases
from tests.sight.worlds import AUDITOR, HOST, SPECTATOR, STRANGER, Overrides, Request, World, other_faces, told

ILLEGAL = {  # once the game has started, whatever happens
    "bankrupt": ({"type": "leave_seat"}, {"type": "start_game"}, {"type": "close_table"}),
    "insurance": ({"type": "start_game"}, {"type": "resign"}),
}
DECISIONS = (
    *({"type": kind} for kind in ("deal_hand", "hold_cards", "throw_in", "pass_upping", "decline_upping")),
    *({"type": kind} for kind in ("accept_upping", "resign", "sit_out", "sit_in")),
    *({"type": kind, "chips": 10} for kind in ("place_bet", "offer_insurance", "buy_chips")),
    *({"type": kind, "seat": 2} for kind in ("accept_insurance", "refuse_insurance")),
)
UNUSUAL = frozenset({"resign", "leave_seat", "buy_chips"})


class Game(NamedTuple):
    """How a game of the tests goes: *resigns_after* so many moves somebody gives up, as soon as they may."""

    seed: int
    seats: int
    moves: int
    options: dict[str, Any]
    visibility: str = "public"
    resigns_after: int = 1_000_000
    name: str = "bankrupt"


TO_THE_END: Final = Game(7, 4, 1_000, {"buy_in": 8}, "private", 12)


@pytest.mark.parametrize(
    "game",
    [
        pytest.param(Game(1, 3, 60, {"buy_in": 30}), id="three players"),
        pytest.param(Game(2, 4, 50, {"buy_in": 200}), id="four players"),
        pytest.param(
            Game(3, 6, 70, {"buy_in": 200, "max_dead_rounds": 1}), id="six players, used cards come round again"
        ),
        pytest.param(Game(4, 17, 50, {"buy_in": 200}), id="seventeen players, the upturned card exposed"),
        pytest.param(Game(5, 5, 90, {"buy_in": 200, "show_one_card": True}), id="five players who show one card"),
        pytest.param(Game(6, 4, 60, {"buy_in": 200}, "private", 20), id="four in private, of whom one resigns"),
        pytest.param(Game(8, 4, 60, {"buy_in": 200}, name="insurance"), id="four who gamble at Insurance"),
        pytest.param(
            Game(9, 9, 90, {"buy_in": 60, "form": "non_gambling", "standard_bets": [10, 20]}, name="insurance"),
            id="nine at Insurance until one has it all",
        ),
    ],
)
def test_what_a_viewer_may_not_know_changes_nothing_they_are_told(
    tmp_path: Path, all_databases: Databases, game: Game
) -> None:
    chance = random.Random(game.seed)
    players = _players(game)
    worlds = _Worlds(tmp_path, all_databases, players)
    with worlds.made({}) as world:
        table, script = _script(world, players, game, chance)
        assert _resigned(script) == (game.resigns_after < game.moves)
    for length in sorted(chance.sample(range(game.seats + 2, len(script) + 1), 4)):
        with worlds.made({}) as one:
            _replay(one, script[:length])
            for viewer in (chance.choice(players), chance.choice((SPECTATOR, HOST, AUDITOR, STRANGER))):
                faces = _faces_elsewhere(one, table, viewer, chance)
                with worlds.made(faces) as other:
                    _replay(other, script[:length])
                    assert _orders_differ(one, other, table)
                    _must_be_told_the_same(one, other, viewer, table, script[:length])


@pytest.mark.parametrize("share", [0.5, 1.0], ids=["in mid game", "once it is over"])
def test_a_private_table_and_none_are_the_same_to_who_may_not_know_of_it(
    tmp_path: Path, all_databases: Databases, share: float
) -> None:
    worlds = _Worlds(tmp_path, all_databases, _players(TO_THE_END))
    with worlds.made({}) as one, worlds.made({}) as other:
        table, script = _played_to_its_end(worlds)
        _replay(one, script[: round(share * len(script))])
        assert (_situation(one, table).state.status == "finished") == (share == 1)
        for viewer in (SPECTATOR, STRANGER):
            _must_be_told_the_same(one, other, viewer, table, script)


def test_the_end_of_a_game_changes_no_view_of_its_past(tmp_path: Path, all_databases: Databases) -> None:
    worlds = _Worlds(tmp_path, all_databases, _players(TO_THE_END))
    table, script = _played_to_its_end(worlds)
    base = f"/v1/tables/{table}"
    with worlds.made({}) as then, worlds.made({}) as now:
        _replay(now, script)
        done = 0
        for length in range(TO_THE_END.seats + 2, len(script), 9):
            _replay(then, script[done:length])
            done = length
            at = _situation(then, table).position
            for viewer in (HOST, AUDITOR, *_players(TO_THE_END)):
                for path in (f"{base}?at={at}", f"{base}?at={at - 3}", f"{base}/balances?at={at}"):
                    assert told(then.get(viewer, path)) == told(now.get(viewer, path)), (viewer, path)
                events = [_json(world, viewer, f"{base}/events?limit={at}")["items"] for world in (then, now)]
                assert events[0] == events[1], viewer


def test_once_a_game_is_over_all_who_may_know_of_it_are_told_the_same_of_its_hands(
    tmp_path: Path, all_databases: Databases
) -> None:
    worlds = _Worlds(tmp_path, all_databases, _players(TO_THE_END))
    table, script = _played_to_its_end(worlds)
    with worlds.made({}) as world:
        _replay(world, script)
        for hand in range(1, _situation(world, table).state.hand + 1):
            path = f"/v1/tables/{table}/hands/{hand}"
            told_to = [world.get(viewer, path).data for viewer in (HOST, AUDITOR, *_players(TO_THE_END))]
            assert b"??" not in told_to[0]
            assert told_to.count(told_to[0]) == len(told_to)


def _players(game: Game) -> list[str]:
    return [f"player {number}" for number in range(1, game.seats + 1)]


def _played_to_its_end(worlds: "_Worlds") -> tuple[str, list[Request]]:
    """Play a game out, a resignation in its middle; return its table and every write that was made."""
    with worlds.made({}) as world:
        table, script = _script(world, _players(TO_THE_END), TO_THE_END, random.Random(TO_THE_END.seed))
        assert _resigned(script)
        assert _situation(world, table).state.status == "finished"
    return table, script


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


def _script(world: World, players: Sequence[str], game: Game, chance: random.Random) -> tuple[str, list[Request]]:
    """Play *game* as far as it goes; return the table and every write that was made."""
    opening = {"game": game.name, "seats": len(players), "options": game.options, "visibility": game.visibility}
    script = [Request(HOST, "/v1/tables", opening, "open")]
    table: str = world.post(script[0]).json["table"]  # type: ignore[index]  # It answers with JSON.
    base = f"/v1/tables/{table}"

    def write(who: str, path: str, body: Any, key: str) -> None:  # noqa: ANN401  # JSON
        script.append(Request(who, path, body, key))
        assert world.post(script[-1]).status_code in {200, 201}

    for player in players:
        sitting = {"chips": game.options["buy_in"], "player": _owner(world, player)}
        write(HOST if game.visibility == "private" else player, f"{base}/seats", sitting, f"sit {player}")
    write(HOST, f"{base}/actions", {"type": "start_game"}, "start")
    for number in range(game.moves):
        seen = _json(world, HOST, f"{base}/actions")
        if not seen["due"]:
            break
        player = players[int(chance.choice(seen["due"]).removeprefix("seat:")) - 1]
        if number >= game.resigns_after and not _resigned(script):
            offered = [one for one in players if one != player and _may_resign(world, one, base)]
            if offered:
                write(chance.choice(offered), f"{base}/actions", {"type": "resign"}, "resign")
                continue
        body = _chosen(_json(world, player, f"{base}/actions")["items"], chance)
        write(player, f"{base}/actions", body, f"move {number}")
    return table, script


def _may_resign(world: World, who: str, base: str) -> bool:
    return any(one["action"]["type"] == "resign" for one in _json(world, who, f"{base}/actions")["items"])


def _resigned(script: Sequence[Request]) -> bool:
    return any(one.body.get("type") == "resign" for one in script)


def _chosen(items: list[dict[str, Any]], chance: random.Random) -> dict[str, Any]:
    item = chance.choice([one for one in items if one["action"]["type"] not in UNUSUAL])
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
    state: Any = situation.state
    epochs = [epoch for epoch in (state.epoch, state.reserve) if epoch]
    played: set[int] = set()
    with reading(world.parts.engine) as connection:
        recorded = world.parts.log.read(connection, situation.stream_id)
        orders = {epoch: world.parts.decks.deck(connection, situation, epoch).order for epoch in epochs}
    seat = seat_of(state, _owner(world, viewer))
    seen = {state.upturned} if isinstance(state, State) and state.upturned_in_view else set()
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
    nothing: tuple[frozenset[int], frozenset[int]] = (frozenset(), frozenset())
    known = {state.epoch: (frozenset(seen), frozenset(played))}
    return {epoch: other_faces(orders[epoch], *known.get(epoch, nothing), chance) for epoch in epochs}


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
            epoch = situation.state.epoch or situation.state.reserve
            orders.append(world.parts.decks.deck(connection, situation, epoch).order)
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
        yield Request(viewer, f"{path}?dry_run=true", decision, "tried"), {}
    for body in ILLEGAL[script[0].body["game"]]:
        yield Request(viewer, path, body, "refused"), {}
        yield Request(viewer, path, body, "stale"), {"If-Match": '"3"'}
