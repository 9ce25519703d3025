"""The reason for each transfer at a table of Insurance."""

from collections.abc import Mapping, Sequence

from service.games.game import Event, type_name
from service.games.insurance.events import HandSettled
from service.games.insurance.settlement import Payment, payments
from service.games.payouts import Payout, payout

_REASONS: Mapping[str, tuple[str, str]] = {
    "seat_taken": ("G.7", "buy-in"),
    "seat_left": ("G.7", "cashed out on leaving"),
    "table_closed": ("G.7", "cashed out as the table closes"),
    "chips_bought": ("I-BET.2", "bought between hands"),
    "bet_placed": ("I-BET.1", "the bet"),
    "insurance_offered": ("I-OFFER.2", "offered to the banker"),
    "insurance_accepted": ("I-ACC.1", "the banker insures the bet"),
    "insurance_refused": ("I-ACC.1", "the banker does not insure the bet: the offer goes back"),
    "game_ended": ("G.7", "the last player is paid out"),
}


def explain(event: Event, _before: Sequence[Event] = ()) -> tuple[Payout, ...]:
    """Return the payouts of *event*, each with its rule, ruling, formula and compared cards."""
    if isinstance(event, HandSettled):
        return tuple(_settlement_payout(event, payment) for payment in payments(event.banker, event.results))
    ruling, formula = _REASONS.get(type_name(type(event)), ("", ""))
    return tuple(payout(transfer, ruling, formula) for transfer in event.transfers)


def _settlement_payout(event: HandSettled, payment: Payment) -> Payout:
    transfer, result, reason = payment
    cards = (event.card, result.card) if result.card else (event.card,)
    compared = f"banker {event.card}" + (f", player {result.card}" if result.card else "")
    short = f"; {result.short} of {result.bet} could not be paid" if result.short else ""
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
