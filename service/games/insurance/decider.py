"""The decider of Insurance: returns the events of a command in a state, or raises a refusal."""

from itertools import pairwise
from typing import Final, TypeAlias

import msgspec

from service.games import common_commands, common_events, decks, invitations, seating
from service.games.common_decider import Decider
from service.games.common_events import SeatLeft, TableClosed
from service.games.decks import Emitter
from service.games.game import SERVICE, Command, Event, Known, Refusal, SealedFields, Viewpoint, seat_actor
from service.games.insurance import betting, commands, dealing, events, insuring
from service.games.insurance.evolve import evolve
from service.games.insurance.options import SEATS, Options
from service.games.insurance.state import Phase, State, bet_bounds, may_be_called, to_bet
from service.games.insurance.turns import must_be_between_hands, must_be_chips, must_be_gambling, must_be_seated
from service.games.table_state import balance_of
from service.ledger import stack

InsuranceChoice: TypeAlias = (
    common_commands.TableChoice
    | commands.PlaceBet
    | commands.SitOut
    | commands.SitIn
    | commands.BuyChips
    | commands.OfferInsurance
    | commands.AcceptInsurance
    | commands.RefuseInsurance
)
InsuranceDecision: TypeAlias = (
    seating.SeatingDecision
    | events.ChipsBought
    | events.HandSatOut
    | events.SatIn
    | events.BetPlaced
    | events.DealBegun
    | events.InsuranceOffered
    | events.InsuranceAccepted
    | events.InsuranceRefused
)


def _decision(state: State, command: InsuranceChoice, _seen: Viewpoint) -> Event:
    """Return the decision that *command* makes.

    Raises:
        Refusal: the rules do not allow the command.
    """
    match command:
        case common_commands.OpenTable():
            _table_must_be_sound(command)
            return seating.open_table(state, command)
        case common_commands.TakeSeat():
            return _take_seat(state, command)
        case common_commands.LeaveSeat():
            return _leave_seat(state, command)
        case common_commands.StartGame():
            return seating.start_game(state, command, seats_stay_open=state.is_gambling)  # I-BET.2
        case common_commands.CloseTable():
            return _close_table(state, command)
        case (
            common_commands.InvitePlayer() | common_commands.WithdrawInvitation() | common_commands.DeclineInvitation()
        ):
            _seats_must_be_open(state)
            return invitations.decide(state, command)
        case common_commands.EraseValue():
            return seating.erase_value(state, command)
        case common_commands.DealHand():
            return dealing.deal_hand(state, command)
        case commands.PlaceBet():
            return betting.place_bet(state, command)
        case commands.SitOut():
            return betting.sit_out(state, command)
        case commands.SitIn():
            return betting.sit_in(state, command)
        case commands.BuyChips():
            return betting.buy_chips(state, command)
        case commands.OfferInsurance():
            return insuring.make_offer(state, command)
        case commands.AcceptInsurance():
            return insuring.accept(state, command)
        case commands.RefuseInsurance():
            return insuring.refuse(state, command)


def _follow(emitter: Emitter[State], command: InsuranceChoice, known: Known) -> None:
    """Add the consequences of *command*, whose decision has been emitted."""
    match command:
        case common_commands.OpenTable():
            decks.open_reserve(emitter, known)
        case common_commands.CloseTable():
            if emitter.state.epoch:
                decks.retire(emitter, known, emitter.state.epoch)
            decks.reveal_unused(emitter, known)
        case common_commands.DealHand():
            dealing.deal_first_round(emitter, known)
        case commands.PlaceBet():
            betting.begin_hand_with_first_bet(emitter)
        case commands.AcceptInsurance() | commands.RefuseInsurance():
            insuring.deal_after_last_answer(emitter, known)
        case (
            common_commands.TakeSeat()
            | common_commands.LeaveSeat()
            | common_commands.StartGame()
            | common_commands.EraseValue()
        ):
            pass
        case (
            common_commands.InvitePlayer() | common_commands.WithdrawInvitation() | common_commands.DeclineInvitation()
        ):
            pass
        case commands.SitOut() | commands.SitIn() | commands.BuyChips() | commands.OfferInsurance():
            pass


def _table_must_be_sound(command: common_commands.OpenTable) -> None:
    """Check the number of seats and the options of a new table.

    Raises:
        Refusal: the game does not allow the seats or the options.
    """
    if not SEATS.least <= command.seats <= SEATS.most:
        raise Refusal(
            "seats_must_be_within_the_games",
            rule="INTRODUCTION",
            ruling="I-END.3",
            detail=f"A table has {SEATS.least} to {SEATS.most} seats, not {command.seats}.",
        )
    try:
        options = msgspec.convert(command.options, Options)
    except msgspec.ValidationError as error:
        raise Refusal("options_must_be_the_games", ruling="G.2", detail=str(error)) from error
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
    raise Refusal("options_must_be_the_games", rule=rule, ruling=ruling, detail=detail)


