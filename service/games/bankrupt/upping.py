"""Upping the ante: offers and answers (Rule 12)."""

from service.games.bankrupt import refusals
from service.games.bankrupt.accounts import CENTRE, offer
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
from service.ledger import chips, stack


def make_offer(state: State, command: OfferUpping) -> UppingOffered:
    """Make an offer within the cap (B12.5)."""
    seat = _offering_seat(state, command.by)
    cap = offer_cap(state)
    if not 1 <= command.chips <= cap:
        raise Refusal(
            refusals.OFFER_MUST_BE_WITHIN_THE_CAP,
            f"An offer is 1 to {cap} pieces now: at most six, and no more than the smallest non-empty stack "
            "in the round.",
        )
    laid = chips(stack(seat), offer(seat), command.chips, rule="12")
    return UppingOffered(seat=seat, chips=command.chips, transfers=(laid,))


def make_no_offer(state: State, command: PassUpping) -> UppingPassed:
    """Make no offer; the right to offer passes to the next player, if any (B12.3)."""
    return UppingPassed(seat=_offering_seat(state, command.by))


def accept(state: State, command: AcceptUpping) -> UppingAccepted:
    """Accept the offer and lay down the same number of pieces (B12.4)."""
    seat, open_offer = _answering_seat(state, command.by)
    laid = chips(stack(seat), offer(seat), open_offer.chips, rule="12")
    return UppingAccepted(seat=seat, chips=open_offer.chips, transfers=(laid,))


def decline(state: State, command: DeclineUpping) -> UppingDeclined:
    """Decline the offer."""
    seat, _ = _answering_seat(state, command.by)
    return UppingDeclined(seat=seat)


def settle_after_last_answer(emitter: Emitter[State]) -> None:
    """After the last answer, move all laid pieces to the centre; if all declined, return the offer (B12.3)."""
    state = emitter.state
    answered = state.offer
    if answered is None or to_answer(state):
        return
    if answered.accepted:
        seats = (answered.seat, *answered.accepted)
        transfers = tuple(chips(offer(seat), CENTRE, answered.chips, rule="12") for seat in seats)
        emitter.emit(UppingCollected(seats=seats, transfers=transfers))
    else:
        returned = chips(offer(answered.seat), stack(answered.seat), answered.chips, rule="12")
        emitter.emit(OfferReturned(seat=answered.seat, chips=answered.chips, transfers=(returned,)))


def _offering_seat(state: State, by: str) -> int:
    must_be_phase(state, Phase.UPPING, rule="12")
    if state.offer is not None:
        raise Refusal(
            refusals.OFFER_MUST_BE_ANSWERED_FIRST,
            f"Seat {state.offer.seat} offered {state.offer.chips}; the players after this seat answer first.",
        )
    return must_be_turn(state, by, rule="12", ruling="B12.1")


def _answering_seat(state: State, by: str) -> tuple[int, Offer]:
    must_be_phase(state, Phase.UPPING, rule="12")
    if state.offer is None:
        raise Refusal(refusals.OFFER_MUST_HAVE_BEEN_MADE, "No offer is open.")
    return must_be_turn(state, by, rule="12", ruling="B12.1"), state.offer
