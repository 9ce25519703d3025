"""Upping the ante: offers, and what the others answer (Rule 12)."""

from service.games.bankrupt.commands import AcceptUpping, DeclineUpping, OfferUpping, PassUpping
from service.games.bankrupt.events import (
    OfferReturned,
    UppingAccepted,
    UppingCollected,
    UppingDeclined,
    UppingOffered,
    UppingPassed,
)
from service.games.bankrupt.state import Offer, Phase, State, offer_cap, to_answer
from service.games.bankrupt.turns import must_be_phase, must_be_turn
from service.games.decks import Emitter
from service.games.game import Refusal
from service.ledger import CENTRE, chips, offer, stack


def make_offer(state: State, command: OfferUpping) -> UppingOffered:
    """Lay down an offer within the cap (B12.5)."""
    seat = _who_offers(state, command.by)
    cap = offer_cap(state)
    if not 1 <= command.chips <= cap:
        raise Refusal(
            "offer_must_be_within_the_cap",
            rule="12",
            ruling="B12.5",
            detail=f"An offer here is 1 to {cap} pieces: six, and every stack still in play, bound it.",
        )
    laid = chips(stack(seat), offer(seat), command.chips, rule="12")
    return UppingOffered(seat=seat, chips=command.chips, transfers=(laid,))


def make_no_offer(state: State, command: PassUpping) -> UppingPassed:
    """Leave the right to offer to the next player (B12.3)."""
    return UppingPassed(seat=_who_offers(state, command.by))


def accept(state: State, command: AcceptUpping) -> UppingAccepted:
    """Lay down as much as was offered (B12.4)."""
    seat, made = _who_answers(state, command.by)
    laid = chips(stack(seat), offer(seat), made.chips, rule="12")
    return UppingAccepted(seat=seat, chips=made.chips, transfers=(laid,))


def decline(state: State, command: DeclineUpping) -> UppingDeclined:
    """Lay down nothing."""
    seat, _ = _who_answers(state, command.by)
    return UppingDeclined(seat=seat)


def settle_after_last_answer(emitter: Emitter[State]) -> None:
    """Once the last able to answer has done so, all goes to the centre, or back (B12.3)."""
    state = emitter.state
    made = state.offer
    if made is None or to_answer(state):
        return
    if made.accepted:
        seats = (made.seat, *made.accepted)
        transfers = tuple(chips(offer(seat), CENTRE, made.chips, rule="12") for seat in seats)
        emitter.emit(UppingCollected(seats=seats, transfers=transfers))
    else:
        back = chips(offer(made.seat), stack(made.seat), made.chips, rule="12")
        emitter.emit(OfferReturned(seat=made.seat, chips=made.chips, transfers=(back,)))


def _who_offers(state: State, by: str) -> int:
    must_be_phase(state, Phase.UPPING, rule="12")
    if state.offer is not None:
        raise Refusal(
            "offer_must_be_answered_first",
            rule="12",
            ruling="B12.3",
            detail=f"Seat {state.offer.seat} offered {state.offer.chips}; those after it answer first.",
        )
    return must_be_turn(state, by, rule="12", ruling="B12.1")


def _who_answers(state: State, by: str) -> tuple[int, Offer]:
    must_be_phase(state, Phase.UPPING, rule="12")
    if state.offer is None:
        raise Refusal("offer_must_have_been_made", rule="12", ruling="B12.3", detail="No offer waits for an answer.")
    return must_be_turn(state, by, rule="12", ruling="B12.1"), state.offer