def _seats_must_be_open(state: State) -> None:
    """Check that players may take seats now (G.4, I-BET.2).

    Raises:
        Refusal: the table is closed, the game is over, a bet is on the table, or a non-gambling game has started.
    """
    if state.status == "playing" and state.is_gambling:
        must_be_between_hands(state)
    else:
        seating.must_be_open(state)


def _take_seat(state: State, command: common_commands.TakeSeat) -> common_events.SeatTaken:
    """Seat a player before the start or, in the gambling game, between hands (G.4, I-BET.2)."""
    _seats_must_be_open(state)
    if state.is_gambling:
        must_be_chips(state, command.chips)
    elif command.chips != state.options.buy_in:
        raise Refusal(
            "buy_in_must_be_the_tables",
            rule="NON-GAMBLING VARIATION",
            ruling="G.7",
            detail=f"Every player at this table starts with {state.options.buy_in} chips.",
        )
    return seating.take_seat(state, command)


def _leave_seat(state: State, command: common_commands.LeaveSeat) -> SeatLeft:
    """Let a player leave before the start or, in the gambling game, between hands (I-BET.2, G.7)."""
    if state.status != "playing":
        return seating.leave_seat(state, command)
    seat = must_be_seated(state, command.by)
    must_be_gambling(state)
    must_be_between_hands(state)
    payout = seating.cash_out(state, seat, rule="G.7")
    return SeatLeft(seat=seat, chips=balance_of(state, stack(seat)), transfers=payout)


def _close_table(state: State, command: common_commands.CloseTable) -> TableClosed:
    """Close the table before the start or, in the gambling game, between hands; pay all chips out (I-BET.2)."""
    if state.status != "playing":
        return seating.close_table(state, command)
    seating.must_be_host(command.by)
    must_be_gambling(state)
    must_be_between_hands(state)
    return TableClosed(transfers=seating.cash_out_all(state, rule="G.7"))


def _time_must_be_callable(state: State) -> None:
    """Check that a decision is due for which time may be called (G.3).

    Between hands of the gambling game time may not be called: players may leave, and the host may close the table. In
    the non-gambling variation nobody can leave, so time may be called for the first bet too; otherwise one player could
    block the others.

    Raises:
        Refusal: the game is not under way, or no such decision is due.
    """
    seating.must_be_playing(state)
    if not may_be_called(state):
        raise Refusal(
            "hand_must_be_under_way",
            rule="BET",
            ruling="G.4",
            detail="Nobody can call time between hands: a hand begins with its first bet.",
        )


def _default(state: State, _seen: Viewpoint) -> InsuranceChoice:
    """Return the service's choice: the least bet, the deal, an offer of one chip, or the refusal of an offer (G.3)."""
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


def command_of(decision: InsuranceDecision, by: str, _sealed: SealedFields) -> Command:
    """Return the command of *by* that led to *decision*."""
    if by == SERVICE and not isinstance(decision, common_events.ValueErased):
        return seating.call_time_command(decision)
    match decision:
        case events.ChipsBought():
            return commands.BuyChips(by=by, chips=decision.chips)
        case events.HandSatOut():
            return commands.SitOut(by=by)
        case events.SatIn():
            return commands.SitIn(by=by)
        case events.BetPlaced():
            return commands.PlaceBet(by=by, chips=decision.chips)
        case events.DealBegun():
            return common_commands.DealHand(by=by)
        case events.InsuranceOffered():
            return commands.OfferInsurance(by=by, chips=decision.chips)
        case events.InsuranceAccepted():
            return commands.AcceptInsurance(by=by, seat=decision.seat)
        case events.InsuranceRefused():
            return commands.RefuseInsurance(by=by, seat=decision.seat)
        case (
            common_events.TableOpened()
            | common_events.SeatTaken()
            | common_events.SeatLeft()
            | common_events.GameStarted()
            | common_events.TableClosed()
            | common_events.ValueErased()
        ):
            return seating.command_of(decision, by)
        case common_events.PlayerInvited() | common_events.InvitationDeclined() | common_events.InvitationWithdrawn():
            return invitations.command_of(decision, by)


DECIDER: Final = Decider(
    decision=_decision,
    follow=_follow,
    time_must_be_callable=_time_must_be_callable,
    default=_default,
    evolve=evolve,
)
