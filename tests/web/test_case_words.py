"""A case explains the verdict, the disputes and the proofs of its hand; its texts show faces and name rules."""

from typing import Any

import pytest
from msgspec.structs import replace

from service.client.dispute_answers import Adjustment, Dispute, DisputedEvidence, DisputeStep, Text
from service.client.hand_answers import Adjudication, DealtCard, Deck, Difference, DisputeOfHand, Event, Judged, Leaf
from service.client.table_answers import SeatAt
from service.games import CURRENT
from service.web.case import case_proof, case_verdict
from service.web.case.case_facts import Answers
from service.web.case.case_outcome import outcome
from service.web.case.hand_case import case
from service.web.drawing.card_faces import with_cards
from service.web.drawing.rule_links import anchor, in_words
from tests.web.cases import hands

PROOF = b"""c2sp.org/tlog-proof@v1
index 1520
s3fZf9J5N6qaXqwdA3VHMPCDGpJlTx5rlciZsplnWGQ=

chiptrail/log_1
2618
pDAN5jkKOfHNulTd+ClXMThVnOPThVKFvnpOv9q+exw=

\xe2\x80\x94 chiptrail/log_1 MIlU1w==
"""
COSIGNED = PROOF + b"\xe2\x80\x94 witness.example/1 AAAA\n"
EPOCH = "tbl_1/4"


@pytest.fixture(scope="module")
def hand() -> Answers:
    """Return a hand of a random game."""
    return next(hands(next(iter(CURRENT.values())), 0))


def judged(verdict: str, difference: Difference | None = None, *signed_by: bool) -> Adjudication:
    """Return an adjudication with *verdict*; seat 1 has made a decision, signed or not, for each of *signed_by*."""
    decisions = tuple(Judged(7, "seat:1", verdict, is_signed, 2) for is_signed in signed_by)
    return Adjudication(verdict, difference, () if all(signed_by) else (1,), decisions)


@pytest.mark.parametrize(
    ("verdict", "tone", "title"),
    [
        ("clean", "good", "Clean: each event is as the rules demand."),
        ("pending", "open", "Pending: not everything can be decided again yet."),
        ("undecidable", "open", "Undecidable: a value that the rules need is not here."),
        ("failed", "bad", "Failed: an event is not as the rules demand."),
    ],
)
def test_each_verdict_has_its_words(hand: Answers, verdict: str, tone: str, title: str) -> None:
    shown = case_verdict.verdict(replace(hand, adjudication=judged(verdict, None, True, True)))
    assert (shown.tone, shown.title) == (tone, title)
    assert "the 2 decisions of this hand again by the rules, and compared the 4 events" in shown.said[0]
    assert len(shown.said) == 2


def test_a_failed_hand_shows_its_first_difference(hand: Answers) -> None:
    difference = Difference(168, "claims[0].taken", "2", "3")
    shown = case_verdict.verdict(replace(hand, adjudication=judged("failed", difference)))
    assert shown.difference == difference
    assert "alarm" in shown.said[1]


def test_without_a_verdict_the_case_says_why(hand: Answers) -> None:
    shown = case_verdict.verdict(replace(hand, adjudication="Too many requests."))
    assert (shown.tone, shown.said) == ("open", ("The service did not decide the hand again: Too many requests.",))


def disputed(hand: Answers, status: str, outcome: str, now: str, dispute: Dispute | None = None) -> Any:  # noqa: ANN401 -- a `DisputeShown`
    """Return the only dispute that the case of *hand* shows."""
    about = replace(hand.hand, disputes=(DisputeOfHand(1, status, outcome, "clean", now),))
    (shown,) = case_verdict.disputes(replace(hand, hand=about, disputes={1: dispute} if dispute else {}))
    return shown


def test_no_outcome_of_a_dispute_hides_a_failed_verdict(hand: Answers) -> None:
    shown = disputed(hand, "decided", "no_fault", "failed")
    assert shown.is_contradicted
    assert shown.beside == "The verdict of deciding again is failed; when the dispute was decided it was clean."
    assert shown.outcome == "No fault"


def test_a_dispute_shows_its_texts_its_rule_and_its_correction(hand: Answers) -> None:
    step = DisputeStep(Leaf(3, "", "auditor", "dispute_decided"), (Text("reason", "The chips go back."),))
    transfer = Adjustment("own_1", "own_2", 2, "chips")
    shown = disputed(
        hand,
        "corrected",
        "fault",
        "clean",
        Dispute(
            dispute=1,
            hand=hand.hand.hand,
            status="corrected",
            outcome="fault",
            verdict_now="clean",
            evidence=DisputedEvidence(hand.hand.first, hand.hand.last),
            ground="time",
            rule="G.3",
            opened_by="own_2",
            host="own_9",
            parties=(SeatAt(2, "own_2"),),
            steps=(step,),
            transfers=(transfer,),
        ),
    )
    assert shown.opener == "Seat 2 complained."
    assert shown.texts == (("The auditor", "The chips go back."),)
    assert shown.corrections == ("Seat 1 owes seat 2 2 chips.",)
    assert shown.rule.link.endswith("#ruling-G.3")
    assert shown.status == "A correction was approved."


