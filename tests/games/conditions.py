"""Predicates of the conditions that all games share; they use none of the checks in the rules.

Each game has further predicates. A predicate gives a result in every state, for every command that has the condition,
even if the command fails an earlier condition. So a test can find all conditions that one command fails, and check that
the refusal names the first of these conditions.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, TypeAlias

from msgspec import Struct

from service.deck import client_commit
from service.games import common_refusals
from service.games.common_commands import CallTime, DeclineInvitation, TakeSeat, WithdrawInvitation
from service.games.common_refusals import Condition
from service.games.game import HOST, PLAYER, SERVICE, Known, acting_seat
from service.games.seeds.seed_batch import Batch


class Asked(Struct, frozen=True):
    """A *command* of any game in a *state*, with the hidden inputs of the rules."""

    state: Any
    command: Any
    known: Known

    @property
    def seat(self) -> int:
        """The seat of the command's actor; 0: the actor has no seat."""
        return acting_seat(self.command.by)


Holds: TypeAlias = Callable[[Asked], bool]
"""Returns whether a command meets a condition."""
Predicates: TypeAlias = Mapping[Condition | tuple[type, Condition], Holds]
"""The predicate of each condition; a predicate for one command takes precedence over the predicate for all commands."""
Apart: TypeAlias = Mapping[tuple[Condition, Condition], str]
"""Pairs of successive conditions of a command, with the reason why no command fails both at once."""


class Conditions(Struct, frozen=True):
    """The predicates of all conditions of a game, and the pairs of conditions that no command can fail at once."""

    predicates: Predicates
    apart: Apart


def conditions_of(game: str) -> Conditions:
    """Return the conditions of *game*, with the conditions that all games share."""
    name = f"tests.games.{game}.conditions"
    try:
        own = import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not name.startswith(error.name):
            raise
        raise LookupError(
            f"Write tests/games/{game}/conditions.py: `PREDICATES: Predicates = {{...}}` with a predicate of each "
            "condition of the game, and `APART: Apart = {...}`; tests/games/conditions.py says what both are."
        ) from error
    return Conditions({**COMMON_PREDICATES, **own.PREDICATES}, {**COMMON_APART, **own.APART})


def holds(predicates: Predicates, condition: Condition, asked: Asked) -> bool:
    """Return whether *asked* meets *condition*."""
    predicate = predicates.get((type(asked.command), condition)) or predicates.get(condition)
    if predicate is None:
        raise LookupError(
            f"{condition.code} has no predicate: write one in `PREDICATES` in tests/games/<game>/conditions.py."
        )
    return predicate(asked)


def _is_welcome(asked: Asked) -> bool:
    state, command = asked.state, asked.command
    is_guest = command.by == PLAYER and command.player != state.host
    return state.visibility == "public" or not is_guest or command.player in state.invited.values()


def _is_sound(asked: Asked) -> bool:
    """Return whether the key has 64 digits and not only zeros; no command of `asking` has another weak key."""
    key = asked.command.public_key
    return len(key) == 64 and key != "00" * 32


def _collected(asked: Asked) -> tuple[str, Any]:
    """Return the name of the batch whose seeds are collected, and the batch; "" and an empty batch if there is none."""
    batches = [(name, one) for name, one in asked.state.batches.items() if not (one.is_ready or one.is_ended)]
    return batches[0] if batches else ("", Batch())


def _waits(asked: Asked) -> bool:
    state = asked.state
    ready = [batch for batch in state.batches.values() if batch.is_ready and not batch.is_ended]
    return state.seeds == "players" and state.status == "playing" and state.awaits_shuffle and not ready


def _shows_its_seed(asked: Asked) -> bool:
    seat, seed = asked.seat, bytes.fromhex(asked.command.client_seed)
    name, batch = _collected(asked)
    return bool(name) and client_commit(name, seat, seed) == batch.commitments.get(seat)


