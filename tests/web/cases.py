"""Hands of random games in the form of the API's answers, without a service; all cards are hidden."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from service.client.hand_answers import (
    Adjudication,
    DealtCard,
    Event,
    HandHistory,
    Judged,
    Leaf,
    Payout,
    PayoutEvent,
    SeatSum,
)
from service.client.table_answers import Credit, GameInfo as GameFacts, SeatAt, Table, Worth
from service.games.definition import Game
from service.games.game import Event as GameEvent, type_name
from service.ledger import POINTS, account_seat, unit_of
from service.web.case.case_facts import Answers
from tests.games.random_play import TABLE, play


def hands(game: Game, seed: int) -> Iterator[Answers]:
    """Yield each hand of a random game."""
    recorded: list[tuple[int, str, GameEvent]] = []
    first, position, opening = 0, 0, dict[str, int]()
    for step in play(game, seed):
        for number, (event, after) in enumerate(zip(step.events, step.after, strict=True)):
            position += 1
            before = step.after[number - 1] if number else step.before
            if after.hand != before.hand:
                first, recorded, opening = position, [], dict(before.balances)
            if first:
                recorded.append((position, step.command.by if not number else "service", event))
        if first and not step.after[-1].hand_is_running:
            yield answers(game, step.after[-1].hand, recorded, opening, dict(step.after[-1].balances))
            first = 0


def answers(
    game: Game,
    number: int,
    recorded: Sequence[tuple[int, str, GameEvent]],
    opening: Mapping[str, int],
    closing: Mapping[str, int],
) -> Answers:
    """Return the answers of the API about a settled hand; *recorded* are its events, with positions and authors."""
    events = tuple(_event(position, by, event) for position, by, event in recorded)
    judged = tuple(
        Judged(one.leaf.position, one.leaf.by, "clean", False, 1) for one in events if one.leaf.by != "service"
    )
    credit = Credit(game.sheet.title, game.sheet.author, game.sheet.year, game.sheet.sha256)
    hand = HandHistory(
        table=TABLE,
        game=game.name,
        credit=credit,
        hand=number,
        first=events[0].leaf.position,
        last=events[-1].leaf.position,
        is_settled=True,
        cards=tuple(_cards(events)),
        decks=(),
        decisions=(),
        fields=(),
        payouts=tuple(_payouts(game, recorded)),
        accounts=(),
        seats=tuple(_seats(opening, closing)),
        disputes=(),
    )
    seats = tuple(SeatAt(one.seat, f"own_{one.seat}") for one in hand.seats)
    return Answers(
        hand=hand,
        table=Table(
            TABLE, game.name, hand.last, "playing", number, 0, {}, (), {}, {}, game.edition, seats, Worth("USD", 10)
        ),
        game=GameFacts(credit=credit, edition=game.edition, rules=game.sheet.rules, rulings=game.rulings, actions=()),
        events=events,
        deck_events=(),
        adjudication=Adjudication("clean", None, (), judged),
        proof="No signed checkpoint covers the event yet.",
        disputes={},
    )


def _event(position: int, by: str, event: GameEvent) -> Event:
    pub: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(event))
    return Event(Leaf(position, "2026-07-14T20:15:00.000Z", by, type_name(type(event)), pub), "00" * 32)


def _cards(events: Sequence[Event]) -> Iterator[DealtCard]:
    for event in events:
        if event.leaf.type == "cards_dealt":
            for pos, to in event.leaf.pub["cards"]:
                yield DealtCard(event.leaf.position, event.leaf.pub["epoch"], pos, to, "??")


def _payouts(game: Game, recorded: Sequence[tuple[int, str, GameEvent]]) -> Iterator[PayoutEvent]:
    events = [event for _, _, event in recorded]
    for number, (position, _, event) in enumerate(recorded):
        for payout in game.explain(event, events[:number]):
            yield PayoutEvent(position, type_name(type(event)), msgspec.convert(msgspec.to_builtins(payout), Payout))


def _seats(opening: Mapping[str, int], closing: Mapping[str, int]) -> Iterator[SeatSum]:
    for seat in sorted({account_seat(account) for account in closing} - {0}):
        own = [account for account in closing if account_seat(account) == seat]
        before, after = (sum(balances.get(account, 0) for account in own) for balances in (opening, closing))
        yield SeatSum(seat, unit_of(own[0]), before, after - before, after)


def unit_is_points(shown: Answers) -> bool:
    """Return whether the hand is played for points; the fewest points win."""
    return shown.hand.seats[0].unit == POINTS
