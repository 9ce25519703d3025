"""The disclosures of one table's stream: its decks, and which sealed fields are public, closed, overdue or erased."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from msgspec import Struct, field

from service.event_store import disclosure
from service.event_store.codec import RecordedEvent
from service.event_store.disclosure import DisclosureState, FieldPlace
from service.games.common_events import (
    DeckFixed,
    DeckOpened,
    DeckRevealed,
    DeckUnused,
    GameEnded,
    TableClosed,
    ValueErased,
)
from service.games.game import ClientSeeds
from service.games.seeds.seed_events import DeckSeedRevealed

TYPES: Final = (
    "deck_opened",
    "deck_fixed",
    "deck_revealed",
    "deck_unused",
    "deck_seed_revealed",
    "game_ended",
    "table_closed",
    "value_erased",
)
"""The types of the events that `Disclosures` reads for decks and erasures."""


_OF_DECKS: Final = frozenset(
    {DeckOpened, DeckFixed, DeckRevealed, DeckUnused, DeckSeedRevealed, GameEnded, TableClosed}
)


class DeckEvent(Struct, frozen=True):
    """An *event* about a deck, and its *position*."""

    position: int
    event: Any


class Disclosures(Struct):
    """The first event of each kind about each deck of one table, by epoch, and the table's sealed fields."""

    opened: dict[str, DeckEvent] = field(default_factory=dict)
    fixed: dict[str, DeckEvent] = field(default_factory=dict)
    ended: dict[str, DeckEvent] = field(default_factory=dict)
    """The event that revealed the seed of a retired deck, or of a deck that was never used."""
    shown: dict[str, dict[int, str]] = field(default_factory=dict)
    """The seeds that players have shown, by the name of the batch and by seat (G.9)."""
    is_over: bool = False
    """The game has ended, or the table is closed: no further card will be dealt."""
    ends: dict[FieldPlace, str] = field(default_factory=dict)
    """By sealed field, "open" if everybody may read the field, or "never" if it is closed for good."""
    overdue: set[FieldPlace] = field(default_factory=set)
    """The sealed fields that were overdue at an event: when a deck was revealed, the game ended or the table closed."""
    settled: dict[FieldPlace, int] = field(default_factory=dict)
    """By sealed field, the position from which the field is public or closed for good; 0: not yet."""
    erased: dict[FieldPlace, int] = field(default_factory=dict)
    """By the place of an erased field or seed, the position of the erasure."""
    _sealed_fields: DisclosureState = disclosure.NOTHING_SEALED

    def add(self, recorded: RecordedEvent) -> None:
        """Add the next event of the table's stream."""
        event = recorded.event
        if type(event) in _OF_DECKS:
            self._add_deck(recorded)
        elif isinstance(event, ValueErased):
            self.erased.setdefault((event.position, event.field), recorded.position)
        if self._sealed_fields or recorded.priv:
            before, self._sealed_fields = self._sealed_fields, disclosure.evolve(self._sealed_fields, recorded)
            if self._sealed_fields is not before:
                self._add_fields(recorded.position)
            if isinstance(event, DeckRevealed | GameEnded | TableClosed):
                self.overdue |= {place for place, sealed in self._sealed_fields.items() if not sealed.ended}

    def _add_fields(self, position: int) -> None:
        """Add the changes that the event at *position* made to the sealed fields."""
        for place, sealed in self._sealed_fields.items():
            if not sealed.ended:
                self.settled.setdefault(place, 0)
            elif place not in self.ends:
                self.ends[place] = sealed.ended
                self.settled[place] = position

    def _add_deck(self, recorded: RecordedEvent) -> None:
        event = recorded.event
        match event:
            case DeckOpened():
                self.opened.setdefault(event.epoch, DeckEvent(recorded.position, event))
            case DeckFixed():
                self.fixed.setdefault(event.epoch, DeckEvent(recorded.position, event))
            case DeckRevealed() | DeckUnused():
                self.ended.setdefault(event.epoch, DeckEvent(recorded.position, event))
            case DeckSeedRevealed():
                self.shown.setdefault(event.epoch, {}).setdefault(event.seat, event.client_seed)
            case GameEnded() | TableClosed():
                self.is_over = True
            case _:
                pass

    @property
    def in_play(self) -> str:
        """The epoch of the deck that was fixed last, or "" if no deck was fixed."""
        return next(reversed(self.fixed), "")

    def clients(self, epoch: str) -> ClientSeeds:
        """Return the players' seeds that went into the deck of *epoch*: those of the seats that `deck_fixed` names."""
        opened, fixed = self.opened.get(epoch), self.fixed.get(epoch)
        shown = self.shown.get(opened.event.batch, {}) if opened else {}
        return {seat: shown[seat] for seat in fixed.event.seats if seat in shown} if fixed else {}

    @property
    def reserve(self) -> str:
        """The epoch of the last deck to which the service committed, or "" if there is none or the deck is fixed."""
        last = next(reversed(self.opened), "")
        return "" if last in self.fixed else last

    @property
    def unopened(self) -> tuple[FieldPlace, ...]:
        """The sealed fields that are neither public nor closed for good by the end of the stream."""
        return tuple(place for place, sealed in self._sealed_fields.items() if not sealed.ended)

    def is_overdue(self, epoch: str) -> bool:
        """Whether the seed of *epoch* must be revealed by the end of the stream, but is not (G.6)."""
        if epoch in self.ended:
            return False
        return self.is_over or epoch not in {self.in_play, self.reserve, *self._waiting}

    @property
    def _waiting(self) -> Iterator[str]:
        """The epochs of the unfixed decks that belong to a batch and were opened after the deck in play."""
        last = self.opened.get(self.in_play)
        for epoch, deck_event in self.opened.items():
            if deck_event.event.batch and epoch not in self.fixed and (not last or deck_event.position > last.position):
                yield epoch


def disclosures_of(events: Iterable[RecordedEvent]) -> Disclosures:
    """Return the disclosures of *events*, the whole stream of a table."""
    disclosures = Disclosures()
    for recorded in events:
        disclosures.add(recorded)
    return disclosures
