"""The rulings on disputes, D.1 to D.9: what they allow, and each condition, which refuses with its code and ruling."""

from collections.abc import Callable
from functools import partial

import pytest
from msgspec.structs import replace

from service.disputes import dispute_readers, dispute_rules
from service.disputes.dispute_commands import (
    ApproveCorrection,
    DecideDispute,
    OpenDispute,
    RefuseCorrection,
    RequestAnswers,
)
from service.disputes.dispute_conditions import DISPUTE_CONDITIONS, PRECEDENCE
from service.disputes.dispute_events import MOST_UNITS
from service.disputes.dispute_rulings import DISPUTE_RULINGS
from service.games.game import Refusal
from tests.disputes.rules import (
    ANN,
    ANSWER,
    APPROVER,
    AUDITOR,
    BEN,
    ERASE,
    FAULT,
    HAND,
    HOST,
    LAST,
    OPEN,
    OTHER,
    REQUEST,
    RETURN,
    SERVICE,
    TAKE,
    WITHDRAW,
    Table,
    correction,
)

Act = Callable[[], object]
NO_FAULT = DecideDispute(outcome="no_fault", reason="All is well.")
TO_STRANGER = correction(target=OTHER)
ALL_COMMANDS = (
    OPEN,
    ANSWER,
    REQUEST,
    TAKE,
    RETURN,
    FAULT,
    correction(),
    ApproveCorrection(proposal=1),
    WITHDRAW,
    ERASE,
)


def again(table: Table, number: int = 2, *, follows: int = 0) -> Table:
    """Let Ann dispute the same hand again; the auditor finds a fault again."""
    table.do(ANN, OpenDispute(hand=1, ground="rules", follows=follows))
    table.do(AUDITOR, TAKE, number)
    table.do(AUDITOR, FAULT, number)
    return table


def three_times() -> Table:
    table = Table()
    for number in (1, 2, 3):
        table.do(ANN, OPEN)
        table.do(ANN, WITHDRAW, number)
    return table


def without_fault() -> Table:
    table = Table().taken()
    table.do(AUDITOR, NO_FAULT)
    return table


