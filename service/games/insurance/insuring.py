"""Offers of insurance, and the banker's answers (INSURANCE OFFER, ACCEPTANCE)."""

from service.games.decks import Emitter
from service.games.game import Known, Refusal, acting_seat
from service.games.insurance import dealing, refusals
from service.games.insurance.accounts import insurance, offer
from service.games.insurance.commands import AcceptInsurance, OfferInsurance, RefuseInsurance
from service.games.insurance.events import InsuranceAccepted, InsuranceOffered, InsuranceRefused
from service.games.insurance.state import Phase, State
from service.games.insurance.turns import must_be_banker, must_be_phase
from service.games.table_state import balance_of
from service.ledger import chips, stack


def make_offer(state: State, command: OfferInsurance) -> InsuranceOffered:
    """Make an offer, which cannot be changed (I-OFFER.2)."""
    must_be_phase(state, Phase.OFFERING, rule="INSURANCE OFFER")
    seat = acting_seat(command.by)
    if seat not in state.to_offer:
        raise Refusal(refusals.OFFER_MUST_BE_AWAITED)
    most = balance_of(state, stack(seat))
    if not 1 <= command.chips <= most:
        raise Refusal(
            refusals.OFFER_MUST_BE_WITHIN_ITS_BOUNDS,
            f"This seat offers 1 to {most} chips, from its stack.",
        )
    laid = chips(stack(seat), offer(seat), command.chips, rule="INSURANCE OFFER")
    is_last = state.to_offer == (seat,)
    return InsuranceOffered(seat=seat, chips=command.chips, all_have_offered=is_last, transfers=(laid,))


def accept(state: State, command: AcceptInsurance) -> InsuranceAccepted:
    """Accept an offer and insure the bet (I-ACC.1)."""
    amount = _offered_chips(state, command)
    taken = chips(offer(command.seat), insurance(command.seat), amount, rule="ACCEPTANCE")
    return InsuranceAccepted(seat=command.seat, chips=amount, transfers=(taken,))


def refuse(state: State, command: RefuseInsurance) -> InsuranceRefused:
    """Refuse an offer; its chips go back to the seat immediately (I-ACC.1)."""
    amount = _offered_chips(state, command)
    returned = chips(offer(command.seat), stack(command.seat), amount, rule="ACCEPTANCE")
    return InsuranceRefused(seat=command.seat, chips=amount, transfers=(returned,))


def deal_after_last_answer(emitter: Emitter[State], known: Known) -> None:
    """Deal the second round once the banker has answered the last offer (I-ACC.1)."""
    if not emitter.state.to_answer:
        dealing.deal_second_round(emitter, known)


def _offered_chips(state: State, command: AcceptInsurance | RefuseInsurance) -> int:
    """Check that the banker may answer the seat in *command*, and return the chips that the seat has offered.

    Raises:
        Refusal: the game is not under way or is in another phase, the actor is not the banker, or the seat has no open
            offer.
    """
    must_be_phase(state, Phase.ACCEPTING, rule="ACCEPTANCE")
    must_be_banker(state, command.by, rule="ACCEPTANCE", ruling="I-ACC.1")
    if command.seat not in state.to_answer:
        raise Refusal(
            refusals.OFFER_MUST_LIE_IN_ITS_ZONE,
            f"These seats have an open offer: {', '.join(map(str, state.to_answer))}.",
        )
    return balance_of(state, offer(command.seat))
