"""The transitions of a table of Bankrupt: its state after each event (DECISIONS 43 and 95)."""

from typing import Final

from msgspec.structs import replace

from service.games import common_events, decks, table_state
from service.games.bankrupt import events
from service.games.bankrupt.options import Options
from service.games.bankrupt.state import Offer, Phase, State
from service.games.game import Event
from service.games.seeds.seed_transitions import seed_transitions
from service.games.table_state import Transitions
from service.ledger import account_seat

_ASIDE = "aside"


def _without(state: State, out: int) -> State:
    """Remove the seat *out* from the game."""
    heaps = {seat: seat_heaps for seat, seat_heaps in state.heaps.items() if seat != out}
    return replace(state, out=state.out | {out}, heaps=heaps)


def _on_deck_fixed(state: State, event: common_events.DeckFixed) -> State:
    return _with_deck(table_state.on_deck_fixed(state, event), decks.ALL_POSITIONS)


def _on_deck_revealed(state: State, event: common_events.DeckRevealed) -> State:
    state = table_state.on_seed_revealed(state, event)
    return state if state.epoch else _with_deck(state, ())


def _with_deck(state: State, deck: tuple[int, ...]) -> State:
    """Replace the deck in play by *deck* (empty: no deck), and remove the cards of the last deck from the state."""
    return replace(state, deck=deck, upturned=-1, upturned_in_view=False, exposed=-1, cards={}, discards={}, shown={})


def _on_dealer_drawn(state: State, event: common_events.DealerDrawn) -> State:
    return replace(state, dealer=event.dealer, phase=Phase.BETWEEN_ROUNDS)


def _on_card_upturned(state: State, event: events.CardUpturned) -> State:
    return replace(state, deck=event.order, upturned=event.pos, upturned_in_view=True)


def _on_upturned_exposed(state: State, event: events.UpturnedExposed) -> State:
    return replace(state, exposed=event.pos, shown={**state.shown, event.pos: event.face})


def _on_hand_dealt(state: State, event: common_events.HandDealt) -> State:
    return replace(
        state,
        phase=Phase.DECIDING,
        hand=event.hand,
        hand_is_running=True,
        cards={},
        discards={},
        decided=(),
        thrown_in={},
        had_the_right=0,
        upping_is_over=False,
        offer=None,
        involved=frozenset(),
        shown={},
    )


def _on_antes_placed(state: State, event: events.AntesPlaced) -> State:
    placed = dict.fromkeys(event.last_legs, 0)  # A seat on last legs may have nothing to place.
    placed.update({account_seat(transfer.source): transfer.amount for transfer in event.transfers})
    heaps = {seat: (*state.heaps.get(seat, ()), pieces) for seat, pieces in sorted(placed.items())}
    return replace(state, antes_placed=placed, heaps=heaps, last_legs=event.last_legs)


def _on_cards_dealt(state: State, event: common_events.CardsDealt) -> State:
    deck = state.deck[len(event.cards) :]
    if not state.hand_is_running:  # The draw for the first dealer gives nobody a hand.
        return replace(state, deck=deck)
    hands = dict(state.cards)
    upturned = state.upturned
    for position, to in event.cards:
        if to == _ASIDE:
            upturned = -1
        elif isinstance(to, int):
            hand = hands.get(to, ())
            hands[to] = _with_card(hand, position) if -1 in hand else (*hand, position)
    return replace(state, deck=deck, cards=hands, upturned=upturned, upturned_in_view=False)


def _with_card(hand: tuple[int, ...], position: int) -> tuple[int, ...]:
    """Return *hand* with the card at *position* in the place of the discarded card (B7.2)."""
    return tuple([position if card == -1 else card for card in hand])


def _on_cards_shown(state: State, event: common_events.CardsShown) -> State:
    return replace(state, shown={**state.shown, **{card.pos: card.face for card in event.cards}})


def _on_cards_bottomed(state: State, event: common_events.CardsBottomed) -> State:
    return replace(state, deck=state.deck + event.positions)  # These cards may be dealt again (B7.5).


def _on_cards_held(state: State, event: events.CardsHeld) -> State:
    return replace(state, decided=(*state.decided, event.seat), phase=_phase(event))


def _on_hand_thrown_in(state: State, event: events.HandThrownIn) -> State:
    return replace(
        state,
        decided=(*state.decided, event.seat),
        phase=_phase(event),
        thrown_in={**state.thrown_in, event.seat: event.rounds_in_a_row},
        heaps={**state.heaps, event.seat: _heaps_less(state.heaps[event.seat], event.from_heaps)},
    )


def _on_card_exchanged(state: State, event: events.CardExchanged) -> State:
    hand = state.cards[event.seat]
    discarded = hand[event.card - 1]
    remaining = tuple([-1 if card == discarded else card for card in hand])
    return replace(
        state,
        decided=(*state.decided, event.seat),
        phase=_phase(event),
        cards={**state.cards, event.seat: remaining},
        discards={**state.discards, event.seat: discarded},
    )


