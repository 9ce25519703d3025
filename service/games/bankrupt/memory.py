"""How a table of Bankrupt remembers what has happened."""

from collections.abc import Mapping

import msgspec
from msgspec.structs import replace

from service.cards import PACK
from service.games import events as every, table
from service.games.bankrupt import events
from service.games.bankrupt.events import BankruptEvent, Decided, Settled, Upped
from service.games.bankrupt.options import Options
from service.games.bankrupt.state import Offer, Phase, State, alive
from service.games.events import TableEvent
from service.games.game import Event
from service.ledger import ante, seat_of

_ASIDE = "aside"


def evolve(state: State, event: BankruptEvent) -> State:
    """Remember *event*. No rule is checked here: it has already happened."""
    if event.transfers:
        state = replace(table.book(state, event), heaps=_heaps_after(state.heaps, event))
    match event:
        case every.HandDealt():
            return _at_deal(state, event)
        case events.AntesPlaced():
            return _at_antes(state, event)
        case events.CardsHeld() | events.CardExchanged() | events.HandThrownIn():
            return _at_decision(state, event)
        case (
            events.UppingOffered()
            | events.UppingPassed()
            | events.UppingAccepted()
            | events.UppingDeclined()
            | events.UppingCollected()
            | events.OfferReturned()
        ):
            return _at_upping(state, event)
        case every.DealerDrawn():
            return replace(state, dealer=event.dealer, phase=Phase.BETWEEN_ROUNDS)
        case events.CardUpturned():
            return replace(state, deck=event.order, upturned=event.pos, upturned_in_view=True)
        case events.UpturnedExposed():
            return replace(state, exposed=event.pos, shown={**state.shown, event.pos: event.face})
        case (
            events.RoundDead()
            | events.RoundWon()
            | events.RoundWonUncontested()
            | events.CentreDivided()
            | events.CentreCollected()
            | events.AntesReturned()
        ):
            return _at_settlement(state, event)
        case events.PlayerBankrupt():
            return _without(state, event.seat)
        case events.PlayerResigned():
            return replace(_without(state, event.seat), dealer=event.dealer)
        case events.RoundEnded():
            return _at_end(state, event)
        case _:  # What is left is a table's event: one of our own that was forgotten would not fit its type.
            return _at_table(table.evolve(state, event), event)


def _without(state: State, out: int) -> State:
    heaps = {seat: left for seat, left in state.heaps.items() if seat != out}
    return replace(state, out=state.out | {out}, heaps=heaps)


def _at_table(state: State, event: TableEvent) -> State:
    match event:
        case every.TableOpened():
            return replace(state, options=msgspec.convert(event.options, Options))
        case every.DeckFixed():
            return _with_deck(state, tuple(range(len(PACK))))
        case every.DeckRevealed():
            return state if state.epoch else _with_deck(state, ())
        case every.CardsDealt():
            return _at_cards(state, event)
        case every.CardsShown():
            return replace(state, shown={**state.shown, **{card.pos: card.face for card in event.cards}})
        case every.CardsBottomed():
            return replace(state, deck=state.deck + event.positions)  # Any of them may come round again (B7.5).
        case every.GameEnded():
            return replace(state, phase=Phase.OVER, cards={}, discards={}, shown={}, heaps={})
        case (
            every.SeatTaken()
            | every.SeatLeft()
            | every.GameStarted()
            | every.TableClosed()
            | every.DeckOpened()
            | every.DeckUnused()
        ):
            return state


def _with_deck(state: State, deck: tuple[int, ...]) -> State:
    """Put another *deck* in play, or none; nothing that was known of the last one's cards holds for it."""
    return replace(state, deck=deck, upturned=-1, upturned_in_view=False, exposed=-1, cards={}, discards={}, shown={})


def _at_deal(state: State, event: every.HandDealt) -> State:
    return replace(
        state,
        phase=Phase.DECIDING,
        hand=event.hand,
        hand_is_running=True,
        cards={},
        discards={},
        decided=(),
        thrown_in=(),
        had_the_right=0,
        upping_is_over=False,
        offer=None,
        involved=frozenset(),
        shown={},
    )


def _at_antes(state: State, event: events.AntesPlaced) -> State:
    placed = dict.fromkeys(alive(state), 0)
    placed.update({seat_of(transfer.source): transfer.amount for transfer in event.transfers})
    heaps = {seat: (*state.heaps.get(seat, ()), pieces) for seat, pieces in placed.items()}
    return replace(state, antes_placed=placed, heaps=heaps, last_legs=event.last_legs)


