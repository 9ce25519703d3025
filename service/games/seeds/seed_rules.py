"""The rules of players' seeds: whose seeds are missing, and what follows once all are in (G.9) (DECISIONS 103)."""

from collections.abc import Callable
from typing import Literal, NamedTuple, TypeVar

from msgspec import Struct

from service import deck
from service.games import common_refusals, decks, seating
from service.games.common_commands import CallTime, CommitSeed, DealHand, RevealSeed
from service.games.common_events import DeckUnused, SeatLeft, SeatTaken
from service.games.decks import Emitter
from service.games.game import HOST, Action, Command, Known, Refusal, TimedDecision, acting_seat
from service.games.seeds.seed_batch import Batch
from service.games.seeds.seed_events import (
    DeckBatchEnded,
    DeckCommitmentsClosed,
    DeckSeedCommitted,
    DeckSeedOmitted,
    DeckSeedRevealed,
    DeckSeedsDropped,
    DeckSeedsSettled,
)
from service.games.table_state import TableState, clockwise

S = TypeVar("S", bound=TableState)

RULING = "G.9"


class Collected(NamedTuple):
    """The *batch* whose seeds are collected now, and its *name*: the epoch of its first deck."""

    name: str
    batch: Batch


class SeedState(Struct, frozen=True, kw_only=True):
    """The *seats* whose commitments or seeds are missing for the batch of *epoch*; *owed* names what is missing.

    If no seeds are collected now, *epoch* and *owed* are "", and *seats* is empty.
    """

    epoch: str = ""
    owed: Literal["", "commitment", "seed"] = ""
    seats: tuple[int, ...] = ()


NOTHING_OWED = SeedState()


def collected(state: TableState) -> Collected | None:
    """Return the batch whose seeds are collected now, or None if there is no such batch."""
    for name, batch in state.batches.items():
        if not batch.is_ready and not batch.is_ended:
            return Collected(name, batch)
    return None


def owed(state: TableState) -> SeedState:
    """Return whose commitments or seeds are missing now.

    The seats are in the order in which time is called for them (G.3).
    """
    found = collected(state) if state.status == "playing" else None
    if found is None:
        return NOTHING_OWED
    name, batch = found
    if batch.is_closed:
        seats = set(batch.commitments) - set(batch.shown)
    else:
        seats = set(state.seats_in_game) - set(batch.commitments) - batch.omitted
    in_order = clockwise(tuple(sorted(seats)), state.turns_after)
    return SeedState(epoch=name, owed="seed" if batch.is_closed else "commitment", seats=in_order)


def waits(state: TableState) -> bool:
    """Return whether the game waits for players' seeds: the next deal needs a shuffle, and no deck is ready."""
    return state.seeds == "players" and state.status == "playing" and state.awaits_shuffle and not decks.is_ready(state)


def must_have_deck(state: TableState, command: Command) -> None:
    """Check that *command* deals no hand while the game waits for seeds.

    Raises:
        Refusal: the deal needs a shuffle, and no deck is ready.
    """
    if isinstance(command, DealHand) and waits(state):
        seats = ", ".join(map(str, owed(state).seats))
        raise Refusal(common_refusals.SEEDS_MUST_BE_IN, f"These seats owe a {owed(state).owed}: {seats}.")


def commit(state: TableState, command: CommitSeed) -> DeckSeedCommitted:
    """Commit a seat to its seed."""
    seat, batch = _collected_from(state, command)
    if batch.is_closed or seat in batch.omitted or seat not in state.seats_in_game:
        raise Refusal(common_refusals.COMMITMENTS_MUST_BE_OPEN)
    if seat in batch.commitments:
        raise Refusal(common_refusals.COMMITMENT_MUST_STAND)
    return DeckSeedCommitted(epoch=command.epoch, seat=seat, client_commit=command.client_commit)


def reveal(state: TableState, command: RevealSeed) -> DeckSeedRevealed:
    """Show the seed to which a seat has committed."""
    seat, batch = _collected_from(state, command)
    if seat not in batch.commitments:
        raise Refusal(common_refusals.COMMITMENT_MUST_BE_GIVEN)
    if not batch.is_closed:
        raise Refusal(common_refusals.COMMITMENTS_MUST_BE_CLOSED)
    if seat in batch.shown:
        raise Refusal(common_refusals.SEED_MUST_STAND)
    # The service makes the name of a batch from the table's id, so `deck.client_commit` accepts the name.
    if deck.client_commit(command.epoch, seat, bytes.fromhex(command.client_seed)) != batch.commitments[seat]:
        raise Refusal(common_refusals.SEED_MUST_MATCH_ITS_COMMITMENT)
    return DeckSeedRevealed(epoch=command.epoch, seat=seat, client_seed=command.client_seed)


