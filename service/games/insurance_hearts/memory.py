"""How a table of Insurance Hearts remembers what has happened."""

from collections import defaultdict
from collections.abc import Mapping
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from service.games import events as every, table
from service.games.events import TableEvent
from service.games.insurance_hearts import events
from service.games.insurance_hearts.events import HeartsEvent
from service.games.insurance_hearts.options import Options
from service.games.insurance_hearts.scoring import worth
from service.games.insurance_hearts.state import TRICKS, Phase, Played, State
from service.games.insurance_hearts.tricks import breaks_hearts
from service.games.table import clockwise
from service.ledger import POOL, score

V = TypeVar("V")


def evolve(state: State, event: HeartsEvent) -> State:
    """Remember *event*. No rule is checked here: it has already happened."""
    state = table.book(state, event)
    match event:
        case every.DealerDrawn():
            return replace(state, dealer=event.dealer)
        case every.HandDealt():
            return _begun(state, event)
        case events.SlipsAwaited():
            return replace(state, phase=Phase.SLIPS)
        case events.SlipWritten():
            return replace(state, slips_in=(*state.slips_in, event.seat))
        case events.FootTold() | events.HandCancelled():
            return replace(state, feet_used=state.feet_used.union(event.callers))
        case events.PassAwaited():
            return replace(state, phase=Phase.PASSING)
        case events.PassChosen():
            return replace(state, passes_in=(*state.passes_in, event.seat))
        case events.CardsPassed():
            return replace(state, has_passed=True)
        case events.BidsAwaited():
            return replace(state, phase=Phase.BIDDING, auction=event.cards, left=event.cards)
        case events.BidWritten():
            return replace(state, bids_in=(*state.bids_in, event.seat))
        case events.BidsOpened() | events.HandScored():
            return state
        case events.AuctionSettled():
            return _settled(state, event)
        case events.LeftoverChosen() | events.LeftoverGiven():
            return _given(state, event)
        case events.PlayBegun():
            return replace(state, phase=Phase.PLAYING, turn=event.leader)
        case events.CardPlayed():
            return _played(state, event)
        case events.TrickTaken():
            return _taken(state, event)
        case events.HandFinished():
            return replace(state, phase=Phase.BETWEEN_HANDS, hand_is_running=False, dealer=event.dealer)
        case _:  # What is left is a table's event: one of our own that was forgotten would not fit its type.
            return _at_table(table.evolve(state, event), event)


def _begun(state: State, event: every.HandDealt) -> State:
    """Begin a hand; the last one is forgotten, down to its tricks."""
    return replace(
        state,
        phase=Phase.BETWEEN_HANDS,
        hand=event.hand,
        hand_is_running=True,
        dealer=event.dealer,
        dealt={},
        on_table=(),
        slips_in=(),
        passes_in=(),
        has_passed=False,
        auction=(),
        bids_in=(),
        bids={},
        gained={},
        left=(),
        choosing=(),
        turn=0,
        trick=(),
        last_trick=(),
        tricks={},
        taken={},
        played={},
        hearts_are_broken=False,
    )


def _settled(state: State, event: events.AuctionSettled) -> State:
    return replace(
        state,
        phase=Phase.CHOOSING,
        gained={sold.seat: sold.card for sold in event.sold},
        bids={sold.seat: sold.points for sold in event.sold},
        choosing=event.choosing,
        left=event.left,
    )


def _given(state: State, event: events.LeftoverChosen | events.LeftoverGiven) -> State:
    return replace(
        state,
        gained={**state.gained, event.seat: event.card},
        choosing=tuple(seat for seat in state.choosing if seat != event.seat),
        left=tuple(card for card in state.left if card != event.card),
    )


def _played(state: State, event: events.CardPlayed) -> State:
    return replace(
        state,
        trick=(*state.trick, Played(event.seat, event.card)),
        played=_with(state.played, event.seat, (event.card,)),
        turn=clockwise(tuple(state.players), event.seat)[0],
        hearts_are_broken=state.hearts_are_broken or breaks_hearts(event.card, state.options),
    )


def _taken(state: State, event: events.TrickTaken) -> State:
    count = state.tricks.get(event.seat, 0) + 1
    tricks = dict(sorted({**state.tricks, event.seat: count}.items()))
    return replace(
        state,
        tricks=tricks,
        taken=_with(state.taken, event.seat, tuple(card for card in event.cards if worth(card))),
        trick=(),
        last_trick=state.trick,
        turn=event.seat if sum(tricks.values()) < TRICKS else 0,
    )


def _with(of_seats: Mapping[int, tuple[V, ...]], seat: int, more: tuple[V, ...]) -> Mapping[int, tuple[V, ...]]:
    """Return what each seat has, with what *seat* has besides."""
    return dict(sorted({**of_seats, seat: (*of_seats.get(seat, ()), *more)}.items()))


def _at_table(state: State, event: TableEvent) -> State:
    match event:
        case every.TableOpened():
            return replace(state, options=msgspec.convert(event.options, Options))
        case every.GameStarted():
            return replace(
                state, phase=Phase.BETWEEN_HANDS, balances=dict.fromkeys((POOL, *map(score, state.players)), 0)
            )
        case every.CardsDealt():
            return _dealt(state, event) if state.hand_is_running else state
        case every.CardsShown():
            return replace(state, on_table=tuple(card.pos for card in event.cards)) if state.hand_is_running else state
        case every.DeckRevealed():
            return replace(state, dealt={}, on_table=())
        case every.GameEnded() | every.TableClosed():
            return replace(state, phase=Phase.OVER)
        case (
            every.SeatTaken()
            | every.SeatLeft()
            | every.CardsBottomed()
            | every.DeckOpened()
            | every.DeckFixed()
            | every.DeckUnused()
        ):
            return state


def _dealt(state: State, event: every.CardsDealt) -> State:
    hands: dict[int, tuple[int, ...]] = defaultdict(tuple)
    for position, to in event.cards:
        if isinstance(to, int):
            hands[to] += (position,)
    return replace(state, dealt=dict(sorted(hands.items())))
