"""Buying chips, sitting out, sitting in, and placing bets (BET, NON-GAMBLING VARIATION)."""

from service.games import seating
from service.games.decks import Emitter
from service.games.game import Known, Refusal, acting_seat
from service.games.insurance import refusals
from service.games.insurance.accounts import bet
from service.games.insurance.commands import BuyChips, PlaceBet, SitIn, SitOut
from service.games.insurance.events import BetPlaced, ChipsBought, HandBegun, HandSatOut, SatIn
from service.games.insurance.state import ABLE_LEAST, Phase, State, able, banker_to_be, bet_bounds, standard_bet
from service.games.insurance.turns import (
    must_be_between_hands,
    must_be_chips,
    must_be_gambling,
    must_be_phase,
)
from service.games.table_state import balance_of
from service.ledger import HOUSE, chips, stack


def buy_chips(state: State, command: BuyChips) -> ChipsBought:
    """Sell chips to a player while no bet is on the table (I-BET.2)."""
    seat = seating.must_be_seated(state, command.by)
    must_be_gambling(state)
    must_be_between_hands(state)
    must_be_chips(state, command.chips, seat)
    bought = chips(HOUSE, stack(seat), command.chips, rule="G.7")
    return ChipsBought(seat=seat, chips=command.chips, transfers=(bought,))


def sit_out(state: State, command: SitOut) -> HandSatOut:
    """Let a player who has not bet sit out this hand or, between hands, the next hand (I-BET.2)."""
    must_be_phase(state, Phase.BETTING, rule="BET")
    seat = seating.must_be_seated(state, command.by)
    must_be_gambling(state)
    if not _is_free_to_sit_out(state, seat):
        detail = "The banker of a running hand, a player who has bet, and a player who sits out already cannot sit out."
        raise Refusal(refusals.HAND_MUST_BE_ONE_TO_SIT_OUT, detail)
    if not _is_hand_possible_without(state, seat):
        detail = "Without this player fewer than two players would be able to play the hand."
        raise Refusal(refusals.ENOUGH_MUST_BE_ABLE_TO_PLAY, detail)
    return HandSatOut(seat=seat)


def may_sit_out(state: State, seat: int) -> bool:
    """Return whether *seat*, which a player has taken, may sit out this hand or, between hands, the next hand."""
    return _is_free_to_sit_out(state, seat) and _is_hand_possible_without(state, seat)


def _is_free_to_sit_out(state: State, seat: int) -> bool:
    """Return whether *seat* is in the running hand, is not its banker, and has not bet.

    Between hands, return whether *seat* does not sit out yet. A player with too few chips may sit out the next hand,
    too: by buying chips, such a player could become banker.
    """
    if state.hand_is_running:
        return seat in state.playing and seat != state.banker and not balance_of(state, bet(seat))
    return seat not in state.sitting_out


def _is_hand_possible_without(state: State, seat: int) -> bool:
    """Return whether at least two players other than *seat* are able to play the hand."""
    players = state.playing if state.hand_is_running else able(state)
    return len(set(players) - {seat}) >= ABLE_LEAST


def sit_in(state: State, command: SitIn) -> SatIn:
    """Let a player who sits out the next hand play that hand after all, while no bet is on the table."""
    seat = seating.must_be_seated(state, command.by)
    must_be_gambling(state)
    must_be_between_hands(state)
    if seat not in state.sitting_out:
        raise Refusal(refusals.PLAYER_MUST_BE_SITTING_OUT)
    return SatIn(seat=seat)


def place_bet(state: State, command: PlaceBet) -> BetPlaced:
    """Place a bet within its bounds (I-BET.1, I-BET.3)."""
    must_be_phase(state, Phase.BETTING, rule="BET")
    seat = acting_seat(command.by)
    _must_bet(state, seat)
    least, most = bet_bounds(state, seat)
    if not least <= command.chips <= most:
        amount = f"{least} to {most} chips" if least < most else f"{least} chips"
        standard = ", the standard bet" if least == standard_bet(state) else ""
        raise Refusal(
            refusals.BET_MUST_BE_WITHIN_ITS_BOUNDS,
            f"This seat bets {amount}{standard}.",
            rule="BET" if state.is_gambling else "NON-GAMBLING VARIATION",
            ruling="I-BET.1" if state.is_gambling else "I-BET.3",
        )
    laid = chips(stack(seat), bet(seat), command.chips, rule="BET")
    begins_hand = 0 if state.hand_is_running else state.hand + 1
    return BetPlaced(seat=seat, chips=command.chips, begins_hand=begins_hand, transfers=(laid,))


def begin_hand_with_first_bet(emitter: Emitter[State], _known: Known) -> None:
    """If the bet is the first of a hand, begin the hand: the bet determines the banker and the players (I-END.2)."""
    before = emitter.before
    if not before.hand_is_running:
        # The players come from the state before the bet: the bet may have taken the bettor's last chips.
        emitter.emit(HandBegun(hand=emitter.state.hand, banker=banker_to_be(before), players=able(before)))


def _must_bet(state: State, seat: int) -> None:
    """Check that the bet of *seat* is due.

    Raises:
        Refusal: no hand can begin, or *seat* is the banker, is not in the hand, or has already bet.
    """
    players = state.playing if state.hand_is_running else able(state)
    if len(players) < ABLE_LEAST:
        raise Refusal(refusals.ENOUGH_MUST_BE_ABLE_TO_PLAY)
    if seat not in players:
        ruling = "I-BET.2" if state.is_gambling else "I-BET.3"
        raise Refusal(refusals.PLAYER_MUST_BE_IN_THE_HAND, rule="BET", ruling=ruling)
    if seat == banker_to_be(state):
        raise Refusal(refusals.BANKER_MUST_NOT_BET)
    if balance_of(state, bet(seat)):
        raise Refusal(refusals.BET_MUST_STAND)
