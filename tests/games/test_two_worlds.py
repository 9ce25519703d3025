"""In every game, two worlds that differ only in cards that a viewer may not see look alike to that viewer."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

import msgspec
import pytest

from service.cards import PACK
from service.games import GAMES
from service.games.common_events import (
    CardsDealt,
    CardsShown,
    DeckFixed,
    DeckOpened,
    DeckRevealed,
    DeckUnused,
    FaceShown,
)
from service.games.definition import Game
from service.games.game import HOST, Event, Refusal, seat_actor
from service.games.table_state import TableState
from tests.games.envelopes import Envelopes, PastViewpoint, SeatViewpoint, after, sealed
from tests.games.facts import facts_of
from tests.games.random_play import decks_of, listed, made, play
from tests.games.steps import ShuffledDecks, Step

GAMES_TRIED = 24
DAILY = 8
CUTS = 3
COMMITMENTS: Mapping[type[Event], tuple[str, ...]] = {
    DeckOpened: ("server_commit",),
    DeckFixed: ("transcript", "deck_root"),
    DeckRevealed: ("server_seed",),
    DeckUnused: ("server_seed",),
}
"""Members that commit to a whole deck or reveal it: they differ in any two worlds, so `masked` removes them."""

every_game = pytest.mark.parametrize("game", [pytest.param(game, id=game.name) for game in GAMES.values()])


@every_game
@pytest.mark.parametrize(
    "games", [pytest.param(DAILY, id="some"), pytest.param(GAMES_TRIED, id="more", marks=pytest.mark.full)]
)
def test_who_may_not_know_a_card_sees_the_same_whatever_it_is(game: Game, games: int) -> None:
    chance = Random(2)
    tried = 0
    for seed in range(games):
        steps = tuple(play(game, seed))
        for cut in chance.sample(range(len(steps)), min(CUTS, len(steps))):
            seats = steps[cut].after[-1].players
            for viewer in (0, *chance.sample(list(seats), min(2, len(seats)))):
                tried += they_look_alike(game, seed, steps[: cut + 1], viewer)
    assert tried > games * CUTS


def they_look_alike(game: Game, seed: int, steps: Sequence[Step], viewer: int) -> int:
    """Play *steps* in another world; compare every event, and every view and action of *viewer*.

    Return 1, or 0 if there is no other world: the viewer knows everything, or a command is illegal in the other world.
    """
    known = what_may_be_known(game, steps, viewer)
    world = facts_of(game.name).other_world(game, seed, steps, viewer, known)
    if not world:
        return 0
    ours, (theirs, commands) = decks_of(seed), world
    state = game.new(steps[0].before.table)
    for step, command in zip(steps, commands, strict=True):
        try:
            there = made(game, state, command, theirs)
        except Refusal:
            return 0
        assert [masked(event) for event in there.events] == [masked(event) for event in step.events]
        for one, other in zip(moments(step), moments(there), strict=True):
            assert views(game, *one, viewer, ours) == views(game, *other, viewer, theirs)
        state, theirs.envelopes = there.after[-1], there.has
        ours.envelopes = step.has
        actor = seat_actor(viewer) if viewer else HOST
        assert listed(game, state, actor, theirs) == listed(game, step.after[-1], actor, ours)
    return 1


def moments(step: Step) -> Iterator[tuple[TableState, Envelopes]]:
    """Yield the state and the envelopes after each event of *step*."""
    envelopes = sealed(step.had, step.events[0], step.secrets)
    for event, state in zip(step.events, step.after, strict=True):
        envelopes = after(envelopes, [event])
        yield state, envelopes


def what_may_be_known(game: Game, steps: Sequence[Step], viewer: int) -> dict[str, set[int]]:
    """Return, by deck, the positions whose cards *viewer* may have seen; for a revealed deck, all positions.

    A card that only the present view shows does not count as seen: `views` removes the member that shows it.
    """
    known: dict[str, set[int]] = {}
    for step in steps:
        for event, state in zip(step.events, step.after, strict=True):
            if isinstance(event, DeckOpened):
                known[event.epoch] = set()
            elif isinstance(event, DeckRevealed | DeckUnused):
                known[event.epoch] = set(range(len(PACK)))
            elif state.epoch:
                known[state.epoch] |= {position for to, position in newly_visible(event) if to in {0, viewer}}
                known[state.epoch] |= facts_of(game.name).followed_from(event, state)
    return known


def masked(event: Event) -> Any:  # noqa: ANN401 -- the value may be any JSON
    """Return *event* without commitments and *called*: in the other world the player decides, not the service."""
    written = msgspec.to_builtins(event)
    hidden = {"called", *COMMITMENTS.get(type(event), ())}
    return type(event), {name: value for name, value in written.items() if name not in hidden}


def views(game: Game, state: TableState, envelopes: Envelopes, viewer: int, decks: ShuffledDecks) -> Any:  # noqa: ANN401 -- the value may be any JSON
    """Return the present and the past view of *viewer*; the present view without cards that the past view lacks."""
    order = decks.deck(state.epoch).order if state.epoch else ()
    both = [
        msgspec.to_builtins(game.view(state, viewpoint(game, state, order, envelopes, viewer)))
        for viewpoint in (SeatViewpoint, PastViewpoint)
    ]
    for member in facts_of(game.name).members_shown_now(state):
        del both[0][member]
    return both


@every_game
def test_nobody_sees_a_card_that_was_neither_dealt_to_them_nor_shown_to_all(game: Game) -> None:
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


def newly_visible(event: Event) -> Iterator[tuple[int, int]]:
    """Yield each seat (0: everybody) and position that the seat may see because of *event*."""
    match event:
        case CardsDealt():
            yield from ((to, position) for position, to in event.cards if isinstance(to, int))
        case CardsShown():
            yield from ((0, card.pos) for card in event.cards)
        case FaceShown():
            yield 0, event.pos
        case _:
            pass
