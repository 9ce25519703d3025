"""Two worlds that differ only in cards that a viewer may not know look alike to that viewer, in every game."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from service.cards import PACK, UNKNOWN, Face
from service.deck import Deck
from service.games import GAMES
from service.games.bankrupt.events import CardUpturned
from service.games.bankrupt.state import State, in_round
from service.games.events import CardsDealt, CardsShown, DeckFixed, DeckOpened, DeckRevealed, DeckUnused, FaceShown
from service.games.game import Event, Game
from service.games.table import TableState
from tests.games.random_play import ShuffledDecks, Step, decks_of, play

GAMES_TRIED = 24
CUTS = 3
COMMITMENTS: Mapping[type[Event], tuple[str, ...]] = {
    DeckOpened: ("server_commit",),
    DeckFixed: ("transcript", "deck_root"),
    DeckRevealed: ("server_seed",),
    DeckUnused: ("server_seed",),
}
"""Members that bind or tell a whole deck: they differ between any two worlds, and say nothing of a card."""

every_game = pytest.mark.parametrize("game", [pytest.param(game, id=game.name) for game in GAMES.values()])


class OtherDecks(ShuffledDecks):
    """The decks of another world: every card that is not among the *known* is another one here."""

    def __init__(self, seed: int, known: Mapping[str, set[int]]) -> None:
        super().__init__(seed, twins=seed % 3 == 0)
        self._known = known

    def deck(self, epoch: str) -> Deck:
        deck = super().deck(epoch)
        unknown = [position for position in range(len(PACK)) if position not in self._known.get(epoch, set())]
        order = list(deck.order)
        for position, other in zip(unknown, [*unknown[1:], *unknown[:1]], strict=True):
            order[position] = deck.order[other]
        return replace(deck, order=tuple(order), root="f" + deck.root[1:], transcript="f" + deck.transcript[1:])


@every_game
def test_who_may_not_know_a_card_sees_the_same_whatever_it_is(game: Game) -> None:
    chance = Random(2)
    tried = 0
    for seed in range(GAMES_TRIED):
        steps = tuple(play(game, seed))
        for cut in chance.sample(range(len(steps)), min(CUTS, len(steps))):
            seats = steps[cut].after[-1].players
            for viewer in (0, *chance.sample(list(seats), min(2, len(seats)))):
                tried += they_look_alike(game, seed, steps[: cut + 1], viewer)
    assert tried > GAMES_TRIED * CUTS


def they_look_alike(game: Game, seed: int, steps: Sequence[Step], viewer: int) -> int:
    """Replay *steps* in another world; compare every event, and every view that *viewer* had."""
    known = what_may_be_known(steps, viewer)
    ours, theirs = decks_of(seed), OtherDecks(seed, known)
    assert all(ours.deck(epoch).order != theirs.deck(epoch).order for epoch in known if len(known[epoch]) < len(PACK))
    state = game.new(steps[0].before.table)
    for step in steps:
        events = game.decide(state, step.command, theirs)
        assert [masked(event) for event in events] == [masked(event) for event in step.events]
        for event, in_our_world in zip(events, step.after, strict=True):
            state = game.evolve(state, event)
            for is_present in (True, False):
                assert seen(game, state, viewer, theirs, is_present=is_present) == seen(
                    game, in_our_world, viewer, ours, is_present=is_present
                )
    return 1


def what_may_be_known(steps: Sequence[Step], viewer: int) -> dict[str, set[int]]:
    """Return the positions of each deck that *viewer* may have seen so far; all of a deck that was told.

    The upturned card counts as seen only once it is exposed: until then the present view alone
    shows it, and that member is masked.
    """
    known: dict[str, set[int]] = {}
    for step in steps:
        for event, state in zip(step.events, step.after, strict=True):
            if isinstance(event, DeckOpened):
                known[event.epoch] = set()
            elif isinstance(event, DeckRevealed | DeckUnused):
                known[event.epoch] = set(range(len(PACK)))
            elif state.epoch:
                known[state.epoch] |= {position for to, position in let_see(event) if to in {0, viewer}}
                known[state.epoch] |= followed_from(event, state)
    return known


def followed_from(event: Event, state: TableState) -> set[int]:
    """Return cards that nobody is shown, though something of them follows from those that are.

    Bankrupt, one card shown: the second is no higher, and does not change who won.
    """
    if not isinstance(event, CardsShown) or not isinstance(state, State) or not state.hand:
        return set()
    return {card for seat in in_round(state) for card in state.cards[seat]}


def masked(event: Event) -> Any:  # noqa: ANN401 -- JSON
    written = msgspec.to_builtins(event)
    return type(event), {name: value for name, value in written.items() if name not in COMMITMENTS.get(type(event), ())}


def seen(game: Game, state: TableState, viewer: int, decks: ShuffledDecks, *, is_present: bool) -> Any:  # noqa: ANN401 -- JSON
    """Return the view of *viewer* without the member that shows the upturned card while it may be looked at."""
    allowed = game.visible(state, viewer, is_present)
    order = decks.deck(state.epoch).order if state.epoch else ()

    def face(position: int) -> Face:
        return order[position] if position in allowed else UNKNOWN

    view = msgspec.to_builtins(game.view(state, face))
    if is_present and getattr(state, "upturned_in_view", False):
        del view["upturned"]
    return view


@every_game
def test_nobody_sees_a_card_that_was_neither_dealt_to_them_nor_shown_to_all(game: Game) -> None:
    for seed in range(GAMES_TRIED):
        may_see: dict[int, set[int]] = defaultdict(set)
        upturned: set[int] = set()
        for step in play(game, seed):
            for event, state in zip(step.events, step.after, strict=True):
                if isinstance(event, DeckFixed):
                    may_see.clear()
                if isinstance(event, CardUpturned | CardsDealt):
                    upturned = {event.pos} if isinstance(event, CardUpturned) else set()
                for viewer, position in let_see(event):
                    may_see[viewer].add(position)
                for viewer in (0, *state.players):  # They come and go where a game lets them.
                    past, present = game.visible(state, viewer, False), game.visible(state, viewer, True)
                    assert past <= may_see[0] | may_see[viewer]
                    assert present - past <= upturned


def let_see(event: Event) -> Iterator[tuple[int, int]]:
    """Yield who (0: everybody) may see which position because of *event*."""
    match event:
        case CardsDealt():
            yield from ((to, position) for position, to in event.cards if isinstance(to, int))
        case CardsShown():
            yield from ((0, card.pos) for card in event.cards)
        case FaceShown():
            yield 0, event.pos
        case _:
            pass
