"""Checks players' seeds: commitments, shown seeds, and the seats whose seeds went into a deck (G.9) (DECISIONS 103)."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from msgspec import Struct, field

from service import deck
from service.audit.findings import Finding
from service.games.common_events import DeckFixed, DeckOpened
from service.games.game import seat_actor
from service.games.seeds.seed_events import (
    DeckCommitmentsClosed,
    DeckSeedCommitted,
    DeckSeedRevealed,
    DeckSeedsDropped,
    DeckSeedsSettled,
)
from service.tables.fold import Step

_KINDS: Final = frozenset(
    {
        DeckOpened,
        DeckFixed,
        DeckSeedCommitted,
        DeckSeedRevealed,
        DeckSeedsDropped,
        DeckCommitmentsClosed,
        DeckSeedsSettled,
    }
)


class _Seeds(Struct):
    """The seeds of a batch. *settled*: the seats whose seeds go into the decks of the batch; None: not settled yet."""

    commitments: dict[int, str] = field(default_factory=dict)
    shown: set[int] = field(default_factory=set)
    is_closed: bool = False
    is_dropped: bool = False
    settled: tuple[int, ...] | None = None


class SeedCheck:
    """Checks the players' seeds of one table, in any game, from the table's events."""

    def __init__(self, table: str) -> None:
        self._table = table
        self._batches: dict[str, _Seeds] = {}
        self._batch_of: dict[str, str] = {}

    def check_command(self, steps: Sequence[Step]) -> Iterator[Finding]:
        """Check the events of the next command."""
        for step in steps:
            event = step.recorded.event
            if type(event) not in _KINDS:
                continue
            for check, expected, found in self._flaws(event, step.recorded.by):
                position = step.recorded.position
                yield Finding(table=self._table, position=position, check=check, expected=expected, found=found)
            self._follow(event)

    def check_end(self) -> Iterable[Finding]:
        """Return no findings: `check_command` has checked every event."""
        return ()

    def _flaws(self, event: Any, by: str) -> Iterator[tuple[str, str, str]]:  # noqa: ANN401 -- the event may be of any game
        """Yield each check that fails at *event*, with the expected and the found value; *by* is the event's author."""
        match event:
            case DeckOpened(batch=batch) if batch:
                if batch in self._batches and self._batches[batch].commitments:
                    yield "batch_must_be_opened_before_its_commitments", "no commitment yet", event.epoch
            case DeckSeedCommitted(seat=seat):
                seeds = self._batches.get(event.epoch)
                if seeds is None or seeds.is_closed or seat in seeds.commitments or by != seat_actor(seat):
                    yield (
                        "seed_must_be_committed_in_time",
                        "the seat's one commitment, in time",
                        f"{event.epoch} {seat}",
                    )
            case DeckSeedRevealed(seat=seat):
                seeds = self._batches.get(event.epoch)
                if seeds is None or not seeds.is_closed or seat in seeds.shown or by != seat_actor(seat):
                    yield "seed_must_be_shown_in_time", "the seat's seed, once commitments are closed", f"seat {seat}"
                elif (made := _commitment(event)) != seeds.commitments.get(seat):
                    yield "seed_must_match_its_commitment", seeds.commitments.get(seat, "a commitment"), made
            case DeckSeedsSettled():
                wanted = self._settled(event.epoch)
                if event.seats != wanted:
                    yield "seeds_must_be_all_or_none", f"seats {wanted}", f"seats {event.seats}"
            case DeckFixed():
                batch = self._batch_of.get(event.epoch, "")
                settled = self._batches[batch].settled if batch else ()
                if event.seats != settled:
                    yield "deck_must_have_the_seeds_of_its_batch", f"seats {settled}", f"seats {event.seats}"
            case _:
                pass

    def _settled(self, batch: str) -> tuple[int, ...]:
        """Return the seats whose seeds must go into the decks of *batch*.

        These are either all seats that committed to a seed or, if one of them showed no seed or the seeds were dropped,
        no seats.
        """
        seeds = self._batches.get(batch)
        is_whole = seeds is not None and not seeds.is_dropped and seeds.shown == seeds.commitments.keys()
        return tuple(sorted(seeds.shown)) if seeds and is_whole else ()

    def _follow(self, event: Any) -> None:  # noqa: ANN401 -- the event may be of any game
        match event:
            case DeckOpened(batch=batch) if batch:
                self._batches.setdefault(batch, _Seeds())
                self._batch_of[event.epoch] = batch
            case DeckSeedCommitted():
                self._seeds(event).commitments[event.seat] = event.client_commit
            case DeckSeedRevealed():
                self._seeds(event).shown.add(event.seat)
            case DeckCommitmentsClosed():
                self._seeds(event).is_closed = True
            case DeckSeedsDropped():
                self._seeds(event).is_dropped = True
            case DeckSeedsSettled():
                self._seeds(event).settled = event.seats
            case _:
                pass

    def _seeds(self, event: Any) -> _Seeds:  # noqa: ANN401 -- each of these events has a member `epoch`
        return self._batches.setdefault(event.epoch, _Seeds())


def _commitment(event: DeckSeedRevealed) -> str:
    return deck.client_commit(event.epoch, event.seat, bytes.fromhex(event.client_seed))
