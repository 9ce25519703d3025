"""The API's answers about hands and events; members that no client of this repository needs are left out."""

# DECISIONS 118

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from service.client.table_answers import Credit


class DealtCard(Struct, frozen=True):
    """A card dealt at *position* to a seat, or to a named place; *face* is `??` if the caller may not see it."""

    position: int
    epoch: str
    pos: int
    to: int | str
    face: str


class Deck(Struct, frozen=True):
    """A deck of the hand; *opened* is the position of the event that committed to the deck's seed."""

    epoch: str
    opened: int
    is_retired: bool


class Decision(Struct, frozen=True):
    """A decision; *made* has the members that belong to this type of event."""

    position: int
    by: str
    type: str
    made: dict[str, Any]


class Payout(Struct, frozen=True):
    """A transfer of *amount*, in *unit*, from *source* to *target*, with the reason for the transfer."""

    source: str
    target: str
    amount: int
    unit: str
    rule: str
    ruling: str
    formula: str
    cards: tuple[str, ...]


class PayoutEvent(Struct, frozen=True):
    """A payout, and the event that made the payout."""

    position: int
    type: str
    payout: Payout


class OpenedField(Struct, frozen=True):
    """The *value* that the decision at *position* sealed under *field*, and that the caller may read."""

    position: int
    field: str
    value: Any


class AccountInHand(Struct, frozen=True):
    """The balances of an *account* before and after a hand, and the *net* that the hand added, all in *unit*."""

    account: str
    unit: str
    opening: int
    net: int
    closing: int


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


class HandHistory(Struct, frozen=True, kw_only=True):
    """A hand: its cards, decisions and payouts in order, its balances, and the sealed fields that the caller sees.

    It also has the disputes about the hand.
    """

    table: str
    game: str
    credit: Credit
    hand: int
    first: int
    last: int
    is_settled: bool
    cards: tuple[DealtCard, ...]
    decks: tuple[Deck, ...]
    decisions: tuple[Decision, ...]
    payouts: tuple[PayoutEvent, ...]
    fields: tuple[OpenedField, ...]
    accounts: tuple[AccountInHand, ...]
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


class FeedEvent(Event, frozen=True, kw_only=True):
    """An event of a feed: its *table*, its *index* in the whole log, and the *cursor* with which the feed goes on.

    If this event gave the owner of the key a part in the table, *table_added* is the position up to which the feed may
    lack earlier events of the table; otherwise 0.
    """

    table: str
    index: int
    cursor: str
    table_added: int


class EventPage(Struct, frozen=True):
    """A page of a table's events; *is_over*: no play will follow."""

    items: tuple[Event, ...]
    has_more: bool
    next: int
    is_over: bool


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
    """The result of deciding a hand again: the *verdict* on the hand, and its *decisions*.

    *verdict* is "clean", "failed", "pending" or "undecidable". *unsigned_seats* are the seats that did not sign all
    their decisions in the hand.
    """

    verdict: str
    difference: Difference | None
    unsigned_seats: tuple[int, ...]
    decisions: tuple[Judged, ...]
