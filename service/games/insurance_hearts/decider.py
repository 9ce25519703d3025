"""The decider of Insurance Hearts: returns the events of a command in a state, or raises a refusal."""

from collections.abc import Mapping
from typing import Final, TypeAlias

import msgspec

from service.games import common_commands, common_events, dealer_draw, decks, invitations, seating
from service.games.common_decider import Decider
from service.games.decks import Emitter
from service.games.full_viewpoint import FullViewpoint
from service.games.game import SERVICE, Command, Event, Known, Refusal, SealedFields, Secret, Viewpoint
from service.games.insurance_hearts import (
    auction,
    commands,
    dealing,
    defaults,
    events,
    passing,
    playing,
    refusals,
    sealing,
    slips,
)
from service.games.insurance_hearts.evolve import evolve
from service.games.insurance_hearts.options import PLAYERS, Options
from service.games.insurance_hearts.state import State, awaited

PlayersCommand: TypeAlias = (
    commands.WriteSlip
    | commands.PassCards
    | commands.PlaceBid
    | commands.MakeNoBid
    | commands.ChooseLeftover
    | commands.PlayCard
)
HeartsChoice: TypeAlias = common_commands.TableChoice | PlayersCommand
HeartsDecision: TypeAlias = (
    seating.SeatingDecision
    | common_events.HandDealt
    | events.SlipWritten
    | events.PassChosen
    | events.BidWritten
    | events.LeftoverChosen
    | events.CardPlayed
)


def _decision(state: State, command: HeartsChoice, viewpoint: Viewpoint) -> Event:
    """Return the decision that *command* makes, from the *viewpoint* of its caller.

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
            return seating.leave_seat(state, command)
        case common_commands.StartGame():
            return seating.start_game(state, command, least=PLAYERS)
        case common_commands.CloseTable():
            return seating.close_table(state, command)
        case (
            common_commands.InvitePlayer() | common_commands.WithdrawInvitation() | common_commands.DeclineInvitation()
        ):
            seating.must_be_open(state)
            return invitations.decide(state, command)
        case common_commands.EraseValue():
            return seating.erase_value(state, command)
        case common_commands.DealHand():
            return dealing.deal_hand(state, command)
        case commands.WriteSlip():
            return slips.write(state, command)
        case commands.PassCards():
            return passing.choose(state, command, viewpoint)
        case commands.PlaceBid() | commands.MakeNoBid():
            return auction.bid(state, command, viewpoint)
        case commands.ChooseLeftover():
            return auction.choose(state, command)
        case commands.PlayCard():
            return playing.play(state, command, viewpoint)


def _follow(emitter: Emitter[State], command: HeartsChoice, known: Known) -> None:
    """Add the consequences of *command*, whose decision has been emitted."""
    match command:
        case common_commands.OpenTable():
            decks.open_reserve(emitter, known)
        case common_commands.StartGame():
            dealer_draw.draw_dealer(emitter, known)
        case common_commands.CloseTable():
            decks.reveal_unused(emitter, known)
        case common_commands.DealHand():
            dealing.deal(emitter, known)
        case commands.WriteSlip():
            slips.continue_after_last_slip(emitter, command, known)
        case commands.PassCards():
            passing.pass_after_last_choice(emitter, command, known)
        case commands.PlaceBid() | commands.MakeNoBid():
            auction.settle_after_last_bid(emitter, command, known)
        case commands.ChooseLeftover():
            auction.continue_auction(emitter, FullViewpoint(emitter.state, known))
        case commands.PlayCard():
            playing.take_full_trick(emitter, known)
        case common_commands.TakeSeat() | common_commands.LeaveSeat() | common_commands.EraseValue():
            pass
        case (
            common_commands.InvitePlayer() | common_commands.WithdrawInvitation() | common_commands.DeclineInvitation()
        ):
            pass


def sealed(state: State, command: HeartsChoice | common_commands.CallTime, known: Known) -> Mapping[str, Secret]:
    """Return, by field, the values that *command* seals; the rules accepted *command* in *state* (G.1)."""
    if isinstance(command, common_commands.CallTime):
        return sealed(state, _default(state, FullViewpoint(state, known)), known)
    return sealing.secrets(state, command)


def _default(state: State, viewpoint: Viewpoint) -> HeartsChoice:
    """Return the service's choice for the first seat whose decision is due (G.3)."""
    return defaults.decision(state, awaited(state)[0], viewpoint)


def _table_must_be_sound(command: common_commands.OpenTable) -> None:
    """Check the seats, the options and the terms of a new table.

    Raises:
        Refusal: the game does not allow the seats or the options, or chips are given a worth.
    """
    if command.seats != PLAYERS:
        detail = f"A table has {PLAYERS} seats, not {command.seats}."
        raise Refusal(refusals.SEATS_MUST_BE_WITHIN_THE_GAMES, detail)
    if command.worth_minor or command.currency:
        raise Refusal(refusals.WORTH_MUST_BE_OF_CHIPS)
    try:
        msgspec.convert(command.options, Options)
    except msgspec.ValidationError as error:
        raise Refusal(refusals.OPTIONS_MUST_BE_THE_GAMES, str(error)) from error


def _take_seat(state: State, command: common_commands.TakeSeat) -> common_events.SeatTaken:
    """Seat a player, who buys no chips (G.7)."""
    seating.must_be_open(state)
    if command.chips:
        raise Refusal(refusals.SEAT_MUST_COST_NOTHING)
    return seating.take_seat(state, command)


def command_of(decision: HeartsDecision, by: str, sealed: SealedFields) -> Command:
    """Return the command of *by* that led to *decision*, with the values that the decision *sealed*."""
    if by == SERVICE and not isinstance(decision, common_events.ValueErased):
        return seating.call_time_command(decision)
    match decision:
        case common_events.HandDealt():
            return common_commands.DealHand(by=by)
        case events.SlipWritten() | events.PassChosen() | events.BidWritten():
            return sealing.command_of(decision, by, sealed)
        case events.LeftoverChosen():
            return commands.ChooseLeftover(by=by, card=decision.card)
        case events.CardPlayed():
            return commands.PlayCard(by=by, card=decision.card)
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
    time_must_be_callable=seating.must_be_playing,
    default=_default,
    evolve=evolve,
)
