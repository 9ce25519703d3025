"""The sealed fields of slips, passes and bids, and the commands that seal these fields (G.1, IH.2, H-PASS.1, IH.7)."""

# DECISIONS 34

from collections.abc import Mapping

import msgspec

from service.cards import Face
from service.games.common_events import DeckRevealed
from service.games.game import Event, SealedFields, Secret, acting_seat
from service.games.insurance_hearts.bids import bid_of, from_json
from service.games.insurance_hearts.commands import BidOrNone, MakeNoBid, PassCards, PlaceBid, WriteSlip
from service.games.insurance_hearts.events import (
    BidsOpened,
    BidWritten,
    CardsPassed,
    FootTold,
    HandCancelled,
    HandScored,
    PassChosen,
    SlipWritten,
)
from service.games.insurance_hearts.state import State, receiver


def slip_secrets(state: State, command: WriteSlip) -> Mapping[str, Secret]:
    """Return the secrets of a slip, by field; the insurance numbers of a cancelled hand are closed for good (IH.3)."""
    seat = acting_seat(command.by)
    fields = {}
    if state.options.insurance:
        number = command.insurance
        fields["insurance"] = Secret(value=number, to=(seat,), open=(HandScored,), never=(HandCancelled,))
    if state.options.foot:
        fields["foot"] = Secret(value=command.foot, to=(seat,), open=(FootTold,))
    return fields


def pass_secrets(state: State, command: PassCards) -> Mapping[str, Secret]:
    """Return the secret of a pass: the three cards, which the receiver may read once they are passed."""
    seat = acting_seat(command.by)
    shown: Mapping[type[Event], tuple[int, ...]] = {CardsPassed: (receiver(state, seat),)}
    return {"cards": Secret(value=list(command.cards), to=(seat,), shown=shown, open=(DeckRevealed,))}


def bid_secrets(_state: State, command: BidOrNone) -> Mapping[str, Secret]:
    """Return the secret of a bid, or of the decision not to bid."""
    return {"bid": Secret(value=bid_of(command), to=(acting_seat(command.by),), open=(BidsOpened,))}


def command_of_slip(_decision: SlipWritten, by: str, sealed: SealedFields) -> WriteSlip:
    """Return the command that led to a slip.

    A number that is closed for good had no effect; the command has 0 in its place.
    """
    number, foot = sealed("insurance"), sealed("foot")
    return WriteSlip(
        by=by,
        insurance=0 if number is None else msgspec.convert(number, int),
        foot=False if foot is None else msgspec.convert(foot, bool),
    )


def command_of_pass(_decision: PassChosen, by: str, sealed: SealedFields) -> PassCards:
    """Return the command that led to a choice of cards."""
    return PassCards(by=by, cards=msgspec.convert(sealed("cards"), tuple[Face, ...]))


def command_of_bid(_decision: BidWritten, by: str, sealed: SealedFields) -> BidOrNone:
    """Return the command that led to a bid, or to the decision not to bid."""
    bid = from_json(sealed("bid"))
    if not bid.card:
        return MakeNoBid(by=by, shown=bid.shown)
    return PlaceBid(by=by, card=bid.card, points=bid.points, shown=bid.shown)
