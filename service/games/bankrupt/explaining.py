"""The reason for each transfer at a table of Bankrupt."""

from collections.abc import Mapping, Sequence

from service.games.bankrupt.accounts import ante
from service.games.bankrupt.events import CentreCollected, Claim, RoundWon
from service.games.game import Event, type_name
from service.games.payouts import Payout, payout
from service.ledger import CHIPS, stack

_REASONS: Mapping[str, tuple[str, str]] = {
    "seat_taken": ("G.7", "buy-in"),
    "seat_left": ("G.4", "buy-in returned"),
    "table_closed": ("G.4", "buy-in returned"),
    "antes_placed": ("B6.1", "this round's ante: nine pieces, or all of a smaller stack"),
    "hand_thrown_in": ("B11.2", "one ante piece forfeited for throwing in"),
    "upping_offered": ("B12.5", "offered"),
    "upping_accepted": ("B12.4", "accepted: as many pieces as were offered"),
    "upping_collected": ("B12.3", "a player accepted: offer and acceptances go to the centre"),
    "offer_returned": ("B12.3", "all declined: the offer goes back"),
    "centre_divided": ("B17.2", "the centre in equal shares after the last dead round"),
    "antes_returned": ("B6.2", "the rest of the ante goes back"),
    "player_resigned": ("B19.1", "the pieces of a player who resigned"),
    "game_ended": ("B20.2", "the last player takes all, and is paid out"),
}
_CENTRE_FORMULAS = {
    "B12.7": "the winner made an offer or acceptance in this round and collects the centre",
    "B12.8": "the winner was on last legs and collects the centre without an offer or acceptance",
}
_CAP_REASONS = {"B17.1": "the ante had no more pieces", "B18.2": "the winner's own ante on last legs"}


def explain(event: Event, _before: Sequence[Event] = ()) -> tuple[Payout, ...]:
    """Return the payouts of *event*, each with its rule, ruling, formula and compared cards."""
    if isinstance(event, RoundWon):
        return tuple(_claim_payout(event, claim) for claim in event.claims)
    ruling, formula = _REASONS.get(type_name(type(event)), ("", ""))
    if isinstance(event, CentreCollected):
        ruling, formula = event.ruling, _CENTRE_FORMULAS[event.ruling]
    return tuple(payout(transfer, ruling, formula) for transfer in event.transfers)


def _claim_payout(event: RoundWon, claim: Claim) -> Payout:
    formula = f"{claim.winning} against {claim.losing}: {claim.difference}"
    if event.multiplier > 1:
        formula += f" x {event.multiplier} (rounds of the streak) = {claim.due}"
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
