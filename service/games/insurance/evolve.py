"""How a table of Insurance remembers what has happened."""

from typing import Final

import msgspec
from msgspec.structs import replace

from service.cards import PACK
from service.games import common_events, table_state
from service.games.insurance import events
from service.games.insurance.events import InsuranceEvent
from service.games.insurance.options import Options
from service.games.insurance.state import Phase, State
from service.games.table_state import Memory

_WHOLE_DECK: Final = tuple(range(len(PACK)))


def evolve(state: State, event: InsuranceEvent) -> State:
    """Remember *event*. No rule is checked here: it has already happened."""
    return table_state.remembering(state, event, _MEMORY)


def _opened(state: State, event: common_events.TableOpened) -> State:
    return replace(table_state.opened(state, event), options=msgspec.convert(event.options, Options))


def _started(state: State, event: common_events.GameStarted) -> State:
    invited = state.invited if state.is_gambling else {}  # I-BET.2: one may still sit down.
    return replace(table_state.started(state, event), phase=Phase.BETTING, invited=invited)


def _left(state: State, event: common_events.SeatLeft) -> State:
    return _sat_in(table_state.left(state, event), event)


def _sat_out(state: State, event: events.HandSatOut) -> State:
    playing = tuple(seat for seat in state.playing if seat != event.seat)
    return replace(state, sitting_out=state.sitting_out | {event.seat}, playing=playing)


def _sat_in(state: State, event: events.SatIn | common_events.SeatLeft) -> State:
    return replace(state, sitting_out=state.sitting_out - {event.seat})


def _bet(state: State, _event: events.BetPlaced) -> State:
    """Begin a hand with its first bet; what lay on the table is gone."""
    if state.hand_is_running:
        return state
    return replace(state, hand=state.hand + 1, hand_is_running=True, cards={}, shown={}, seatings={})


def _begun(state: State, event: events.HandBegun) -> State:
    return replace(state, banker=event.banker, playing=event.players)


def _deck_fixed(state: State, event: common_events.DeckFixed) -> State:
    return replace(table_state.deck_fixed(state, event), deck=_WHOLE_DECK, cards={}, shown={})


def _deck_revealed(state: State, event: common_events.DeckRevealed) -> State:
    return replace(table_state.deck_revealed(state, event), deck=(), cards={}, shown={})


def _dealt(state: State, event: common_events.CardsDealt) -> State:
    dealt = {to: position for position, to in event.cards if isinstance(to, int)}
    return replace(state, deck=state.deck[len(event.cards) :], cards={**state.cards, **dealt})


def _shown(state: State, event: common_events.CardsShown) -> State:
    return replace(state, shown={**state.shown, **{card.pos: card.face for card in event.cards}})


def _offers_awaited(state: State, event: events.OffersAwaited) -> State:
    return replace(state, phase=Phase.OFFERING, to_offer=event.seats)


def _offered(state: State, event: events.InsuranceOffered) -> State:
    left = tuple(seat for seat in state.to_offer if seat != event.seat)
    phase = Phase.OFFERING if left else Phase.ACCEPTING
    return replace(state, phase=phase, to_offer=left, to_answer=(*state.to_answer, event.seat))


def _answered(state: State, event: events.InsuranceAccepted | events.InsuranceRefused) -> State:
    return replace(state, to_answer=tuple(seat for seat in state.to_answer if seat != event.seat))


def _knocked_out(state: State, event: events.PlayerKnockedOut) -> State:
    return replace(state, out=state.out | {event.seat})


def _hand_ended(state: State, event: events.HandEnded) -> State:
    return replace(
        state,
        phase=Phase.BETTING,
        hand_is_running=False,
        banker=0,
        last_banker=event.banker,
        playing=(),
        sitting_out=frozenset(),
    )


def _game_ended(state: State, event: common_events.GameEnded) -> State:
    return replace(table_state.ended(state, event), phase=Phase.OVER, cards={}, shown={})


def _closed(state: State, event: common_events.TableClosed) -> State:
    return replace(table_state.closed(state, event), phase=Phase.OVER, cards={}, shown={})


_MEMORY: Final[Memory] = {
    **table_state.MEMORY,
    common_events.TableOpened: _opened,
    common_events.SeatLeft: _left,
    common_events.GameStarted: _started,
    common_events.DeckFixed: _deck_fixed,
    common_events.DeckRevealed: _deck_revealed,
    common_events.CardsDealt: _dealt,
    common_events.CardsShown: _shown,
    common_events.GameEnded: _game_ended,
    common_events.TableClosed: _closed,
    events.ChipsBought: table_state.same,
    events.HandSatOut: _sat_out,
    events.SatIn: _sat_in,
    events.BetPlaced: _bet,
    events.HandBegun: _begun,
    events.DealBegun: table_state.same,
    events.OffersAwaited: _offers_awaited,
    events.InsuranceOffered: _offered,
    events.InsuranceAccepted: _answered,
    events.InsuranceRefused: _answered,
    events.HandSettled: table_state.same,
    events.PlayerKnockedOut: _knocked_out,
    events.HandEnded: _hand_ended,
}
