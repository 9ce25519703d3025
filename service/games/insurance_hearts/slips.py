"""Slips: an insurance number, a foot call, or both (IH.2 to IH.4)."""

from service.games.decks import Emitter
from service.games.game import Known, Refusal
from service.games.insurance_hearts import ending, passing, refusals
from service.games.insurance_hearts.commands import MOST_INSURANCE, WriteSlip
from service.games.insurance_hearts.events import FootTold, HandCancelled, SlipWritten
from service.games.insurance_hearts.state import Phase, State, awaited
from service.games.insurance_hearts.turns import must_be_awaited, must_be_phase


def write(state: State, command: WriteSlip) -> SlipWritten:
    """Accept a slip (IH.2)."""
    rule = "Insurance" if state.options.insurance else "Foot Rule"
    must_be_phase(state, Phase.SLIPS, rule=rule)
    seat = must_be_awaited(state, command.by, rule=rule, ruling="IH.2")
    _insurance_must_be_sound(state, command)
    _foot_must_be_left(state, command, seat)
    return SlipWritten(seat=seat)


def continue_after_last_slip(emitter: Emitter[State], known: Known) -> None:
    """After the last slip, open the foot calls, if the foot rule is on (IH.3).

    If somebody called a foot, the hand is cancelled; otherwise passing begins.
    """
    state = emitter.state
    if awaited(state):
        return
    if state.options.foot:
        callers = tuple(seat for seat in state.players if known.sealed(seat, "foot"))
        emitter.emit(FootTold(callers=callers))
        if callers:
            emitter.emit(HandCancelled(callers=callers))
            ending.end_hand(emitter, known)
            return
    passing.begin(emitter, known)


def may_call(state: State, seat: int) -> bool:
    """Return whether *seat* may call a foot in this hand (IH.4)."""
    return state.options.foot and seat not in state.feet_used


def _insurance_must_be_sound(state: State, command: WriteSlip) -> None:
    most = MOST_INSURANCE if state.options.insurance else 0
    if not 0 <= command.insurance <= most:
        detail = (
            f"The insurance is a number from 0 to {most}."
            if most
            else "This table plays without insurance: the number is 0."
        )
        raise Refusal(refusals.INSURANCE_MUST_BE_WITHIN_ITS_BOUNDS, detail)


def _foot_must_be_left(state: State, command: WriteSlip, seat: int) -> None:
    if not command.foot or may_call(state, seat):
        return
    if not state.options.foot:
        detail = "This table plays without the foot rule."
        raise Refusal(refusals.FOOT_MUST_BE_PLAYED, detail)
    detail = "A player may call a foot only once a game, and you have already called a foot."
    raise Refusal(refusals.FOOT_MUST_BE_LEFT, detail)
