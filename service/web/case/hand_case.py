"""Makes a case from the API's answers about a hand."""

from msgspec import Struct

from service.client.table_answers import Credit
from service.web.case import case_cards, case_outcome, case_payouts, case_proof, case_story, case_terms, case_verdict
from service.web.case.case_cards import Cards
from service.web.case.case_facts import Answers
from service.web.case.case_outcome import Outcome
from service.web.case.case_payouts import Group, SeatParts
from service.web.case.case_proof import Fact
from service.web.case.case_story import Story
from service.web.case.case_terms import Term
from service.web.case.case_verdict import DisputeShown, VerdictShown


class Case(Struct, frozen=True):
    """A hand as a case, as its page shows it; *previous* and *next* are the hands before and after it, or 0."""

    table: str
    game: str
    credit: Credit
    hand: int
    first: int
    last: int
    at: str
    is_settled: bool
    previous: int
    next: int
    outcome: Outcome
    cards: Cards
    story: Story
    terms: tuple[Term, ...]
    groups: tuple[Group, ...]
    sums: tuple[SeatParts, ...]
    verdict: VerdictShown
    disputes: tuple[DisputeShown, ...]
    facts: tuple[Fact, ...]


def case(answers: Answers, seat: int) -> Case:
    """Return the case for *seat*; 0: for the viewer's own seat, or else for the seat that lost most."""
    hand = answers.hand
    story = case_story.story(answers)
    groups = case_payouts.groups(answers, story.said)
    return Case(
        table=hand.table,
        game=hand.game,
        credit=hand.credit,
        hand=hand.hand,
        first=hand.first,
        last=hand.last,
        at=answers.events[0].leaf.at if answers.events else "",
        is_settled=hand.is_settled,
        previous=hand.hand - 1,
        next=hand.hand + 1 if hand.hand < answers.table.hand else 0,
        outcome=case_outcome.outcome(answers, seat, groups),
        cards=case_cards.cards(answers),
        story=story,
        terms=tuple(case_terms.terms(hand.game, story.said.values())),
        groups=groups,
        sums=case_payouts.sums(groups, [one.seat for one in hand.seats]),
        verdict=case_verdict.verdict(answers),
        disputes=case_verdict.disputes(answers),
        facts=case_proof.facts(answers),
    )
