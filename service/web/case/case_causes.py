"""The causes of what a seat won or lost in a hand: one for each rule and each other party."""

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from service.client.hand_answers import Payout
from service.ledger import POINTS, account_seat
from service.web.case import case_payouts, case_story
from service.web.case.case_facts import Answers
from service.web.case.case_payouts import Line
from service.web.drawing.rule_links import Citation
from service.wording import phrases
from service.wording.games import NOTES
from service.wording.hand_notes import Notes, Unpaid


class Cause(Struct, frozen=True):
    """What a seat won from or lost to one *party* by one rule: *said* has the *amount* and the *party* in words.

    *text* and *ruling_text* are the rule and the ruling in our words; empty: an earlier cause of the seat has the same
    text, or there is no ruling. If *party* is a place that belongs to no seat, *onward* is a sentence that says where
    the chips went from that place, or how many of them were the seat's own. *end* is the only party that collected the
    chips from that place, or else *party*.
    """

    amount: int
    said: str
    party: str
    end: str
    rule: Citation
    ruling: Citation | None
    lines: tuple[tuple[int, Line], ...]
    """Each payout, as a pair: the amount that the payout added to the seat, and the line of the payout."""
    text: str
    ruling_text: str
    onward: str
    is_against: bool


def causes(answers: Answers, seat: int, groups: Sequence[case_payouts.Group]) -> tuple[Cause, ...]:
    """Return the causes of what *seat* won or lost, the largest first, then unpaid claims.

    An unpaid claim is a cause for the seat that won it, and for the seat that could not pay it. Payouts between two
    accounts of the seat, and chips bought or paid out, are no causes.
    """
    found: list[Cause] = []
    texts: set[str] = set()
    for cause in (*_paid(answers, seat, groups), *_unpaid(answers, seat)):
        text, ruling_text = cause.rule.text, cause.ruling.text if cause.ruling else ""
        found.append(
            replace(
                cause,
                text="" if text in texts else text,
                ruling_text="" if ruling_text in texts else ruling_text,
            )
        )
        texts |= {text, ruling_text}
    return tuple(found)


def _paid(answers: Answers, seat: int, groups: Sequence[case_payouts.Group]) -> Iterator[Cause]:
    lines = {line.anchor: line for group in groups for line in group.lines}
    parts: dict[tuple[str, str, str], list[tuple[int, Line, Payout]]] = {}
    number, before = 0, 0
    for paid in answers.hand.payouts:
        number = number + 1 if paid.position == before else 1
        before = paid.position
        payout = paid.payout
        line = lines[case_payouts.anchor(paid.position, number)]
        change = case_payouts.added([paid]).get(seat, 0)
        other = payout.source if account_seat(payout.target) == seat else payout.target
        is_moved = change or (line.is_nothing and seat in line.seats)
        if is_moved and not phrases.is_outside(other):
            key = phrases.party(other), payout.rule, payout.ruling
            parts.setdefault(key, []).append((change, line, payout))
    unit = answers.hand.seats[0].unit
    for (party, _, _), several in sorted(parts.items(), key=lambda item: -abs(sum(one[0] for one in item[1]))):
        change = sum(one[0] for one in several)
        first = several[0][1]
        onward, end = ("", party) if unit == POINTS else _onward(answers, several, seat, party)
        yield Cause(
            amount=change,
            said=_moved(change, party, unit),
            party=party,
            end=end,
            rule=first.rule,
            ruling=first.ruling,
            lines=tuple((added, line) for added, line, _ in several),
            text="",
            ruling_text="",
            onward=onward,
            is_against=(change > 0) if unit == POINTS else (change < 0),
        )


def unpaid_claims(answers: Answers) -> tuple[Unpaid, ...]:
    """Return the claims of the hand that could not be paid in full."""
    notes = NOTES.get(answers.hand.game, Notes())
    return tuple(claim for event in case_story.hand_events(answers) for claim in notes.unpaid(event))


def _unpaid(answers: Answers, seat: int) -> Iterator[Cause]:
    for claim in unpaid_claims(answers):
        if seat not in {claim.seat, claim.payer}:
            continue
        rest = f"{claim.due - claim.paid:,} more were not paid" if claim.paid else "nothing was paid"
        had = phrases.chips(claim.paid)
        said = (
            f"won {claim.due:,}, but {claim.who} had {had} left: {rest}"
            if seat == claim.seat
            else f"had {had} left for the {claim.due:,} that {phrases.seat(claim.seat)} won: {rest}"
        )
        yield Cause(
            amount=0,
            said=phrases.capitalised(said),
            party=phrases.seat(claim.payer),
            end=phrases.seat(claim.payer),
            rule=case_payouts.cited(answers.hand, answers.game, claim.rule),
            ruling=case_payouts.cited(answers.hand, answers.game, claim.ruling),
            lines=(),
            text="",
            ruling_text="",
            onward="",
            is_against=True,
        )


def _moved(change: int, party: str, unit: str) -> str:
    amount = phrases.amount(abs(change), unit)
    if unit == POINTS:
        return f"{amount} added" if change > 0 else f"{amount} subtracted"
    if not change:
        return f"Nothing between this seat and {party}"
    return f"{amount} from {party}" if change > 0 else f"{amount} to {party}"


def _onward(answers: Answers, several: Sequence[tuple[int, Line, Payout]], seat: int, party: str) -> tuple[str, str]:
    """Return the `onward` and the `end` of the cause with the payouts *several* between *seat* and *party*."""
    change = sum(one[0] for one in several)
    place = several[0][2].target if change < 0 else several[0][2].source
    if not change or account_seat(place):
        return "", party
    payouts = [paid.payout for paid in answers.hand.payouts]
    name = phrases.account(place)
    got = [one for one in payouts if one.source == place and one.amount]
    given = [one for one in payouts if one.target == place]
    if change > 0:
        own = sum(one.amount for one in given if account_seat(one.source) == seat)
        is_all = len(got) == 1 and sum(one.amount for one in given) <= change
        return (f"{own:,} of these {change:,} were its own." if own and is_all else ""), party
    if not got:
        return (f"Nobody collected {name} in this hand." if answers.hand.is_settled else ""), party
    by = case_payouts.cited(answers.hand, answers.game, got[0].rule).name
    if len(got) == 1 and sum(one.amount for one in given) <= got[0].amount:
        if account_seat(got[0].target) == seat:
            return f"This seat itself collected {name}, by {by}.", party
        who = phrases.party(got[0].target)
        whose = "yours" if answers.table.you == seat else f"from {phrases.seat(seat)}"
        were = "was" if change == -1 else "were"
        return f"{-change:,} of the {got[0].amount:,} that {who} collected from {name} by {by} {were} {whose}.", who
    parts = [f"{phrases.party(one.target)} collected {phrases.amount(one.amount, one.unit)}" for one in got]
    return f"{phrases.capitalised(phrases.listed(parts))} from {name}, by {by}.", party