REFUSED: dict[str, list[Act]] = {
    "table_must_be_played_here": [partial(Table().sees(is_imported=True).do, ANN, one) for one in ALL_COMMANDS],
    "disputed_hand_must_exist": [lambda: Table().sees(hand=None).do(ANN, OPEN)],
    "dispute_must_exist": [partial(Table().do, ANN, one) for one in ALL_COMMANDS[1:]],
    "complainant_must_be_party": [lambda: Table().do(OTHER, OPEN), lambda: Table().do(AUDITOR, OPEN)],
    "dispute_must_be_in_time": [lambda: Table().sees(is_over=True, now="2026-08-13T20:15:00.001Z").do(ANN, OPEN)],
    "earlier_dispute_must_be_closed": [lambda: Table().taken().do(ANN, OPEN), lambda: Table().decided().do(ANN, OPEN)],
    "hand_must_be_disputed_less_often": [lambda: three_times().do(ANN, OPEN)],
    "followed_dispute_must_be_corrected": [
        lambda: Table().do(ANN, replace(OPEN, follows=1)),
        lambda: Table().taken().do(BEN, replace(OPEN, follows=1)),
        lambda: (
            Table().corrected().sees(hand=replace(HAND, hand=2)).do(ANN, OpenDispute(hand=2, ground="rules", follows=1))
        ),
    ],
    "dispute_must_not_be_decided": [
        lambda: Table().decided().do(BEN, ANSWER),
        lambda: Table().decided().do(AUDITOR, REQUEST),
        lambda: Table().decided().do(AUDITOR, NO_FAULT),
        lambda: Table().decided().do(ANN, WITHDRAW),
        lambda: Table().corrected().do(ANN, WITHDRAW),
    ],
    "dispute_must_await_its_auditor": [
        lambda: without_fault().do(OTHER, TAKE),
        lambda: without_fault().do(AUDITOR, RETURN),
        lambda: Table().proposed().do(AUDITOR, RETURN),
        lambda: Table().corrected().do(AUDITOR, RETURN),
    ],
    "answerer_must_be_party": [
        lambda: Table().taken().do(AUDITOR, ANSWER),
        lambda: Table().taken().do(AUDITOR, RequestAnswers(question="Why?", asked=(ANN, OTHER))),
    ],
    "answer_must_be_asked_for": [lambda: answered_by_ben(Table().taken()).do(BEN, ANSWER)],
    "dispute_must_be_free": [
        lambda: Table().taken().do(OTHER, TAKE),
        lambda: Table().taken().do(AUDITOR, TAKE),
        lambda: Table().decided().do(OTHER, TAKE),
    ],
    "auditor_must_not_play": [
        lambda: opened().do(BEN, TAKE),
        lambda: opened().sees(players=frozenset({OTHER})).do(OTHER, TAKE),
        lambda: opened().sees(players=frozenset({OTHER})).do(BEN, TAKE),
        lambda: Table().taken().sees(players=frozenset({AUDITOR})).do(AUDITOR, FAULT),
        lambda: Table().decided().sees(players=frozenset({AUDITOR})).do(AUDITOR, correction()),
    ],
    "auditor_must_not_host": [
        lambda: opened().do(HOST, TAKE),
        lambda: opened().sees(host=OTHER).do(OTHER, TAKE),
        lambda: Table().taken().sees(host=AUDITOR).do(AUDITOR, FAULT),
    ],
    "auditor_must_have_taken": [
        lambda: opened().do(AUDITOR, REQUEST),
        lambda: opened().do(AUDITOR, FAULT),
        lambda: opened().do(SERVICE, RETURN),
        lambda: Table().taken().do(OTHER, FAULT),
        lambda: Table().taken().do(OTHER, RETURN),
        lambda: Table().decided().do(OTHER, correction()),
    ],
    "decks_must_be_revealed": [lambda: Table().taken().judges("pending").do(AUDITOR, FAULT)],
    "rule_must_be_the_games": [
        lambda: Table().taken().do(AUDITOR, replace(FAULT, rule="Z.9")),
        lambda: Table().decided().do(AUDITOR, correction(rule="Z.9")),
    ],
    "contradiction_must_be_declared": [
        lambda: Table().taken().judges("failed").do(AUDITOR, NO_FAULT),
        lambda: Table().taken().judges("failed").do(AUDITOR, replace(NO_FAULT, outcome="explained")),
        lambda: Table().taken().do(AUDITOR, replace(NO_FAULT, contradicts=True)),
        lambda: Table().taken().judges("failed").do(AUDITOR, replace(FAULT, contradicts=True)),
    ],
    "fault_must_be_found": [
        lambda: Table().taken().do(AUDITOR, correction()),
        lambda: explained().do(AUDITOR, correction()),
        lambda: Table().corrected().do(AUDITOR, correction()),
    ],
    "proposal_must_be_decided": [lambda: Table().proposed().do(AUDITOR, correction())],
    "adjustment_must_be_between_players": [
        lambda: Table().decided().do(AUDITOR, TO_STRANGER),
        lambda: Table().decided().do(AUDITOR, correction(source=HOST)),
        lambda: Table().decided().do(AUDITOR, correction(source=ANN, target=ANN)),
    ],
    "adjustment_must_be_in_the_tables_unit": [
        lambda: Table().decided().sees(units=frozenset({"chips"})).do(AUDITOR, correction(unit="points")),
        lambda: Table().decided().sees(units=frozenset()).do(AUDITOR, correction()),
    ],
    "adjustment_must_correct_the_hand": [
        lambda: Table().decided().do(AUDITOR, correction(corrects=LAST + 1)),
        lambda: Table().decided().do(AUDITOR, correction(corrects=1)),
    ],
    "earlier_correction_must_be_named": [lambda: again(Table().corrected()).do(AUDITOR, correction(), 2)],
    "adjustments_must_stay_countable": [
        lambda: again(Table().corrected(MOST_UNITS), follows=1).do(AUDITOR, correction(1), 2)
    ],
    "correction_must_be_proposed": [
        lambda: Table().decided().do(APPROVER, ApproveCorrection(proposal=3)),
        lambda: Table().proposed().do(APPROVER, ApproveCorrection(proposal=3)),
        lambda: Table().proposed().do(APPROVER, RefuseCorrection(proposal=3)),
        lambda: Table().corrected().do(APPROVER, ApproveCorrection(proposal=4)),
    ],
    "approver_must_be_another": [
        lambda: Table().proposed().do(AUDITOR, ApproveCorrection(proposal=4)),
        lambda: Table().proposed().do(AUDITOR, RefuseCorrection(proposal=4)),
    ],
    "approver_must_not_be_party": [
        lambda: Table().proposed().do(ANN, ApproveCorrection(proposal=4)),
        lambda: Table().proposed().do(HOST, ApproveCorrection(proposal=4)),
        lambda: Table().proposed().sees(players=frozenset({OTHER})).do(OTHER, RefuseCorrection(proposal=4)),
    ],
    "withdrawer_must_have_opened": [lambda: opened().do(BEN, WITHDRAW), lambda: opened().do(HOST, WITHDRAW)],
    "dispute_value_must_be_sealed": [
        lambda: opened().do(SERVICE, replace(ERASE, field="reason")),
        lambda: opened().do(SERVICE, replace(ERASE, position=2)),
        lambda: without_statement().do(SERVICE, ERASE),
    ],
}