def test_a_dispute_without_its_steps_is_shown_with_its_outcome(hand: Answers) -> None:
    shown = disputed(hand, "open", "", "pending")
    assert (shown.status, shown.rule, shown.texts) == ("It waits for an auditor.", None, ())
    assert shown.beside == "The verdict of deciding again is pending."


def facts(answers: Answers) -> dict[str, case_proof.Fact]:
    """Return the facts of a case by title."""
    return {fact.title: fact for fact in case_proof.facts(answers)}


def test_a_proof_names_the_checkpoint_and_who_signed_it(hand: Answers) -> None:
    alone, cosigned = (facts(replace(hand, proof=proof)) for proof in (PROOF, COSIGNED))
    assert "leaf 1,520 of the log's tree, which had 2,618 leaves" in alone["The hand is in the log as a whole"].said
    assert alone["The service has signed the checkpoint"].is_proved
    assert not alone["Others have seen the same log"].is_proved
    assert cosigned["Others have seen the same log"].values == (("Witness", "witness.example/1"),)


def test_without_a_proof_the_case_says_why(hand: Answers) -> None:
    fact = facts(replace(hand, proof="No signed checkpoint covers the event yet."))["The hand is in the log as a whole"]
    assert (fact.is_proved, fact.said) == (False, "There is no proof now. No signed checkpoint covers the event yet.")


@pytest.mark.parametrize(
    ("signed_by", "is_proved", "said"),
    [
        ((True, True), True, "All 2 decisions of the seats are signed."),
        ((True, False), False, "Seat 1 decided without a signature"),
        ((), False, "No seat made a decision in this hand."),
    ],
)
def test_the_case_says_who_has_signed(
    hand: Answers, signed_by: tuple[bool, ...], *, is_proved: bool, said: str
) -> None:
    fact = facts(replace(hand, adjudication=judged("clean", None, *signed_by)))[
        "The players have signed their decisions"
    ]
    assert fact.is_proved is is_proved
    assert said in fact.said


def deck_event(kind: str, position: int, **pub: Any) -> Event:  # noqa: ANN401 -- JSON
    """Return an event of the deck of EPOCH."""
    return Event(Leaf(position, "", "service", kind, {"epoch": EPOCH, **pub}), "00" * 32)


@pytest.mark.parametrize("seats", [(), (1, 2)])
@pytest.mark.parametrize("is_retired", [True, False])
def test_the_case_says_what_is_known_of_a_deck(hand: Answers, seats: tuple[int, ...], *, is_retired: bool) -> None:
    events = [
        deck_event("deck_opened", 3, server_commit="aa"),
        deck_event("deck_fixed", 5, deck_root="bb", transcript="cc", seats=list(seats)),
        *([deck_event("deck_revealed", 99, server_seed="dd")] if is_retired else []),
    ]
    about = replace(hand.hand, cards=(DealtCard(7, EPOCH, 0, 1, "As"),), decks=(Deck(EPOCH, 3, is_retired),))
    found = facts(replace(hand, hand=about, deck_events=tuple(events)))
    settled = found["The order of deck 4 was settled before the hand"]
    assert settled.is_proved
    assert (
        "at position 3 and to the order of its cards at 5; the first card of this hand was dealt at 7" in settled.said
    )
    assert found["The order of deck 4 was not chosen by the service alone"].is_proved == bool(seats)
    seed = found["The seed of deck 4 is public"]
    assert seed.is_proved is is_retired
    assert ("Since position 99" in seed.said) is is_retired


def test_a_running_hand_is_told_so_far(hand: Answers) -> None:
    running = replace(hand, hand=replace(hand.hand, is_settled=False))
    assert " so far" in outcome(running, 1, case(running, 1).groups).headline


def test_a_text_is_escaped_and_its_faces_are_drawn() -> None:
    html = str(with_cards("As <b>: Td against ?? (2c). Asd 8dx"))
    assert html.count('role="img"') == 4
    assert "&lt;b&gt;" in html
    assert html.endswith(". Asd 8dx")
    assert with_cards("no card") == "no card"


@pytest.mark.parametrize(
    ("name", "words", "place"),
    [
        ("15", "rule 15", "rule-15"),
        ("option 2", "option 2", "rule-option-2"),
        ("B16.1", "ruling B16.1", "ruling-B16.1"),
        ("H-SCORE.1", "ruling H-SCORE.1", "ruling-H-SCORE.1"),
        ("FIRST ROUND DEAL", "the section “FIRST ROUND DEAL”", "rule-first-round-deal"),
    ],
)
def test_a_rule_has_a_name_and_an_anchor(name: str, words: str, place: str) -> None:
    assert (in_words(name), anchor(name)) == (words, place)


@pytest.mark.parametrize("game", CURRENT.values(), ids=lambda game: game.name)
def test_no_two_rules_have_the_same_anchor(game: Any) -> None:  # noqa: ANN401 -- a `Game`
    names = [*game.sheet.rules, *game.rulings]
    assert len({anchor(name) for name in names}) == len(names)
