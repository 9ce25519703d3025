"""`/v1/tables/{table}/hands`: what was dealt, decided and paid, hand by hand, and whether it was right."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Any, Final

from flask import Response
from msgspec import Meta, Raw, Struct
from sqlalchemy import Connection

from service.games.payouts import Payout
from service.http import dear, known, weights
from service.http.answers import linked, told
from service.http.identity import asker
from service.http.operations import READS, operation
from service.http.parts import here
from service.http.problems import Problem
from service.http.resources import Resource
from service.http.table import Credit, credit
from service.ledger import POINTS, nets, seat_of, unit_of
from service.log import leaf
from service.log.codec import Recorded
from service.log.database import reading
from service.log.openings import FieldOpening
from service.log.store import Log
from service.projections import lists, sight, statements
from service.projections.generation import repeated
from service.projections.sight import DealtCard
from service.projections.situations import Situation
from service.projections.vault import Hidden

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
    """A hand as the asker may see it: cards, decisions, every payout explained, and what it comes to."""

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
        Meta(description="What was sealed in it, as far as the asker may read it by its last event."),
    ]
    payouts: tuple[PaidOut, ...]
    accounts: tuple[AccountInHand, ...]
    seats: tuple[SeatInHand, ...]


@hands.get("/v1/tables/<table>/hands")
@hands.query(HandPage)
@operation(
    hands, "list_hands", HandList, codes=(*READS, "table_must_be_intact", "table_must_exist"), headers=("ETag", "Link")
)
@repeated
def list_hands(page: HandPage, table: str) -> Response:
    """List the hands of a table.

    The hand that is being played is among them: `is_settled` is false there, and `last` is where it stands.
    """
    who = asker()
    stream_id = known.stream_of(table)
    with dear.alone(is_dear=dear.list_is_dear(page.limit)), reading(here().engine) as connection:
        situation = known.as_far_as_it_holds(connection, stream_id, who)
        settled = lists.settled_hands(connection, stream_id, page.after, page.limit + 1)
    found = [
        HandItem(hand=hand, first=first, last=last, is_settled=True)
        for hand, first, last in settled
        if last <= situation.position
    ]
    if not found:
        known.must_stand(situation)
    if not situation.broken_at and situation.state.hand_is_running and situation.state.hand > page.after:
        found.append(_running(situation))
    weights.add(len(found) // weights.LINES)
    items = tuple(found[: page.limit])
    answer = HandList(
        items, len(found) > page.limit or situation.broken_at > 0, items[-1].hand if items else page.after
    )
    return linked(told(answer, who, position=situation.position), answer, page.limit)


@hands.get("/v1/tables/<table>/hands/<int(max=2147483647):hand>")
@operation(
    hands,
    "get_hand",
    HandView,
    codes=(*READS, "table_must_be_intact", "table_must_exist", "hand_must_exist"),
    headers=("ETag",),
)
@repeated
def get_hand(table: str, hand: int) -> Response:
    """Look at a hand: its cards as far as the asker may see them, its decisions, and its payouts explained.

    Cards that the asker may not see are `??`; once the deck is retired, everybody may see all that it dealt.
    """
    who = asker()
    stream_id = known.stream_of(table)
    with reading(here().engine) as connection:
        situation = known.as_far_as_it_holds(connection, stream_id, who)
        item = find(connection, situation, hand)
        if item is None:
            known.must_stand(situation)
            raise Problem("hand_must_exist")
        hidden = known.hidden(connection, situation)
        view = history(connection, here().log, situation, item, known.seat_seen_from(situation, who), hidden)
    return told(view, who, position=situation.position)


def find(connection: Connection, situation: Situation, hand: int) -> HandItem | None:
    """Return which events of the table are those of a *hand*; None: there is no such hand, or none that holds."""
    if not situation.broken_at and situation.state.hand_is_running and hand == situation.state.hand:
        return _running(situation)
    for number, first, last in lists.settled_hands(connection, situation.stream_id, hand - 1, 1):
        if number == hand and last <= situation.position:
            return HandItem(hand=number, first=first, last=last, is_settled=True)
    return None


def history(  # noqa: PLR0913  # Which hand it is, and who looks at it.
    connection: Connection, log: Log, situation: Situation, item: HandItem, seat: int, hidden: Hidden
) -> HandView:
    """Return the hand of *item* as *seat* (0: everybody) may see it.

    Raises:
        LogMustRunOn: what was read does not hold.
    """
    recorded = log.read(
        connection, situation.stream_id, item.first - 1, item.last - item.first + 1, head=situation.head
    )
    accounts = _accounts(connection, situation, item, recorded)
    return HandView(
        table=situation.state.table,
        game=situation.state.game,
        credit=credit(situation.game),
        hand=item.hand,
        first=item.first,
        last=item.last,
        is_settled=item.is_settled,
        cards=sight.dealt(recorded, situation, seat, hidden),
        fields=sight.readable(recorded, seat, hidden),
        decisions=tuple(_decision(one) for one in recorded if one.cmd),
        payouts=tuple(_paid(situation, recorded)),
        accounts=accounts,
        seats=tuple(_seats(accounts)),
    )


def _running(situation: Situation) -> HandItem:
    return HandItem(hand=situation.state.hand, first=situation.hand_first, last=situation.position, is_settled=False)


def _decision(one: Recorded) -> DecisionMade:
    return DecisionMade(position=one.position, at=one.at, by=one.by, type=one.type, made=leaf.decode(one.leaf).pub)


def _paid(situation: Situation, recorded: Sequence[Recorded]) -> Iterator[PaidOut]:
    events = [one.event for one in recorded]
    for number, one in enumerate(recorded):
        for payout in situation.game.explain(one.event, events[:number]):
            yield PaidOut(position=one.position, type=one.type, payout=payout)


def _accounts(
    connection: Connection, situation: Situation, item: HandItem, recorded: Sequence[Recorded]
) -> tuple[AccountInHand, ...]:
    """Return each account that was used by the end of a hand, or is there from the start, as scores are."""
    events: list[Any] = [one.event for one in recorded]
    added = nets(transfer for event in events for transfer in event.transfers)
    names = sorted(situation.state.balances)
    held = statements.balances(connection, situation.stream_id, names, item.first - 1)
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