def opened() -> Table:
    table = Table()
    table.do(ANN, OPEN)
    return table


def answered_by_ben(table: Table) -> Table:
    table.do(BEN, ANSWER)
    return table


def explained() -> Table:
    table = Table().taken()
    table.do(AUDITOR, replace(FAULT, outcome="explained"))
    return table


def without_statement() -> Table:
    table = opened()
    table.do(SERVICE, ERASE)
    return table


def test_every_condition_has_its_refusals_and_every_command_its_conditions() -> None:
    assert REFUSED.keys() == DISPUTE_CONDITIONS.keys()
    assert PRECEDENCE.keys() == {type(one) for one in ALL_COMMANDS} | {RefuseCorrection}
    assert {condition.citation("", "")[1] for condition in DISPUTE_CONDITIONS.values()} <= DISPUTE_RULINGS.keys()


@pytest.mark.parametrize("code", REFUSED)
def test_each_condition_refuses_with_its_code_and_ruling(code: str) -> None:
    for act in REFUSED[code]:
        with pytest.raises(Refusal) as refused:
            act()
        assert (refused.value.code, refused.value.detail) == (code, DISPUTE_CONDITIONS[code].sentence)
        assert refused.value.ruling == DISPUTE_CONDITIONS[code].citation("", "")[1]


def test_the_first_condition_that_fails_decides() -> None:
    with pytest.raises(Refusal, match="disputed_hand_must_exist"):
        Table().sees(hand=None).do(OTHER, OPEN)
    with pytest.raises(Refusal, match="auditor_must_not_play"):
        Table().taken().do(BEN, TAKE)
    with pytest.raises(Refusal, match="auditor_must_have_taken"):
        Table().decided().do(OTHER, TO_STRANGER)


def test_d_1_a_dispute_does_not_end_with_the_table_and_the_host_may_also_open_a_dispute() -> None:
    table = Table().sees(is_over=True)
    assert table.do(HOST, OPEN).dispute == 1
    assert table.do(BEN, OPEN).dispute == 2


def test_d_2_the_days_count_from_the_last_event_of_the_hand_and_only_after_the_game() -> None:
    late = "2026-08-13T20:15:00.001Z"
    Table().sees(now=late).do(ANN, OPEN)
    Table().sees(is_over=True, now="2026-08-13T20:15:00.000Z").do(ANN, OPEN)
    Table().sees(is_over=True, now=late, hand=replace(HAND, ended_at="")).do(ANN, OPEN)
    with pytest.raises(Refusal, match="dispute_must_be_in_time"):
        Table().sees(is_over=True, now="2026-07-15T20:15:00.001Z", dispute_days=1).do(ANN, OPEN)


def test_d_3_a_party_answers_once_more_whenever_it_is_asked() -> None:
    table = answered_by_ben(Table().taken())
    table.do(AUDITOR, RequestAnswers(question="Why?", asked=(BEN,)))
    table.do(BEN, ANSWER)
    table.do(HOST, ANSWER)
    table.do(AUDITOR, REQUEST)
    for owner in (ANN, BEN, HOST):
        table.do(owner, ANSWER)


