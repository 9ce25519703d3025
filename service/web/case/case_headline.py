"""The title of a hand: which seats won or lost how much, and why; or the reason why the hand was cancelled."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from service.ledger import POINTS
from service.web.case import case_causes, case_story
from service.web.case.case_causes import Cause
from service.web.case.case_facts import Answers
from service.wording import phrases
from service.wording.games import NOTES
from service.wording.hand_notes import Notes

_MOST_PARTS: Final = 3


def happened(changed: int, unit: str) -> str:
    """Return in words that a seat won, lost or got the amount *changed*, in *unit*."""
    if unit == POINTS:
        return f"got {phrases.points(changed)}" if changed else "got no points"
    if not changed:
        return "neither won nor lost chips"
    return f"{'won' if changed > 0 else 'lost'} {phrases.amount(abs(changed), unit)}"


def cancelled(answers: Answers) -> str:
    """Return why the hand was cancelled, or "" if the hand was not cancelled."""
    cancels = NOTES.get(answers.hand.game, Notes()).cancels
    return next((cancels[event.type](event) for event in case_story.hand_events(answers) if event.type in cancels), "")


def without_seat(answers: Answers, unit: str) -> str:
    """Return the title of a hand in which no seat lost anything."""
    return f"Nobody lost any {unit} in hand {answers.hand.hand}{_so_far(answers)}"


def shared(answers: Answers, seats: Sequence[int], changed: int, unit: str) -> str:
    """Return the title of a hand in which several *seats* lost the same amount, and no seat lost more."""
    verb = "got" if unit == POINTS else "lost"
    each = phrases.amount(abs(changed), unit)
    return f"{phrases.first_seats(seats)} {verb} most in hand {answers.hand.hand}{_so_far(answers)}: {each} each"


def of_seat(answers: Answers, seat: int, changed: int, unit: str, causes: Sequence[Cause]) -> str:
    """Return the title of the hand for *seat*."""
    hand = f"in hand {answers.hand.hand}{_so_far(answers)}"
    if not changed and unit != POINTS:
        claim = next((one for one in case_causes.unpaid_claims(answers) if one.seat == seat and not one.paid), None)
        if claim:
            return (
                f"Seat {seat} won {phrases.chips(claim.due)} {hand}, but {claim.who} had no chips left: "
                "nothing was paid"
            )
    who = f"Seat {seat} {happened(changed, unit)} {hand}"
    if not changed:
        return who
    return f"{who}{_points(changed, causes) if unit == POINTS else _chips(changed, unit, causes)}"


def _so_far(answers: Answers) -> str:
    return "" if answers.hand.is_settled else " so far"


def _points(changed: int, causes: Sequence[Cause]) -> str:
    main = next((cause for cause in causes if (cause.amount > 0) == (changed > 0)), None)
    if main is None:
        return ""
    rest = abs(main.amount - changed)
    by = main.rule.name
    if abs(main.amount) > abs(changed):
        return f": {main.said} by {by}, less {phrases.points(rest)} that were subtracted"
    return f"; {_share(abs(main.amount), rest)} of them by {by}"


def _chips(changed: int, unit: str, causes: Sequence[Cause]) -> str:
    """Return in words which party, or parties, in the end got or paid the largest part of *changed*; "": none did."""
    ends = Counter[str]()
    for cause in causes:
        ends[cause.end] += cause.amount
    sign = 1 if changed > 0 else -1
    direction = "from" if changed > 0 else "to"
    amount = max((sign * net for net in ends.values()), default=0)
    if amount <= 0:
        return ""
    main, *others = (end for end, net in ends.items() if sign * net == amount)
    if others:
        return f"; {amount:,} each {direction} {phrases.listed([main, *others])}"
    whither = f"{direction} {main}"
    parts = [cause for cause in causes if cause.end == main]
    rest = abs(amount - abs(changed))
    how = _how(parts, amount)
    if amount > abs(changed):
        other = "it paid" if changed > 0 else "it won"
        return f": {phrases.amount(amount, unit)} {whither}{how}, less {phrases.amount(rest, unit)} that {other}"
    them = "it" if abs(changed) == 1 else "them"
    return f"; {_share(amount, rest)} of {them} {whither}{how}"


def _how(parts: Sequence[Cause], amount: int) -> str:
    """Return in words the rules by which the chips of the causes *parts* moved.

    If there are several rules, name the amount for each rule. Return "" if these amounts do not add up to *amount*, or
    if there are more than `_MOST_PARTS` rules.
    """
    by: Mapping[tuple[str, str], int] = _by_rule(parts)
    if len(by) == 1:
        ((rule, through),) = by
        return f"{through} by {rule}"
    if sum(by.values()) != amount or len(by) > _MOST_PARTS:
        return ""
    each = [f"{number:,}{through} by {rule}" for (rule, through), number in by.items()]
    return f": {phrases.listed(each)}"


def _by_rule(parts: Sequence[Cause]) -> Mapping[tuple[str, str], int]:
    by = Counter[tuple[str, str]]()
    for cause in parts:
        through = f" through {cause.party}" if cause.party != cause.end else ""
        by[cause.rule.name, through] += abs(cause.amount)
    return {key: number for key, number in by.items() if number}


def _share(amount: int, rest: int) -> str:
    if not rest:
        return "all"
    return "half" if amount == rest else "most" if amount > rest else "the largest part"
