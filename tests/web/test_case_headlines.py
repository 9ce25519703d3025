"""The title and the causes of a hand name every seat that they concern, and say what was not paid."""

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from service.client.hand_answers import Event, Leaf, Payout, PayoutEvent, SeatSum
from service.games import CURRENT
from service.web.case import case_causes, case_proof
from service.web.case.case_facts import Answers
from service.web.case.hand_case import Case, case
from tests.web.cases import hands


@pytest.fixture(scope="module")
def chips() -> Answers:
    """Return a hand of a game with chips that compares cards by their values."""
    return next(hands(CURRENT["bankrupt"], 0))


def paid(position: int, source: str, target: str, amount: int, rule: str, formula: str = "") -> PayoutEvent:
    """Return a payout of *amount* by *rule*."""
    cards = ("Ac", "7c") if "against" in formula else ()
    return PayoutEvent(position, "", Payout(source, target, amount, "chips", rule, "", formula, cards))


def read(answers: Answers, seat: int, payouts: Sequence[PayoutEvent], **nets: int) -> Case:
    """Return the case of a hand with *payouts*, in which seat 1 has the net *s1*, and so on."""
    seats = tuple(SeatSum(int(name[1:]), "chips", 20, net, 20 + net) for name, net in nets.items())
    return case(replace(answers, hand=replace(answers.hand, hand=5, payouts=tuple(payouts), seats=seats)), seat)


THROUGH_THE_CENTRE = (
    paid(1, "offer:4", "centre", 3, "12"),
    paid(1, "offer:1", "centre", 3, "12"),
    paid(2, "ante:4", "stack:1", 4, "15", "Ac against 7c: 11 - 7 = 4"),
    paid(3, "centre", "stack:1", 6, "14"),
)


def test_chips_that_went_through_the_centre_count_as_gone_to_who_collected_it(chips: Answers) -> None:
    lost = read(chips, 4, THROUGH_THE_CENTRE, s1=7, s4=-7).outcome
    assert lost.headline == (
        "Seat 4 lost 7 chips in hand 5; all of them to seat 1: 4 by rule 15 and 3 through the centre by rule 12"
    )
    assert lost.causes[1].onward == "3 of the 6 that seat 1 collected from the centre by rule 14 were from seat 4."
    won = read(chips, 1, THROUGH_THE_CENTRE, s1=7, s4=-7).outcome
    assert won.headline == "Seat 1 won 7 chips in hand 5; most of them from seat 4 by rule 15"
    assert won.causes[0].onward == "3 of these 6 were its own."


def test_a_sum_of_values_shows_the_value_of_each_card_and_a_minus_sign(chips: Answers) -> None:
    lines = [
        line for cause in read(chips, 4, THROUGH_THE_CENTRE, s1=7, s4=-7).outcome.causes for _, line in cause.lines
    ]
    assert lines[0].formula == "Ac (11) against 7c (7): 11 \N{MINUS SIGN} 7 = 4"
    assert (lines[0].compared, lines[0].worked_out) == ("Ac (11) against 7c (7)", "11 \N{MINUS SIGN} 7 = 4")


def test_the_title_names_all_seats_that_lost_most(chips: Answers) -> None:
    both = (paid(1, "ante:2", "stack:1", 4, "15"), paid(1, "ante:3", "stack:1", 4, "15"))
    assert (
        read(chips, 0, both, s1=8, s2=-4, s3=-4).outcome.headline == "Seats 2 and 3 lost most in hand 5: 4 chips each"
    )
    won = read(chips, 1, both, s1=8, s2=-4, s3=-4).outcome
    assert won.headline == "Seat 1 won 8 chips in hand 5; 4 each from seat 2 and seat 3"


def test_a_seat_from_which_nothing_moved_reads_so(chips: Answers) -> None:
    outcome = read(chips, 3, THROUGH_THE_CENTRE, s1=7, s3=0, s4=-7).outcome
    assert not outcome.causes
    assert outcome.without_cause.startswith("No chips came to seat 3 ")