COMMON_PREDICATES: Predicates = {
    common_refusals.GAME_MUST_NOT_BE_OVER: lambda asked: asked.state.status in {"open", "playing"},
    common_refusals.HAND_MUST_NOT_BE_RUNNING: lambda asked: not asked.state.hand_is_running,
    common_refusals.SIGNING_KEY_MUST_BE_SOUND: _is_sound,
    common_refusals.SIGNING_KEY_MUST_BE_NEW: lambda asked: (
        asked.command.public_key not in asked.state.signing_keys.values()
    ),
    common_refusals.SIGNING_KEY_MUST_BE_REGISTERED: lambda asked: asked.seat in asked.state.signing_keys,
    common_refusals.TABLE_MUST_BE_NEW: lambda asked: asked.state.status == "new",
    common_refusals.GAME_MUST_NOT_HAVE_STARTED: lambda asked: asked.state.status == "open",
    common_refusals.GAME_MUST_BE_UNDER_WAY: lambda asked: asked.state.status == "playing",
    common_refusals.HOST_MUST_ASK: lambda asked: asked.command.by == HOST,
    (CallTime, common_refusals.HOST_MUST_ASK): lambda asked: asked.command.by in {HOST, SERVICE},
    common_refusals.SERVICE_MUST_ASK: lambda asked: asked.command.by == SERVICE,
    common_refusals.ENOUGH_SEATS_MUST_BE_TAKEN: lambda asked: len(asked.state.players) >= 2,
    common_refusals.PLAYER_MUST_HAVE_A_SEAT: lambda asked: asked.seat in asked.state.players,
    common_refusals.PLAYER_MUST_NOT_SIT_TWICE: lambda asked: asked.command.player not in asked.state.players.values(),
    common_refusals.SEAT_MUST_BE_TAKEN_LESS_OFTEN: lambda asked: asked.state.seatings.get(asked.command.player, 0) < 5,
    common_refusals.TABLE_MUST_HAVE_A_FREE_SEAT: lambda asked: len(asked.state.players) < asked.state.seats,
    common_refusals.SEAT_MUST_BE_FREE: lambda asked: (
        asked.command.seat in {0, *range(1, asked.state.seats + 1)} - set(asked.state.players)
    ),
    (TakeSeat, common_refusals.PLAYER_MUST_BE_INVITED): _is_welcome,
    (WithdrawInvitation, common_refusals.PLAYER_MUST_BE_INVITED): lambda asked: (
        asked.command.player in asked.state.invited.values()
    ),
    (DeclineInvitation, common_refusals.PLAYER_MUST_BE_INVITED): lambda asked: (
        asked.command.by == PLAYER and asked.command.player in asked.state.invited.values()
    ),
    common_refusals.INVITED_MUST_NOT_SIT_HERE: lambda asked: asked.command.player not in asked.state.players.values(),
    common_refusals.PLAYER_MUST_NOT_BE_INVITED_TWICE: lambda asked: (
        asked.command.player not in asked.state.invited.values()
    ),
    common_refusals.OPEN_INVITATIONS_MUST_BE_FEWER: lambda asked: len(asked.state.invited) < 52,
    common_refusals.INVITATIONS_MUST_BE_FEWER: lambda asked: asked.state.invitations < 1000,
    common_refusals.TABLE_MUST_HAVE_PLAYERS_SEEDS: lambda asked: asked.state.seeds == "players",
    common_refusals.BATCH_MUST_AWAIT_SEEDS: lambda asked: asked.command.epoch == _collected(asked)[0],
    common_refusals.COMMITMENT_MUST_STAND: lambda asked: asked.seat not in _collected(asked)[1].commitments,
    common_refusals.COMMITMENTS_MUST_BE_OPEN: lambda asked: (
        not _collected(asked)[1].is_closed
        and asked.seat in set(asked.state.seats_in_game) - _collected(asked)[1].omitted
    ),
    common_refusals.COMMITMENT_MUST_BE_GIVEN: lambda asked: asked.seat in _collected(asked)[1].commitments,
    common_refusals.COMMITMENTS_MUST_BE_CLOSED: lambda asked: _collected(asked)[1].is_closed,
    common_refusals.SEED_MUST_STAND: lambda asked: asked.seat not in _collected(asked)[1].shown,
    common_refusals.SEED_MUST_MATCH_ITS_COMMITMENT: _shows_its_seed,
    common_refusals.SEEDS_MUST_BE_IN: lambda asked: not _waits(asked),
}
COMMON_APART: Apart = {
    (common_refusals.GAME_MUST_NOT_BE_OVER, common_refusals.HAND_MUST_NOT_BE_RUNNING): (
        "no hand is running after the end of the game"
    ),
    (common_refusals.SIGNING_KEY_MUST_BE_SOUND, common_refusals.SIGNING_KEY_MUST_BE_NEW): (
        "every registered key is sound"
    ),
    (common_refusals.INVITED_MUST_NOT_SIT_HERE, common_refusals.PLAYER_MUST_NOT_BE_INVITED_TWICE): (
        "an invitation ends when its owner takes a seat (G.10)"
    ),
    (common_refusals.COMMITMENTS_MUST_BE_CLOSED, common_refusals.SEED_MUST_STAND): (
        "no seed is shown while seats may still commit (G.9)"
    ),
    (common_refusals.SEEDS_MUST_BE_IN, common_refusals.GAME_MUST_BE_UNDER_WAY): (
        "only a game that is under way waits for seeds (G.9)"
    ),
}