def _at_cards(state: State, event: every.CardsDealt) -> State:
    deck = state.deck[len(event.cards) :]
    if state.phase is not Phase.DECIDING:  # The draw for the first dealer: nobody keeps a card.
        return replace(state, deck=deck)
    hands = dict(state.cards)
    upturned = state.upturned
    for position, to in event.cards:
        if isinstance(to, int):
            hands[to] = _with_card(hands.get(to, ()), position)
        elif to == _ASIDE:
            upturned = -1
    phase = Phase.UPPING if len(state.decided) == len(alive(state)) else Phase.DECIDING
    return replace(state, deck=deck, cards=hands, upturned=upturned, upturned_in_view=False, phase=phase)


def _with_card(hand: tuple[int, ...], position: int) -> tuple[int, ...]:
    """Put a card in the place of the one that was discarded, or beside what is there (B7.2)."""
    if -1 in hand:
        return tuple(position if card == -1 else card for card in hand)
    return (*hand, position)


def _at_decision(state: State, event: Decided) -> State:
    decided = (*state.decided, event.seat)
    phase = Phase.UPPING if len(decided) == len(alive(state)) else Phase.DECIDING
    match event:
        case events.CardsHeld():
            return replace(state, decided=decided, phase=phase)
        case events.HandThrownIn():
            return replace(state, decided=decided, phase=phase, thrown_in=(*state.thrown_in, event.seat))
        case events.CardExchanged():
            hand = state.cards[event.seat]
            discarded = hand[event.card - 1]
            kept = tuple(-1 if card == discarded else card for card in hand)
            return replace(
                state,
                decided=decided,
                cards={**state.cards, event.seat: kept},
                discards={**state.discards, event.seat: discarded},
            )


def _at_upping(state: State, event: Upped) -> State:
    offer = state.offer
    match event:
        case events.UppingOffered():
            made = Offer(event.seat, event.chips)
            return replace(state, offer=made, had_the_right=event.seat, involved=state.involved | {event.seat})
        case events.UppingPassed():
            return replace(state, had_the_right=event.seat)
        case events.UppingAccepted():
            if offer is not None:
                offer = replace(offer, answered=(*offer.answered, event.seat), accepted=(*offer.accepted, event.seat))
            return replace(state, offer=offer, involved=state.involved | {event.seat})
        case events.UppingDeclined():
            if offer is not None:
                offer = replace(offer, answered=(*offer.answered, event.seat))
            return replace(state, offer=offer)
        case events.UppingCollected():
            return replace(state, offer=None)
        case events.OfferReturned():
            return replace(state, offer=None, upping_is_over=True)


def _at_settlement(state: State, event: Settled) -> State:
    match event:
        case events.RoundDead():
            return replace(state, dead_rounds=event.dead_rounds)
        case events.RoundWon() | events.RoundWonUncontested() | events.CentreDivided():
            return replace(state, dead_rounds=0)
        case events.AntesReturned():
            return replace(state, heaps={})
        case events.CentreCollected():
            return state


def _at_end(state: State, event: events.RoundEnded) -> State:
    in_a_row = state.throw_ins_in_a_row
    return replace(
        state,
        phase=Phase.BETWEEN_ROUNDS,
        hand_is_running=False,
        dealer=event.dealer,
        throw_ins_in_a_row={seat: in_a_row.get(seat, 0) + 1 for seat in state.thrown_in},
        offer=None,
    )


def _heaps_after(heaps: Mapping[int, tuple[int, ...]], event: Event) -> Mapping[int, tuple[int, ...]]:
    """Take what left an ante from its newest heap first (B11.2, B17.1)."""
    if not heaps:
        return heaps
    after = dict(heaps)
    for transfer in event.transfers:
        seat = seat_of(transfer.source)
        if transfer.source == ante(seat) and seat in after:
            after[seat] = _taken(after[seat], transfer.amount)
    return after


def _taken(heaps: tuple[int, ...], amount: int) -> tuple[int, ...]:
    rest = []
    for heap in reversed(heaps):
        from_this = min(heap, amount)
        amount -= from_this
        rest.append(heap - from_this)
    return tuple(reversed(rest))
