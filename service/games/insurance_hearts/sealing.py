"""What players write down for themselves, who reads it when, and the commands that it came from (G.1, IH.2, IH.7)."""

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
    """Return what *command* seals, by field."""
    seat = acting_seat(command.by)
    match command:
        case WriteSlip():
            return _of_slip(state, command, seat)
        case PassCards():
            shown: Mapping[type[Event], tuple[int, ...]] = {CardsPassed: (receiver(state, seat),)}
            return {"cards": Secret(value=list(command.cards), to=(seat,), shown=shown, open=(DeckRevealed,))}
        case PlaceBid() | MakeNoBid():
            return {"bid": Secret(value=sealed_bid(command), to=(seat,), open=(BidsOpened,))}
        case _:
            return {}


def _of_slip(state: State, command: WriteSlip, seat: int) -> Mapping[str, Secret]:
    """Seal what a slip holds, as far as it is played; numbers of a hand that was called off are never told (IH.3)."""
    fields = {}
    if state.options.insurance:
        number = command.insurance
        fields["insurance"] = Secret(value=number, to=(seat,), open=(HandScored,), never=(HandCancelled,))
    if state.options.foot:
        fields["foot"] = Secret(value=command.foot, to=(seat,), open=(FootTold,))
    return fields


def command_of(decision: SlipWritten | PassChosen | BidWritten, by: str, sealed: SealedFields) -> Command:
    """Return the command that *decision* of *by* came from; a number that is never told is 0: nothing came of it."""
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
