"""Legal and illegal commands of every kind by every kind of actor, in states of random games from fixed seeds."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from hashlib import sha256
from itertools import pairwise
from random import Random
from typing import Any, get_type_hints

from service.cards import PACK, Face
from service.games.common_commands import (
    COMMON,
    EraseValue,
    InvitePlayer,
    LeaveSeat,
    OpenTable,
    OptionValue,
    RegisterSigningKey,
    TakeSeat,
    Visibility,
    WithdrawInvitation,
)
from service.games.definition import Game
from service.games.game import HOST, MOST_CHIPS, PLAYER, SERVICE, Command, acting_seat, seat_actor
from service.games.table_state import TableState
from tests.games.conditions import Asked
from tests.games.facts import facts_of
from tests.games.players_seeds import seed_of
from tests.games.random_play import TABLE, decks_of, filled, play
from tests.games.steps import Opening, ShuffledDecks, Step
from tests.games.test_properties import STRANGER, allowed

FEW, MANY = 2, 24
"""How many commands of a kind `_anything` draws for an actor: MANY at a crowded table or of a legal kind, else FEW.

`_similar` draws FEW.
"""
KEYS = tuple(sha256(bytes([number])).hexdigest() for number in range(3))
"""Public keys of seats; the tests sign no action with them."""
FREQUENT = "own_" + "f" * 32
"""A player who has taken a seat as often as a player may."""
NUMBERS = (-1, *range(12), 17, 20, 53, 1_000, MOST_CHIPS, MOST_CHIPS + 1)
OPTIONS: tuple[Mapping[str, OptionValue], ...] = (
    {},
    {"buy_in": "all"},
    {"first_banker": 52},
    {"standard_bets": (10,)},
)
"""Options of new tables. Only the first entry is valid in every game and at every table."""


def ask(game: Game, seeds: Iterable[int]) -> Iterator[Asked]:
    """Yield commands in states of the random games of *seeds*, and at crowded tables.

    All commands of a game share one `known`, and `ask` changes its sealed values from state to state. So decide each
    command before you take the next command.
    """
    for seed in seeds:
        chance, steps, known = Random(seed), tuple(play(game, seed)), decks_of(seed)
        for step in _moments(steps, chance):
            known.envelopes = step.had
            yield from _anything(game, step.before, known, chance, FEW)
        known.envelopes = steps[-1].has
        yield from _anything(game, steps[-1].after[-1], known, chance, FEW)
        for step in steps:
            known.envelopes = step.had
            yield from _similar(game, step, known, chance)
    chance, known = Random(0), decks_of(0)
    for state in _crowded(game, facts_of(game.name).opening(chance), known):
        yield from _anything(game, state, known, chance, MANY)


def _moments(steps: Sequence[Step], chance: Random) -> Sequence[Step]:
    """Return the first step, some steps whose command has another type than the command before, and random steps."""
    others = [step for before, step in pairwise(steps) if type(before.command) is not type(step.command)]
    return (steps[0], *chance.sample(others, min(len(others), 6)), *chance.sample(steps, min(len(steps), 3)))


def _crowded(game: Game, opening: Opening, known: ShuffledDecks) -> Iterator[TableState]:
    """Yield the state of a private table after each of these steps.

    A player takes a seat and leaves five times; all seats are taken; a seat gets a signing key; 52 players are invited;
    further invitations make the total 1,000; an invitation is withdrawn.
    """
    hosted = [TakeSeat(by=HOST, player=f"own_{n + 1:032x}", chips=opening.chips) for n in range(opening.players)]
    guests = [FREQUENT, *(f"own_{n + 100:032x}" for n in range(51))]
    withdraw, again = (command(by=HOST, player=guests[-1]) for command in (WithdrawInvitation, InvitePlayer))
    visits = (
        InvitePlayer(by=HOST, player=FREQUENT),
        TakeSeat(by=PLAYER, player=FREQUENT, chips=opening.chips),
        LeaveSeat(by=seat_actor(1)),
    )
    state = game.new(TABLE)
    for commands in (
        (_opening(game, opening.players, opening.options, visibility="private"), *visits * 5),
        hosted,
        [RegisterSigningKey(by=seat_actor(1), public_key=KEYS[0])],
        [InvitePlayer(by=HOST, player=guest) for guest in guests],
        [withdraw, again] * (1_000 - len(guests) - 5),
        [withdraw],
    ):
        for command in commands:
            for event in game.decide(state, command, known).events:
                state = game.evolve(state, event)
        yield state


def _anything(game: Game, state: TableState, known: ShuffledDecks, chance: Random, draws: int) -> Iterator[Asked]:
    """Yield, for all kinds of actors, the listed actions and random commands of all kinds.

    Each actor gets *draws* random commands of each kind, or MANY of a kind that is among the actor's listed actions.
    """
    players = [seat_actor(seat) for seat in state.players]
    some = (*game.due(state)[:2], *chance.sample(players, min(len(players), 3)))
    for actor in dict.fromkeys((HOST, SERVICE, PLAYER, "seat:53", *some)):
        actions = allowed(game, state, actor, known)
        for action in actions:
            yield Asked(state, filled(chance, action), known)
        legal = {type(action.command) for action in actions}
        seen = _seen(game, state, known, actor)
        for kind in (*COMMON, *game.commands):
            for _ in range(MANY if kind in legal else draws):
                yield Asked(state, _drawn(game, kind, actor, state, chance, chance.choice((PACK, seen))), known)


def _similar(game: Game, step: Step, known: ShuffledDecks, chance: Random) -> Iterator[Asked]:
    """Yield FEW commands of the kind and the actor of *step*, in the state before this step."""
    seen = _seen(game, step.before, known, step.command.by)
    for _ in range(FEW):
        command = _drawn(game, type(step.command), step.command.by, step.before, chance, seen)
        yield Asked(step.before, command, known)


def _seen(game: Game, state: TableState, known: ShuffledDecks, actor: str) -> Sequence[Face]:
    """Return the faces that *actor* sees; if *actor* sees none, return all faces."""
    order = known.deck(state.epoch).order if state.epoch else ()
    return [order[position] for position in game.visible(state, acting_seat(actor), True)] or PACK


def _drawn(
    game: Game, kind: type[Command], actor: str, state: TableState, chance: Random, faces: Sequence[Face]
) -> Command:
    """Return a command of *kind* and *actor* with random members, many of them legal."""
    if kind is OpenTable:
        opening = facts_of(game.name).opening(chance)
        seats = chance.choice((1, 2, 4, opening.players, 53))
        options = chance.choice((opening.options, opening.options, *OPTIONS))
        return _opening(game, seats, options, worth_minor=chance.choice((0, 0, 10)))
    if kind is EraseValue:
        return EraseValue(by=actor, position=1, field="seed", ground="request")
    return kind(by=actor, **{name: _value(name, of, state, chance, faces) for name, of in _members(kind).items()})


@cache
def _members(kind: type[Command]) -> Mapping[str, Any]:
    """Return the types of the members of *kind* besides `by`."""
    return {name: of for name, of in get_type_hints(kind).items() if name != "by" and not name.isupper()}


def _opening(
    game: Game,
    seats: int,
    options: Mapping[str, OptionValue],
    *,
    visibility: Visibility = "public",
    worth_minor: int = 0,
) -> OpenTable:
    return OpenTable(
        by=HOST,
        host="own_" + "0" * 32,
        game=game.name,
        edition=game.edition,
        sheet=game.sheet.sha256,
        options=options,
        seats=seats,
        visibility=visibility,
        worth_minor=worth_minor,
    )


def _value(name: str, of: Any, state: Any, chance: Random, faces: Sequence[Face]) -> Any:  # noqa: ANN401 -- any type
    """Return a random value of the type *of* for a member of a command."""
    if name == "player":
        players = chance.sample(list(state.players.values()), min(len(state.players), 2))
        return chance.choice((STRANGER, FREQUENT, state.host, *players, *list(state.invited.values())[:2]))
    if name == "public_key":
        return chance.choice(("00" * 32, *KEYS, *state.signing_keys.values()))
    if name in {"epoch", "client_commit", "client_seed"}:
        epoch = chance.choice([*state.batches, "tbl_0/1"])
        return epoch if name == "epoch" else seed_of(epoch, chance.choice([*state.players, 1]))
    if name == "chips" and chance.random() < 0.5:
        return getattr(state.options, "buy_in", 0)
    if of is bool:
        return chance.random() < 0.5
    if of is int:
        return chance.choice(NUMBERS)
    if of is str:
        return chance.choice(faces)
    return tuple(chance.choices(faces, k=chance.choice((0, 2, 3, 3, 3, 3, 4))))
