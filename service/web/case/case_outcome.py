"""The outcome of a hand: each seat's amounts before and after the hand, and what the seat won or lost."""

from collections.abc import Sequence

from markupsafe import Markup
from msgspec import Struct

from service.client.hand_answers import PayoutEvent, SeatSum
from service.ledger import POINTS
from service.web.case import case_causes, case_headline, case_payouts
from service.web.case.case_causes import Cause
from service.web.case.case_facts import Answers
from service.web.drawing import amounts
from service.wording import phrases


class SeatOutcome(Struct, frozen=True):
    """A seat's amount *before* and *after* the hand, the change, and the chips bought or paid out (*cashed*)."""

    seat: int
    is_you: bool
    before: str
    changed: int
    cashed: int
    after: str
    worth: Markup


class Outcome(Struct, frozen=True):
    """The outcome: the *headline* and the *causes* for the seat *seat*, and the amounts of all *seats*.

    *seat* is 0 if no seat was chosen, the viewer has no seat in the hand, and no seat lost anything.

    If the seat has no cause, *without_cause* says that nothing moved between the seat and others.
    """

    headline: str
    seat: int
    causes: tuple[Cause, ...]
    without_cause: str
    seats: tuple[SeatOutcome, ...]
    has_cash: bool
    has_worth: bool
    says_no_worth: bool
    unit: str


def outcome(answers: Answers, chosen: int, groups: Sequence[case_payouts.Group]) -> Outcome:
    """Return the outcome of the hand for the seat *chosen*.

    If *chosen* is no seat of the hand, return the outcome for the viewer's own seat, or else for the seat that lost
    most.
    """
    hand, table = answers.hand, answers.table
    cashed = case_payouts.added([paid for paid in hand.payouts if _is_cash(paid)])
    seats = tuple(_seat(answers, one, cashed.get(one.seat, 0)) for one in hand.seats)
    unit = hand.seats[0].unit if hand.seats else "chips"
    known = {one.seat for one in seats}
    worst = max(seats, key=lambda one: _against(one.changed, unit), default=None)
    if chosen not in known:
        chosen = table.you if table.you in known else 0
    seat = chosen or (worst.seat if worst and _against(worst.changed, unit) > 0 else 0)
    causes = case_causes.causes(answers, seat, groups) if seat else ()
    changed = next((one.changed for one in seats if one.seat == seat), 0)
    equal = [one.seat for one in seats if one.changed == changed] if seat and not chosen else []
    cancelled = case_headline.cancelled(answers)
    return Outcome(
        headline=f"Hand {hand.hand} was cancelled: {cancelled}"
        if cancelled
        else case_headline.without_seat(answers, unit)
        if not seat
        else case_headline.shared(answers, equal, changed, unit)
        if len(equal) > 1
        else case_headline.of_seat(answers, seat, changed, unit, causes),
        seat=seat,
        causes=causes,
        without_cause="" if causes or not seat else _without_cause(seat, unit),
        seats=seats,
        has_cash=any(one.cashed for one in seats),
        has_worth=bool(table.worth and table.worth.minor and unit != POINTS),
        says_no_worth=unit != POINTS and not (table.worth and table.worth.minor),
        unit=unit,
    )


def _against(changed: int, unit: str) -> int:
    """Return the loss that a change means for its seat: chips that the seat lost, or points that the seat got."""
    return changed if unit == POINTS else -changed


def _is_cash(paid: PayoutEvent) -> bool:
    """Return whether chips were bought or paid out."""
    return phrases.is_outside(paid.payout.source) or phrases.is_outside(paid.payout.target)


def _seat(answers: Answers, one: SeatSum, cashed: int) -> SeatOutcome:
    changed = one.net - cashed
    value = answers.table.worth
    return SeatOutcome(
        seat=one.seat,
        is_you=one.seat == answers.table.you,
        before=f"{one.opening:,}",
        changed=changed,
        cashed=cashed,
        after=f"{one.closing:,}",
        worth=amounts.money(changed * value.minor, value.currency) if value and value.minor else Markup(),
    )


def _without_cause(seat: int, unit: str) -> str:
    if unit == POINTS:
        return f"No points were added to the score of seat {seat}, and none were subtracted from it."
    return f"No chips came to seat {seat} from another seat or a place of the table, and none went there."
