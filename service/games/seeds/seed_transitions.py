"""The transitions of the events of players' seeds: the state of a table after each event (G.9)."""

from typing import TypeVar

from msgspec.structs import replace

from service.games.seeds import seed_events
from service.games.seeds.seed_batch import Batch
from service.games.table_state import TableState, Transitions

S = TypeVar("S", bound=TableState)


def seed_transitions() -> Transitions[S]:
    """Return the transitions of the events of players' seeds."""
    return {
        seed_events.DeckSeedCommitted: _on_seed_committed,
        seed_events.DeckSeedRevealed: _on_seed_shown,
        seed_events.DeckSeedOmitted: _on_seed_omitted,
        seed_events.DeckSeedsDropped: _on_seeds_dropped,
        seed_events.DeckCommitmentsClosed: _on_commitments_closed,
        seed_events.DeckSeedsSettled: _on_seeds_settled,
        seed_events.DeckBatchEnded: _on_batch_ended,
        seed_events.DrawTied: _on_draw_tied,
    }


def _on_seed_committed(state: S, event: seed_events.DeckSeedCommitted) -> S:
    batch = state.batches[event.epoch]
    commitments = {**batch.commitments, event.seat: event.client_commit}
    return _with(state, event.epoch, replace(batch, commitments=dict(sorted(commitments.items()))))


def _on_seed_shown(state: S, event: seed_events.DeckSeedRevealed) -> S:
    batch = state.batches[event.epoch]
    return _with(state, event.epoch, replace(batch, shown={**batch.shown, event.seat: event.client_seed}))


def _on_seed_omitted(state: S, event: seed_events.DeckSeedOmitted) -> S:
    batch = state.batches[event.epoch]
    return _with(state, event.epoch, replace(batch, omitted=batch.omitted | {event.seat}))


def _on_seeds_dropped(state: S, event: seed_events.DeckSeedsDropped) -> S:
    """Count the drop for each seat and for the service."""
    counts = {**state.seeds_dropped, **{seat: state.seeds_dropped.get(seat, 0) + 1 for seat in event.seats}}
    return replace(state, seeds_dropped=counts, batches_dropped=state.batches_dropped + 1)


def _on_commitments_closed(state: S, event: seed_events.DeckCommitmentsClosed) -> S:
    return _with(state, event.epoch, replace(state.batches[event.epoch], is_closed=True))


def _on_seeds_settled(state: S, event: seed_events.DeckSeedsSettled) -> S:
    batch = state.batches[event.epoch]
    return _with(state, event.epoch, replace(batch, is_closed=True, is_ready=True, seats=event.seats))


def _on_batch_ended(state: S, event: seed_events.DeckBatchEnded) -> S:
    return _with(state, event.epoch, replace(state.batches[event.epoch], is_ended=True))


def _on_draw_tied(state: S, event: seed_events.DrawTied) -> S:
    return replace(state, drawing=event.seats)


def _with(state: S, name: str, batch: Batch) -> S:
    return replace(state, batches={**state.batches, name: batch})
