"""The moves of Insurance Hearts: its commands, each with the rules that decide it."""

from typing import Final

from service.games import common_commands, common_events, dealer_draw, seating
from service.games.common_moves import common_moves
from service.games.decks import Emitter
from service.games.game import Known, Refusal
from service.games.insurance_hearts import (
    auction,
    commands,
    dealing,
    events,
    passing,
    playing,
    refusals,
    sealing,
    slips,
)
from service.games.insurance_hearts.options import PLAYERS, SEATS, Options
from service.games.insurance_hearts.state import State
from service.games.move import Move, Moves, public


def _table_must_be_sound(command: common_commands.OpenTable) -> None:
    """Check the seats, the options and the terms of a new table.

    Raises:
        Refusal: the game does not allow the seats or the options, or the command gives chips a worth or a currency.
    """
    seating.seats_must_be_within(command, SEATS, refusals.SEATS_MUST_BE_WITHIN_THE_GAMES)
    if command.worth_minor or command.currency:
        raise Refusal(refusals.WORTH_MUST_BE_OF_CHIPS)
    seating.options_of(command, Options, refusals.OPTIONS_MUST_BE_THE_GAMES)


def _buy_in_must_be_sound(_state: State, command: common_commands.TakeSeat) -> None:
    """Check that a player buys no chips (H-SCORE.2)."""
    if command.chips:
        raise Refusal(refusals.SEAT_MUST_COST_NOTHING)


def resume(emitter: Emitter[State], known: Known) -> None:
    """If there is no dealer yet, draw the first dealer; the draw waits until a deck is ready (H-DEAL.1, G.9)."""
    if not emitter.state.dealer:
        dealer_draw.draw_dealer(emitter, known)


MOVES: Final[Moves[State]] = Moves(
    *common_moves(
        table_must_be_sound=_table_must_be_sound,
        buy_in_must_be_sound=_buy_in_must_be_sound,
        begin_game=resume,
        least_players=PLAYERS,
    ),
    Move(
        command=common_commands.DealHand,
        decision=common_events.HandDealt,
        decide=public(dealing.deal_hand),
        follow=dealing.deal,
    ),
    Move(
        command=commands.WriteSlip,
        decision=events.SlipWritten,
        decide=public(slips.write),
        follow=slips.continue_after_last_slip,
        seals=sealing.slip_secrets,
        command_of=sealing.command_of_slip,
    ),
    Move(
        command=commands.PassCards,
        decision=events.PassChosen,
        decide=passing.choose,
        follow=passing.pass_after_last_choice,
        seals=sealing.pass_secrets,
        command_of=sealing.command_of_pass,
    ),
    *(
        Move(
            command=command,
            decision=events.BidWritten,
            decide=auction.bid,
            follow=auction.settle_after_last_bid,
            seals=sealing.bid_secrets,
            command_of=sealing.command_of_bid,
        )
        for command in commands.BIDS
    ),
    Move(
        command=commands.ChooseLeftover,
        decision=events.LeftoverChosen,
        decide=public(auction.choose),
        follow=auction.continue_auction,
    ),
    Move(command=commands.PlayCard, decision=events.CardPlayed, decide=playing.play, follow=playing.take_full_trick),
)
