"""The transitions of a table of Insurance Hearts: its state after each event (DECISIONS 43 and 95)."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Final, TypeVar

from msgspec.structs import replace

from service.games import common_events, table_state
from service.games.insurance_hearts import events
from service.games.insurance_hearts.options import Options
from service.games.insurance_hearts.state import Phase, PlayedCard, State
from service.games.seeds.seed_transitions import seed_transitions
from service.games.table_state import Transitions
from service.ledger import POOL, score

V = TypeVar("V")


def _on_game_started(state: State, event: common_events.GameStarted) -> State:
    balances = dict.fromkeys((POOL, *map(score, state.players)), 0)
    return replace(table_state.on_game_started(state, event), phase=Phase.BETWEEN_HANDS, balances=balances)


def _on_dealer_drawn(state: State, event: common_events.DealerDrawn) -> State:
    return replace(state, dealer=event.dealer)


def _on_hand_dealt(state: State, event: common_events.HandDealt) -> State:
    """Begin a hand, and reset every member that describes the last hand."""
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
        to_play=(),
        trick=(),
        last_trick=(),
        tricks={},
        taken={},
        played={},
        hearts_are_broken=False,
    )


def _on_cards_dealt(state: State, event: common_events.CardsDealt) -> State:
    if not state.hand_is_running:
        return state
    hands: dict[int, tuple[int, ...]] = defaultdict(tuple)
    for position, to in event.cards:
        if isinstance(to, int):
            hands[to] += (position,)
    return replace(state, dealt=dict(sorted(hands.items())))


def _on_cards_shown(state: State, event: common_events.CardsShown) -> State:
    return replace(state, on_table=tuple(card.pos for card in event.cards)) if state.hand_is_running else state


def _on_slips_awaited(state: State, _event: events.SlipsAwaited) -> State:
    return replace(state, phase=Phase.SLIPS)


def _on_slip_written(state: State, event: events.SlipWritten) -> State:
    return replace(state, slips_in=(*state.slips_in, event.seat))


def _on_foot_calls(state: State, event: events.FootTold | events.HandCancelled) -> State:
    return replace(state, feet_used=state.feet_used.union(event.callers))


def _on_pass_awaited(state: State, _event: events.PassAwaited) -> State:
    return replace(state, phase=Phase.PASSING)


def _on_pass_chosen(state: State, event: events.PassChosen) -> State:
    return replace(state, passes_in=(*state.passes_in, event.seat))


def _on_cards_passed(state: State, _event: events.CardsPassed) -> State:
    return replace(state, has_passed=True)


def _on_bids_awaited(state: State, event: events.BidsAwaited) -> State:
    return replace(state, phase=Phase.BIDDING, auction=event.cards, left=event.cards)


def _on_bid_written(state: State, event: events.BidWritten) -> State:
    return replace(state, bids_in=(*state.bids_in, event.seat))


def _on_auction_settled(state: State, event: events.AuctionSettled) -> State:
    return replace(
        state,
        phase=Phase.CHOOSING,
        gained={sold.seat: sold.card for sold in event.sold},
        bids={sold.seat: sold.points for sold in event.sold},
        choosing=event.choosing,
        left=event.left,
    )


def _on_leftover_given(state: State, event: events.LeftoverChosen | events.LeftoverGiven) -> State:
    return replace(
        state,
        gained={**state.gained, event.seat: event.card},
        choosing=tuple(seat for seat in state.choosing if seat != event.seat),
        left=tuple(card for card in state.left if card != event.card),
    )


def _on_play_begun(state: State, event: events.PlayBegun) -> State:
    return replace(state, phase=Phase.PLAYING, to_play=event.to_play)


def _on_card_played(state: State, event: events.CardPlayed) -> State:
    return replace(
        state,
        trick=(*state.trick, PlayedCard(event.seat, event.card)),
        played=_with(state.played, event.seat, (event.card,)),
        to_play=state.to_play[1:],
        hearts_are_broken=state.hearts_are_broken or event.breaks_hearts,
    )


def _on_trick_taken(state: State, event: events.TrickTaken) -> State:
    count = state.tricks.get(event.seat, 0) + 1
    return replace(
        state,
        tricks=dict(sorted({**state.tricks, event.seat: count}.items())),
        taken=_with(state.taken, event.seat, event.cards),
        trick=(),
        last_trick=state.trick,
        to_play=event.to_play,
    )


def _on_hand_finished(state: State, event: events.HandFinished) -> State:
    return replace(state, phase=Phase.BETWEEN_HANDS, hand_is_running=False, dealer=event.dealer)


def _on_deck_revealed(state: State, event: common_events.DeckRevealed) -> State:
    return replace(table_state.on_seed_revealed(state, event), dealt={}, on_table=())


def _on_game_ended(state: State, event: common_events.GameEnded) -> State:
    return replace(table_state.on_game_ended(state, event), phase=Phase.OVER)


def _on_table_closed(state: State, event: common_events.TableClosed) -> State:
    return replace(table_state.on_table_closed(state, event), phase=Phase.OVER)


def _with(by_seat: Mapping[int, tuple[V, ...]], seat: int, items: tuple[V, ...]) -> Mapping[int, tuple[V, ...]]:
    """Return *by_seat* with *items* appended for *seat*."""
    return dict(sorted({**by_seat, seat: (*by_seat.get(seat, ()), *items)}.items()))


TRANSITIONS: Final[Transitions[State]] = {
    **table_state.common_transitions(Options),
    **seed_transitions(),
    common_events.GameStarted: _on_game_started,
    common_events.DealerDrawn: _on_dealer_drawn,
    common_events.HandDealt: _on_hand_dealt,
    common_events.CardsDealt: _on_cards_dealt,
    common_events.CardsShown: _on_cards_shown,
    events.SlipsAwaited: _on_slips_awaited,
    events.SlipWritten: _on_slip_written,
    events.FootTold: _on_foot_calls,
    events.HandCancelled: _on_foot_calls,
    events.PassAwaited: _on_pass_awaited,
    events.PassChosen: _on_pass_chosen,
    events.CardsPassed: _on_cards_passed,
    events.BidsAwaited: _on_bids_awaited,
    events.BidWritten: _on_bid_written,
    events.BidsOpened: table_state.unchanged,
    events.AuctionSettled: _on_auction_settled,
    events.LeftoverChosen: _on_leftover_given,
    events.LeftoverGiven: _on_leftover_given,
    events.PlayBegun: _on_play_begun,
    events.CardPlayed: _on_card_played,
    events.TrickTaken: _on_trick_taken,
    events.HandScored: table_state.unchanged,
    events.HandFinished: _on_hand_finished,
    common_events.DeckRevealed: _on_deck_revealed,
    common_events.GameEnded: _on_game_ended,
    common_events.TableClosed: _on_table_closed,
}
