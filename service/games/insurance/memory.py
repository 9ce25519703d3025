"""How a table of Insurance remembers what has happened."""

import msgspec
from msgspec.structs import replace

from service.cards import PACK
from service.games import events as every, table
from service.games.events import TableEvent
from service.games.insurance import events
from service.games.insurance.events import InsuranceEvent
from service.games.insurance.options import Options
from service.games.insurance.state import Phase, State


def evolve(state: State, event: InsuranceEvent) -> State:
    """Remember *event*. No rule is checked here: it has already happened."""
    state = table.book(state, event)
    match event:
        case events.ChipsBought():
            return state
        case events.HandSatOut():
            playing = tuple(seat for seat in state.playing if seat != event.seat)
            return replace(state, sitting_out=state.sitting_out | {event.seat}, playing=playing)
        case events.SatIn():
            return replace(state, sitting_out=state.sitting_out - {event.seat})
        case events.BetPlaced():
            return state if state.hand_is_running else _begun(state)
        case events.HandBegun():
            return replace(state, banker=event.banker, playing=event.players)
        case events.DealBegun():
            return state
        case events.OffersAwaited():
            return replace(state, phase=Phase.OFFERING, to_offer=event.seats)
        case events.InsuranceOffered():
            left = tuple(seat for seat in state.to_offer if seat != event.seat)
            phase = Phase.OFFERING if left else Phase.ACCEPTING
            return replace(state, phase=phase, to_offer=left, to_answer=(*state.to_answer, event.seat))
        case events.InsuranceAccepted() | events.InsuranceRefused():
            return replace(state, to_answer=tuple(seat for seat in state.to_answer if seat != event.seat))
        case events.HandSettled():
            return state
        case events.PlayerKnockedOut():
            return replace(state, out=state.out | {event.seat})
        case events.HandEnded():
            return _ended(state, event)
        case _:  # What is left is a table's event: one of our own that was forgotten would not fit its type.
            return _at_table(table.evolve(state, event), event)


def _begun(state: State) -> State:
    """Begin a hand with its first bet; what lay on the table is gone."""
    return replace(state, hand=state.hand + 1, hand_is_running=True, cards={}, shown={})


def _ended(state: State, event: events.HandEnded) -> State:
    return replace(
        state,
        phase=Phase.BETTING,
        hand_is_running=False,
        banker=0,
        last_banker=event.banker,
        playing=(),
        sitting_out=frozenset(),
    )


def _at_table(state: State, event: TableEvent) -> State:
    match event:
        case every.TableOpened():
            return replace(state, options=msgspec.convert(event.options, Options))
        case every.GameStarted():
            return replace(state, phase=Phase.BETTING)
        case every.SeatLeft():
            return replace(state, sitting_out=state.sitting_out - {event.seat})
        case every.DeckFixed():
            return replace(state, deck=tuple(range(len(PACK))), cards={}, shown={})
        case every.DeckRevealed():
            return replace(state, deck=(), cards={}, shown={})
        case every.CardsDealt():
            dealt = {to: position for position, to in event.cards if isinstance(to, int)}
            return replace(state, deck=state.deck[len(event.cards) :], cards={**state.cards, **dealt})
        case every.CardsShown():
            return replace(state, shown={**state.shown, **{card.pos: card.face for card in event.cards}})
        case every.GameEnded() | every.TableClosed():
            return replace(state, phase=Phase.OVER, cards={}, shown={})
        case every.SeatTaken() | every.CardsBottomed() | every.DeckOpened() | every.DeckUnused():
            return state
