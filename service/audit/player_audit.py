"""Reads ended and disclosed hands from the database, for the statistics of players (DECISIONS 106)."""

from collections.abc import Callable, Iterable, Iterator, Sequence, Set as AbstractSet
from functools import partial
from typing import Annotated, Any, Final

from msgspec import Meta, Struct, field
from sqlalchemy import Connection

from service import deck
from service.audit.checks.sealed_rows import stored_fields
from service.audit.judging.audit_known import AuditKnown, Erased, Fields, NotYetOpen
from service.audit.judging.disclosures import Disclosures
from service.deck import Shuffle
from service.event_store.codec import RecordedEvent
from service.event_store.entries import EMPTY
from service.event_store.hash_chain import ChainPoint
from service.event_store.quarantine import StreamCorrupted
from service.event_store.store import Log
from service.event_store.stream_reader import ALL
from service.games.full_viewpoint import FullViewpoint
from service.games.game import SaltedFace
from service.player_statistics.played_hands import HandFollower, Undisclosed
from service.player_statistics.player_figures import Figures, PairFigures, PlayerFigures
from service.tables.fold import Step, table_id
from service.tables.replay import CannotReplay, commands

_PAGE: Final = 1_000

Count = Annotated[int, Meta(ge=0)]


class LeftOut(Struct, frozen=True, kw_only=True):
    """A table at which not all hands could be counted, and why."""

    table: Annotated[str, Meta(description="The table's id.")]
    reason: Annotated[str, Meta(description="Why not all of its hands were counted.")]


class PlayerAudit(Struct, frozen=True, kw_only=True):
    """The figures of players and of pairs of players, by game, over the hands that were counted.

    A hand is counted if it has ended at a time that the `HandFilter` selects, its decks are revealed, and every sealed
    value that the figures need is public and not erased. A flag is a reason to look, and no proof.
    """

    tables: Annotated[Count, Meta(description="Tables that were read.")]
    hands: Annotated[Count, Meta(description="Hands that were counted.")]
    tests: Annotated[Count, Meta(description="The number of players and pairs for which the chances are corrected.")]
    players: Annotated[
        tuple[PlayerFigures, ...], Meta(description="The players: flagged players first, then by ascending chance.")
    ]
    pairs: Annotated[
        tuple[PairFigures, ...], Meta(description="The pairs: flagged pairs first, then by ascending chance.")
    ]
    left_out: Annotated[tuple[LeftOut, ...], Meta(description="Tables at which not all hands could be counted.")]


class HandFilter(Struct, frozen=True, kw_only=True):
    """Selects the hands that ended at the time *since* or later, and before *until*; "": no limit."""

    since: str = ""
    until: str = ""

    def has(self, at: str) -> bool:
        """Return whether the filter selects a hand that ended at the time *at*."""
        return self.since <= at and (not self.until or at < self.until)


class _DisclosedKnown(AuditKnown):
    """The hidden inputs of the rules, as far as retired decks and opened values disclose them."""

    def __init__(self, disclosures: Disclosures, fields: Fields, shuffle: Shuffle) -> None:
        super().__init__(disclosures, fields=fields, shuffle=shuffle)
        self._ended: Final = disclosures.ended

    def discloses(self, epochs: AbstractSet[str]) -> bool:
        """Return whether all decks of *epochs* are revealed."""
        return epochs <= self._ended.keys()

    def faces(self, epoch: str, positions: Sequence[int]) -> tuple[SaltedFace, ...]:
        if epoch not in self._ended:
            raise Undisclosed
        return super().faces(epoch, positions)

    def sealed(self, seat: int, field: str) -> Any:  # noqa: ANN401 -- the value may be any JSON
        try:
            return super().sealed(seat, field)
        except (NotYetOpen, Erased, KeyError) as error:
            raise Undisclosed from error


class PlayerAuditor(Struct):
    """Collects the figures of several tables, one after another; *shuffle* makes a deck from a revealed seed."""

    selected: HandFilter = HandFilter()
    shuffle: Shuffle = deck.shuffle
    figures: Figures = field(default_factory=Figures)
    tables: int = 0
    events: int = 0
    left_out: list[LeftOut] = field(default_factory=list)

    def add_table(self, connection: Connection, log: Log, stream_id: bytes, most_events: int = ALL) -> None:
        """Add the hands that are in the first *most_events* events of a table."""
        self.tables += 1

        def read() -> Iterator[RecordedEvent]:
            return _pages(connection, log, stream_id, most_events)

        try:
            count = self.add_events(stream_id, read, partial(stored_fields, connection, log, stream_id))
            if count == most_events and log.reader.read(connection, stream_id, count, 1):
                self._leave_out(stream_id, f"the hands after position {most_events} are not counted here")
        except StreamCorrupted as error:
            self._leave_out(stream_id, f"{error.why}, at position {error.position}")

    def add_events(self, stream_id: bytes, read: Callable[[], Iterable[RecordedEvent]], fields: Fields) -> int:
        """Add the hands in the first events of a table's stream, and return the number of these events.

        *read* returns these events; it is called twice, because a deck is disclosed long after its hands. *fields*
        returns the values of sealed fields.

        Raises:
            StreamCorrupted: *read* raised it.
        """
        disclosures, count = Disclosures(), 0
        for recorded in read():
            disclosures.add(recorded)
            count += 1
        self.events += count
        known = _DisclosedKnown(disclosures, fields, self.shuffle)
        follower: HandFollower | None = None
        try:
            for steps in commands(stream_id, read()):
                for step in steps:
                    follower = follower or HandFollower(step.after.game.name, table_id(stream_id))
                    known.remember(step.recorded)
                    self._add_step(follower, step, known)
        except CannotReplay as error:
            self._leave_out(stream_id, str(error))
        return count

    def _add_step(self, follower: HandFollower, step: Step, known: _DisclosedKnown) -> None:
        event: Any = step.recorded.event
        seen = FullViewpoint(step.before, known), FullViewpoint(step.after.state, known)
        hand = follower.add(step.before, event, step.after.state, seen)
        if hand and hand.is_disclosed and known.discloses(hand.decks) and self.selected.has(step.recorded.at):
            self.figures.add(step.after.game.name, hand)

    def result(self) -> PlayerAudit:
        """Return the figures of all tables that were added."""
        players, pairs = self.figures.report()
        return PlayerAudit(
            tables=self.tables,
            hands=self.figures.hands,
            tests=len(players) + len(pairs),
            players=players,
            pairs=pairs,
            left_out=tuple(self.left_out),
        )

    def _leave_out(self, stream_id: bytes, reason: str) -> None:
        self.left_out.append(LeftOut(table=table_id(stream_id), reason=reason))


def _pages(connection: Connection, log: Log, stream_id: bytes, most_events: int) -> Iterator[RecordedEvent]:
    """Read the first *most_events* events of a stream, page by page.

    Raises:
        StreamCorrupted: the chain is broken at one of the events.
    """
    last: ChainPoint = EMPTY
    while last.position < most_events:
        page = log.reader.read(connection, stream_id, last, min(_PAGE, most_events - last.position))
        yield from page
        if len(page) < _PAGE:
            return
        last = page[-1]
