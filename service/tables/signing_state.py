"""Signed moves: the first event that the signature of a seat's next action may name (G.13) (DECISIONS 102)."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from msgspec import Struct

from service.event_store.codec import RecordedEvent
from service.event_store.entries import Head
from service.games import seating
from service.games.definition import Game
from service.games.game import acting_seat, seat_actor

Turn: TypeAlias = tuple[str, int, bool, bool]
"""A seat's turn: the table's status, the number of the hand, whether the hand runs, and whether the seat is due."""


class SignFrom(Struct, frozen=True, gc=False):
    """The signature of a seat's next action must name the event at *position* with its *hash*, or a later event.

    *turn* is the seat's turn after this event.
    """

    position: int
    hash: bytes
    turn: Turn = ("", 0, False, False)


class SigningState(Struct, frozen=True, gc=False):
    """The `SignFrom` of each seat with a key right before the last decision, and the seat that *decided*.

    *decided* is the seat of the last decision's actor or, if time was called, the seat for which the service decided;
    0: none.
    """

    sign_from: Mapping[int, SignFrom] = {}
    decided: int = 0


NOTHING_SIGNED: Final = SigningState()


def evolve(
    signing: SigningState,
    game: Game,
    state: Any,  # noqa: ANN401 -- each game has its own class for states
    head: Head | RecordedEvent,
    decision: RecordedEvent,
) -> SigningState:
    """Return the signing state after *decision*; *state* and *head* are those of the table right before *decision*."""
    due = game.due(state)
    return SigningState(current(signing, game, state, head), _decided(decision, due))


def _decided(decision: RecordedEvent, due: Sequence[str]) -> int:
    """Return the seat for which *decision* was made, or 0; *due* are the actors that were due right before *decision*.

    If time was called, the service decided for the seat that *decision* names, if this seat was due. If *decision*
    names no seat, or a seat that was not due, the service decided for the first seat that was due. For example, a
    banker's answer to an offer names the seat that made the offer, but the banker was due.
    """
    event: Any = decision.event
    if not seating.is_called(event, decision.by):
        return acting_seat(decision.by)
    named = seat_actor(getattr(event, "seat", 0))
    return acting_seat(named if named in due else next(iter(due), ""))


def current(
    signing: SigningState,
    game: Game,
    state: Any,  # noqa: ANN401 -- each game has its own class for states
    head: Head | RecordedEvent,
) -> Mapping[int, SignFrom]:
    """Return the `SignFrom` of each seat with a key, after a command.

    *head* is the last event of the command, and *state* the state after *head*.

    A seat's `SignFrom` names the last event of the last command that decided for the seat or changed its turn.
    """
    due = game.due(state) if state.signing_keys else ()
    found = {}
    for seat in state.signing_keys:
        turn = (state.status, state.hand, state.hand_is_running, seat_actor(seat) in due)
        before = signing.sign_from.get(seat)
        is_unchanged = before is not None and before.turn == turn and seat != signing.decided
        found[seat] = before if before and is_unchanged else SignFrom(head.position, head.hash, turn)
    return found
