"""Reads the cards, decisions, payouts and balances of one hand, as one viewer may see them (DECISIONS 62, 63, 87)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, cast

from msgspec import Meta, Raw, Struct
from sqlalchemy import Connection

from service.disputes.hand_disputes import HandDispute
from service.event_store import leaf
from service.event_store.codec import RecordedEvent
from service.event_store.store import Log
from service.games.definition import Credit
from service.games.game import Event
from service.games.payouts import Payout
from service.ledger import POINTS, account_seat, nets, unit_of
from service.projections import lists, statements
from service.secrets.openings import FieldOpening
from service.tables import visibility
from service.tables.fold import TableAt
from service.tables.sealed_store import Unsealer
from service.tables.visibility import DealtCard


class HandItem(Struct, frozen=True, kw_only=True):
    """A hand, and the positions of its events."""

    hand: int
    first: Annotated[int, Meta(description="The position of the hand's first event.")]
    last: Annotated[int, Meta(description="The position of the hand's last event so far.")]
    is_settled: bool


class DecisionMade(Struct, frozen=True, kw_only=True):
    """A decision that was recorded during a hand."""

    position: int
    at: str
    by: Annotated[
        str,
        Meta(
            description='Who decided: "seat:<n>", "host", "player" (without a seat) or "service". If time was called,'
            " the service decided, and `made.called` says who called time."
        ),
    ]
    type: str
    made: Annotated[
        Raw,
        Meta(description="The event's own members.", extra_json_schema={"type": "object"}),
    ]


class PaidOut(Struct, frozen=True, kw_only=True):
    """A payout, the event that made it, and how its amount follows from the rules."""

    position: int
    type: str
    payout: Payout


class HandDeck(Struct, frozen=True, kw_only=True):
    """A deck from which the hand's cards were dealt."""

    epoch: str
    opened: Annotated[
        int,
        Meta(ge=1, le=2**31 - 1, description="The position of the `deck_opened` that committed to the deck's seed."),
    ]
    is_retired: Annotated[
        bool, Meta(description="Whether the deck's seed is public, and with it the order of all its cards (G.6).")
    ]


class AccountInHand(Struct, frozen=True, kw_only=True):
    """An account's balance before a hand, the net of the hand's transfers, and the account's balance after the hand."""

    account: str
    unit: str
    opening: int
    net: int
    closing: int


class SeatInHand(Struct, frozen=True, kw_only=True):
    """The sum of a seat's accounts before a hand, the net of the hand's transfers, and the sum after the hand."""

    seat: int
    unit: str
    opening: int
    net: int
    closing: int


class HandView(Struct, frozen=True, kw_only=True):
    """A hand as the caller may see it: its cards, decisions, payouts with their reasons, and balances."""

    table: str
    game: str
    credit: Credit
    hand: int
    first: int
    last: int
    is_settled: bool
    cards: tuple[DealtCard, ...]
    decks: Annotated[
        tuple[HandDeck, ...], Meta(description="The decks of the hand's cards, in the order in which they were used.")
    ]
    decisions: Annotated[
        tuple[DecisionMade, ...],
        Meta(
            description="The decisions of the hand, in order.",
            extra_json_schema={"items": {"$ref": "#/components/schemas/DecisionMade"}},
        ),
    ]
    fields: Annotated[
        tuple[FieldOpening, ...],
        Meta(description="The sealed fields of the hand that the caller may read after the hand's last event."),
    ]
    payouts: tuple[PaidOut, ...]
    accounts: tuple[AccountInHand, ...]
    seats: tuple[SeatInHand, ...]
    disputes: Annotated[
        tuple[HandDispute, ...], Meta(description="The disputes about the hand, in the order of their numbers.")
    ] = ()


def find(connection: Connection, table_at: TableAt, hand: int) -> HandItem | None:
    """Return the positions of a *hand*'s events; None: there is no such hand, or damage comes before its end."""
    if not table_at.broken_at and table_at.state.hand_is_running and hand == table_at.state.hand:
        return running(table_at)
    for number, first, last in lists.settled_hands(connection, table_at.stream_id, hand - 1, 1):
        if number == hand and last <= table_at.position:
            return HandItem(hand=number, first=first, last=last, is_settled=True)
    return None


