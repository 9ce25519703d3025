"""The player audit of random games counts exactly the hands that have ended and whose decks are all revealed."""

import pytest

from service.audit.player_audit import HandFilter, PlayerAudit, PlayerAuditor
from service.games import GAMES
from service.games.common_events import DeckRevealed
from service.games.definition import Game
from service.tables.fold import begin, fold
from tests.audit.recording import STREAM, Record, decks_of, played, record
from tests.games import random_play

SEEDS = range(1, 4)

every_game = pytest.mark.parametrize("game", [pytest.param(game, id=game.name) for game in GAMES.values()])


@pytest.fixture(autouse=True)
def committed_decks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(random_play, "decks_of", decks_of)


def audited(seed: int, game: Record, selected: HandFilter = HandFilter()) -> PlayerAudit:  # noqa: B008 -- immutable
    """Return the player audit of *game*, the record of the random game of *seed*."""
    decks = decks_of(seed)
    auditor = PlayerAuditor(selected, shuffle=lambda epoch, _seed, _clients: decks.deck(epoch))
    assert auditor.add_events(STREAM, lambda: game.events, game.fields) == len(game.events)
    return auditor.result()


def disclosed(game: Record) -> int:
    """Return the number of hands of *game* that ended and whose decks are all revealed."""
    table_at, decks, ended = begin(STREAM, game.events[0]), dict[int, set[str]](), set[int]()
    for one in game.events:
        was_running, table_at = table_at.state.hand_is_running, fold(table_at, (one,))
        state = table_at.state
        if was_running or state.hand_is_running:
            decks.setdefault(state.hand, set()).add(state.epoch)
        if was_running and not state.hand_is_running:
            ended.add(state.hand)
    revealed = {one.event.epoch for one in game.events if isinstance(one.event, DeckRevealed)} | {""}
    return sum(decks[hand] <= revealed for hand in ended)


@every_game
def test_only_ended_and_disclosed_hands_count(game: Game) -> None:
    counted = 0
    for seed in SEEDS:
        whole = record(played(game, seed))
        reveals = [one.position for one in whole.events if isinstance(one.event, DeckRevealed)]
        for last in (*reveals[-1:], *(position - 1 for position in reveals[:3]), len(whole.events)):
            found = audited(seed, part := whole.until(last))
            assert found.hands == disclosed(part), (seed, last)
            assert not found.left_out
            assert all(one.hands <= found.hands for one in (*found.players, *found.pairs))
            assert all(one.best <= one.choices for one in found.players)
            assert {one.game for one in (*found.players, *found.pairs)} <= {game.name}
        counted += found.hands
    assert counted


@every_game
def test_a_filter_of_times_selects_hands_by_their_end(game: Game) -> None:
    whole = record(played(game, 1))  # Every event has the time 2026-01-01T00:00:00.000Z.
    everything = audited(1, whole)
    for selected, is_in in (
        (HandFilter(since="2026-01-01T00:00:00.000Z"), True),
        (HandFilter(since="2026-01-01T00:00:00.001Z"), False),
        (HandFilter(until="2026-01-01T00:00:00.000Z"), False),
        (HandFilter(until="2026-01-01T00:00:00.001Z"), True),
    ):
        found = audited(1, whole, selected)
        assert found.hands == (everything.hands if is_in else 0)
        assert bool(found.players) == (is_in and everything.hands > 0)
