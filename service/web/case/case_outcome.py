"""The outcome of a hand: what each seat had, won or lost, and has, and in one sentence why."""

from collections.abc import Iterator, Sequence

from markupsafe import Markup
from msgspec import Struct

from service.ledger import POINTS, account_seat
from service.web.case import case_payouts
from service.web.case.case_facts import Answers, Paid, SeatSum
from service.web.case.case_payouts import Line
from service.web.drawing import amounts
from service.web.drawing.rule_links import Citation
from service.wording import phrases


class SeatOutcome(Struct, frozen=True):
    """What a seat had before the hand, what the hand *changed*, what was bought or paid out (*cashed*), and the end."""

    seat: int
    is_you: bool
    before: str
    changed: int
    cashed: int
    after: str
    worth: Markup
    happened: str
    """What happened in words, such as "lost 8 chips"."""


class Cause(Struct, frozen=True):
    """A part of what a seat won or lost by one rule: *said* has the *amount* and *whither* it went.

    *text* is the rule in our words, once for each rule. *onward* says who then got what had gone to a place that
    belongs to no seat, and *collector* is that seat with the rule, if it is only one and another one.
    """

    amount: int
    said: str
    whither: str
    rule: Citation
    ruling: Citation | None
    lines: tuple[tuple[int, Line], ...]
    """Each payout, with what it added to the seat."""
    text: str
    onward: str
    collector: str
    is_against: bool


class Outcome(Struct, frozen=True):
    """The outcome: the *headline* of the seat *seat* (0: no seat won or lost), its *causes*, and all seats."""

    headline: str
    seat: int
    causes: tuple[Cause, ...]
    seats: tuple[SeatOutcome, ...]
    has_cash: bool
    has_worth: bool
    unit: str


def outcome(answers: Answers, chosen: int, groups: Sequence[case_payouts.Group]) -> Outcome:
    """Return the outcome of the hand, read from the seat *chosen*.

    If *chosen* is 0 or no seat of the hand, it is read from the viewer's own seat, or from the seat that lost most.
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
    causes = tuple(_causes(answers, seat, groups)) if seat else ()
    changed = next((one.changed for one in seats if one.seat == seat), 0)
    return Outcome(
        headline=_headline(answers, seat, changed, unit, causes),
        seat=seat,
        causes=causes,
        seats=seats,
        has_cash=any(one.cashed for one in seats),
        has_worth=bool(table.worth and table.worth.minor and unit != POINTS),
        unit=unit,
    )


def _against(changed: int, unit: str) -> int:
    """Return how much a change counts against its seat: points count against whoever gets them."""
    return changed if unit == POINTS else -changed


def _is_cash(paid: Paid) -> bool:
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
        happened=_happened(changed, one.unit),
    )


def _happened(changed: int, unit: str) -> str:
    if unit == POINTS:
        return f"got {phrases.points(changed)}" if changed else "got no points"
    if not changed:
        return "neither won nor lost chips"
    return f"{'won' if changed > 0 else 'lost'} {phrases.amount(abs(changed), unit)}"


def _causes(answers: Answers, seat: int, groups: Sequence[case_payouts.Group]) -> Iterator[Cause]:
    """Yield the causes of what *seat* won or lost, the largest first; moves within a seat and cash are no causes."""
    lines = {line.anchor: line for group in groups for line in group.lines}
    parts: dict[tuple[str, str, str], list[tuple[int, Line]]] = {}
    number, before = 0, 0
    for paid in answers.hand.payouts:
        number = number + 1 if paid.position == before else 1
        before = paid.position
        payout = paid.payout
        change = case_payouts.added([paid]).get(seat, 0)
        other = payout.source if account_seat(payout.target) == seat else payout.target
        if change and not phrases.is_outside(other):
            key = phrases.party(other), payout.rule, payout.ruling
            parts.setdefault(key, []).append((change, lines[case_payouts.anchor(paid.position, number)]))
    unit = answers.hand.seats[0].unit
    told: set[Citation] = set()
    for (party, _, _), several in sorted(parts.items(), key=lambda item: -abs(sum(change for change, _ in item[1]))):
        change = sum(one for one, _ in several)
        first = several[0][1]
        onward, collector = _onward(answers, first, seat) if change < 0 and unit != POINTS else ("", "")
        yield Cause(
            amount=change,
            said=_moved(change, party, unit),
            whither=f"{'from' if change > 0 else 'to'} {party}",
            rule=first.rule,
            ruling=first.ruling,
            lines=tuple(several),
            text="" if first.rule in told else first.rule.text,
            onward=onward,
            collector=collector,
            is_against=_against(change, unit) > 0,
        )
        told.add(first.rule)


def _moved(change: int, party: str, unit: str) -> str:
    amount = phrases.amount(abs(change), unit)
    if unit == POINTS:
        return f"{amount} added" if change > 0 else f"{amount} subtracted"
    return f"{amount} from {party}" if change > 0 else f"{amount} to {party}"


def _onward(answers: Answers, line: Line, seat: int) -> tuple[str, str]:
    """Return who collected the place to which *line* moved chips of *seat*, if the place belongs to no seat.

    The first text is a sentence; the second one is a phrase, or empty if not exactly one other seat collected it.
    """
    payouts = [paid.payout for paid in answers.hand.payouts]
    target = next(one.target for one in payouts if phrases.account(one.target) == line.target)
    if account_seat(target):
        return "", ""
    got = [one for one in payouts if one.source == target]
    place = phrases.account(target)
    if not got:
        return (f"Nobody collected {place} in this hand." if answers.hand.is_settled else ""), ""
    by = case_payouts.cited(answers.hand, answers.game, got[0].rule).name
    parts = [f"{phrases.party(one.target)} collected {phrases.amount(one.amount, one.unit)}" for one in got]
    is_other = len(got) == 1 and account_seat(got[0].target) != seat
    collector = f"{phrases.party(got[0].target)}, which collected {place}, by {by}" if is_other else ""
    return f"{phrases.capitalised(phrases.listed(parts))} from {place}, by {by}.", collector


def _share(amount: int, rest: int) -> str:
    if not rest:
        return "all"
    return "half" if amount == rest else "most" if amount > rest else "the largest part"


def _headline(answers: Answers, seat: int, changed: int, unit: str, causes: Sequence[Cause]) -> str:
    number = answers.hand.hand
    so_far = "" if answers.hand.is_settled else " so far"
    if not seat:
        return f"Nobody lost any {unit} in hand {number}{so_far}"
    who = f"Seat {seat} {_happened(changed, unit)} in hand {number}{so_far}"
    main = next((cause for cause in causes if (cause.amount > 0) == (changed > 0)), None)
    if not changed or main is None:
        return who
    rest = abs(main.amount - changed)
    if abs(main.amount) > abs(changed):
        other = "were subtracted" if unit == POINTS else "it paid" if changed > 0 else "it won"
        less = f", less {phrases.amount(rest, unit)} that {other}"
        return f"{who}: {main.said} by {main.rule.name}{less}"
    share = _share(abs(main.amount), rest)
    if unit == POINTS:
        return f"{who}; {share} of them by {main.rule.name}"
    if main.collector:
        return f"{who}; {share} of it to {main.collector}"
    return f"{who}; {share} of it {main.whither} by {main.rule.name}"