def settled(paid_chips: int) -> Answers:
    """Return a hand in which the banker, seat 2, paid *paid_chips* of the 10 chips that seat 1 won."""
    answers = next(hands(CURRENT["insurance"], 0))
    result = {"bet": 10, "card": "8h", "outcome": "won", "seat": 1, "short": 10 - paid_chips}
    pub = {"banker": 2, "card": "7d", "results": [result]}
    events = (Event(Leaf(9, "", "service", "hand_settled", pub), ""),)
    payouts = (paid(9, "stack:2", "stack:1", paid_chips, "PAYOUT"),) if paid_chips else ()
    seats = (SeatSum(1, "chips", 20, paid_chips, 0), SeatSum(2, "chips", 20, -paid_chips, 0))
    hand = replace(answers.hand, hand=14, payouts=payouts, seats=seats)
    return replace(answers, hand=hand, events=events)


def test_a_bet_that_won_from_a_banker_without_chips_reads_why_nothing_was_paid() -> None:
    outcome = case(settled(0), 1).outcome
    assert outcome.headline == ("Seat 1 won 10 chips in hand 14, but the banker had no chips left: nothing was paid")
    (cause,) = outcome.causes
    assert cause.said == "Won 10, but the banker had 0 chips left: nothing was paid"
    assert cause.ruling is not None
    assert (cause.rule.name, cause.ruling.name) == ("the section “PAYOUT”", "ruling I-PAY.2")
    assert cause.ruling_text.startswith("A banker with too few chips")


def test_a_bet_that_was_paid_in_part_reads_what_was_not_paid() -> None:
    for seat, said in (
        (1, "Won 10, but the banker had 4 chips left: 6 more were not paid"),
        (2, "Had 4 chips left for the 10 that seat 1 won: 6 more were not paid"),
    ):
        assert case(settled(4), seat).outcome.causes[-1].said == said
    assert len(case_causes.unpaid_claims(settled(10))) == 0


def hearts(*events: Event) -> Answers:
    """Return a hand of a game with passing and an auction; the hand has only *events*."""
    return replace(next(hands(CURRENT["insurance_hearts"], 0)), events=events)


def event(position: int, by: str, kind: str, **pub: object) -> Event:
    """Return an event of the type *kind* at *position*."""
    return Event(Leaf(position, "", by, kind, pub), "")


def test_a_cancelled_hand_says_so_in_its_title() -> None:
    answers = hearts(event(9, "service", "hand_cancelled", callers=[4]))
    answers = replace(answers, hand=replace(answers.hand, hand=1, payouts=()))
    assert case(answers, 0).outcome.headline == "Hand 1 was cancelled: seat 4 called a foot"


def test_the_cards_of_a_seat_show_what_it_passed_and_got_and_bought() -> None:
    shown = case(
        hearts(
            *(event(seat, f"seat:{seat}", "pass_chosen", seat=seat) for seat in (1, 2, 3, 4)),
            event(5, "service", "cards_passed", direction="left"),
            event(6, "service", "auction_settled", sold=[{"card": "2h", "points": 1, "seat": 2}], choosing=[], left=[]),
            event(7, "seat:3", "leftover_chosen", seat=3, card="As"),
        ),
        0,
    ).cards
    assert shown.when == "as dealt, before passing"
    handed = {one.seat: [(card.how, card.cards) for card in one.handed] for one in shown.holders}
    hidden = ("??",) * 3
    assert handed[1] == [("passed to seat 2", hidden), ("got from seat 4", hidden)]
    assert handed[2] == [("passed to seat 3", hidden), ("got from seat 1", hidden), ("bought for 1 point", ("2h",))]
    assert handed[3][-1] == ("chose", ("As",))


@pytest.mark.parametrize(
    ("pub", "said"),
    [
        ({"seat": 2}, "No decision was made by a time call."),
        ({"seat": 2, "called": "host"}, "Seat 2's decision at 26 was made by a time call (host)."),
        ({"called": "limit"}, "The decision at 26 was made by a time call (time limit)."),
    ],
)
def test_beside_the_signatures_the_case_says_which_decisions_were_made_by_a_time_call(
    chips: Answers, pub: dict[str, object], said: str
) -> None:
    shown = replace(chips, events=(event(26, "service", "cards_held", **pub),))
    (fact,) = (one for one in case_proof.facts(shown) if one.title == "The players have signed their decisions")
    assert fact.said.endswith(said)


def test_a_word_of_the_game_leads_to_the_rule_that_explains_it() -> None:
    (term,) = case(hearts(event(9, "service", "slips_awaited")), 0).terms
    assert (term.word, term.link) == ("slip", "/rules/insurance_hearts#ruling-IH.2")
