"""Two worlds that differ only in facts that a viewer may not know: the viewer must see the same in both."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from random import Random
from typing import Any, Final

import msgspec

from service.games.common_commands import CallTime
from service.games.common_events import DeckFixed, DeckOpened, DeckRevealed, DeckUnused
from service.games.definition import Game
from service.games.game import HOST, PLAYER, Action, Event, Refusal, seat_actor
from service.games.table_state import TableState
from tests.games.envelopes import Envelopes, PastViewpoint, SeatViewpoint, after, sealed
from tests.games.facts import facts_of
from tests.games.other_worlds import OtherWorld
from tests.games.random_play import decks_of, listed, made, play
from tests.games.steps import ShuffledDecks, Step

MOMENTS: Final = 3
"""The number of moments of a game at which the worlds are compared, each after another type of decision."""
SEATS: Final = 2
"""The number of players, besides the host and the spectators, for whom the worlds are compared at a moment."""
HINT: Final = (
    "Either a hidden fact leaks, or the rules disclose it; then say so in tests/games/<game>/facts.py: by "
    "`followed_from` and `keeps`, by `faces_named`, or by `may_be` of the sealed field."
)
COMMITMENTS: Mapping[type[Event], tuple[str, ...]] = {
    DeckOpened: ("server_commit",),
    DeckFixed: ("transcript", "deck_root"),
    DeckRevealed: ("server_seed",),
    DeckUnused: ("server_seed",),
}
"""Members that commit to a whole deck or reveal it: with real seeds they differ in any two worlds, so `masked` removes
them."""


def chance() -> Random:
    """Return the random source of all tests: with and without a planted leak, they compare the same worlds."""
    return Random(2)


def has_a_leak(game: Game, seeds: Iterable[int]) -> bool:
    """Return whether a viewer sees a difference between two worlds of one of the random games of *seeds*."""
    source = chance()
    try:
        for seed in seeds:
            list(compare(game, seed, tuple(play(game, seed)), source))
    except AssertionError:
        return True
    return False


def compare(game: Game, seed: int, steps: Sequence[Step], chance: Random) -> Iterator[set[str]]:
    """Compare two worlds for random viewers at random moments of *steps*, the random game of *seed*.

    For each pair of worlds, yield what was varied: the status of each deck whose cards have another order, and the name
    of each sealed field that has another value.
    """
    for place in moments_of_all_kinds(steps, chance):
        for viewer in viewers(steps[place].after[-1], chance):
            yield must_look_alike(game, seed, steps[: place + 1], viewer, chance)


def moments_of_all_kinds(steps: Sequence[Step], chance: Random) -> Iterator[int]:
    """Draw MOMENTS types of decisions; for each type, yield the place of one of *steps* with such a decision."""
    places: dict[type[Event], list[int]] = defaultdict(list)
    for place, step in enumerate(steps):
        places[type(step.events[0])].append(place)
    for kind in chance.sample(list(places), min(MOMENTS, len(places))):
        yield chance.choice(places[kind])


def viewers(state: TableState, chance: Random) -> tuple[int, ...]:
    """Return the viewers to compare: a viewer without a seat (0), and up to SEATS random seats."""
    return (0, *chance.sample(list(state.players), min(SEATS, len(state.players))))


def must_look_alike(game: Game, seed: int, steps: Sequence[Step], viewer: int, chance: Random) -> set[str]:
    """Play *steps* in another world; check that *viewer* sees the same. Return what differs: `OtherWorld.varied`."""
    ours, world = decks_of(seed), OtherWorld(game, seed, steps, viewer, chance)
    state, theirs = game.new(steps[0].before.table), world.decks
    earlier: list[Event] = []
    for place, step in enumerate(steps):
        command = world.command(place, state)
        try:
            there = made(game, state, command, theirs)
        except Refusal as refusal:
            raise AssertionError(f"{command} is illegal in the other world. {HINT}") from refusal
        is_called = isinstance(step.command, CallTime)
        assert public(there, is_called=is_called) == public(step, is_called=is_called), HINT
        assert disclosures(there) == disclosures(step)
        assert explanations(game, there, earlier) == explanations(game, step, earlier)
        for one, other in zip(moments(step), moments(there), strict=True):
            assert views(game, *one, viewer, ours) == views(game, *other, viewer, theirs)
        state, theirs.envelopes, ours.envelopes = there.after[-1], there.has, step.has
        assert actions(game, state, viewer, theirs) == actions(game, step.after[-1], viewer, ours)
        earlier += step.events
    return world.varied


def moments(step: Step) -> Iterator[tuple[TableState, Envelopes]]:
    """Yield the state and the envelopes after each event of *step*."""
    envelopes = sealed(step.had, step.events[0], step.secrets)
    for event, state in zip(step.events, step.after, strict=True):
        envelopes = after(envelopes, [event])
        yield state, envelopes


def public(step: Step, *, is_called: bool) -> list[tuple[type[Event], Any]]:
    """Return the events of *step* without commitments.

    *is_called*: whether time was called in our world. If so, leave out the member `called` too: in the other world a
    player may have decided.
    """
    return [(type(event), masked(event, {"called"} if is_called else set())) for event in step.events]


def masked(event: Event, hidden: set[str]) -> Any:  # noqa: ANN401 -- the value may be any JSON
    """Return the members of *event*, except commitments and the members that *hidden* names."""
    left_out = {*COMMITMENTS.get(type(event), ()), *hidden}
    return {name: value for name, value in msgspec.to_builtins(event).items() if name not in left_out}


def disclosures(step: Step) -> Mapping[str, Any]:
    """Return, for each field that *step* seals, the public conditions: who may read the value, and from when on."""
    return {field: (one.to, one.open, one.never, one.shown) for field, one in step.secrets.items()}


def explanations(game: Game, step: Step, earlier: Sequence[Event]) -> list[Any]:
    """Return the reasons for the transfers of each event of *step*; *earlier* has the events before the step."""
    told = [*earlier, *step.events]
    return [game.explain(event, told[: len(earlier) + number]) for number, event in enumerate(step.events)]


def views(game: Game, state: TableState, envelopes: Envelopes, viewer: int, decks: ShuffledDecks) -> Any:  # noqa: ANN401 -- the value may be any JSON
    """Return the present and the past view of *viewer*, and the sealed values that *viewer* may read.

    The present view lacks the members with a card that the past view does not show.
    """
    order = decks.deck(state.epoch).order if state.epoch else ()
    both = [
        msgspec.to_builtins(game.view(state, viewpoint(game, state, order, envelopes, viewer)))
        for viewpoint in (SeatViewpoint, PastViewpoint)
    ]
    for member in facts_of(game.name).members_shown_now(state):
        del both[0][member]
    readable = {place: one.secret.value for place, one in envelopes.items() if one.is_read_by(viewer)}
    return both, readable


def actions(game: Game, state: TableState, viewer: int, decks: ShuffledDecks) -> list[tuple[Action, ...]]:
    """List the actions of *viewer* or, if *viewer* is 0, of the host and of a player without a seat."""
    actors = (seat_actor(viewer),) if viewer else (HOST, PLAYER)
    return [listed(game, state, actor, decks) for actor in actors]
