"""The shuffle, both deals, and the step after the banker's card (FIRST ROUND DEAL, SECOND ROUND DEAL, END OF HAND)."""

# DECISIONS 31

from collections.abc import Sequence

from service import cards
from service.games import decks
from service.games.common_commands import DealHand
from service.games.common_events import CardsDealt, CardsShown
from service.games.decks import Emitter
from service.games.game import Known, Refusal
from service.games.insurance import refusals, settlement
from service.games.insurance.events import DealBegun, OffersAwaited
from service.games.insurance.state import Phase, State, bettors, to_bet
from service.games.insurance.turns import must_be_banker, must_be_phase
from service.games.table_state import balance_of
from service.ledger import stack

_TWO, _KING, _ACE = (cards.rank(face) for face in ("2c", "Kc", "Ac"))


def deal_hand(state: State, command: DealHand) -> DealBegun:
    """Begin the deal, once every bet is placed (FIRST ROUND DEAL)."""
    must_be_phase(state, Phase.BETTING, rule="FIRST ROUND DEAL")
    waiting = to_bet(state)
    if waiting or not state.hand_is_running:
        detail = f"These seats have not bet yet: {', '.join(map(str, waiting))}." if waiting else "No seat has bet yet."
        raise Refusal(refusals.BETS_MUST_ALL_LIE, detail)
    return DealBegun(banker=must_be_banker(state, command.by, rule="FIRST ROUND DEAL", ruling="I-DEAL1.2"))


def deal_first_round(emitter: Emitter[State], known: Known) -> None:
    """Deal the banker's card, after a shuffle if needed, and begin the step that follows (I-DEAL1.1, I-OFFER.1).

    On a 2 or an ace the hand is settled. On a king, or if no player has chips left to offer, the second deal follows.
    On any other card the players with chips left must make offers.
    """
    _shuffle_if_needed(emitter, known)
    deal(emitter, (emitter.state.banker,), known)
    rank = cards.rank(_banker_card(emitter.state))
    able = tuple(seat for seat in bettors(emitter.state) if balance_of(emitter.state, stack(seat)))
    if rank in {_TWO, _ACE}:
        settlement.settle(emitter, known)
    elif rank == _KING or not able:
        deal_second_round(emitter, known)
    else:
        emitter.emit(OffersAwaited(seats=able))


def deal_second_round(emitter: Emitter[State], known: Known) -> None:
    """Deal a card to each player but the banker, from the banker's left, and settle the hand (I-DEAL2.1)."""
    deal(emitter, bettors(emitter.state), known)
    settlement.settle(emitter, known)


def deal(emitter: Emitter[State], seats: Sequence[int], known: Known) -> None:
    """Deal a card to each of *seats*, face up."""
    state = emitter.state
    dealt = tuple(zip(state.deck, seats, strict=False))
    emitter.emit(CardsDealt(epoch=state.epoch, cards=dealt))
    emitter.emit(CardsShown(epoch=state.epoch, cards=decks.shown_cards(known, state.epoch, dealt)))


def _shuffle_if_needed(emitter: Emitter[State], known: Known) -> None:
    """Retire the deck and shuffle all 52 cards if the deck has fewer cards than the hand has players (I-END.1)."""
    state = emitter.state
    if len(state.deck) >= len(state.playing):
        return
    if state.epoch:
        decks.retire(emitter, known, state.epoch)
    decks.fix_reserve(emitter, known)


def _banker_card(state: State) -> str:
    return state.shown[state.cards[state.banker]]
