"""The moves of Insurance: its commands, each with the rules that decide it (DECISIONS 30)."""

from itertools import pairwise
from typing import Final

from service.games import common_commands, seating
from service.games.common_events import SeatLeft, TableClosed
from service.games.common_moves import common_moves
from service.games.game import Command, Refusal, Viewpoint, seat_actor
from service.games.insurance import betting, commands, dealing, events, insuring, refusals
from service.games.insurance.options import SEATS, Options
from service.games.insurance.state import Phase, State, bet_bounds, may_be_called, to_bet
from service.games.insurance.turns import must_be_between_hands, must_be_chips, must_be_gambling
from service.games.move import Move, Moves, public


def _table_must_be_sound(command: common_commands.OpenTable) -> None:
    """Check the number of seats and the options of a new table.

    Raises:
        Refusal: the game does not allow the seats or the options.
    """
    seating.seats_must_be_within(command, SEATS, refusals.SEATS_MUST_BE_WITHIN_THE_GAMES)
    options = seating.options_of(command, Options, refusals.OPTIONS_MUST_BE_THE_GAMES, ruling="G.2")
    bets = options.standard_bets
    rule, ruling = "NON-GAMBLING VARIATION", "I-BET.3"
    if options.form == "gambling" and bets:
        detail = "Only the non-gambling variation has a standard bet."
    elif any(later < earlier for earlier, later in pairwise(bets)):
        detail = "A standard bet must not be lower than the standard bet before."
    elif options.first_banker > command.seats:
        rule, ruling = "INTRODUCTION", "I-END.2"
        detail = f"The first banker's seat {options.first_banker} does not exist at this table."
    else:
        return
    raise Refusal(refusals.OPTIONS_MUST_BE_THE_GAMES, detail, rule=rule, ruling=ruling)


def _seats_must_be_open(state: State) -> None:
    """Check that players may take seats now (G.4, I-BET.2).

    Raises:
        Refusal: the table is closed, the game is over, a bet is on the table, or a non-gambling game has started.
    """
    if state.status == "playing" and state.is_gambling:
        must_be_between_hands(state)
    else:
        seating.must_be_open(state)


def _buy_in_must_be_sound(state: State, command: common_commands.TakeSeat) -> None:
    """Check how many chips a player buys with a seat (I-BET.5).

    In the gambling game the player chooses a number up to a limit; otherwise the table's options set the number.

    Raises:
        Refusal: the player may not buy this number of chips.
    """
    if state.is_gambling:
        must_be_chips(state, command.chips)
    else:
        seating.buy_in_must_be(command, state.options.buy_in, "chips", refusals.BUY_IN_MUST_BE_THE_TABLES)


def _leave_seat(state: State, command: common_commands.LeaveSeat) -> SeatLeft:
    """Let a player leave before the start or, in the gambling game, between hands (I-BET.2, G.7)."""
    if state.status != "playing":
        return seating.leave_seat(state, command)
    seat = seating.must_be_seated(state, command.by)
    must_be_gambling(state)
    must_be_between_hands(state)
    return seating.leave_with_chips(state, seat, rule="G.7")


def _close_table(state: State, command: common_commands.CloseTable) -> TableClosed:
    """Close the table before the start or, in the gambling game, between hands; pay all chips out (I-BET.2)."""
    if state.status != "playing":
        return seating.close_table(state, command)
    seating.must_be_host(command.by)
    must_be_gambling(state)
    must_be_between_hands(state)
    return TableClosed(transfers=seating.cash_out_all(state, rule="G.7"))


def time_must_be_callable(state: State) -> None:
    """Check that time may be called now (G.3, I-BET.4).

    Between hands of the gambling game time may not be called: players may leave, and the host may close the table. In
    the non-gambling variation nobody can leave, so time may be called for the first bet too; otherwise one player could
    block the others.

    Raises:
        Refusal: the game is not under way, no decision is due, or a gambling game is between hands.
    """
    seating.must_be_playing(state)
    if not may_be_called(state):
        raise Refusal(refusals.HAND_MUST_BE_UNDER_WAY)


def default(state: State, _viewpoint: Viewpoint) -> Command:
    """Return the service's choice: the least bet, the deal, an offer of one chip, or the refusal of an offer.

    These choices follow I-BET.4, I-DEAL1.2, I-OFFER.3 and I-ACC.2.
    """
    match state.phase:
        case Phase.OFFERING:
            return commands.OfferInsurance(by=seat_actor(state.to_offer[0]), chips=1)
        case Phase.ACCEPTING:
            return commands.RefuseInsurance(by=seat_actor(state.banker), seat=state.to_answer[0])
        case _:
            waiting = to_bet(state)
            if not waiting:
                return common_commands.DealHand(by=seat_actor(state.banker))
            return commands.PlaceBet(by=seat_actor(waiting[0]), chips=bet_bounds(state, waiting[0]).least)


MOVES: Final[Moves[State]] = Moves(
    *common_moves(
        table_must_be_sound=_table_must_be_sound,
        buy_in_must_be_sound=_buy_in_must_be_sound,
        seats_must_be_open=_seats_must_be_open,
        seats_stay_open=lambda state: state.is_gambling,  # I-BET.2
        leave_seat=_leave_seat,
        close_table=_close_table,
    ),
    Move(
        command=common_commands.DealHand,
        decision=events.DealBegun,
        decide=public(dealing.deal_hand),
        follow=dealing.deal_first_round,
    ),
    Move(
        command=commands.PlaceBet,
        decision=events.BetPlaced,
        decide=public(betting.place_bet),
        follow=betting.begin_hand_with_first_bet,
    ),
    Move(command=commands.SitOut, decision=events.HandSatOut, decide=public(betting.sit_out)),
    Move(command=commands.SitIn, decision=events.SatIn, decide=public(betting.sit_in)),
    Move(command=commands.BuyChips, decision=events.ChipsBought, decide=public(betting.buy_chips)),
    Move(command=commands.OfferInsurance, decision=events.InsuranceOffered, decide=public(insuring.make_offer)),
    Move(
        command=commands.AcceptInsurance,
        decision=events.InsuranceAccepted,
        decide=public(insuring.accept),
        follow=insuring.deal_after_last_answer,
    ),
    Move(
        command=commands.RefuseInsurance,
        decision=events.InsuranceRefused,
        decide=public(insuring.refuse),
        follow=insuring.deal_after_last_answer,
    ),
)