def _phase(event: events.CardsHeld | events.CardExchanged | events.HandThrownIn) -> Phase:
    """Return the phase after *event*, a decision on cards."""
    return Phase.UPPING if event.all_have_decided else Phase.DECIDING


def _on_upping_offered(state: State, event: events.UppingOffered) -> State:
    offer = Offer(event.seat, event.chips)
    return replace(state, offer=offer, had_the_right=event.seat, involved=state.involved | {event.seat})


def _on_upping_passed(state: State, event: events.UppingPassed) -> State:
    return replace(state, had_the_right=event.seat)


def _on_upping_accepted(state: State, event: events.UppingAccepted) -> State:
    offer = state.offer
    if offer is not None:
        offer = Offer(offer.seat, offer.chips, (*offer.answered, event.seat), (*offer.accepted, event.seat))
    return replace(state, offer=offer, involved=state.involved | {event.seat})


def _on_upping_declined(state: State, event: events.UppingDeclined) -> State:
    offer = state.offer
    if offer is not None:
        offer = Offer(offer.seat, offer.chips, (*offer.answered, event.seat), offer.accepted)
    return replace(state, offer=offer)


def _on_upping_collected(state: State, _event: events.UppingCollected) -> State:
    return replace(state, offer=None)


def _on_offer_returned(state: State, _event: events.OfferReturned) -> State:
    return replace(state, offer=None, upping_is_over=True)


def _on_round_dead(state: State, event: events.RoundDead) -> State:
    return replace(state, dead_rounds=event.dead_rounds)


def _on_round_won(state: State, event: events.RoundWon) -> State:
    """Take each claim from the loser's heaps; the streak of dead rounds is over."""
    paid = {claim.seat: _heaps_less(state.heaps[claim.seat], claim.from_heaps) for claim in event.claims}
    return replace(state, heaps={**state.heaps, **paid}, dead_rounds=0)


def _heaps_less(heaps: tuple[int, ...], from_heaps: tuple[int, ...]) -> tuple[int, ...]:
    """Subtract *from_heaps* (the newest heap first) from *heaps* (the newest heap last), and return the result."""
    untouched = len(heaps) - len(from_heaps)
    paying = zip(heaps[untouched:], reversed(from_heaps), strict=True)
    return (*heaps[:untouched], *(heap - paid for heap, paid in paying))


def _on_streak_over(state: State, _event: Event) -> State:
    return replace(state, dead_rounds=0)


def _on_antes_returned(state: State, _event: events.AntesReturned) -> State:
    return replace(state, heaps={})


def _on_player_bankrupt(state: State, event: events.PlayerBankrupt) -> State:
    return _without(state, event.seat)


def _on_player_resigned(state: State, event: events.PlayerResigned) -> State:
    return replace(_without(state, event.seat), dealer=event.dealer)


def _on_round_ended(state: State, event: events.RoundEnded) -> State:
    return replace(
        state,
        phase=Phase.BETWEEN_ROUNDS,
        hand_is_running=False,
        dealer=event.dealer,
        throw_ins_in_a_row=state.thrown_in,
        offer=None,
    )


def _on_game_ended(state: State, event: common_events.GameEnded) -> State:
    return replace(table_state.on_game_ended(state, event), phase=Phase.OVER, cards={}, discards={}, shown={}, heaps={})


TRANSITIONS: Final[Transitions[State]] = {
    **table_state.common_transitions(Options),
    **seed_transitions(),
    common_events.DeckFixed: _on_deck_fixed,
    common_events.DeckRevealed: _on_deck_revealed,
    common_events.DealerDrawn: _on_dealer_drawn,
    events.CardUpturned: _on_card_upturned,
    events.UpturnedExposed: _on_upturned_exposed,
    common_events.HandDealt: _on_hand_dealt,
    events.AntesPlaced: _on_antes_placed,
    common_events.CardsDealt: _on_cards_dealt,
    common_events.CardsShown: _on_cards_shown,
    common_events.CardsBottomed: _on_cards_bottomed,
    events.CardsHeld: _on_cards_held,
    events.CardExchanged: _on_card_exchanged,
    events.HandThrownIn: _on_hand_thrown_in,
    events.UppingOffered: _on_upping_offered,
    events.UppingPassed: _on_upping_passed,
    events.UppingAccepted: _on_upping_accepted,
    events.UppingDeclined: _on_upping_declined,
    events.UppingCollected: _on_upping_collected,
    events.OfferReturned: _on_offer_returned,
    events.RoundDead: _on_round_dead,
    events.RoundWon: _on_round_won,
    events.RoundWonUncontested: _on_streak_over,
    events.CentreDivided: _on_streak_over,
    events.CentreCollected: table_state.unchanged,
    events.AntesReturned: _on_antes_returned,
    events.PlayerBankrupt: _on_player_bankrupt,
    events.PlayerResigned: _on_player_resigned,
    events.RoundEnded: _on_round_ended,
    common_events.GameEnded: _on_game_ended,
}
