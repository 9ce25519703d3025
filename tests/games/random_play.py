"""Random legal play of any game, from a seed: a random actor takes a random listed action."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, takewhile
from random import Random

from msgspec.structs import replace

from service.games.common_commands import (
    CallTime,
    CloseTable,
    CommitSeed,
    DeclineInvitation,
    InvitePlayer,
    LeaveSeat,
    OpenTable,
    RevealSeed,
    StartGame,
    TakeSeat,
    WithdrawInvitation,
)
from service.games.definition import Game
from service.games.game import HOST, PLAYER, Action, Command, acting_seat, seat_actor
from service.games.seeds import seed_rules
from service.games.table_state import TableState
from tests.games.envelopes import Envelope, SeatViewpoint, after, sealed
from tests.games.facts import Facts, facts_of
from tests.games.players_seeds import with_seed
from tests.games.steps import ShuffledDecks, Step

TABLE = "tbl_" + "8" * 32
WEIGHTS: Mapping[type[Command], float] = {CallTime: 0.05, LeaveSeat: 0.03, CloseTable: 0.2}
"""The weights of common commands in the random choice; the default is 1. `Facts.weight` has the weights of a game."""

MOST_ABOVE = 50
"""The maximum by which a random number exceeds its least value, so that nobody buys a million chips."""

PRIVATE = 0.5
"""The probability that a table is private."""

CHANGED_MIND = 0.1
"""The probability that an invitation is declined.

This is also the probability that an invitation is withdrawn, and that a player is invited who does not come.
"""

SEEDS_FIRST = 0.7
"""The probability that a seat which owes a commitment or a seed gives it next."""

SOMEBODY_ELSE = 0.1
"""The probability that the next actor is drawn from all who may act, not only from those whose decisions are due."""


def play(game: Game, seed: int, *, most_steps: int = 20_000) -> Iterator[Step]:
    """Play a random game to its end, and yield a step for each command."""
    chance = Random(seed)
    known, facts = decks_of(seed), facts_of(game.name)
    opening = _opening(game, chance, seed)
    state: TableState = game.new(TABLE)
    for _ in range(most_steps):
        command = (
            next(opening, None)
            or facts.arrival(chance, state)
            or _chosen(chance, _listed(game, chance, state, known), facts)
        )
        step = made(game, state, command, known)
        state, known.envelopes = step.after[-1], step.has
        yield step
        if state.status in {"finished", "closed"}:
            return
    raise AssertionError("the game does not end")


def made(game: Game, state: TableState, command: Command, known: ShuffledDecks) -> Step:
    """Return the step of *command* at a table in *state*."""
    decided = game.decide(state, command, known)
    states = tuple(accumulate(decided.events, game.evolve, initial=state))[1:]
    assert decided.states == states
    has = after(sealed(known.envelopes, decided.events[0], decided.secrets), decided.events)
    return Step(state, command, decided.events, states, decided.secrets, known.envelopes, has)


def last_envelope(steps: Sequence[Step], field: str) -> Envelope:
    """Return the envelope of the value that the first of *steps* sealed under *field*.

    This is the envelope after *steps* or, if the same seat seals *field* again, right before that.
    """
    seat = getattr(steps[0].events[0], "seat", 0)
    until = takewhile(lambda one: one is steps[0] or not _seals_again(one, seat, field), steps)
    return [step.has[seat, field] for step in until][-1]


def _seals_again(step: Step, seat: int, field: str) -> bool:
    return field in step.secrets and getattr(step.events[0], "seat", 0) == seat


def listed(game: Game, state: TableState, actor: str, known: ShuffledDecks) -> tuple[Action, ...]:
    """List the actions of *actor*, from the actor's viewpoint, with the actor's own commitment or seed."""
    order = known.deck(state.epoch).order if state.epoch else ()
    actions = game.actions(state, actor, SeatViewpoint(game, state, order, known.envelopes, acting_seat(actor)))
    return tuple(replace(action, command=with_seed(action.command)) for action in actions)


def decks_of(seed: int) -> ShuffledDecks:
    """Return the decks of the random game of *seed*."""
    return ShuffledDecks(seed, twins=seed % 3 == 0)


def has_players_seeds(seed: int) -> bool:
    """Return whether the random game of *seed* is played with players' seeds."""
    return seed % 8 in {3, 4}