def _collected_from(state: TableState, command: CommitSeed | RevealSeed) -> tuple[int, Batch]:
    """Return the seat of *command*, and the batch to which the command belongs.

    Raises:
        Refusal: the game is not under way, the caller has no seat, the table has no players' seeds, or the batch does
            not await seeds.
    """
    seating.must_be_playing(state)
    seat = seating.must_be_seated(state, command.by)
    if state.seeds != "players":
        raise Refusal(common_refusals.TABLE_MUST_HAVE_PLAYERS_SEEDS)
    found = collected(state)
    if found is None or found.name != command.epoch:
        now = f"The table awaits seeds for the batch {found.name}." if found else "The table awaits no seeds now."
        raise Refusal(common_refusals.BATCH_MUST_AWAIT_SEEDS, now)
    return seat, found.batch


def when_called(state: TableState, command: CallTime) -> TimedDecision:
    """Return the decision of the service when time is called while the game waits for seeds (G.3).

    If a seat has not committed, the batch leaves out this seat; the next call of time is for the next such seat. If a
    committed seat has not shown its seed, the batch uses no player's seed: otherwise the service, which sees all seeds
    first, could choose which seeds to leave out.
    """
    late, called = owed(state), seating.caller_of(command)
    if late.owed == "commitment":
        return DeckSeedOmitted(epoch=late.epoch, seat=late.seats[0], called=called)
    return DeckSeedsDropped(epoch=late.epoch, seats=late.seats, called=called)


def actions(state: TableState, by: str, own: tuple[Action, ...]) -> tuple[Action, ...]:
    """Return all actions of the actor *by*; *own* has the actions by the game's own rules.

    An actor who owes a commitment or a seed may give it. While the game waits for seeds, the deals and the calls of
    time in *own* are left out; instead the host may call time for the seeds.
    """
    if state.status != "playing":
        return own
    if waits(state):
        own = tuple(action for action in own if not isinstance(action.command, DealHand | CallTime))
        if by == HOST:
            return (Action(CallTime(by=by), rule="", ruling="G.3"), *own)
    late, seat = owed(state), acting_seat(by)
    if seat not in late.seats:
        return own
    command: Command
    if late.owed == "commitment":
        command, member = CommitSeed(by=by, epoch=late.epoch, client_commit="0" * 64), "client_commit"
    else:
        command, member = RevealSeed(by=by, epoch=late.epoch, client_seed="0" * 64), "client_seed"
    return (*own, Action(command, rule="", ruling=RULING, to_fill=(member,)))


def follow(emitter: Emitter[S], known: Known, resume: Callable[[Emitter[S], Known], None]) -> None:
    """Emit the consequences of a command for the batches, after the game's own consequences.

    *resume* emits the further consequences of a game that waited for a deck.
    """
    if emitter.state.status != "playing":
        return
    if isinstance(emitter.events[0], SeatTaken | SeatLeft):
        _end_batches(emitter, known)
    _close_commitments(emitter)
    _settle_seeds(emitter, known)
    if decks.is_ready(emitter.state):
        resume(emitter, known)


def _end_batches(emitter: Emitter[S], known: Known) -> None:
    """After a player came or left, end each batch that is ready, has a commitment, or leaves out a seat.

    Then open a new batch, unless there is another batch for which seeds can be collected.
    """
    for name, batch in emitter.state.batches.items():
        if not batch.is_ended and (batch.is_ready or batch.commitments or batch.omitted):
            emitter.emit(DeckBatchEnded(epoch=name))
    if collected(emitter.state) is None:
        decks.open_reserve(emitter, known)


def _close_commitments(emitter: Emitter[S]) -> None:
    """Close the commitments once none is missing; without any commitment, settle the batch without players' seeds."""
    found = collected(emitter.state)
    if found is None or found.batch.is_closed or owed(emitter.state).seats:
        return
    if found.batch.commitments:
        emitter.emit(DeckCommitmentsClosed(epoch=found.name, seats=tuple(found.batch.commitments)))
    elif found.batch.omitted:
        emitter.emit(DeckSeedsSettled(epoch=found.name, seats=()))


def _settle_seeds(emitter: Emitter[S], known: Known) -> None:
    """Settle the seeds once all of them are shown or dropped; then reveal the unused decks of ended batches."""
    found = collected(emitter.state)
    if found is not None and found.batch.is_closed:
        is_dropped = isinstance(emitter.events[0], DeckSeedsDropped)
        if not is_dropped and owed(emitter.state).seats:
            return
        emitter.emit(DeckSeedsSettled(epoch=found.name, seats=() if is_dropped else tuple(found.batch.commitments)))
    if not isinstance(emitter.events[-1], DeckSeedsSettled):
        return
    ended = [batch for batch in emitter.state.batches.values() if batch.is_ended]
    for epoch in (epoch for batch in ended for epoch in batch.decks):
        emitter.emit(DeckUnused(epoch=epoch, server_seed=known.server_seed(epoch)))
