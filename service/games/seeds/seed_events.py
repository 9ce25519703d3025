"""The events of players' seeds (G.9)."""

from typing import Annotated

from service.games.common_events import DeckUnused, Digest, Epoch
from service.games.game import Consequence, Decision, Seat, TimedDecision, describe

Late = Annotated[tuple[Seat, ...], describe("The seats that had committed to a seed and had not shown it.")]


class DeckSeedCommitted(Decision, frozen=True, kw_only=True):
    """*seat* committed to a seed of its own for the batch of *epoch* (deck/v1)."""

    epoch: Epoch
    seat: Seat
    client_commit: Digest


class DeckSeedRevealed(Decision, frozen=True, kw_only=True):
    """*seat* showed the seed to which it had committed for the batch of *epoch* (deck/v1)."""

    epoch: Epoch
    seat: Seat
    client_seed: Digest


class DeckSeedOmitted(TimedDecision, frozen=True, kw_only=True):
    """Time was called for *seat*, which had not committed to a seed; the batch of *epoch* has no seed of this seat."""

    epoch: Epoch
    seat: Seat


class DeckSeedsDropped(TimedDecision, frozen=True, kw_only=True):
    """Time was called for *seats*, which had not shown their seeds: the batch of *epoch* gets no player's seed.

    Either these seats or the service withheld the seeds. The event counts against these seats and the service.
    """

    epoch: Epoch
    seats: Late


class DeckCommitmentsClosed(Consequence, frozen=True, kw_only=True):
    """No seat may commit to a seed for the batch of *epoch* any more; the *seats* that committed show their seeds."""

    epoch: Epoch
    seats: Annotated[tuple[Seat, ...], describe("The seats that have committed to a seed.")]


class DeckSeedsSettled(Consequence, frozen=True, kw_only=True):
    """The decks of the batch of *epoch* are ready; the seeds of *seats* go into each deck."""

    epoch: Epoch
    seats: Annotated[tuple[Seat, ...], describe("The seats whose seeds go into the decks of the batch.")]


class DeckBatchEnded(Consequence, frozen=True, kw_only=True):
    """A player came or left: no further deck of the batch of *epoch* is used (G.9)."""

    epoch: Epoch


class DrawTied(Consequence, frozen=True, kw_only=True):
    """The draw for the first dealer is tied between *seats*, who draw again once another deck is ready (G.9)."""

    seats: Annotated[tuple[Seat, ...], describe("The seats that draw again.")]


SEED_EVENTS = (
    DeckSeedCommitted,
    DeckSeedRevealed,
    DeckSeedOmitted,
    DeckSeedsDropped,
    DeckCommitmentsClosed,
    DeckSeedsSettled,
    DeckUnused,
)
"""The types of events that collect the seeds of a batch, and the type of the event that reveals an unused deck."""
