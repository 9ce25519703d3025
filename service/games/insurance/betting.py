"""Buying chips, sitting out, sitting in, and placing bets (BET, NON-GAMBLING VARIATION)."""

from service.games.decks import Emitter
from service.games.game import Refusal, acting_seat
from service.games.insurance.commands import BuyChips, PlaceBet, SitIn, SitOut
from service.games.insurance.events import BetPlaced, ChipsBought, HandBegun, HandSatOut, SatIn
from service.games.insurance.state import ABLE_LEAST, Phase, State, able, banker_to_be, bet_bounds, standard_bet
from service.games.insurance.turns import (
    must_be_between_hands,
    must_be_chips,
    must_be_gambling,
    must_be_phase,
    must_be_seated,
)
from service.games.table_state import balance_of
from service.ledger import HOUSE, bet, chips, stack


def buy_chips(state: State, command: BuyChips) -> ChipsBought:
    """Sell chips to a player while no bet is on the table (I-BET.2)."""
    seat = must_be_seated(state, command.by)
    must_be_gambling(state)
    must_be_between_hands(state)
    must_be_chips(state, command.chips, seat)
    bought = chips(HOUSE, stack(seat), command.chips, rule="G.7")
    return ChipsBought(seat=seat, chips=command.chips, transfers=(bought,))


def sit_out(state: State, command: SitOut) -> HandSatOut:
    """Let a player who has not bet sit out this hand or, between hands, the next hand (I-BET.2)."""
    must_be_phase(state, Phase.BETTING, rule="BET")
    seat = must_be_seated(state, command.by)
    must_be_gambling(state)
    if not may_sit_out(state, seat):
        detail = "The hand's banker, a player who has bet, and a player who is not in the hand cannot sit out the hand."
        raise Refusal("hand_must_be_one_to_sit_out", rule="BET", ruling="I-BET.2", detail=detail)
    return HandSatOut(seat=seat)


def may_sit_out(state: State, seat: int) -> bool:
    """Return whether *seat* may sit out the hand: it can play, has not bet, and is not the banker of a running hand."""
    if state.hand_is_running:
        return seat in state.playing and seat != state.banker and not balance_of(state, bet(seat))
    return seat in able(state)


def sit_in(state: State, command: SitIn) -> SatIn:
    """Let a player who sits out the next hand play that hand after all, while no bet is on the table."""
    seat = must_be_seated(state, command.by)
    must_be_gambling(state)
    must_be_between_hands(state)
    if seat not in state.sitting_out:
        detail = "Only a player who sits out the next hand can sit in."
        raise Refusal("player_must_be_sitting_out", rule="BET", ruling="I-BET.2", detail=detail)
    return SatIn(seat=seat)


def place_bet(state: State, command: PlaceBet) -> BetPlaced:
    """Place a bet within its bounds (I-BET.1, I-BET.3)."""
    must_be_phase(state, Phase.BETTING, rule="BET")
    seat = acting_seat(command.by)
    _must_bet(state, seat)
    least, most = bet_bounds(state, seat)
    if not least <= command.chips <= most:
        amount = f"{least} to {most} chips" if least < most else f"{least} chips"
        standard = ", the standard bet" if standard_bet(state) else ""
        raise Refusal(
            "bet_must_be_within_its_bounds",
            rule="BET" if state.is_gambling else "NON-GAMBLING VARIATION",
            ruling="I-BET.1" if state.is_gambling else "I-BET.3",
            detail=f"This seat bets {amount}{standard}.",
        )
    laid = chips(stack(seat), bet(seat), command.chips, rule="BET")
    begins_hand = 0 if state.hand_is_running else state.hand + 1
    return BetPlaced(seat=seat, chips=command.chips, begins_hand=begins_hand, transfers=(laid,))


def begin_hand_with_first_bet(emitter: Emitter[State]) -> None:
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
        raise Refusal(
            "enough_must_be_able_to_play",
            rule="BET",
            ruling="I-BET.2",
            detail="A hand needs a banker and at least one other player who is able to play.",
        )
    if seat not in players:
        raise Refusal(
            "player_must_be_in_the_hand",
            rule="BET",
            ruling="I-BET.2" if state.is_gambling else "I-BET.3",
            detail="Only the players of this hand bet. A player who sits out, was knocked out, or, in the gambling "
            "game, has fewer chips than the least bet is not in this hand.",
        )
    if seat == banker_to_be(state):
        raise Refusal("banker_must_not_bet", rule="BET", ruling="I-BET.1", detail="Every player but the banker bets.")
    if balance_of(state, bet(seat)):
        raise Refusal("bet_must_stand", rule="BET", ruling="I-BET.1", detail="A placed bet cannot be changed.")
