"""The reason for each transfer at a table of Insurance."""

from collections.abc import Sequence

from service.games import common_events
from service.games.game import Event
from service.games.insurance import events
from service.games.insurance.events import Result
from service.games.insurance.settlement import Payment, payments
from service.games.payouts import BUY_IN_RETURNED, Payout, Reasons, payout, payouts

_REASONS: Reasons = {
    common_events.SeatTaken: ("G.7", "buy-in"),
    common_events.SeatLeft: ("G.7", "cashed out on leaving"),
    common_events.TableClosed: ("G.7", "cashed out as the table closes"),
    events.ChipsBought: ("I-BET.2", "bought between hands"),
    events.BetPlaced: ("I-BET.1", "the bet"),
    events.InsuranceOffered: ("I-OFFER.2", "offered to the banker"),
    events.InsuranceAccepted: ("I-ACC.1", "the banker insures the bet"),
    events.InsuranceRefused: ("I-ACC.1", "the banker does not insure the bet: the offer goes back"),
    common_events.GameEnded: ("G.7", "the last player is paid out"),
}
_BEFORE_START: Reasons = {common_events.SeatLeft: BUY_IN_RETURNED, common_events.TableClosed: BUY_IN_RETURNED}
"""The reasons of the transfers that cite G.4: the game has not started, and each stack is a buy-in."""


def explain(event: Event, _before: Sequence[Event] = ()) -> tuple[Payout, ...]:
    """Return the payouts of *event*, each with its rule, ruling and formula; in a settlement also with the cards."""
    if isinstance(event, events.HandSettled):
        return tuple(_settlement_payout(event, payment) for payment in payments(event.banker, event.results))
    is_before_start = any(transfer.rule == "G.4" for transfer in event.transfers)
    return payouts(event, _BEFORE_START if is_before_start else _REASONS)


def _settlement_payout(event: events.HandSettled, payment: Payment) -> Payout:
    transfer, result, reason = payment
    cards = (event.card, result.card) if result.card else (event.card,)
    compared = f"banker {event.card}" + (f", player {result.card}" if result.card else "")
    short = f"; {_paid(result)}" if result.short else ""
    unpaid = short if result.short == result.bet else ""
    ruling, formula = {
        "insurance": ("I-PAY.1", f"{compared}: {result.outcome}, and the banker keeps the insurance"),
        "lost": ("I-PAY.1", f"{compared}: lost"),
        "insured": ("I-PAY.1", f"{compared}: lost, and insured, so the bet goes back"),
        "tied": ("I-DEAL2.1", f"{compared}: tied, so all goes back"),
        "own": ("I-PAY.2" if unpaid else "I-PAY.1", f"{compared}: won, so the player's own bet goes back{unpaid}"),
        "won": ("I-PAY.2" if result.short else "I-PAY.1", f"{compared}: won, one to one{short}"),
    }[reason]
    if not result.card:
        ruling = "I-PAY.2" if unpaid or (result.short and reason == "won") else "I-DEAL1.1"
    return payout(transfer, ruling, formula, cards)


def _paid(result: Result) -> str:
    """Return, in words, how many chips a banker with too few chips could pay for a bet that won (I-PAY.2)."""
    paid = result.bet - result.short
    return f"the banker could pay {f'only {paid}' if paid else 'nothing'} of the {result.bet} chips won"
