"""`/v1/tables/{table}/hands`: what was dealt, decided and paid, hand by hand, and whether it was right."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Any, Final

from flask import Response
from msgspec import Meta, Raw, Struct
from sqlalchemy import Connection

from service.database.engines import reading
from service.event_store import leaf
from service.event_store.codec import RecordedEvent
from service.event_store.store import Log
from service.games.payouts import Payout
from service.http.openapi.blueprint import Resource
from service.http.openapi.operation import READS, operation
from service.http.operations import expensive, weights
from service.http.request import visible_tables
from service.http.request.caller import caller
from service.http.request.services import here
from service.http.resources.table import Credit, credit
from service.http.responses.answers import linked, told
from service.http.responses.problems import Problem
from service.ledger import POINTS, nets, seat_of, unit_of
from service.projections import lists, statements
from service.projections.swap_guard import retry_after_swap
from service.secrets.openings import FieldOpening
from service.tables import visibility
from service.tables.fold import TableAt
from service.tables.sealed_store import Hidden
from service.tables.visibility import DealtCard

hands = Resource("hands", "Hands: what was dealt, decided and paid.")

_MOST_HANDS: Final = 2**31 - 1


class HandPage(Struct, frozen=True):
    """Which hands."""

    after: Annotated[int, Meta(ge=0, le=_MOST_HANDS, description="Only hands with higher numbers.")] = 0
    limit: Annotated[int, Meta(ge=1, le=1000, description="How many at most.")] = 100


class HandItem(Struct, frozen=True, kw_only=True):
    """A hand, and which events are its own."""

    hand: int
    first: Annotated[int, Meta(description="The position of its first event.")]
    last: Annotated[int, Meta(description="Of its last; of the last there is while the hand is running.")]
    is_settled: bool


class HandList(Struct, frozen=True):
    """The hands of a table in their order, the running one included."""

    items: tuple[HandItem, ...]
    has_more: bool
    next: Annotated[int, Meta(description="What to ask for next, as `after`.")]


class DecisionMade(Struct, frozen=True, kw_only=True):
    """A decision of a hand."""

    position: int
    at: str
    by: Annotated[
        str, Meta(description='"seat:<n>", "host", or "service" where time was called: `made.called` says by whom.')
    ]
    type: str
    made: Annotated[
        Raw,
        Meta(description="The event's own members.", extra_json_schema={"type": "object"}),
    ]


class PaidOut(Struct, frozen=True, kw_only=True):
    """A payout, the event that made it, and why it is so much."""

    position: int
    type: str
    payout: Payout


class AccountInHand(Struct, frozen=True, kw_only=True):
    """What an account held before a hand, what the hand's transfers added, and what it held after it."""

    account: str
    unit: str
    opening: int
    net: int
    closing: int


class SeatInHand(Struct, frozen=True, kw_only=True):
    """What all accounts of a seat held before a hand, what it added to them, and what they held after it."""

    seat: int
    unit: str
    opening: int
    net: int
    closing: int


class HandView(Struct, frozen=True, kw_only=True):
    """A hand as the caller may see it: cards, decisions, every payout explained, and what it comes to."""

    table: str
    game: str
    credit: Credit
    hand: int
    first: int
    last: int
    is_settled: bool
    cards: tuple[DealtCard, ...]
    decisions: Annotated[
        tuple[DecisionMade, ...],
        Meta(
            description="The decisions, in their order.",
            extra_json_schema={"items": {"$ref": "#/components/schemas/DecisionMade"}},
        ),
    ]
    fields: Annotated[
        tuple[FieldOpening, ...],
        Meta(description="What was sealed in it, as far as the caller may read it by its last event."),
    ]
    payouts: tuple[PaidOut, ...]
    accounts: tuple[AccountInHand, ...]
    seats: tuple[SeatInHand, ...]


