"""How a table of Insurance Hearts remembers what has happened."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Final, TypeVar

import msgspec
from msgspec.structs import replace

from service.games import common_events, table_state
from service.games.insurance_hearts import events
from service.games.insurance_hearts.events import HeartsEvent
from service.games.insurance_hearts.options import Options
from service.games.insurance_hearts.scoring import worth
from service.games.insurance_hearts.state import TRICKS, Phase, Played, State
from service.games.insurance_hearts.tricks import breaks_hearts
from service.games.table_state import Memory, clockwise
from service.ledger import POOL, score

V = TypeVar("V")


def evolve(state: State, event: HeartsEvent) -> State:
    """Remember *event*. No rule is checked here: it has already happened."""
    return table_state.remembering(state, event, _MEMORY)


def _opened(state: State, event: common_events.TableOpened) -> State:
    return replace(table_state.opened(state, event), options=msgspec.convert(event.options, Options))


def _started(state: State, event: common_events.GameStarted) -> State:
    nothing = dict.fromkeys((POOL, *map(score, state.players)), 0)
    return replace(table_state.started(state, event), phase=Phase.BETWEEN_HANDS, balances=nothing)


def _dealer_drawn(state: State, event: common_events.DealerDrawn) -> State:
    return replace(state, dealer=event.dealer)


def _begun(state: State, event: common_events.HandDealt) -> State:
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


def _dealt(state: State, event: common_events.CardsDealt) -> State:
    if not state.hand_is_running:
        return state
    hands: dict[int, tuple[int, ...]] = defaultdict(tuple)
    for position, to in event.cards:
        if isinstance(to, int):
            hands[to] += (position,)
    return replace(state, dealt=dict(sorted(hands.items())))


def _shown(state: State, event: common_events.CardsShown) -> State:
    return replace(state, on_table=tuple(card.pos for card in event.cards)) if state.hand_is_running else state


def _slips_awaited(state: State, _event: events.SlipsAwaited) -> State:
    return replace(state, phase=Phase.SLIPS)


def _slip_written(state: State, event: events.SlipWritten) -> State:
    return replace(state, slips_in=(*state.slips_in, event.seat))


def _feet_used(state: State, event: events.FootTold | events.HandCancelled) -> State:
    return replace(state, feet_used=state.feet_used.union(event.callers))


def _pass_awaited(state: State, _event: events.PassAwaited) -> State:
    return replace(state, phase=Phase.PASSING)


def _pass_chosen(state: State, event: events.PassChosen) -> State:
    return replace(state, passes_in=(*state.passes_in, event.seat))


def _passed(state: State, _event: events.CardsPassed) -> State:
    return replace(state, has_passed=True)


def _bids_awaited(state: State, event: events.BidsAwaited) -> State:
    return replace(state, phase=Phase.BIDDING, auction=event.cards, left=event.cards)


def _bid_written(state: State, event: events.BidWritten) -> State:
    return replace(state, bids_in=(*state.bids_in, event.seat))


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


def _play_begun(state: State, event: events.PlayBegun) -> State:
    return replace(state, phase=Phase.PLAYING, turn=event.leader)


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


def _finished(state: State, event: events.HandFinished) -> State:
    return replace(state, phase=Phase.BETWEEN_HANDS, hand_is_running=False, dealer=event.dealer)


def _deck_revealed(state: State, event: common_events.DeckRevealed) -> State:
    return replace(table_state.deck_revealed(state, event), dealt={}, on_table=())


def _game_ended(state: State, event: common_events.GameEnded) -> State:
    return replace(table_state.ended(state, event), phase=Phase.OVER)


def _closed(state: State, event: common_events.TableClosed) -> State:
    return replace(table_state.closed(state, event), phase=Phase.OVER)


def _with(of_seats: Mapping[int, tuple[V, ...]], seat: int, more: tuple[V, ...]) -> Mapping[int, tuple[V, ...]]:
    """Return what each seat has, with what *seat* has besides."""
    return dict(sorted({**of_seats, seat: (*of_seats.get(seat, ()), *more)}.items()))


_MEMORY: Final[Memory] = {
    **table_state.MEMORY,
    common_events.TableOpened: _opened,
    common_events.GameStarted: _started,
    common_events.DealerDrawn: _dealer_drawn,
    common_events.HandDealt: _begun,
    common_events.CardsDealt: _dealt,
    common_events.CardsShown: _shown,
    events.SlipsAwaited: _slips_awaited,
    events.SlipWritten: _slip_written,
    events.FootTold: _feet_used,
    events.HandCancelled: _feet_used,
    events.PassAwaited: _pass_awaited,
    events.PassChosen: _pass_chosen,
    events.CardsPassed: _passed,
    events.BidsAwaited: _bids_awaited,
    events.BidWritten: _bid_written,
    events.BidsOpened: table_state.same,
    events.AuctionSettled: _settled,
    events.LeftoverChosen: _given,
    events.LeftoverGiven: _given,
    events.PlayBegun: _play_begun,
    events.CardPlayed: _played,
    events.TrickTaken: _taken,
    events.HandScored: table_state.same,
    events.HandFinished: _finished,
    common_events.DeckRevealed: _deck_revealed,
    common_events.GameEnded: _game_ended,
    common_events.TableClosed: _closed,
}
