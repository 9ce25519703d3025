"""The transitions of a table of Insurance: its state after each event (DECISIONS 43 and 95)."""

from typing import Final

from msgspec.structs import replace

from service.games import common_events, decks, table_state
from service.games.insurance import events
from service.games.insurance.options import Options
from service.games.insurance.state import Phase, State
from service.games.seeds.seed_transitions import seed_transitions
from service.games.table_state import Transitions


def _on_game_started(state: State, event: common_events.GameStarted) -> State:
    return replace(table_state.on_game_started(state, event), phase=Phase.BETTING)


def _on_seat_left(state: State, event: common_events.SeatLeft) -> State:
    return _on_sat_in(table_state.on_seat_left(state, event), event)


def _on_hand_sat_out(state: State, event: events.HandSatOut) -> State:
    playing = tuple(seat for seat in state.playing if seat != event.seat)
    return replace(state, sitting_out=state.sitting_out | {event.seat}, playing=playing)


def _on_sat_in(state: State, event: events.SatIn | common_events.SeatLeft) -> State:
    return replace(state, sitting_out=state.sitting_out - {event.seat})


def _on_bet_placed(state: State, event: events.BetPlaced) -> State:
    """If the bet is the first of a hand, begin the hand, and remove the cards of the last hand from the table."""
    if not event.begins_hand:
        return state
    return replace(state, hand=event.begins_hand, hand_is_running=True, cards={}, shown={}, seatings={})


def _on_hand_begun(state: State, event: events.HandBegun) -> State:
    return replace(state, banker=event.banker, playing=event.players)


def _on_deck_fixed(state: State, event: common_events.DeckFixed) -> State:
    return replace(table_state.on_deck_fixed(state, event), deck=decks.ALL_POSITIONS, cards={}, shown={})


def _on_deck_revealed(state: State, event: common_events.DeckRevealed) -> State:
    return replace(table_state.on_seed_revealed(state, event), deck=(), cards={}, shown={})


def _on_cards_dealt(state: State, event: common_events.CardsDealt) -> State:
    dealt = {to: position for position, to in event.cards if isinstance(to, int)}
    return replace(state, deck=state.deck[len(event.cards) :], cards={**state.cards, **dealt})


def _on_cards_shown(state: State, event: common_events.CardsShown) -> State:
    return replace(state, shown={**state.shown, **{card.pos: card.face for card in event.cards}})


def _on_offers_awaited(state: State, event: events.OffersAwaited) -> State:
    return replace(state, phase=Phase.OFFERING, to_offer=event.seats)


def _on_insurance_offered(state: State, event: events.InsuranceOffered) -> State:
    to_offer = tuple(seat for seat in state.to_offer if seat != event.seat)
    phase = Phase.ACCEPTING if event.all_have_offered else Phase.OFFERING
    return replace(state, phase=phase, to_offer=to_offer, to_answer=(*state.to_answer, event.seat))


def _on_offer_answered(state: State, event: events.InsuranceAccepted | events.InsuranceRefused) -> State:
    return replace(state, to_answer=tuple(seat for seat in state.to_answer if seat != event.seat))


def _on_player_knocked_out(state: State, event: events.PlayerKnockedOut) -> State:
    return replace(state, out=state.out | {event.seat})


def _on_hand_ended(state: State, event: events.HandEnded) -> State:
    return replace(
        state,
        phase=Phase.BETTING,
        hand_is_running=False,
        banker=0,
        last_banker=event.banker,
        playing=(),
        sitting_out=frozenset(),
    )


def _on_game_ended(state: State, event: common_events.GameEnded) -> State:
    return replace(table_state.on_game_ended(state, event), phase=Phase.OVER, cards={}, shown={})


def _on_table_closed(state: State, event: common_events.TableClosed) -> State:
    return replace(table_state.on_table_closed(state, event), phase=Phase.OVER, cards={}, shown={})


TRANSITIONS: Final[Transitions[State]] = {
    **table_state.common_transitions(Options),
    **seed_transitions(),
    common_events.SeatLeft: _on_seat_left,
    common_events.GameStarted: _on_game_started,
    common_events.DeckFixed: _on_deck_fixed,
    common_events.DeckRevealed: _on_deck_revealed,
    common_events.CardsDealt: _on_cards_dealt,
    common_events.CardsShown: _on_cards_shown,
    common_events.GameEnded: _on_game_ended,
    common_events.TableClosed: _on_table_closed,
    events.ChipsBought: table_state.unchanged,
    events.HandSatOut: _on_hand_sat_out,
    events.SatIn: _on_sat_in,
    events.BetPlaced: _on_bet_placed,
    events.HandBegun: _on_hand_begun,
    events.DealBegun: table_state.unchanged,
    events.OffersAwaited: _on_offers_awaited,
    events.InsuranceOffered: _on_insurance_offered,
    events.InsuranceAccepted: _on_offer_answered,
    events.InsuranceRefused: _on_offer_answered,
    events.HandSettled: table_state.unchanged,
    events.PlayerKnockedOut: _on_player_knocked_out,
    events.HandEnded: _on_hand_ended,
}