@hands.get("/v1/tables/<table>/hands")
@hands.query(HandPage)
@operation(
    hands, "list_hands", HandList, codes=(*READS, "table_must_be_intact", "table_must_exist"), headers=("ETag", "Link")
)
@retry_after_swap
def list_hands(page: HandPage, table: str) -> Response:
    """List the hands of a table.

    The hand that is being played is among them: `is_settled` is false there, and `last` is where it stands.
    """
    who = caller()
    stream_id = visible_tables.stream_of(table)
    with expensive.alone(is_dear=expensive.list_is_dear(page.limit)), reading(here().engine) as connection:
        table_at = visible_tables.as_far_as_it_holds(connection, stream_id, who)
        settled = lists.settled_hands(connection, stream_id, page.after, page.limit + 1)
    found = [
        HandItem(hand=hand, first=first, last=last, is_settled=True)
        for hand, first, last in settled
        if last <= table_at.position
    ]
    if not found:
        visible_tables.must_stand(table_at)
    if not table_at.broken_at and table_at.state.hand_is_running and table_at.state.hand > page.after:
        found.append(_running(table_at))
    weights.add(len(found) // weights.LINES)
    items = tuple(found[: page.limit])
    answer = HandList(items, len(found) > page.limit or table_at.broken_at > 0, items[-1].hand if items else page.after)
    return linked(told(answer, who, position=table_at.position), answer, page.limit)


@hands.get("/v1/tables/<table>/hands/<int(max=2147483647):hand>")
@operation(
    hands,
    "get_hand",
    HandView,
    codes=(*READS, "table_must_be_intact", "table_must_exist", "hand_must_exist"),
    headers=("ETag",),
)
@retry_after_swap
def get_hand(table: str, hand: int) -> Response:
    """Look at a hand: its cards as far as the caller may see them, its decisions, and its payouts explained.

    Cards that the caller may not see are `??`; once the deck is retired, everybody may see all that it dealt.
    """
    who = caller()
    stream_id = visible_tables.stream_of(table)
    with reading(here().engine) as connection:
        table_at = visible_tables.as_far_as_it_holds(connection, stream_id, who)
        item = find(connection, table_at, hand)
        if item is None:
            visible_tables.must_stand(table_at)
            raise Problem("hand_must_exist")
        hidden = visible_tables.hidden(connection, table_at)
        view = history(connection, here().log, table_at, item, visible_tables.seat_seen_from(table_at, who), hidden)
    return told(view, who, position=table_at.position)


def find(connection: Connection, table_at: TableAt, hand: int) -> HandItem | None:
    """Return which events of the table are those of a *hand*; None: there is no such hand, or none that holds."""
    if not table_at.broken_at and table_at.state.hand_is_running and hand == table_at.state.hand:
        return _running(table_at)
    for number, first, last in lists.settled_hands(connection, table_at.stream_id, hand - 1, 1):
        if number == hand and last <= table_at.position:
            return HandItem(hand=number, first=first, last=last, is_settled=True)
    return None


def history(  # noqa: PLR0913  # Which hand it is, and who looks at it.
    connection: Connection, log: Log, table_at: TableAt, item: HandItem, seat: int, hidden: Hidden
) -> HandView:
    """Return the hand of *item* as *seat* (0: everybody) may see it.

    Raises:
        StreamCorrupted: what was read does not hold.
    """
    recorded = log.read(connection, table_at.stream_id, item.first - 1, item.last - item.first + 1, head=table_at.head)
    accounts = _accounts(connection, table_at, item, recorded)
    return HandView(
        table=table_at.state.table,
        game=table_at.state.game,
        credit=credit(table_at.game),
        hand=item.hand,
        first=item.first,
        last=item.last,
        is_settled=item.is_settled,
        cards=visibility.dealt(recorded, table_at, seat, hidden),
        fields=visibility.readable(recorded, seat, hidden),
        decisions=tuple(_decision(one) for one in recorded if one.cmd),
        payouts=tuple(_paid(table_at, recorded)),
        accounts=accounts,
        seats=tuple(_seats(accounts)),
    )


def _running(table_at: TableAt) -> HandItem:
    return HandItem(hand=table_at.state.hand, first=table_at.hand_first, last=table_at.position, is_settled=False)


def _decision(one: RecordedEvent) -> DecisionMade:
    return DecisionMade(position=one.position, at=one.at, by=one.by, type=one.type, made=leaf.decode(one.leaf).pub)


def _paid(table_at: TableAt, recorded: Sequence[RecordedEvent]) -> Iterator[PaidOut]:
    events = [one.event for one in recorded]
    for number, one in enumerate(recorded):
        for payout in table_at.game.explain(one.event, events[:number]):
            yield PaidOut(position=one.position, type=one.type, payout=payout)


def _accounts(
    connection: Connection, table_at: TableAt, item: HandItem, recorded: Sequence[RecordedEvent]
) -> tuple[AccountInHand, ...]:
    """Return each account that was used by the end of a hand, or is there from the start, as scores are."""
    events: list[Any] = [one.event for one in recorded]
    added = nets(transfer for event in events for transfer in event.transfers)
    names = sorted(table_at.state.balances)
    held = statements.balances(connection, table_at.stream_id, names, item.first - 1)
    return tuple(
        AccountInHand(
            account=name,
            unit=unit_of(name),
            opening=held.get(name, 0),
            net=added.get(name, 0),
            closing=held.get(name, 0) + added.get(name, 0),
        )
        for name in names
        if name in held or name in added or (seat_of(name) and unit_of(name) == POINTS)
    )


def _seats(accounts: Iterable[AccountInHand]) -> Iterator[SeatInHand]:
    """Yield the sums of each seat's accounts, which are all of one unit."""
    of_seats: dict[int, list[AccountInHand]] = {}
    for one in accounts:
        if seat := seat_of(one.account):
            of_seats.setdefault(seat, []).append(one)
    for seat, own in sorted(of_seats.items()):
        opening, net, closing = (sum(part) for part in zip(*((a.opening, a.net, a.closing) for a in own), strict=True))
        yield SeatInHand(seat=seat, unit=own[0].unit, opening=opening, net=net, closing=closing)
