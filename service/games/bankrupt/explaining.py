"""The reason for each transfer at a table of Bankrupt."""

from collections.abc import Sequence

from service.games import common_events
from service.games.bankrupt import events
from service.games.bankrupt.accounts import ante
from service.games.bankrupt.showdown import value
from service.games.game import Event
from service.games.payouts import BUY_IN_RETURNED, Payout, Reasons, payout, payouts
from service.ledger import CHIPS, stack

_REASONS: Reasons = {
    common_events.SeatTaken: ("G.7", "buy-in"),
    common_events.SeatLeft: BUY_IN_RETURNED,
    common_events.TableClosed: BUY_IN_RETURNED,
    events.AntesPlaced: ("B6.1", "this round's ante: nine pieces, or all of a smaller stack"),
    events.HandThrownIn: ("B11.2", "one ante piece forfeited for throwing in"),
    events.UppingOffered: ("B12.5", "offered"),
    events.UppingAccepted: ("B12.4", "accepted: as many pieces as were offered"),
    events.UppingCollected: ("B12.3", "a player accepted: offer and acceptances go to the centre"),
    events.OfferReturned: ("B12.3", "all declined: the offer goes back"),
    events.CentreDivided: ("B17.2", "the centre in equal shares after the last dead round"),
    events.AntesReturned: ("B6.2", "the rest of the ante goes back"),
    events.PlayerResigned: ("B19.1", "the pieces of a player who resigned"),
    common_events.GameEnded: ("B20.2", "the last player takes all, and is paid out"),
}
_CENTRE_FORMULAS = {
    "B12.7": "the winner made an offer or acceptance in this round and collects the centre",
    "B12.8": "the winner was on last legs and collects the centre without an offer or acceptance",
}
_CAP_REASONS = {"B17.1": "the ante had no more pieces", "B18.2": "the winner's own ante on last legs"}


def explain(event: Event, _before: Sequence[Event] = ()) -> tuple[Payout, ...]:
    """Return the payouts of *event*, each with its rule, ruling and formula; a claim has the compared cards too."""
    if isinstance(event, events.RoundWon):
        return tuple(_claim_payout(event, claim) for claim in event.claims)
    if isinstance(event, events.CentreCollected):
        formula = _CENTRE_FORMULAS[event.ruling]
        return tuple(payout(transfer, event.ruling, formula) for transfer in event.transfers)
    return payouts(event, _REASONS)


def _claim_payout(event: events.RoundWon, claim: events.Claim) -> Payout:
    formula = f"{claim.winning} against {claim.losing}: {_difference(claim)}"
    if event.multiplier > 1:
        formula += f", {claim.difference} x {event.multiplier} (rounds of the streak) = {claim.due}"
    if claim.cap:
        formula += f", capped at {claim.taken} ({claim.cap}: {_CAP_REASONS[claim.cap]})"
    return Payout(
        source=ante(claim.seat),
        target=stack(event.winner),
        amount=claim.taken,
        unit=CHIPS,
        rule=claim.rule,
        ruling=claim.ruling,
        formula=formula,
        cards=(claim.winning, claim.losing),
    )


def _difference(claim: events.Claim) -> str:
    """Write out how the values of the compared cards differ ("11 - 8 = 3"); equal values count one (B15.1, B16.1)."""
    higher, lower = sorted((value(claim.winning), value(claim.losing)), reverse=True)
    if higher == lower:
        return f"{higher} - {lower} = 0, which counts {claim.difference}"
    return f"{higher} - {lower} = {claim.difference}"
