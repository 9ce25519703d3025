"""The sealed fields of slips, passes and bids, and the commands that seal these fields (G.1, IH.2, IH.7)."""

from collections.abc import Mapping

from service.games.common_events import DeckRevealed
from service.games.game import Command, Event, SealedFields, Secret, acting_seat
from service.games.insurance_hearts.auction import sealed_bid
from service.games.insurance_hearts.commands import MakeNoBid, PassCards, PlaceBid, WriteSlip
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


def secrets(state: State, command: Command) -> Mapping[str, Secret]:
    """Return the values that *command* seals, by field."""
    seat = acting_seat(command.by)
    match command:
        case WriteSlip():
            return _slip_secrets(state, command, seat)
        case PassCards():
            shown: Mapping[type[Event], tuple[int, ...]] = {CardsPassed: (receiver(state, seat),)}
            return {"cards": Secret(value=list(command.cards), to=(seat,), shown=shown, open=(DeckRevealed,))}
        case PlaceBid() | MakeNoBid():
            return {"bid": Secret(value=sealed_bid(command), to=(seat,), open=(BidsOpened,))}
        case _:
            return {}


def _slip_secrets(state: State, command: WriteSlip, seat: int) -> Mapping[str, Secret]:
    """Return the secrets of a slip, by field; the insurance number of a cancelled hand stays sealed (IH.3)."""
    fields = {}
    if state.options.insurance:
        number = command.insurance
        fields["insurance"] = Secret(value=number, to=(seat,), open=(HandScored,), never=(HandCancelled,))
    if state.options.foot:
        fields["foot"] = Secret(value=command.foot, to=(seat,), open=(FootTold,))
    return fields


def command_of(decision: SlipWritten | PassChosen | BidWritten, by: str, sealed: SealedFields) -> Command:
    """Return the command of *by* that led to *decision*.

    A number that stays sealed for good had no effect; the command has 0 in its place.
    """
    match decision:
        case SlipWritten():
            return WriteSlip(by=by, insurance=sealed("insurance") or 0, foot=bool(sealed("foot")))
        case PassChosen():
            return PassCards(by=by, cards=tuple(sealed("cards")))
        case BidWritten():
            bid = sealed("bid")
            if not bid["card"]:
                return MakeNoBid(by=by, shown=bid["shown"])
            return PlaceBid(by=by, card=bid["card"], points=bid["points"], shown=bid["shown"])
