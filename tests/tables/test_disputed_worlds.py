"""A dispute about a running hand discloses no hidden cards: two worlds that differ in hidden cards answer alike."""

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest
from msgspec import structs

from tests.databases import Databases
from tests.tables.elsewhere import elsewhere, orders_differ
from tests.tables.games import Game, Worlds, played, players_of, replay, situation_of, world_games
from tests.tables.sweep import Sweep
from tests.tables.worlds import AUDITOR, SPECTATOR, Request, answer_parts

_MOVES: Final = 10  # After these moves, a hand is running in each game.
_GAMES: Final = {
    game.name: Game(game.name, structs.replace(game.terms, moves=_MOVES)) for game in world_games().values()
}


@pytest.mark.parametrize("game", _GAMES.values(), ids=_GAMES)
def test_no_step_and_no_verdict_about_a_running_hand_depends_on_hidden_cards(
    tmp_path: Path, all_databases: Databases, game: Game, sweep: Sweep
) -> None:
    players = players_of(game)
    viewer = sweep.chance.choice((*players, SPECTATOR))
    worlds = Worlds(tmp_path, all_databases, players)
    with worlds.made({}) as one:
        table, script = played(one, game, random.Random(game.terms.seed))
        hand = situation_of(one, table).state.hand
        assert situation_of(one, table).state.hand_is_running
        faces, elsewhere_script = elsewhere(one, table, viewer, script, sweep.chance)
        with worlds.made(faces) as other:
            replay(other, elsewhere_script)
            assert orders_differ(one, other, table)
            path = f"/v1/tables/{table}/disputes"
            for step in _steps(path, hand, players):
                ours, theirs = one.post(step), other.post(step)
                assert answer_parts(ours) == answer_parts(theirs), step
            assert ours.get_json()["code"] == "decks_must_be_revealed"
            assert one.get(AUDITOR, f"{path}/1").get_json()["verdict_now"] == "pending"
            hand_path = f"/v1/tables/{table}/hands/{hand}"
            for read in (path, f"{path}/1", hand_path, f"{hand_path}/adjudication"):
                assert answer_parts(one.get(viewer, read)) == answer_parts(other.get(viewer, read)), read


def _steps(path: str, hand: int, players: Sequence[str]) -> tuple[Request, ...]:
    """Return steps by two players and the auditor; the last is refused, because the hand is running."""
    opening = {"hand": hand, "ground": "secrecy", "statement": "The others know my cards."}
    decision = {"outcome": "unprovable", "reason": "Who knows?"}
    return (
        Request(players[0], path, opening, "open a dispute"),
        Request(players[1], f"{path}/1/answer", {"statement": "No."}, "answer"),
        Request(AUDITOR, f"{path}/1/assignment", {}, "take"),
        Request(AUDITOR, f"{path}/1/decision", decision, "decide"),
    )