def read(  # noqa: PLR0913 -- the parameters say what to read, and for which viewer
    connection: Connection,
    log: Log,
    table_at: TableAt,
    item: HandItem,
    opening: Mapping[str, int],
    seat: int,
    hidden: Unsealer,
) -> HandView:
    """Return the hand of *item* as the viewer in *seat* (0: without a seat) may see the hand.

    *opening*: the balances of the state before the hand.

    Raises:
        StreamCorrupted: the hash chain of the hand's events is broken, or a seed or a sealed field that the viewer may
            see is missing or altered.
    """
    recorded = log.reader.read(
        connection, table_at.stream_id, item.first - 1, item.last - item.first + 1, head=table_at.head
    )
    before = statements.used_balances(connection, table_at.stream_id, opening, item.first - 1)
    accounts = _accounts(table_at, before, recorded)
    cards = visibility.dealt_cards(recorded, table_at, seat, hidden)
    return HandView(
        table=table_at.state.table,
        game=table_at.state.game,
        credit=table_at.game.credit,
        hand=item.hand,
        first=item.first,
        last=item.last,
        is_settled=item.is_settled,
        cards=cards,
        decks=tuple(_deck(table_at, epoch) for epoch in dict.fromkeys(card.epoch for card in cards)),
        fields=visibility.readable_fields(recorded, seat, hidden),
        decisions=tuple(_decision(event) for event in recorded if event.cmd),
        payouts=tuple(_payouts(table_at, recorded)),
        accounts=accounts,
        seats=tuple(_seats(accounts)),
    )


def running(table_at: TableAt) -> HandItem:
    """Return the hand that is being played at the table."""
    return HandItem(hand=table_at.state.hand, first=table_at.hand_first, last=table_at.position, is_settled=False)


def _deck(table_at: TableAt, epoch: str) -> HandDeck:
    is_retired = visibility.is_retired(table_at, epoch)
    return HandDeck(epoch=epoch, opened=table_at.opened[epoch], is_retired=is_retired)


def _decision(recorded: RecordedEvent) -> DecisionMade:
    return DecisionMade(
        position=recorded.position,
        at=recorded.at,
        by=recorded.by,
        type=recorded.type,
        made=leaf.decode(recorded.leaf).pub,
    )


def _payouts(table_at: TableAt, recorded: Sequence[RecordedEvent]) -> Iterator[PaidOut]:
    events = [cast("Event", entry.event) for entry in recorded]
    for number, (entry, event) in enumerate(zip(recorded, events, strict=True)):
        for payout in table_at.game.explain(event, events[:number]):
            yield PaidOut(position=entry.position, type=entry.type, payout=payout)


def _accounts(
    table_at: TableAt, before: Mapping[str, int], recorded: Sequence[RecordedEvent]
) -> tuple[AccountInHand, ...]:
    """Return every account that was used before the hand's end, and every score account, used or not."""
    events: list[Any] = [entry.event for entry in recorded]
    added = nets(transfer for event in events for transfer in event.transfers)
    return tuple(
        AccountInHand(
            account=name,
            unit=unit_of(name),
            opening=before.get(name, 0),
            net=added.get(name, 0),
            closing=before.get(name, 0) + added.get(name, 0),
        )
        for name in sorted(table_at.state.balances)
        if name in before or name in added or (account_seat(name) and unit_of(name) == POINTS)
    )


def _seats(accounts: Iterable[AccountInHand]) -> Iterator[SeatInHand]:
    """Yield the sums of each seat's accounts; all accounts of a seat have the same unit."""
    of_seats: dict[int, list[AccountInHand]] = {}
    for account in accounts:
        if seat := account_seat(account.account):
            of_seats.setdefault(seat, []).append(account)
    for seat, own in sorted(of_seats.items()):
        opening, net, closing = (sum(part) for part in zip(*((a.opening, a.net, a.closing) for a in own), strict=True))
        yield SeatInHand(seat=seat, unit=own[0].unit, opening=opening, net=net, closing=closing)
