"""The parts of the API's answers from which a case is made; members that no page needs are left out."""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct


class Credit(Struct, frozen=True):
    """The title and the author of a game, and the SHA-256 of the sheet; *year* is 0 if the sheet has none."""

    title: str
    author: str
    year: int
    sheet_sha256: str


class Dealt(Struct, frozen=True):
    """A card dealt at *position* to a seat or a place; *face* is `??` if the viewer may not see it."""

    position: int
    epoch: str
    pos: int
    to: int | str
    face: str


class Deck(Struct, frozen=True):
    """A deck of the hand, and the position of the event that committed to its seed."""

    epoch: str
    opened: int
    is_retired: bool


class Payout(Struct, frozen=True):
    """A transfer of *amount*, with its reason."""

    source: str
    target: str
    amount: int
    unit: str
    rule: str
    ruling: str
    formula: str
    cards: tuple[str, ...]


class Paid(Struct, frozen=True):
    """A payout, and the event that made it."""

    position: int
    type: str
    payout: Payout


class Opened(Struct, frozen=True):
    """The value of a sealed field that the viewer may read."""

    position: int
    field: str
    value: Any


class SeatSum(Struct, frozen=True):
    """The sum of a seat's accounts before the hand, the hand's net, and the sum after the hand."""

    seat: int
    unit: str
    opening: int
    net: int
    closing: int


class DisputeOfHand(Struct, frozen=True):
    """A dispute about the hand, with the service's verdict beside the auditor's outcome."""

    dispute: int
    status: str
    outcome: str
    verdict: str
    verdict_now: str


class Hand(Struct, frozen=True):
    """A hand as the viewer may see it."""

    table: str
    game: str
    credit: Credit
    hand: int
    first: int
    last: int
    is_settled: bool
    cards: tuple[Dealt, ...]
    decks: tuple[Deck, ...]
    fields: tuple[Opened, ...]
    payouts: tuple[Paid, ...]
    seats: tuple[SeatSum, ...]
    disputes: tuple[DisputeOfHand, ...]


class Leaf(Struct, frozen=True):
    """An event as it was hashed."""

    position: int
    at: str
    by: str
    type: str
    pub: Mapping[str, Any] = {}


class Event(Struct, frozen=True):
    """An event, with the hash of its leaf."""

    leaf: Leaf
    hash: str


class Difference(Struct, frozen=True):
    """The first difference between an expected and a recorded event."""

    position: int
    member: str
    expected: str
    found: str


class Judged(Struct, frozen=True):
    """A decision that was decided again."""

    position: int
    by: str
    verdict: str
    is_signed: bool
    events: int


class Adjudication(Struct, frozen=True):
    """The verdict of deciding the hand again."""

    verdict: str
    difference: Difference | None
    unsigned_seats: tuple[int, ...]
    decisions: tuple[Judged, ...]


class Worth(Struct, frozen=True):
    """The worth of a chip in minor units of *currency*; 0: chips have no worth."""

    currency: str
    minor: int


class SeatAt(Struct, frozen=True):
    """A seat of the table and its player ("": nobody)."""

    seat: int
    player: str


class Table(Struct, frozen=True):
    """The table of the hand; *you* is the viewer's seat, 0 without one."""

    edition: int
    hand: int
    seats: tuple[SeatAt, ...]
    you: int
    worth: Worth | None = None


class Game(Struct, frozen=True):
    """The game: its rules in our words and our rulings, by name."""

    edition: int
    rules: Mapping[str, str]
    rulings: Mapping[str, str]


class Adjustment(Struct, frozen=True):
    """An amount that a correction moves between two owners."""

    source: str
    target: str
    amount: int
    unit: str


class Text(Struct, frozen=True):
    """A sealed text of a dispute that the viewer may read."""

    field: str
    value: str


class DisputeStep(Struct, frozen=True):
    """An event of a dispute."""

    leaf: Leaf
    fields: tuple[Text, ...]


class Dispute(Struct, frozen=True):
    """A dispute with its steps; *opened_by* is the owner who opened it, *host* the table's host."""

    ground: str
    rule: str
    steps: tuple[DisputeStep, ...]
    transfers: tuple[Adjustment, ...]
    opened_by: str = ""
    host: str = ""
    parties: tuple[SeatAt, ...] = ()


class Answers(Struct, frozen=True):
    """All that the API answered about a hand.

    If the API gave no adjudication or no proof, this member is the API's reason in words. *deck_events* has the events
    that committed to the hand's decks and revealed them. *disputes* has each dispute that the API showed, by number.
    """

    hand: Hand
    table: Table
    game: Game
    events: tuple[Event, ...]
    deck_events: tuple[Event, ...]
    adjudication: Adjudication | str
    proof: bytes | str
    disputes: Mapping[int, Dispute]


def events_of(page: Any) -> tuple[Event, ...]:  # noqa: ANN401 -- JSON
    """Return the events of a page of the API."""
    return msgspec.convert(page["items"], tuple[Event, ...])
