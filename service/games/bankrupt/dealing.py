"""The ritual, the antes and the deal (Rules 6 to 8)."""

from collections.abc import Iterable

from service.cards import PACK
from service.games import decks
from service.games.bankrupt import refusals
from service.games.bankrupt.accounts import ante
from service.games.bankrupt.events import AntesPlaced, CardUpturned, UpturnedExposed
from service.games.bankrupt.state import ANTE, Phase, State, alive, order
from service.games.bankrupt.turns import must_be_phase
from service.games.common_commands import DealHand
from service.games.common_events import CardsDealt, HandDealt
from service.games.decks import Emitter
from service.games.game import Known, Refusal, acting_seat
from service.games.table_state import balance_of, clockwise
from service.ledger import chips, stack

COUNTED_OFF = 6
UPTURNED = COUNTED_OFF  # The position of the top card of the main deck, after six cards are counted off.


def perform_ritual_once_possible(emitter: Emitter[State], known: Known) -> None:
    """Perform the ritual if no deck is in play and a deck in reserve is ready; otherwise do nothing (G.9)."""
    if emitter.state.awaits_shuffle and decks.is_ready(emitter.state):
        _perform_ritual(emitter, known)


def _perform_ritual(emitter: Emitter[State], known: Known) -> None:
    """Shuffle, count off six cards twice, and turn up the next card for everybody to see (Rule 7, B7.0, B7.1)."""
    epoch = decks.fix_reserve(emitter, known)
    size = len(PACK)
    main = range(UPTURNED + 1, size - COUNTED_OFF)
    under = (UPTURNED, *range(COUNTED_OFF), *range(size - COUNTED_OFF, size))
    emitter.emit(CardUpturned(epoch=epoch, pos=UPTURNED, order=(*main, *under)))


def deal_hand(state: State, command: DealHand) -> HandDealt:
    """Begin a round; the antes and the cards follow as consequences (Rules 6 and 8)."""
    must_be_phase(state, Phase.BETWEEN_ROUNDS, rule="8")
    if acting_seat(command.by) != state.dealer:
        raise Refusal(refusals.DEALER_MUST_DEAL, f"Seat {state.dealer} deals this round.")
    return HandDealt(hand=state.hand + 1, dealer=state.dealer)


def begin_round(emitter: Emitter[State], known: Known) -> None:
    """Place the antes, then deal two cards to each player, one at a time (Rules 6 and 8, B6.1)."""
    seats = order(emitter.state)
    _place_antes(emitter)
    deal(emitter, (*seats, *seats), known)


def _place_antes(emitter: Emitter[State]) -> None:
    state = emitter.state
    placed = {seat: min(ANTE, balance_of(state, stack(seat))) for seat in clockwise(alive(state), state.dealer)}
    transfers = tuple(
        chips(stack(seat), ante(seat), pieces, rule="6" if pieces == ANTE else "18")
        for seat, pieces in placed.items()
        if pieces
    )
    last_legs = tuple(seat for seat, pieces in placed.items() if pieces < ANTE)
    emitter.emit(AntesPlaced(last_legs=last_legs, dead_rounds=state.dead_rounds, transfers=transfers))


def deal(emitter: Emitter[State], seats: Iterable[int], known: Known) -> None:
    """Deal one card to each of *seats* in turn; set the upturned card aside once it is the top card (B7.3)."""
    state = emitter.state
    deck = iter(state.deck)
    top = next(deck)
    dealt: list[tuple[int, int | str]] = []
    exposed = False
    for seat in seats:
        dealt.append((top, seat))
        top = next(deck, -1)
        if top == state.upturned != -1:
            dealt.append((top, "aside"))
            top = next(deck, -1)
            exposed = True
    emitter.emit(CardsDealt(epoch=state.epoch, cards=tuple(dealt)))
    if exposed:
        (card,) = known.faces(state.epoch, (state.upturned,))
        emitter.emit(UpturnedExposed(epoch=state.epoch, pos=card.pos, face=card.face, salt=card.salt))
