"""Properties of every game, tested on random legal play from fixed seeds."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache, partial
from importlib import import_module
from itertools import product
from math import prod
from random import Random
from typing import Any, Literal, get_args, get_type_hints

import msgspec
import pytest
from msgspec.structs import replace

from service.cards import PACK
from service.games import EVENTS, GAMES
from service.games.common_commands import ACTIONS, CallTime, CommitSeed, RevealSeed
from service.games.definition import Game
from service.games.game import (
    HOST,
    MOST_CHIPS,
    MOST_SEATS,
    PLAYER,
    SERVICE,
    Action,
    Choice,
    Command,
    Consequence,
    Decision,
    Event,
    Refusal,
    seat_actor,
    type_name,
)
from service.games.table_state import TableState
from service.ledger import CHIPS, account_seat, may_go_below_zero, unit_of
from tests.games.random_play import decks_of, filled, last_envelope, listed, play
from tests.games.steps import ShuffledDecks, Step

SHARE, ALL = 24, 10_000
NUMBERS = (*range(-1, 20), 37, 50, 1_000, MOST_CHIPS, MOST_CHIPS + 1)
"""The numbers that are tried for a card, a seat or chips."""
MOST = 40
"""The maximum number of commands of one kind that are tried; if there are more, a random sample is tried."""
STRANGER = "own_" + "a" * 32

every_game = pytest.mark.parametrize("game", [pytest.param(game, id=game.name) for game in GAMES.values()])


def share(game: Game) -> list[tuple[Step, ...]]:
    """Return the random games of every test run; each game is played once and cached."""
    return [_played(game.name, game.edition, seed) for seed in range(SHARE)]


@cache
def _played(name: str, edition: int, seed: int) -> tuple[Step, ...]:
    return tuple(play(GAMES[name, edition], seed))


@every_game
def test_chips_are_conserved_at_every_event(game: Game) -> None:
    for steps in share(game):
        chips_are_conserved(steps)


def chips_are_conserved(steps: Sequence[Step]) -> None:
    for step in steps:
        for state in step.after:
            assert sum(state.balances.values()) == 0
            assert all(held >= 0 for account, held in state.balances.items() if not may_go_below_zero(account))


@every_game
def test_the_name_of_each_account_of_a_game_contains_its_seat_and_its_unit(game: Game) -> None:
    for steps in share(game):
        for event in (event for step in steps for event in step.events):
            for transfer in event.transfers:
                for account in (transfer.source, transfer.target):
                    assert transfer.unit == unit_of(account), account
                    assert 0 <= account_seat(account) <= MOST_SEATS


@every_game
def test_every_event_of_a_game_has_a_transition(game: Game) -> None:
    module = import_module(f"service.games.{game.name}.events")
    own = {one for one in vars(module).values() if isinstance(one, type) and one.__module__ == module.__name__}
    assert {one for one in own if issubclass(one, Event)} <= set(game.events)


@every_game
def test_random_legal_play_ends_and_pays_out_all_chips(game: Game) -> None:
    for steps in share(game):
        it_ends_with_all_paid_out(game, steps)


def it_ends_with_all_paid_out(game: Game, steps: Sequence[Step]) -> None:
    last = steps[-1].after[-1]
    assert last.status in {"finished", "closed"}
    assert (game.due(last), last.epoch, last.reserve) == ((), "", "")
    assert not any(held for account, held in last.balances.items() if unit_of(account) == CHIPS)


@every_game
def test_a_command_makes_one_decision_and_consequences_after_it(game: Game) -> None:
    for steps in share(game):
        for step in steps:
            decision, *consequences = step.events
            assert isinstance(decision, Decision)
            assert all(isinstance(event, Consequence) for event in consequences)


@every_game
def test_deciding_a_decision_again_gives_exactly_the_recorded_events(game: Game) -> None:
    for seed, steps in enumerate(share(game)):
        it_is_decided_again(game, seed, steps)


def it_is_decided_again(game: Game, seed: int, steps: Sequence[Step]) -> None:
    known = decks_of(seed)
    for place, step in enumerate(steps):
        known.envelopes = step.had
        command = game.command_of(step.events[0], step.by, partial(sealed_value, steps[place:]))
        assert game.decide(step.before, command, known).events == step.events
        assert game.command_of(step.events[0], step.by, step.sealed) == step.command


def sealed_value(steps: Sequence[Step], field: str) -> Any:  # noqa: ANN401 -- the value may be any JSON
    """Return the value that the first of *steps* sealed under *field*; None: no value, or a value closed for good."""
    return None if field not in steps[0].secrets or last_envelope(steps, field).is_lost else steps[0].sealed(field)


@every_game
def test_evolve_never_fails_on_recorded_events(game: Game) -> None:
    for steps in share(game):
        state = game.new(steps[0].before.table)
        for step in steps:
            for event in step.events:
                written = msgspec.json.encode(event)
                state = game.evolve(state, msgspec.json.decode(written, type=EVENTS[type_name(type(event))]))
            assert state == step.after[-1]


@every_game
def test_every_event_is_of_a_type_that_the_game_lists(game: Game) -> None:
    emitted = {type(event) for steps in share(game) for step in steps for event in step.events}
    assert emitted <= set(game.events)


@every_game
@pytest.mark.parametrize("games", [pytest.param(6, id="some"), pytest.param(15, id="more", marks=pytest.mark.full)])
def test_listed_actions_are_accepted_and_others_refused_without_disclosing_anything(game: Game, games: int) -> None:
    chance = Random(1)
    for seed in range(0, 4 * games, 4):
        steps, known = _played(game.name, game.edition, seed), decks_of(seed)
        for step in chance.sample(steps, min(len(steps), 16)):
            state, known.envelopes = step.after[-1], step.has
            before = repr(state)
            for actor in (HOST, SERVICE, PLAYER, "seat:18", *map(seat_actor, state.players)):
                actions = allowed(game, state, actor, known)
                listed_ones = {one for action in actions for one in (action.command, filled(chance, action))}
                tried = {*every_command(game, actor, chance, state), *listed_ones}
                accepted = {command for command in tried if is_accepted(game, state, command, known)}
                assert accepted == {command for command in tried if any(fits(command, action) for action in actions)}
                assert listed_ones <= accepted
            assert repr(state) == before


def every_command(game: Game, actor: str, chance: Random, state: TableState) -> Iterator[Command]:
    """Yield commands of *actor* with legal and illegal values, at most MOST of each kind."""
    owners = [STRANGER, *state.invited.values()]
    of_seeds = {"epoch": [*state.batches, "tbl_0/1"], "client_commit": ["c" * 64], "client_seed": ["5" * 64]}
    for kind in (*ACTIONS, *game.commands):
        types = {name: of for name, of in get_type_hints(kind).items() if name != "by" and not name.isupper()}
        named = {"player": owners, **of_seeds}
        values = [named[name] if name in named else list(values_of(of, chance)) for name, of in types.items()]
        chosen: Iterable[tuple[Any, ...]] = product(*values)
        if prod(map(len, values)) > MOST:
            chosen = [tuple(map(chance.choice, values)) for _ in range(MOST)]
        for these in chosen:
            yield kind(by=actor, **dict(zip(types, these, strict=True)))


def values_of(of: Any, chance: Random) -> Iterable[Any]:  # noqa: ANN401 -- this takes a type and returns its values
    """Return the values that are tried for a member of the type *of*: numbers, booleans, a face, or some faces."""
    if of is bool:
        return (False, True)
    if of is int:
        return NUMBERS
    if of is str:
        return PACK
    if get_args(of)[:1] != (str,):
        raise TypeError(f"No values are tried for a member of type {of}: add some here and in `_value` in asking.py.")
    return [tuple(chance.choices(PACK, k=count)) for count in (0, 1, 2, *[3] * 50, 4)]


def test_the_error_for_a_type_without_values_names_the_place_to_add_some() -> None:
    assert list(values_of(tuple[str, ...], Random(1)))
    with pytest.raises(TypeError, match=r"No values are tried for a member of type .*red.*: add some here"):
        values_of(Literal["red", "black"], Random(1))


def is_accepted(game: Game, state: TableState, command: Command, known: ShuffledDecks) -> bool:
    try:
        return bool(game.decide(state, command, known))
    except Refusal:
        return False


def allowed(game: Game, state: TableState, actor: str, known: ShuffledDecks) -> tuple[Action, ...]:
    """List the actions of *actor*; the service may call time whenever the host may."""
    if actor == SERVICE:
        of_host = allowed(game, state, HOST, known)
        return tuple(replace(one, command=CallTime(by=SERVICE)) for one in of_host if type(one.command) is CallTime)
    return listed(game, state, actor, known)


def fits(command: Command, action: Action) -> bool:
    """Return whether *command* is the command of *action*, with values within the bounds and choices of *action*."""
    if type(command) is not type(action.command):
        return False
    if isinstance(command, CommitSeed | RevealSeed):  # A seat may commit to any seed, and must show this seed.
        of_batch = isinstance(command, CommitSeed) and command.epoch == getattr(action.command, "epoch", "")
        return of_batch or command == action.command
    members = (*(bound.member for bound in action.bounds), *(choice.member for choice in action.choices))
    if action.to_fill:  # The client may fill in any player without a seat or an invitation.
        return command in {action.command, replace(action.command, player=STRANGER)}
    open_members = {member: getattr(action.command, member) for member in members}
    return (
        replace(command, **open_members) == action.command
        and all(b.least <= getattr(command, b.member) <= b.most for b in action.bounds)
        and all(is_chosen(getattr(command, choice.member), choice) for choice in action.choices)
    )


def is_chosen(value: Any, choice: Choice) -> bool:  # noqa: ANN401 -- the member may have any type
    if not choice.count:
        return value in choice.among
    return len(value) == len(set(value)) == choice.count and set(value) <= set(choice.among)


@every_game
def test_somebody_whose_decision_is_due_may_always_decide(game: Game) -> None:
    for seed, steps in enumerate(share(game)):
        known = decks_of(seed)
        for step in steps:
            state = step.after[-1]
            known.envelopes = step.has
            assert all(listed(game, state, actor, known) for actor in game.due(state))


@pytest.mark.full
@every_game
def test_ten_thousand_games(game: Game) -> None:
    for seed in range(ALL):
        steps = tuple(play(game, seed))
        chips_are_conserved(steps)
        it_ends_with_all_paid_out(game, steps)
        it_is_decided_again(game, seed, steps)
