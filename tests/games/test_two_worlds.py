"""In every game, two worlds that differ only in facts that a viewer may not know look alike to this viewer."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import pytest

from service.games import GAMES
from service.games.common_events import DeckFixed
from service.games.definition import Game
from service.games.game import Action, Event
from service.games.table_state import TableState
from tests.games import two_worlds
from tests.games.envelopes import Envelope, Envelopes
from tests.games.facts import facts_of
from tests.games.other_worlds import newly_visible
from tests.games.random_play import play
from tests.games.steps import ShuffledDecks, Step

GAMES_TRIED = 12
MANY = 300
LAST = -1
"""The place of the last card of a deck, which is rarely dealt."""

every_game = pytest.mark.parametrize("game", [pytest.param(game, id=game.name) for game in GAMES.values()])
every_game_that_seals = pytest.mark.parametrize(
    "game", [pytest.param(game, id=game.name) for game in GAMES.values() if game.sealed_types]
)


@every_game
@pytest.mark.parametrize(
    "games", [pytest.param(GAMES_TRIED, id="some"), pytest.param(MANY, id="more", marks=pytest.mark.full)]
)
def test_a_viewer_sees_the_same_for_each_value_that_the_viewer_may_not_know(game: Game, games: int) -> None:
    chance = two_worlds.chance()
    differ: list[set[str]] = []
    sealed: set[str] = set()
    for seed in range(games):
        steps = tuple(play(game, seed))
        sealed |= {field for step in steps for field in step.secrets}
        differ += two_worlds.compare(game, seed, steps, chance)
    assert sum(map(bool, differ)) > 2 * two_worlds.MOMENTS * games
    assert set().union(*differ) >= {"in_play", "in_reserve", *sealed}


@every_game
def test_a_view_that_shows_a_hidden_card_of_the_deck_in_play_is_found(
    game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    def views(game: Game, state: TableState, envelopes: Envelopes, viewer: int, decks: ShuffledDecks) -> Any:  # noqa: ANN401 -- JSON
        return right(game, state, envelopes, viewer, decks), decks.deck(state.epoch).order[LAST] if state.epoch else ""

    right = two_worlds.views
    monkeypatch.setattr(two_worlds, "views", views)
    assert two_worlds.has_a_leak(game, range(GAMES_TRIED))


@every_game
def test_a_view_that_shows_a_card_of_the_deck_in_reserve_is_found(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    def views(game: Game, state: TableState, envelopes: Envelopes, viewer: int, decks: ShuffledDecks) -> Any:  # noqa: ANN401 -- JSON
        next_card = decks.deck(state.reserve).order[0] if state.reserve else ""
        return right(game, state, envelopes, viewer, decks), next_card

    right = two_worlds.views
    monkeypatch.setattr(two_worlds, "views", views)
    assert two_worlds.has_a_leak(game, range(GAMES_TRIED))


@every_game
def test_actions_in_an_order_that_depends_on_a_hidden_card_are_found(
    game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    def actions(game: Game, state: TableState, viewer: int, decks: ShuffledDecks) -> list[tuple[Action, ...]]:
        is_red = state.epoch and decks.deck(state.epoch).order[LAST][1] in "dh"
        return [one[::-1] if is_red else one for one in right(game, state, viewer, decks)]

    right = two_worlds.actions
    monkeypatch.setattr(two_worlds, "actions", actions)
    assert two_worlds.has_a_leak(game, range(GAMES_TRIED))


@every_game_that_seals
def test_an_explanation_that_discloses_a_sealed_value_is_found(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    def explanations(game: Game, step: Step, earlier: Sequence[Event]) -> list[Any]:
        return [*right(game, step, earlier), *(str(secret.value) for secret in step.secrets.values())]

    right = two_worlds.explanations
    monkeypatch.setattr(two_worlds, "explanations", explanations)
    assert two_worlds.has_a_leak(game, range(GAMES_TRIED))


@every_game_that_seals
def test_a_sealed_value_that_everybody_may_read_is_found(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Envelope, "is_read_by", lambda _envelope, _seat: True)
    assert two_worlds.has_a_leak(game, range(GAMES_TRIED))


@every_game
def test_no_player_sees_a_card_that_was_neither_dealt_to_the_player_nor_shown_to_all(game: Game) -> None:
    for seed in range(GAMES_TRIED):
        may_see: dict[int, set[int]] = defaultdict(set)
        shown_now: set[int] = set()
        for step in play(game, seed):
            for event, state in zip(step.events, step.after, strict=True):
                if isinstance(event, DeckFixed):
                    may_see.clear()
                changed = facts_of(game.name).cards_shown_now(event)
                shown_now = shown_now if changed is None else changed
                for viewer, position in newly_visible(event):
                    may_see[viewer].add(position)
                for viewer in (0, *state.players):  # In some games players may sit down and leave between hands.
                    past, present = game.visible(state, viewer, False), game.visible(state, viewer, True)
                    assert past <= may_see[0] | may_see[viewer]
                    assert present - past <= shown_now