def _opening(game: Game, chance: Random, seed: int) -> Iterator[Command]:
    # Invitations have their own random source, so that they do not change the rest of the game.
    opening, manners = facts_of(game.name).opening(chance), Random(seed)
    is_private = manners.random() < PRIVATE
    yield OpenTable(
        by=HOST,
        host="own_" + "0" * 32,
        game=game.name,
        edition=game.edition,
        sheet=game.sheet.sha256,
        options=opening.options,
        seats=opening.players,
        visibility="private" if is_private else "public",
        seeds="players" if has_players_seeds(seed) else "",
    )
    for number in range(1, opening.players + 1):
        player = f"own_{number:032x}"
        by = manners.choice((HOST, PLAYER)) if is_private else PLAYER
        if is_private and by == PLAYER:
            yield from _invitations(manners, player)
        yield TakeSeat(by=by, player=player, chips=opening.chips)
    yield StartGame(by=HOST)


def _invitations(chance: Random, player: str) -> Iterator[Command]:
    """Yield an invitation of *player*, perhaps after invitations of *player* that end.

    Perhaps there is also an invitation of another player, who takes no seat.
    """
    for ended in (DeclineInvitation(by=PLAYER, player=player), WithdrawInvitation(by=HOST, player=player)):
        if chance.random() < CHANGED_MIND:
            yield InvitePlayer(by=HOST, player=player)
            yield ended
    if chance.random() < CHANGED_MIND:
        yield InvitePlayer(by=HOST, player=f"own_a{player[5:]}")
        yield InvitePlayer(by=HOST, player=player)
        return
    yield InvitePlayer(by=HOST, player=player)


def _listed(game: Game, chance: Random, state: TableState, known: ShuffledDecks) -> tuple[Action, ...]:
    """List the actions of a random actor: mostly an actor whose decision is due, sometimes any actor.

    If seats owe a commitment or a seed, mostly list only the action by which one of these seats gives it.
    """
    if (late := seed_rules.owed(state).seats) and chance.random() < SEEDS_FIRST:
        actions = listed(game, state, seat_actor(chance.choice(late)), known)
        return tuple(action for action in actions if isinstance(action.command, CommitSeed | RevealSeed))
    due = game.due(state)
    anybody = (HOST, *map(seat_actor, state.players))
    if due and chance.random() >= SOMEBODY_ELSE:
        actor = chance.choice(due)
    else:
        actor = chance.choice([actor for actor in anybody if _in_play(listed(game, state, actor, known))])
    return _in_play(listed(game, state, actor, known))


def _in_play(actions: tuple[Action, ...]) -> tuple[Action, ...]:
    """Return *actions* without the actions on invitations, which `_invitations` and `Facts.arrival` make."""
    return tuple(action for action in actions if not isinstance(action.command, InvitePlayer | WithdrawInvitation))


def _chosen(chance: Random, actions: tuple[Action, ...], facts: Facts) -> Command:
    weights = [WEIGHTS.get(type(action.command)) or facts.weight(action.command) for action in actions]
    (action,) = chance.choices(actions, weights)
    return filled(chance, action)


def filled(chance: Random, action: Action) -> Command:
    """Return the command of *action* with random values from its bounds and choices."""
    numbers = {b.member: chance.randint(b.least, min(b.most, b.least + MOST_ABOVE)) for b in action.bounds}
    chosen = {
        choice.member: tuple(chance.sample(choice.among, choice.count)) if choice.count else chance.choice(choice.among)
        for choice in action.choices
    }
    return replace(action.command, **numbers, **chosen)