def test_d_4_a_returned_dispute_is_free_for_another_auditor() -> None:
    for owner in (AUDITOR, SERVICE):
        table = Table().taken()
        table.do(owner, RETURN)
        table.do(OTHER, TAKE)
        table.do(OTHER, FAULT)
        assert table.state.disputes[1].auditor == OTHER


def test_d_5_an_auditor_who_contradicts_the_service_declares_it() -> None:
    table = Table().taken().judges("failed")
    table.do(AUDITOR, replace(NO_FAULT, contradicts=True))
    dispute = table.state.disputes[1]
    assert (dispute.outcome, dispute.verdict.verdict, dispute.is_closed) == ("no_fault", "failed", True)
    for outcome in ("fault", "unprovable"):
        Table().taken().judges("failed").do(AUDITOR, DecideDispute(outcome=outcome, reason="So it is."))


def test_d_6_a_second_correction_of_an_event_names_the_dispute_of_the_first() -> None:
    table = again(Table().corrected(), follows=1)
    table.do(AUDITOR, correction(2), 2)
    table.do(APPROVER, ApproveCorrection(proposal=table.position), 2)
    assert sorted(table.state.balances.values()) == [-7, 7]


def test_d_6_a_proposed_correction_is_checked_again_at_its_approval() -> None:
    """Two disputes propose corrections of one event before either is approved; the second approval is refused."""
    table = Table().decided()
    table.do(BEN, OpenDispute(hand=1, ground="rules"))
    table.do(AUDITOR, TAKE, 2)
    table.do(AUDITOR, FAULT, 2)
    table.do(AUDITOR, correction(), 1)
    first = table.position
    table.do(AUDITOR, correction(), 2)
    table.do(APPROVER, ApproveCorrection(proposal=first), 1)
    with pytest.raises(Refusal, match="earlier_correction_must_be_named"):
        table.do(APPROVER, ApproveCorrection(proposal=first + 1), 2)


def test_d_7_after_a_refusal_the_auditor_proposes_another_correction() -> None:
    table = Table().proposed()
    table.do(APPROVER, RefuseCorrection(proposal=table.position))
    table.do(AUDITOR, correction(3))
    table.do(APPROVER, ApproveCorrection(proposal=table.position))
    dispute = table.state.disputes[1]
    assert (dispute.status, dispute.approver, sorted(table.state.balances.values())) == ("corrected", APPROVER, [-3, 3])


def test_d_8_the_complainant_withdraws_a_dispute_even_while_an_auditor_has_it() -> None:
    for table in (opened(), Table().taken()):
        table.do(ANN, WITHDRAW)
        assert table.state.disputes[1].status == "withdrawn"


def test_d_9_everybody_reads_a_reason_and_only_parties_host_and_auditors_a_statement() -> None:
    dispute = Table().decided().state.disputes[1]
    fields = (dispute_rules.STATEMENT, dispute_rules.QUESTION, dispute_rules.REASON)
    for owner in (ANN, BEN, HOST):
        assert all(dispute_readers.may_read(dispute, field, owner, is_auditor=False) for field in fields)
    for owner in (OTHER, ""):
        read = [field for field in fields if dispute_readers.may_read(dispute, field, owner, is_auditor=False)]
        assert read == [dispute_rules.REASON]
    assert all(dispute_readers.may_read(dispute, field, AUDITOR, is_auditor=True) for field in fields)


def test_d_9_an_erasure_changes_nothing_of_the_dispute() -> None:
    table = Table().corrected()
    before = table.state.disputes
    table.do(SERVICE, ERASE)
    assert table.state.disputes == before
    assert table.state.erased == {(1, "statement")}


def test_after_a_fault_another_auditor_proposes_the_correction_if_the_first_auditor_is_gone() -> None:  # D.4
    table = Table().decided()
    table.do(SERVICE, RETURN)
    table.do(OTHER, TAKE)
    table.do(OTHER, correction())
    proposed = table.state.disputes[1]
    assert (proposed.status, proposed.outcome, proposed.auditor) == ("proposed", "fault", OTHER)
    with pytest.raises(Refusal, match="approver_must_be_another"):
        table.do(OTHER, ApproveCorrection(proposal=table.position))
